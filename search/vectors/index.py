"""Vectors in memory, searched by brute force: int8 rows in blocks, a cosine to each, the best ones of it.

Exact, up to the rounding of `quantize`, and fast enough: 50,000 chunks of 384 dimensions take a few milliseconds and
20 MB, so there is no graph or tree that would have to be built, tuned or mistrusted.

The trick: rows are only ever added, at the end; what is removed is marked, and cleared away when it is a third of all.
So a `VectorView`, taken in a moment by any thread, stays as it was while one thread goes on writing.
"""

import threading
from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.ids import NoteId
from search.vectors.cosine import BLOCK_ROWS, Floats, Quantized, Rows, cosines, inverse_lengths, quantize, unit

RowNumbers = npt.NDArray[np.intp]
_DEAD = -1
_MIN_DEAD_ROWS = 1024  # fewer are not worth clearing away


@frozen
class Match:
    """A note's chunk that is nearest to the query: `chunk` counts from 0 in the note's chunks."""

    note: NoteId
    chunk: int
    cosine: float  # -1..1, raw


@frozen(eq=False)
class Batch:
    """Several notes with vectors: those of the first note, `n_chunks[0]` of them, then those of the second, ..."""

    notes: tuple[NoteId, ...]
    n_chunks: tuple[int, ...]  # each 1 or more
    vectors: Quantized


@frozen(slots=True)
class _Place:
    """Rows `first` to `first + n_rows` of the note with this number."""

    number: int
    first: int
    n_rows: int


