"""Distinct tokens in one text in UTF-8, numbered in their order, without a Python object for each of them.

A token takes its bytes, four for its place, and five to eight in a hash table that has only numbers: the text says
whether a number is that of the token. A dictionary of strings takes 130 bytes more for each, which made the memory for
a note of a megabyte of different words fifty times its size. Looking a token up takes half a microsecond.
"""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

_BLOCK = 1 << 13  # tokens that are Python objects at a time
_MOST_USED, _USED = 0.8, 0.6  # the share of positions of the table: at most, and after it was enlarged
_HASH_BITS = 32
_HASH_MASK = (1 << _HASH_BITS) - 1

_Places = npt.NDArray[np.uint32]
_Hashes = npt.NDArray[np.uint64]


class TokenText:
    """Tokens without line breaks. While one thread adds some, others look up: a new one is found or not."""

    def __init__(self, text: bytes = b"\n") -> None:
        """`text` has a line break before each token, and one at its end."""
        self.text = text
        self.codes: npt.NDArray[np.uint8] = np.frombuffer(text, np.uint8)
        self.starts: _Places = (np.flatnonzero(self.codes[:-1] == ord("\n")) + 1).astype(np.uint32)
        self._starts = _as_view(self.starts)
        self._table = array("I", [0])
        self._insert(0)

    def __len__(self) -> int:
        return len(self.starts)

    def number_of(self, token: str) -> int | None:
        """The number of a token, or None."""
        code = token.encode("utf-8", "surrogatepass")
        line = code + b"\n"
        table = self._table
        at = (hash(code) & _HASH_MASK) * len(table) >> _HASH_BITS
        while number := table[at]:
            if self.text.startswith(line, self._starts[number - 1]):
                return number - 1
            at = at + 1 if at + 1 < len(table) else 0
        return None

    def token(self, number: int) -> str:
        """The token with a number."""
        start = self._starts[number]
        return self.text[start : self.text.index(b"\n", start)].decode("utf-8", "surrogatepass")

    def tokens(self, first: int, end: int) -> list[str]:
        """The tokens with the numbers from `first` to `end`, without `end`."""
        return [code.decode("utf-8", "surrogatepass") for code in self._codes_of(first, end)]

    def find(self, number: int, part: bytes) -> int:
        """The position of the first byte of `part` in a token, or -1."""
        start = self._starts[number]
        at = self.text.find(part, start, self.text.index(b"\n", start))
        return at - start if at >= 0 else -1

    def extend(self, tokens: Sequence[str]) -> None:
        """Add tokens that are not in it, each once."""
        n_before = len(self)
        added = "\n".join((*tokens, "")).encode("utf-8", "surrogatepass")
        codes = np.frombuffer(added, np.uint8)
        lasts = np.flatnonzero(codes == ord("\n"))
        firsts = np.concatenate(([0], lasts[:-1] + 1))[: len(tokens)] + len(self.text)
        starts: _Places = np.concatenate((self.starts, firsts.astype(np.uint32)))
        self.text += added  # the table comes last: what it has is in the text
        self.codes = np.frombuffer(self.text, np.uint8)
        self._starts, self.starts = _as_view(starts), starts
        self._insert(n_before)

    def _codes_of(self, first: int, end: int) -> list[bytes]:
        if first >= end:
            return []
        stop = self._starts[end] if end < len(self) else len(self.text)
        return self.text[self._starts[first] : stop - 1].split(b"\n")

    def _insert(self, first: int) -> None:
        """Put the tokens from `first` on into the table, or all of them into a larger one."""
        table = self._table
        if len(self) >= _MOST_USED * len(table):
            first, table = 0, array("I", bytes(4 * int(len(self) / _USED + 2)))
        places = np.frombuffer(table, np.uint32)
        for begin in range(first, len(self), _BLOCK):
            end = min(begin + _BLOCK, len(self))
            hashes = np.fromiter(map(hash, self._codes_of(begin, end)), np.int64, end - begin).view(np.uint64)
            _place(places, hashes & np.uint64(_HASH_MASK), np.arange(begin + 1, end + 1, dtype=np.uint32))
        self._table = table


def _place(table: _Places, hashes: _Hashes, numbers: _Places) -> None:
    """Put each number at its position or, if that is used, at the next free one."""
    places = (hashes * np.uint64(len(table)) >> np.uint64(_HASH_BITS)).astype(np.int64)
    while len(numbers):
        is_free = table[places] == 0
        table[places[is_free]] = numbers[is_free]  # of several numbers for one position, one gets it
        waits = table[places] != numbers
        places, numbers = places[waits] + 1, numbers[waits]
        places[places == len(table)] = 0


def _as_view(places: _Places) -> "memoryview[int]":
    """The places as a view: its items are Python numbers, and come three times as fast as those of an array."""
    return np.ascontiguousarray(places).data


def blocks(first: int, end: int) -> Iterator[tuple[int, int]]:
    """The numbers from `first` to `end` in blocks: few enough tokens to be Python objects at the same time."""
    for begin in range(first, end, _BLOCK):
        yield begin, min(begin + _BLOCK, end)
