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
_ONE = np.uint8(1)

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


class TokenHashTable:
    """Piece -> number, by open addressing. `number` is asked for the number of a piece that was not met before.

    The full stop that ends many words is no part of a piece, unless it is all of it.
    """

    def __init__(self, number: Callable[[str], int], *, separators: str) -> None:
        self._number = number
        self._marks = bytes(chr(code) not in separators for code in range(256))  # whether a character is inside a piece
        self._sums = np.zeros(LIMIT + 1, np.uint64)  # the running sum over the text that is looked up
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
        raw = text.encode("ascii")
        is_inside = np.frombuffer((b" %b " % raw).translate(self._marks), np.bool_)
        edges = np.flatnonzero(is_inside[1:] != is_inside[:-1])
        codes, starts, ends = np.frombuffer(raw, np.uint8), edges[::2], edges[1::2]
        lengths = ends - starts
        ends = ends - ((codes[ends - 1] == _FULL_STOP) & (lengths > 1))
        sums = self._sums[: len(raw) + 1]
        np.multiply(codes + _ONE, _POWERS[: len(raw)], out=sums[1:])  # or a NUL at the end would not count
        np.cumsum(sums[1:], out=sums[1:])
        hashes = _mixed((sums[ends] - sums[starts]) * _INVERSES[starts])
        places = self._find(hashes)
        found = self._numbers[places]
        is_new = self._hashes[places] == 0
        if lengths.max(initial=0) > _LONGEST:
            is_long = lengths > _LONGEST
            is_new &= ~is_long
            for at in np.flatnonzero(is_long).tolist():
                found[at] = self._number(text[starts[at] : ends[at]])
        if is_new.any():
            found[is_new] = self._learn(text, hashes[is_new], starts[is_new], ends[is_new])
        return found

    def _learn(self, text: str, hashes: _Hashes, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> Ids:
        """Take up pieces that are not there yet, some of them several times; the number of each."""
        self._make_room(len(hashes))
        places = self._place(hashes)
        order = np.arange(len(hashes), dtype=np.uint32)
        self._numbers[places[::-1]] = order[::-1]  # the first of equal ones stays
        is_first = self._numbers[places] == order
        spans = zip(starts[is_first].tolist(), ends[is_first].tolist(), strict=True)
        try:
            self._numbers[places[is_first]] = [self._number(text[start:end]) for start, end in spans]
        except BaseException:
            self.clear()  # no piece may keep what stands in for its number
            raise
        self._n_known += int(np.count_nonzero(is_first))
        learnt: Ids = self._numbers[places]
        return learnt

    def _make_room(self, n_more: int) -> None:
        """Have half of the places free, with as many pieces more."""
        n_pieces = self._n_known + n_more
        if 2 * n_pieces <= len(self._hashes):
            return
        is_used = self._hashes != 0
        hashes, numbers = self._hashes[is_used], self._numbers[is_used]
        self._n_bits = max(_FIRST_BITS, (4 * n_pieces).bit_length())
        self._hashes = np.zeros(1 << self._n_bits, np.uint64)
        self._numbers = np.zeros(1 << self._n_bits, np.uint32)
        self._numbers[self._place(hashes)] = numbers

    def _place(self, hashes: _Hashes) -> npt.NDArray[np.int64]:
        """Give each hash a place, equal ones the same; none of them has one yet."""
        places = np.empty(len(hashes), np.int64)
        waiting = np.arange(len(hashes))
        while len(waiting):
            wanted = hashes[waiting]
            free = self._find(wanted)
            self._hashes[free] = wanted  # of several that want a place, one gets it
            has_won = self._hashes[free] == wanted
            places[waiting[has_won]] = free[has_won]
            waiting = waiting[~has_won]
        return places

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
