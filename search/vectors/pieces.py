"""Cuts one long line into pieces that fit: after sentences, else after clauses, else between words or characters.

The sentence and clause marks of Chinese, Japanese and other scripts without spaces count too. A piece never ends inside
what a reader sees as one character (a letter with its accents, an emoji of several parts, a surrogate pair).

Invariant: the pieces joined are the line.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import regex

_CLOSERS = r"[\"'”’»)\]」』）】》*_]*"
_SENTENCE = re.compile(rf"(?<![.!?…])[.!?…]++{_CLOSERS}\s+|[。！？｡．؟۔।॥።]+{_CLOSERS}\s*")
_CLAUSE = re.compile(rf"[,;:]{_CLOSERS}\s+|\s[–—-]+\s+|[，、；：､،؛]{_CLOSERS}\s*")
_CHARACTER = regex.compile(r"[\ud800-\udbff][\udc00-\udfff]|\X")
_ENDS_SENTENCE = re.compile(rf"[.!?…:。！？｡．؟۔।॥።]{_CLOSERS}\s*\Z")
_MAX_CHARACTER = 32  # code points; a longer one (a letter under a pile of marks) is not real text, and may be cut

Cost = Callable[[str], int]


def ends_sentence(line: str) -> bool:
    """Whether a sentence ends where the line ends.

    >>> ends_sentence("It stood (alone.)"), ends_sentence("oak and")
    (True, False)
    """
    return _ENDS_SENTENCE.search(line[-32:]) is not None


def cut_line(line: str, *, cost: Cost, limit: int) -> list[str]:
    """Pieces of a line that cost at most `limit` each, joined as far as that allows. "" gives one empty piece.

    A single character that costs more than `limit` is a piece of its own.
    """
    pieces = [line]
    for mark in (_SENTENCE, _CLAUSE):
        pieces = [part for piece in pieces for part in _pack(_split(piece, mark), cost, limit)]
    return [part for piece in pieces for part in _cut_evenly(piece, cost, limit)]


def _split(piece: str, mark: re.Pattern[str]) -> list[str]:
    bounds = [0, *(found.end() for found in mark.finditer(piece)), len(piece)]
    return [piece[start:end] for start, end in pairwise(bounds) if end > start] or [piece]


def _pack(parts: Sequence[str], cost: Cost, limit: int) -> list[str]:
    """Join neighbouring parts as long as they fit; a part that does not fit stays alone."""
    if len(parts) == 1:
        return list(parts)
    packed: list[str] = []
    size = limit
    for part in parts:
        more = cost(part)
        if packed and size + more <= limit:
            packed[-1] += part
            size += more
        else:
            packed.append(part)
            size = more
    return packed


def _cut_evenly(piece: str, cost: Cost, limit: int) -> list[str]:
    """Cut into about equal parts, each ending after a space if one is near. Parts that do not fit are cut again."""
    size = cost(piece)
    if size <= limit:
        return [piece]
    ends = _ends_of_characters(piece)
    if len(ends) == 1:
        return [piece]
    n_parts = min(len(ends), size // limit + 1)
    bounds = [0, *(_bound(piece, ends, number, n_parts) for number in range(1, n_parts)), len(piece)]
    parts = [piece[start:end] for start, end in pairwise(bounds) if end > start]
    return [small for part in parts for small in _cut_evenly(part, cost, limit)]


def _bound(piece: str, ends: Sequence[int], number: int, n_parts: int) -> int:
    """The end of part `number`: after the last space in its last third, else after a character."""
    start, end = (ends[max(1, int(len(ends) * at / n_parts)) - 1] for at in (number - 1 / 3, number))
    at = max(piece.rfind(space, int(start), int(end)) for space in (" ", "\t", "\u3000"))
    return at + 1 if at >= start else int(end)


def _ends_of_characters(text: str) -> Sequence[int]:
    """Where each character ends. Of ASCII only CR LF is one character of two; no others take a search."""
    if text.isascii() and "\r" not in text:
        return range(1, len(text) + 1)
    ends: list[int] = []
    for match in _CHARACTER.finditer(text):
        start, end = match.span()
        ends += [*range(start + _MAX_CHARACTER, end, _MAX_CHARACTER), end]
    return ends
