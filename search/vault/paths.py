"""Which strings are valid note ids.

Ids that come from a client are checked here before any file is opened, so that none leads out of the vault.
"""

import os
import re

from search.ids import MARKDOWN_EXTENSIONS

# Files that Obsidian opens in addition to notes, and documents. Not every extension: a note may be named `node.js`.
_OTHER = re.compile(
    r"\.(?:avif|bmp|gif|hei[cf]|ico|jpe?g|png|svg|tiff?|webp|3gp|flac|m4a|mp3|og[agv]|opus|wav|mkv|mov|mp4|webm"
    r"|pdf|canvas|base|[ct]sv|docx?|epub|od[pst]|pptx?|rtf|xlsx?|zip)$",
    re.IGNORECASE,
)
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_SEPARATOR = re.compile(r"[/\\]")


def is_note_name(name: str) -> bool:
    """Whether a file with this name is a Markdown note; upper and lower case are the same.

    >>> is_note_name("A.MD"), is_note_name("a.md~")
    (True, False)
    """
    return name.lower().endswith(MARKDOWN_EXTENSIONS)


def is_attachment(target: str) -> bool:
    """Whether a link's target has the extension of an image, a recording or a document.

    >>> is_attachment("a/photo.PNG"), is_attachment("v1.2"), is_attachment("node.js")
    (True, False, False)
    """
    return _OTHER.search(target) is not None


def is_note_id(text: str) -> bool:
    """Whether `text` is a normalized relative path, as of a file in a vault: no root, no drive, no `..`, no `~/`.

    >>> is_note_id("a/v1..2.md"), is_note_id("a/b.png"), is_note_id("a/../b.md"), is_note_id("")
    (True, True, False, False)
    """
    if not text or "\0" in text or text[0] in "/\\" or _DRIVE.match(text):
        return False
    if os.sep == "\\" and ("\\" in text or ":" in text):  # pragma: no cover - Windows, where both have a meaning
        return False
    parts = _SEPARATOR.split(text)
    return parts[0] != "~" and not {"", ".", ".."}.intersection(parts)
