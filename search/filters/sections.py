"""`section:` also finds a section by its heading, written as in a link: `section:"TCP IP"` for `## TCP/IP`."""

import re

from search.analysis.fold import fold
from search.graph.headings import Headings
from search.query import Node, Phrase, Word
from search.vault.note import Heading, Note

_WORD = re.compile(r"[^\W_]+")


def heading_named(node: Node, note: Note) -> Heading | None:
    """The heading of the note that a word or phrase names; None for other conditions.

    A word of letters and digits names none: where it could, the section contains it.
    """
    if not isinstance(node, Word | Phrase) or node.text.isalnum() or not note.headings:
        return None
    return Headings(note.headings).find(node.text)


def words_of_heading(text: str) -> list[str]:
    """The folded words that a heading with this name contains; without the number of a repeated heading."""
    words = _WORD.findall(fold(text))
    return words[:-1] if len(words) > 1 and words[-1].isdigit() else words
