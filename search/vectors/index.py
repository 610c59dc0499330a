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
from search.vectors.numbering import Numbering

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


@frozen(eq=False)
class VectorView:
    """The index as it was at one moment. Rows are numbered from 0; the numbers hold for this view alone."""

    _blocks: tuple[tuple[Rows, Floats], ...]
    _owners: npt.NDArray[np.int32]  # the number of the note that a row belongs to; -1 for none
    _notes: Numbering
    _firsts: npt.NDArray[np.int32]  # the first row of each note, by number
    _counts: npt.NDArray[np.int32]  # and how many there are

    def __len__(self) -> int:
        """How many chunks."""
        return int(np.count_nonzero(self._owners != _DEAD))

    @property
    def notes(self) -> frozenset[NoteId]:
        """The notes that have chunks."""
        return frozenset(self._notes)

    def measured(self, notes: Iterable[NoteId]) -> frozenset[NoteId]:
        """Those of some notes that have a vector which points anywhere: a model may have none for a text."""
        rows = self.rows_of(notes)
        inverse = [self._blocks[row // BLOCK_ROWS][1][row % BLOCK_ROWS] for row in rows.tolist()]
        return frozenset(self._notes.name(number) for number in self._owners[rows[np.array(inverse) > 0.0]].tolist())

    def rows_of(self, notes: Iterable[NoteId]) -> RowNumbers:
        """The rows of some notes, ascending, each once; notes that are not here have none."""
        known = (self._notes.get(note) for note in set(notes))
        numbers = np.array([number for number in known if number is not None], np.intp)
        numbers = numbers[np.argsort(self._firsts[numbers])]
        firsts, counts = self._firsts[numbers].astype(np.intp), self._counts[numbers]
        before = np.cumsum(counts) - counts  # how many rows stand before those of each note
        rows: RowNumbers = np.arange(counts.sum()) + np.repeat(firsts - before, counts)
        return rows

    def chunk_at(self, row: int) -> tuple[NoteId, int]:
        """The note and the number of the chunk that a row of this view stands for; KeyError for none."""
        number = self._owners[row]
        if number == _DEAD:
            raise KeyError(row)
        return self._notes.name(int(number)), row - int(self._firsts[number])

    def mean(self, rows: RowNumbers) -> Floats:
        """The mean direction of some rows, of unit length; zeros for none."""
        total = np.zeros(self._blocks[0][0].shape[1] if self._blocks else 0, np.float32)
        for row in rows.tolist():
            block, inverse = self._blocks[row // BLOCK_ROWS]
            total += block[row % BLOCK_ROWS] * inverse[row % BLOCK_ROWS]
        return unit(total)

    def search(
        self, query: Floats, n: int, *, allowed: RowNumbers | None = None, budget: Budget = UNLIMITED
    ) -> tuple[RowNumbers, Floats]:
        """The `n` rows nearest to the query and their cosines, best first, equal ones by row.

        `query` need not be of unit length; a zero query is equally far (0) from all. `allowed` limits the search to
        some rows, ascending. Fewer than `n` come back where there are fewer; `n` of 0 or less gives none.
        """
        rows, found = self._cosines(query, allowed, budget)
        best = _best(found, n)
        return rows[best], found[best]

    def best_per_note(
        self, query: Floats, n: int, *, allowed: RowNumbers | None = None, budget: Budget = UNLIMITED
    ) -> tuple[Match, ...]:
        """The `n` notes whose nearest chunk is nearest to the query, with that chunk; otherwise as `search`."""
        rows, found = self._cosines(query, allowed, budget)
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

    def _cosines(self, query: Floats, allowed: RowNumbers | None, budget: Budget) -> tuple[RowNumbers, Floats]:
        """The allowed rows that are alive, and the cosine of each."""
        rows = np.flatnonzero(self._owners != _DEAD) if allowed is None else allowed[self._owners[allowed] != _DEAD]
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
        index._notes.place()
        index._owners = index._owners[: index._n_rows].copy()
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
                self._notes.place()

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
            if old in self._notes:
                self._begin_change()
                self._notes.rename(old, new)

    def view(self) -> VectorView:
        """The index as it is now."""
        with self._lock:
            if self._view is None:
                n_blocks = -(-self._n_rows // BLOCK_ROWS)
                self._view = VectorView(
                    tuple(self._blocks[:n_blocks]),
                    self._owners[: self._n_rows],
                    self._notes,
                    self._firsts,
                    self._counts,
                )
            return self._view

    @property
    def n_bytes(self) -> int:
        """The memory that rows take."""
        blocks = sum(rows.nbytes + inverse.nbytes for rows, inverse in self._blocks)
        return blocks + self._owners.nbytes + self._firsts.nbytes + self._counts.nbytes

    def _clear(self) -> None:
        self._blocks: list[tuple[Rows, Floats]] = []
        self._owners = np.full(BLOCK_ROWS, _DEAD, np.int32)
        self._notes = Numbering()
        self._firsts = np.empty(0, np.int32)
        self._counts = np.empty(0, np.int32)
        self._n_rows = 0
        self._n_dead = 0
        self._view = None

    def _begin_change(self) -> None:
        """Leave what a view shows to the view. What is only added to (blocks, firsts, counts) serves both."""
        if self._view is not None:
            self._owners, self._notes = self._owners.copy(), self._notes.copy()
            self._view = None

    def _add(self, notes: Sequence[NoteId], n_chunks: Sequence[int], rows: Rows) -> None:
        """Append rows of notes that are not here yet."""
        self._begin_change()
        first = self._n_rows
        end = first + len(rows)
        while end > len(self._blocks) * BLOCK_ROWS:
            block = np.empty((BLOCK_ROWS, self.n_dimensions), np.int8)
            self._blocks.append((block, np.zeros(BLOCK_ROWS, np.float32)))
        n_notes = self._notes.n_given + len(notes)
        self._owners = _grown(self._owners, end)
        self._firsts, self._counts = _grown(self._firsts, n_notes), _grown(self._counts, n_notes)
        at = first
        while at < end:
            number, offset = divmod(at, BLOCK_ROWS)
            part = rows[at - first : at - first + BLOCK_ROWS - offset]
            block, inverse = self._blocks[number]
            block[offset : offset + len(part)] = part
            inverse[offset : offset + len(part)] = inverse_lengths(part)
            at += len(part)
        number = self._notes.n_given
        counts = np.array(n_chunks, np.int32)
        self._owners[first:end] = np.repeat(np.arange(number, n_notes, dtype=np.int32), counts)
        self._counts[number:n_notes] = counts
        self._firsts[number:n_notes] = first + np.cumsum(counts) - counts
        self._notes.add(notes)
        self._n_rows = end

    def _remove(self, note: NoteId) -> None:
        number = self._notes.get(note)
        if number is None:
            return
        self._begin_change()
        self._notes.pop(note)
        rows = self._rows_of(number)
        self._owners[rows] = _DEAD
        self._n_dead += rows.stop - rows.start
        if self._n_dead > max(_MIN_DEAD_ROWS, self._n_rows // 3):
            self._clear_away()

    def _rows_of(self, number: int) -> slice:
        first = int(self._firsts[number])
        return slice(first, first + int(self._counts[number]))

    def _clear_away(self) -> None:
        """Write the rows that count into new blocks; views keep the old ones."""
        blocks = self._blocks
        notes = [(note, self._rows_of(number)) for note in self._notes if (number := self._notes.get(note)) is not None]
        self._clear()
        for note, rows in notes:  # in the order of their rows, which is that of their numbers
            touched = range(rows.start // BLOCK_ROWS, (rows.stop - 1) // BLOCK_ROWS + 1)
            spans = [(b, max(0, rows.start - b * BLOCK_ROWS), rows.stop - b * BLOCK_ROWS) for b in touched]
            parts = [blocks[b][0][start:end] for b, start, end in spans]
            self._add([note], [rows.stop - rows.start], np.concatenate(parts))
        self._notes.place()


def _grown(values: npt.NDArray[np.int32], n: int) -> npt.NDArray[np.int32]:
    """The values with room for `n`, and for some more: growing one by one would copy them each time."""
    if n <= len(values):
        return values
    return np.concatenate([values, np.full(max(n, len(values) * 5 // 4) - len(values), _DEAD, np.int32)])


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
