"""Numbers of the pieces of ASCII text, found by their hashes, without making a string of each.

The trick: a polynomial hash of every piece comes from one running sum over the text, and all hashes are looked up at
once in arrays. Reading a vault is mostly this look-up, and a string and a dictionary's cache misses for each of its
millions of pieces take four times as long.

Two pieces of one hash would be taken for each other: with 64 bits, among a million distinct pieces, that happens to
one vault in thirty-seven million. Such hashes collide for some patterns of a thousand letters, so what is long is
looked up as a string.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.uint32]
_Hashes = npt.NDArray[np.uint64]

LIMIT = 1 << 16  # characters in one look-up: its arrays fit into the processor's cache
_LONGEST = 120  # characters
_FIRST_BITS = 12
_FULL_STOP = ord(".")

_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse; the golden ratio's bits
_POWERS: _Hashes = np.cumprod(np.full(LIMIT, _BASE, np.uint64), dtype=np.uint64)
_INVERSES: _Hashes = np.cumprod(np.full(LIMIT, pow(_BASE, -1, 1 << 64), np.uint64), dtype=np.uint64)


def _mixed(sums: _Hashes) -> _Hashes:
    """Spread over all bits, since the upper ones are the place in the table; never 0, which says that a place is free.

    Constants of D. Stafford's variants of MurmurHash3's finalizer.
    """
    hashes = (sums ^ (sums >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.maximum(hashes ^ (hashes >> np.uint64(31)), np.uint64(1))


_LETTERS: _Hashes = _mixed(np.arange(1, 129, dtype=np.uint64) * np.uint64(_BASE))


class PieceTable:
    """Piece -> number, by open addressing. `number` is asked for the number of a piece that was not met before.

    The full stop that ends many words is no part of a piece, unless it is all of it.
    """

    def __init__(self, number: Callable[[str], int], *, separators: str) -> None:
        self._number = number
        self._is_inside = np.ones(128, np.bool_)
        self._is_inside[[ord(char) for char in separators]] = False
        self._is_inside_text = np.zeros(LIMIT + 2, np.bool_)  # of the text that is looked up; and its running sum:
        self._sums = np.zeros(LIMIT + 1, np.uint64)
        self.clear()

    def __len__(self) -> int:
        return self._n_known

    def clear(self) -> None:
        """Forget all pieces."""
        self._n_known = 0
        self._n_bits = _FIRST_BITS
        self._hashes = np.zeros(1 << self._n_bits, np.uint64)  # 0: free
        self._numbers = np.zeros(1 << self._n_bits, np.uint32)

    def numbers(self, text: str) -> Ids:
        """The number of each piece of `text`, in order. `text` is ASCII and no longer than `LIMIT`."""
        codes = np.frombuffer(text.encode("ascii"), np.uint8)
        n_codes = len(codes)
        is_inside = self._is_inside_text[: n_codes + 2]
        np.take(self._is_inside, codes, out=is_inside[1:-1], mode="clip")  # the mode that needs no second array
        is_inside[-1] = False
        edges = np.flatnonzero(is_inside[1:] != is_inside[:-1])
        starts, ends = edges[::2], edges[1::2]
        ends = ends - ((codes[ends - 1] == _FULL_STOP) & (ends - starts > 1))
        sums = self._sums[: n_codes + 1]
        np.take(_LETTERS, codes, out=sums[1:], mode="clip")
        np.multiply(sums[1:], _POWERS[:n_codes], out=sums[1:])
        np.cumsum(sums[1:], out=sums[1:])
        hashes = _mixed((sums[ends] - sums[starts]) * _INVERSES[starts])
        places = self._find(hashes)
        found = self._numbers[places]
        is_new = self._hashes[places] == 0
        is_long = ends - starts > _LONGEST
        if is_long.any():
            is_new &= ~is_long
            for at in np.flatnonzero(is_long).tolist():
                found[at] = self._number(text[starts[at] : ends[at]])
        if is_new.any():
            found[is_new] = self._learn(text, hashes[is_new], starts[is_new], ends[is_new])
        return found

    def _learn(self, text: str, hashes: _Hashes, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Ids:
        new, firsts, back = np.unique(hashes, return_index=True, return_inverse=True)
        order = np.argsort(firsts)  # as they stand in the text
        spans = zip(starts[firsts[order]].tolist(), ends[firsts[order]].tolist(), strict=True)
        numbers = np.empty(len(new), np.uint32)
        numbers[order] = [self._number(text[start:end]) for start, end in spans]
        self._insert(new, numbers)
        learnt: Ids = numbers[back]
        return learnt

    def _insert(self, hashes: _Hashes, numbers: Ids) -> None:
        """Add distinct hashes that are not there yet."""
        self._n_known += len(hashes)
        if 2 * self._n_known > len(self._hashes):
            is_used = self._hashes != 0
            hashes = np.concatenate((hashes, self._hashes[is_used]))
            numbers = np.concatenate((numbers, self._numbers[is_used]))
            self._n_bits = max(_FIRST_BITS, (4 * self._n_known).bit_length())
            self._hashes = np.zeros(1 << self._n_bits, np.uint64)
            self._numbers = np.zeros(1 << self._n_bits, np.uint32)
        while len(hashes):
            places = self._find(hashes)
            self._hashes[places] = hashes  # of several that want a place, one gets it
            has_lost = self._hashes[places] != hashes
            self._numbers[places[~has_lost]] = numbers[~has_lost]
            hashes, numbers = hashes[has_lost], numbers[has_lost]

    def _find(self, hashes: _Hashes) -> npt.NDArray[np.int64]:
        """Where each hash stands, or the free place where it would."""
        places = (hashes >> np.uint64(64 - self._n_bits)).astype(np.int64)
        seen = self._hashes[places]
        passing = np.flatnonzero((seen != hashes) & (seen != 0))
        while len(passing):
            places[passing] = (places[passing] + 1) & (len(self._hashes) - 1)
            seen = self._hashes[places[passing]]
            passing = passing[(seen != hashes[passing]) & (seen != 0)]
        return places
