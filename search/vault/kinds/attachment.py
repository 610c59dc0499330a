"""Attachments whose text a child process extracted, see `vault/attachments`: reads the JSON that it sent.

The parser may have been taken over by the file that it read, so nothing in the JSON is trusted. Empty text stands for a
file that is not extracted yet.
"""

import json
from itertools import pairwise

from search.vault.kinds.reading import Reading, unread
from search.vault.lines import to_lf
from search.vault.note import Heading

_LEVELS = range(1, 7)
_LONGEST = 300  # characters of a title, a heading or a reason
_MOST_LOST = 5  # reasons
_LONGEST_SIDE = 1_000_000  # pixels


def read_attachment(text: str) -> Reading:
    """The text of an attachment with its headings, pages, title and author."""
    if not text:
        return Reading(text="")
    value = json.loads(text)
    if not isinstance(value, dict):
        return unread("what its parser found cannot be read")
    body = to_lf(_text(value, "text"))
    n_lines = body.count("\n") + 1
    headings = [
        Heading(level, _caption(caption), line)
        for level, caption, line in _rows(value, "headings", (int, str, int))
        if level in _LEVELS and 0 <= line < n_lines
    ]
    pages = [(line, _caption(label)) for line, label in _rows(value, "pages", (int, str)) if 0 <= line < n_lines]
    is_in_order = all(before[0] < after[0] for before, after in pairwise(pages))
    author = _caption(_text(value, "author"))
    return Reading(
        text=body,
        title=_caption(_text(value, "title")),
        headings=tuple(sorted(headings, key=lambda heading: heading.line)),
        pages=tuple(pages) if is_in_order else (),
        properties=((("author", (author,)),) if author else ()) + _size(value),
        lost=tuple(_caption(lost) for lost in _list(value, "lost")[:_MOST_LOST] if isinstance(lost, str)),
        problem=_caption(_text(value, "problem")),
    )


def _size(value: dict[str, object]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Width and height of a picture as properties, if they are known."""
    size = [side for side in _list(value, "size") if isinstance(side, int) and 0 < side <= _LONGEST_SIDE]
    return (
        tuple((name, (str(side),)) for name, side in zip(("width", "height"), size, strict=True))
        if len(size) == 2
        else ()
    )


def _text(value: dict[str, object], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _caption(text: str) -> str:
    """A text on one line, of bounded length."""
    return " ".join(text[:_LONGEST].split())


def _list(value: dict[str, object], name: str) -> list[object]:
    found = value.get(name)
    return found if isinstance(found, list) else []


def _rows(value: dict[str, object], name: str, types: tuple[type, ...]) -> list[tuple]:  # type: ignore[type-arg]
    """The rows of a list that have values of these types."""
    rows = [row for row in _list(value, name) if isinstance(row, list)]
    return [tuple(row) for row in rows if len(row) == len(types) and all(map(isinstance, row, types))]
