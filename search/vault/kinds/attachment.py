"""Attachments whose text a child process extracted, see `vault/attachments`: reads the JSON that it sent.

The parser may have been taken over by the file that it read, so nothing in the JSON is trusted. Empty text stands for a
file that is not extracted yet.
"""

import json
from itertools import pairwise

from search.vault.attachments.extracted import MAX_CAPTION, is_from_json
from search.vault.kinds.reading import Reading, unread
from search.vault.lines import to_lf
from search.vault.note import Heading

_LEVELS = range(1, 7)
_LONGEST_SIDE = 1_000_000  # pixels


def read_attachment(text: str) -> Reading:
    """The text of an attachment with its headings, pages, title and author."""
    if not text:
        return Reading(text="")
    if not is_from_json(text):
        return unread("what its parser found cannot be read")
    value = json.loads(text)
    body = to_lf(value["text"])
    n_lines = body.count("\n") + 1
    headings = [
        Heading(level, _caption(caption), line)
        for level, caption, line in value["headings"]
        if level in _LEVELS and line < n_lines
    ]
    pages = [(line, _caption(label)) for line, label in value["pages"] if line < n_lines]
    is_in_order = all(before[0] < after[0] for before, after in pairwise(pages))
    author = _caption(value["author"])
    return Reading(
        text=body,
        title=_caption(value["title"]),
        headings=tuple(sorted(headings, key=lambda heading: heading.line)),
        pages=tuple(pages) if is_in_order else (),
        properties=((("author", (author,)),) if author else ()) + _size(value["size"]),
        lost=tuple(map(_caption, value["lost"])),
        problem=_caption(value["problem"]),
    )


def _size(sides: list[int]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Width and height of a picture as properties, if they are known."""
    if not all(0 < side <= _LONGEST_SIDE for side in sides):
        return ()
    return tuple((name, (str(side),)) for name, side in zip(("width", "height"), sides, strict=False))


def _caption(text: str) -> str:
    """A text on one line, of bounded length."""
    return " ".join(text[:MAX_CAPTION].split())
