"""Where the parts of a reading are in a file whose lines no reader sees: a canvas's cards, a notebook's cells."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from attrs import frozen

from search.ids import other_type
from search.vault.kinds.canvas import LONGEST_ID
from search.vault.kinds.registry import read_for, read_with

_CELL = re.compile(r'(?<!\\)"cell_type"[ \t]*:')
_ID = re.compile(rf'(?<!\\)"id"[ \t]*:[ \t]*("(?:[^"\\\n]|\\.){{0,{LONGEST_ID}}}")')


@frozen
class FilePlace:
    """A card or cell: the `fragment` that names it, without `#`, and the line of the file where it stands, from 0.

    The fragment is the id of a card, as in Obsidian's links, `card=3` for the third card if it has no id, `edges` for
    the labels of all edges, or `cell=3` for the third cell. The line is 0 for a card without an id, and for the labels.
    """

    fragment: str
    line: int


def has_parts(path: str) -> bool:
    """Whether a file of this type has cards or cells.

    >>> has_parts("a.canvas"), has_parts("a.html")
    (True, False)
    """
    return other_type(path) in {"canvas", "ipynb"}


def file_places(path: str, text: str, lines: Iterable[int]) -> Sequence[FilePlace | None]:
    """The place in the file with this text for each of `lines`, which are those of its reading; None if it has none."""
    keys = _keys(path, text)
    starts = [start for start, _ in keys]
    wanted = [keys[at - 1][1] if (at := bisect_right(starts, line)) else "" for line in lines]
    found = _cells(text, wanted) if other_type(path) == "ipynb" else _cards(text, wanted)
    return [found.get(key) if key else None for key in wanted]


def fragments(path: str, text: str) -> tuple[tuple[int, str], ...]:
    """The first line of each card or cell in the reading of this text, and the fragment that names it.

    >>> fragments("a.ipynb", '{"cells": [{"cell_type": "raw", "source": "oak"}]}')
    ((0, 'cell=1'),)
    """
    prefix = "cell=" if other_type(path) == "ipynb" else ""
    return tuple((line, prefix + key) for line, key in _keys(path, text))


def _keys(path: str, text: str) -> Sequence[tuple[int, str]]:
    """The first line and the key of each card or cell."""
    read = read_for(path) if has_parts(path) else None
    return () if read is None else read_with(read, text).keys


def _cells(text: str, keys: Sequence[str]) -> dict[str, FilePlace]:
    wanted = {int(key): key for key in keys if key}
    found: dict[str, FilePlace] = {}
    for number, match in enumerate(_CELL.finditer(text) if wanted else (), start=1):
        if number in wanted:
            found[wanted[number]] = FilePlace(f"cell={number}", text.count("\n", 0, match.start()))
    return found


def _cards(text: str, keys: Sequence[str]) -> dict[str, FilePlace]:
    missing = {*keys} - {""}
    found = {key: FilePlace(key, 0) for key in missing}
    for match in _ID.finditer(text) if missing else ():
        try:
            key = json.loads(match[1])
        except ValueError:
            continue
        if key in missing:
            missing.remove(key)
            found[key] = FilePlace(key, text.count("\n", 0, match.start()))
    return found