@frozen(eq=False)
class VectorView:
    """The index as it was at one moment. Rows are numbered from 0; the numbers hold for this view alone."""

    _blocks: tuple[tuple[Rows, Floats], ...]
    _owners: npt.NDArray[np.int32]  # the number of the note that a row belongs to; -1 for none
    _notes: tuple[NoteId, ...]  # by number
    _places: dict[NoteId, _Place]

    def __len__(self) -> int:
        """How many chunks."""
        return sum(place.n_rows for place in self._places.values())

    @property
    def notes(self) -> frozenset[NoteId]:
        """The notes that have chunks."""
        return frozenset(self._places)

    def rows_of(self, notes: Iterable[NoteId]) -> RowNumbers:
        """The rows of some notes, ascending, each once; notes that are not here have none."""
        places = [self._places[note] for note in set(notes) if note in self._places]
        places.sort(key=lambda place: place.first)
        ranges = [np.arange(place.first, place.first + place.n_rows) for place in places]
        return np.concatenate(ranges) if ranges else np.empty(0, np.intp)

    def chunk_at(self, row: int) -> tuple[NoteId, int]:
        """The note and the number of the chunk that a row of this view stands for; KeyError for none."""
        note = self._notes[self._owners[row]] if self._owners[row] != _DEAD else None
        if note is None:
            raise KeyError(row)
        return note, row - self._places[note].first

    def mean(self, rows: RowNumbers) -> Floats:
        """The mean direction of some rows, of unit length; zeros for none."""
        total = np.zeros(self._blocks[0][0].shape[1] if self._blocks else 0, np.float32)
        for row in rows.tolist():
            block, inverse = self._blocks[row // BLOCK_ROWS]
            total += block[row % BLOCK_ROWS] * inverse[row % BLOCK_ROWS]
        return unit(total)

    def search(
        self, query: Floats, n: int, *, admitted: RowNumbers | None = None, budget: Budget = UNLIMITED
    ) -> tuple[RowNumbers, Floats]:
        """The `n` rows nearest to the query and their cosines, best first, equal ones by row.

        `query` need not be of unit length; a zero query is equally far (0) from all. `admitted` limits the search to
        some rows, ascending. Fewer than `n` come back where there are fewer; `n` of 0 or less gives none.
        """
        rows, found = self._cosines(query, admitted, budget)
        best = _best(found, n)
        return rows[best], found[best]

    def best_per_note(
        self, query: Floats, n: int, *, admitted: RowNumbers | None = None, budget: Budget = UNLIMITED
    ) -> tuple[Match, ...]:
        """The `n` notes whose nearest chunk is nearest to the query, with that chunk; otherwise as `search`."""
        rows, found = self._cosines(query, admitted, budget)
        if not len(rows):
            return ()
        owners = self._owners[rows]
        starts = np.flatnonzero(np.diff(owners, prepend=_DEAD))  # rows of a note stand together
        peaks = np.maximum.reduceat(found, starts)
        ends = np.append(starts[1:], len(rows))
        matches = []
        for at in _best(peaks, n):
            row = rows[starts[at] + int(np.argmax(found[starts[at] : ends[at]]))]
            matches.append(Match(*self.chunk_at(int(row)), float(peaks[at])))
        return tuple(matches)

    def _cosines(self, query: Floats, admitted: RowNumbers | None, budget: Budget) -> tuple[RowNumbers, Floats]:
        """The admitted rows that are alive, and the cosine of each."""
        rows = np.flatnonzero(self._owners != _DEAD) if admitted is None else admitted[self._owners[admitted] != _DEAD]
        found = np.empty(len(rows), np.float32)
        direction = unit(query)
        bounds = np.searchsorted(rows, np.arange(len(self._blocks) + 1) * BLOCK_ROWS)
        for number, (block, inverse) in enumerate(self._blocks):
            budget.check()
            start, end = bounds[number], bounds[number + 1]
            if end - start == BLOCK_ROWS:
                found[start:end] = cosines(block, inverse, direction)
            elif end > start:
                inside = rows[start:end] - number * BLOCK_ROWS
                found[start:end] = cosines(block[inside], inverse[inside], direction)
        return rows, found


class VectorIndex:
    """Vectors of notes, added and removed as notes change. One thread writes; any thread may take a `view`."""

    def __init__(self, n_dimensions: int) -> None:
        self.n_dimensions = n_dimensions
        self._lock = threading.Lock()
        self._view: VectorView | None = None
        self._clear()

    @classmethod
    def of(cls, batches: Iterable[Batch], n_dimensions: int) -> Self:
        """An index of many notes, as `VectorStore.batches` gives them: each note once."""
        index = cls(n_dimensions)
        for batch in batches:
            index._add(batch.notes, batch.n_chunks, batch.vectors.rows)
        return index

    def put(self, note: NoteId, vectors: Floats | Quantized) -> None:
        """Add a note's vectors, in place of those it had; no vectors remove it."""
        quantized = vectors if isinstance(vectors, Quantized) else quantize(vectors.astype(np.float32, copy=False))
        if len(quantized) and quantized.rows.shape[1] != self.n_dimensions:
            raise ValueError(f"{note}: vectors of {quantized.rows.shape[1]} dimensions among {self.n_dimensions}")
        with self._lock:
            self._remove(note)
            if len(quantized):
                self._add([note], [len(quantized)], quantized.rows)

    def remove(self, note: NoteId) -> None:
        """Forget a note; one that is not here is no matter."""
        with self._lock:
            self._remove(note)

    def move(self, old: NoteId, new: NoteId) -> None:
        """Call a note by another path; what the index had under that path is forgotten."""
        with self._lock:
            if old == new:
                return
            self._remove(new)  # first: it may renumber what stays
            if place := self._places.pop(old, None):
                self._places[new] = place
                self._notes[place.number] = new
                self._view = None

    def view(self) -> VectorView:
        """The index as it is now."""
        with self._lock:
            if self._view is None:
                n_blocks = -(-self._n_rows // BLOCK_ROWS)
                owners = self._owners[: self._n_rows].copy()
                self._view = VectorView(tuple(self._blocks[:n_blocks]), owners, tuple(self._notes), dict(self._places))
            return self._view

    @property
    def n_bytes(self) -> int:
        """The memory that rows take."""
        return sum(rows.nbytes + inverse.nbytes for rows, inverse in self._blocks) + self._owners.nbytes

    def _clear(self) -> None:
        self._blocks: list[tuple[Rows, Floats]] = []
        self._owners = np.full(BLOCK_ROWS, _DEAD, np.int32)
        self._notes: list[NoteId] = []
        self._places: dict[NoteId, _Place] = {}
        self._n_rows = 0
        self._n_dead = 0
        self._view = None

    def _add(self, notes: Sequence[NoteId], n_chunks: Sequence[int], rows: Rows) -> None:
        """Append rows of notes that are not here yet."""
        first = self._n_rows
        end = first + len(rows)
        while end > len(self._blocks) * BLOCK_ROWS:
            block = np.empty((BLOCK_ROWS, self.n_dimensions), np.int8)
            self._blocks.append((block, np.zeros(BLOCK_ROWS, np.float32)))
        if end > len(self._owners):
            more = np.full(max(end, len(self._owners) * 5 // 4) - len(self._owners), _DEAD, np.int32)
            self._owners = np.concatenate([self._owners, more])
        at = first
        while at < end:
            number, offset = divmod(at, BLOCK_ROWS)
            part = rows[at - first : at - first + BLOCK_ROWS - offset]
            block, inverse = self._blocks[number]
            block[offset : offset + len(part)] = part
            inverse[offset : offset + len(part)] = inverse_lengths(part)
            at += len(part)
        numbers = np.arange(len(self._notes), len(self._notes) + len(notes), dtype=np.int32)
        self._owners[first:end] = np.repeat(numbers, n_chunks)
        for note, n_rows in zip(notes, n_chunks, strict=True):
            self._places[note] = _Place(len(self._notes), first, n_rows)
            self._notes.append(note)
            first += n_rows
        self._n_rows = end
        self._view = None

    def _remove(self, note: NoteId) -> None:
        place = self._places.pop(note, None)
        if place is None:
            return
        self._owners[place.first : place.first + place.n_rows] = _DEAD
        self._n_dead += place.n_rows
        self._view = None
        if self._n_dead > max(_MIN_DEAD_ROWS, self._n_rows // 3):
            self._clear_away()

    def _clear_away(self) -> None:
        """Write the rows that count into new blocks; views keep the old ones."""
        blocks, places = self._blocks, sorted(self._places.items(), key=lambda item: item[1].first)
        self._clear()
        for note, place in places:
            end = place.first + place.n_rows
            touched = range(place.first // BLOCK_ROWS, (end - 1) // BLOCK_ROWS + 1)
            parts = [blocks[b][0][max(0, place.first - b * BLOCK_ROWS) : max(0, end - b * BLOCK_ROWS)] for b in touched]
            self._add([note], [place.n_rows], np.concatenate(parts))


def _best(values: Floats, n: int) -> RowNumbers:
    """Where the `n` greatest stand, greatest first, equal ones in order."""
    n = min(n, len(values))
    if n <= 0:
        return np.empty(0, np.intp)
    worst = np.partition(values, len(values) - n)[len(values) - n]
    candidates = np.flatnonzero(values >= worst)
    order = np.argsort(-values[candidates], kind="stable")
    best: RowNumbers = candidates[order[:n]]
    return best
