"""A hash table from the pieces of ASCII text (see `analysis/tokens`) to numbers, without a string for each piece.

The trick: one running sum over the text gives a polynomial hash of every piece, and all hashes are looked up at once in
arrays. Most of the time to read a vault is spent on this look-up; a string and a dictionary look-up for each of its
millions of pieces take four times as long.

Two different pieces with the same hash would count as the same piece. With 64 bits and a million distinct pieces, that
happens in one vault of thirty-seven million. Polynomial hashes collide for some patterns of a thousand letters, so long
pieces are looked up as strings.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.uint32]
_Hashes = npt.NDArray[np.uint64]

LIMIT = 1 << 16  # characters in one look-up, so that its arrays fit into the processor's cache
_LONGEST = 120  # characters of a piece that is hashed
_FIRST_BITS = 12
_FULL_STOP, _TICK, _HASH = map(ord, ".`#")
_ONE = np.uint8(1)

_BASE = 0x9E3779B97F4A7C15  # the bits of the golden ratio; odd, so that it has an inverse
_POWERS: _Hashes = np.cumprod(np.full(LIMIT, _BASE, np.uint64), dtype=np.uint64)
_INVERSES: _Hashes = np.cumprod(np.full(LIMIT, pow(_BASE, -1, 1 << 64), np.uint64), dtype=np.uint64)


def _mixed(sums: _Hashes) -> _Hashes:
    """The hashes with their differences spread over all bits, since the upper bits are the position in the table.

    Never 0, which marks a free position. The constants are from D. Stafford's variants of MurmurHash3's finalizer.
    """
    hashes = (sums ^ (sums >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.maximum(hashes ^ (hashes >> np.uint64(31)), np.uint64(1))


class TokenHashTable:
    """Piece -> number, with open addressing. `number` gives the number of a piece that is not in the table yet.

    Signs around a piece are cut off, in this order: a full stop at its end, a backtick or hash at its beginning, a
    backtick at its end; but never its last character. So a name is one piece, also at the end of a sentence or as code.
    """

    def __init__(self, number: Callable[[str], int], *, separators: str) -> None:
        self._number = number
        self._is_inside = bytes(chr(code) not in separators for code in range(256))  # is a character part of a piece?
        self._sums = np.zeros(LIMIT + 1, np.uint64)  # the running sum over the text; allocated once
        self.clear()

    def __len__(self) -> int:
        return self._n_known

    def clear(self) -> None:
        """Remove all pieces."""
        self._n_known = 0
        self._n_bits = _FIRST_BITS
        self._hashes = np.zeros(1 << self._n_bits, np.uint64)  # 0: free
        self._numbers = np.zeros(1 << self._n_bits, np.uint32)

    def numbers(self, text: str) -> Ids:
        """The number of each piece of `text`, in order. `text` is ASCII and no longer than `LIMIT`."""
        raw = text.encode("ascii")
        is_inside = np.frombuffer((b" %b " % raw).translate(self._is_inside), np.bool_)
        edges = np.flatnonzero(is_inside[1:] != is_inside[:-1])
        codes, starts, ends = np.frombuffer(raw, np.uint8), edges[::2], edges[1::2]
        ends = ends - ((codes[ends - 1] == _FULL_STOP) & (ends - starts > 1))
        first = codes[starts]
        starts = starts + (((first == _TICK) | (first == _HASH)) & (ends - starts > 1))
        ends = ends - ((codes[ends - 1] == _TICK) & (ends - starts > 1))
        lengths = ends - starts
        sums = self._sums[: len(raw) + 1]
        np.multiply(codes + _ONE, _POWERS[: len(raw)], out=sums[1:])  # +1, so that a NUL counts too
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
        """Add pieces that are not in the table, perhaps several times the same; return the number of each."""
        self._make_room(len(hashes))
        places = self._place(hashes)
        order = np.arange(len(hashes), dtype=np.uint32)
        self._numbers[places[::-1]] = order[::-1]  # the first of equal ones stays
        is_first = self._numbers[places] == order
        spans = zip(starts[is_first].tolist(), ends[is_first].tolist(), strict=True)
        try:
            self._numbers[places[is_first]] = [self._number(text[start:end]) for start, end in spans]
        except BaseException:
            self.clear()  # positions in `hashes` are stored as numbers by now
            raise
        self._n_known += int(np.count_nonzero(is_first))
        learned: Ids = self._numbers[places]
        return learned

    def _make_room(self, n_more: int) -> None:
        """Enlarge the table if fewer than half of its positions would be free after adding `n_more` pieces."""
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
        """Store hashes that are not in the table; return their positions, the same one for equal hashes."""
        places = np.empty(len(hashes), np.int64)
        waiting = np.arange(len(hashes))
        while len(waiting):
            wanted = hashes[waiting]
            free = self._find(wanted)
            self._hashes[free] = wanted  # of several hashes for one position, one gets it; the others try again
            has_won = self._hashes[free] == wanted
            places[waiting[has_won]] = free[has_won]
            waiting = waiting[~has_won]
        return places

    def _find(self, hashes: _Hashes) -> npt.NDArray[np.int64]:
        """The position of each hash, or the free position where it belongs."""
        places = (hashes >> np.uint64(64 - self._n_bits)).astype(np.int64)
        seen = self._hashes[places]
        passing = np.flatnonzero((seen != hashes) & (seen != 0))
        while len(passing):
            places[passing] = (places[passing] + 1) & (len(self._hashes) - 1)
            seen = self._hashes[places[passing]]
            passing = passing[(seen != hashes[passing]) & (seen != 0)]
        return places
