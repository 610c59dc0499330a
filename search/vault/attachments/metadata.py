"""Titles in the metadata of files. Programs make many of them, which say less than the file's name."""

import re

from search.vault.attachments.extracted import one_line

_PROGRAM = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel)\b.*|untitled.*|unbenannt.*|slide \d+|document\d*|\W*)", re.IGNORECASE
)
_FILE = re.compile(r".*\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|od[tps]|indd|qxd|rtf|txt|html?)", re.IGNORECASE)


def useful_title(title: str) -> str:
    """The title on one line, or "" if a program made it.

    >>> useful_title(" On  Oaks "), useful_title("Microsoft Word - x.doc"), useful_title("draft.tex")
    ('On Oaks', '', '')
    """
    line = one_line(title)
    return "" if _PROGRAM.fullmatch(line) or _FILE.fullmatch(line) else line
