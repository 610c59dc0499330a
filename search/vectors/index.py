"""Vectors in memory, searched by brute force: int8 rows in blocks, one cosine per row, the best rows kept.

The search is exact, up to the rounding of `quantize`. 50,000 chunks of 384 dimensions take about 10 ms and 21 MB, so
there is no graph or tree to build or tune.

The trick: rows are only ever appended. A removed row is marked as dead, and dead rows are dropped once they are a third
of all rows. So a `VectorView` never changes: any thread can take one and search it while another thread writes.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.ids import NoteId
from search.vectors.cosine import BLOCK_ROWS, Floats, Rows, cosines, inverse_lengths, quantize, unit

RowNumbers = npt.NDArray[np.intp]
DIGITS = 4  # of a cosine: vectors of int8 are no more exact than that, and processors differ in further digits
_DEAD = -1
_MAX_PAIRED = 64  # rows of a long note that are compared one by one, 2 ms with 500 others
_MIN_DEAD_ROWS = 1024  # dropping fewer dead rows is not worth copying the others


@frozen
class Match:
    """The chunk of a note that is nearest to the query; `chunk` counts from 0 within the note."""

    note: NoteId
    chunk: int
    cosine: float  # -1..1, raw


@frozen(eq=False)
class Batch:
    """Several notes and their rows: `n_chunks[0]` rows of the first note, then `n_chunks[1]` of the second, ..."""

    notes: Sequence[NoteId]
    n_chunks: Sequence[int]  # each 1 or more
    rows: Rows


@frozen
class Alike:
    """A note that is like some rows: the cosine (see `VectorView.alike`), and the chunks of the best pair."""

    note: NoteId
    cosine: float
    chunk: int
    own_chunk: int  # of the rows' note


@frozen(eq=False)
class VectorView:
    """The index at one moment. Rows are numbered from 0, and the numbers are valid for this view only."""

    _blocks: tuple[tuple[Rows, Floats], ...]  # rows, and the inverse of each row's length
    _owners: npt.NDArray[np.int32]  # by row: the number of its note, or -1 for a dead row
    _numbers: Mapping[NoteId, int]
    _names: Sequence[NoteId]  # by number; shared with the index, which only appends to it
    _firsts: npt.NDArray[np.int32]  # by number: the note's first row, which is where the rows of the note before end

    def __len__(self) -> int:
        """The number of chunks."""
        return int(np.count_nonzero(self._owners != _DEAD))

    @property
    def notes(self) -> frozenset[NoteId]:
        """The notes that have chunks."""
        return frozenset(self._numbers)

    def measured(self, notes: Iterable[NoteId]) -> frozenset[NoteId]:
        """Those of `notes` that have a vector other than zero. A model may return a zero vector for a text."""
        rows = self.rows_of(notes)
        bounds = self._bounds(rows)
        is_measured = np.zeros(len(self._names), np.bool_)
        for number, (_, inverse) in enumerate(self._blocks):
            inside = rows[bounds[number] : bounds[number + 1]]
            is_measured[self._owners[inside[inverse[inside - number * BLOCK_ROWS] > 0.0]]] = True
        return frozenset(map(self._names.__getitem__, np.flatnonzero(is_measured).tolist()))

    def rows_of(self, notes: Iterable[NoteId]) -> RowNumbers:
        """The rows of some notes, ascending, without duplicates. A note that is not in the view has no rows."""
        numbers = np.array([self._numbers[note] for note in set(notes) if note in self._numbers], np.intp)
        numbers = numbers[np.argsort(self._firsts[numbers])]
        firsts = self._firsts[numbers].astype(np.intp)
        counts = self._firsts[numbers + 1] - firsts
        before = np.cumsum(counts) - counts  # the number of result rows before those of each note
        rows: RowNumbers = np.arange(counts.sum()) + np.repeat(firsts - before, counts)
        return rows

    def chunk_at(self, row: int) -> tuple[NoteId, int]:
        """The note of a row, and which of the note's chunks it is, from 0. A dead row raises KeyError."""
        number = int(self._owners[row])
        if number == _DEAD:
            raise KeyError(row)
        return self._names[number], row - int(self._firsts[number])

    def alike(self, rows: RowNumbers, notes: Iterable[NoteId], *, budget: Budget = UNLIMITED) -> tuple[Alike, ...]:
        """How much each of `notes` is like some rows; notes without chunks are left out, and no rows are like nothing.

        cosine = (the mean direction of the rows to the note's nearest chunk + the best pair of a row and a chunk) / 2

        The mean says whether two texts are about the same, the pair whether a passage of one has its match in the
        other. Of more than 64 rows, only 64 in even steps are paired.
        """
        theirs = self.rows_of(notes)
        if not len(theirs) or not len(rows):
            return ()
        paired = rows[np.linspace(0, len(rows) - 1, min(len(rows), _MAX_PAIRED)).astype(np.intp)]
        own = self._directions(paired)
        to_mean, to_pair = np.empty(len(theirs), np.float32), np.empty(len(theirs), np.float32)
        nearest = np.empty(len(theirs), np.intp)
        mean = self.mean(rows)
        for start in range(0, len(theirs), BLOCK_ROWS):
            budget.check()
            part = slice(start, start + BLOCK_ROWS)
            directions = self._directions(theirs[part])
            pairs = directions @ own.T
            to_mean[part], to_pair[part], nearest[part] = directions @ mean, pairs.max(axis=1), pairs.argmax(axis=1)
        starts = np.flatnonzero(np.diff(self._owners[theirs], prepend=_DEAD))  # the rows of a note are adjacent
        ends = np.append(starts[1:], len(theirs))
        cosines_ = (np.maximum.reduceat(to_mean, starts) + np.maximum.reduceat(to_pair, starts)) / 2.0
        found = []
        for start, end, cosine in zip(starts.tolist(), ends.tolist(), cosines_.tolist(), strict=True):
            best = start + int(np.argmax(to_pair[start:end]))
            note, chunk = self.chunk_at(int(theirs[best]))
            found.append(Alike(note, min(1.0, max(-1.0, cosine)), chunk, self.chunk_at(int(paired[nearest[best]]))[1]))
        return tuple(found)

    def _directions(self, rows: RowNumbers) -> Floats:
        """Some rows at length 1."""
        directions = np.empty((len(rows), self._blocks[0][0].shape[1]), np.float32)
        numbers = rows // BLOCK_ROWS
        for number in range(len(self._blocks)):
            at = np.flatnonzero(numbers == number)
            block, inverse = self._blocks[number]
            inside = rows[at] - number * BLOCK_ROWS
            directions[at] = block[inside] * inverse[inside, None]
        return directions

    def mean(self, rows: RowNumbers) -> Floats:
        """The mean direction of some rows, at length 1; zeros for no rows."""
        total = np.zeros(self._blocks[0][0].shape[1] if self._blocks else 0, np.float32)
        for row in rows.tolist():
            block, inverse = self._blocks[row // BLOCK_ROWS]
            total += block[row % BLOCK_ROWS] * inverse[row % BLOCK_ROWS]
        return unit(total)

    def search(
        self, query: Floats, n: int, *, allowed: RowNumbers | None = None, budget: Budget = UNLIMITED
    ) -> tuple[RowNumbers, Floats]:
        """The `n` rows nearest to the query and their cosines, best first; ties by row number.

        The query may have any length. A zero query has cosine 0 to every row. `allowed` limits the search to some
        rows, as `rows_of` gives them. The result is shorter than `n` if there are fewer rows, and empty for n <= 0.
        """
        rows, found = self._cosines(query, allowed, budget)
        best = _best(found, n)
        return rows[best], found[best]

    def best_per_note(
        self, query: Floats, n: int, *, allowed: RowNumbers | None = None, budget: Budget = UNLIMITED
    ) -> tuple[Match, ...]:
        """The `n` notes whose nearest chunk is nearest to the query, each with that chunk; otherwise like `search`."""
        return tuple(self.compared_to(query, allowed=allowed, budget=budget).best_per_note(n))

    def compared_to(
        self, query: Floats, *, allowed: RowNumbers | None = None, budget: Budget = UNLIMITED
    ) -> "Comparison":
        """The cosine of each row to a query, or of each row in `allowed`, as for `search`."""
        return Comparison(self, *self._cosines(query, allowed, budget))

    def notes_at(self, rows: RowNumbers) -> npt.NDArray[np.int32]:
        """The number of each row's note, -1 for a dead row. Rows of a note are adjacent."""
        return self._owners[rows]

    def is_among(self, notes: Iterable[NoteId]) -> npt.NDArray[np.bool_]:
        """By number: whether a note is one of these; notes that are not in the view are ignored."""
        found = np.zeros(len(self._names), np.bool_)
        found[[self._numbers[note] for note in notes if note in self._numbers]] = True
        return found

    def _bounds(self, rows: RowNumbers) -> RowNumbers:
        """Where the rows of each block begin among some ascending rows, and where the last ones end."""
        return np.searchsorted(rows, np.arange(len(self._blocks) + 1) * BLOCK_ROWS)

    def _cosines(self, query: Floats, allowed: RowNumbers | None, budget: Budget) -> tuple[RowNumbers, Floats]:
        """The allowed rows that are alive, and the cosine of each."""
        rows = np.flatnonzero(self._owners != _DEAD) if allowed is None else allowed[self._owners[allowed] != _DEAD]
        found = np.empty(len(rows), np.float32)
        direction = unit(query)
        bounds = self._bounds(rows)
        for number, (block, inverse) in enumerate(self._blocks):
            budget.check()
            start, end = bounds[number], bounds[number + 1]
            if end - start == BLOCK_ROWS:
                found[start:end] = cosines(block, inverse, direction)
            elif end > start:
                inside = rows[start:end] - number * BLOCK_ROWS
                found[start:end] = cosines(block[inside], inverse[inside], direction)
        return rows, found


@frozen(eq=False)
class Comparison:
    """The cosines of a view's rows to one query, so that one comparison answers several questions."""

    view: VectorView
    rows: RowNumbers  # ascending
    cosines: Floats

    def best_per_note(self, n: int, *, among: Iterable[NoteId] | None = None) -> Iterator[Match]:
        """The `n` notes whose nearest chunk is nearest to the query, each with that chunk, best first.

        Ties by row number. `among` are the notes to choose from, None for all. Empty without rows and for n <= 0.
        """
        return (Match(*self.view.chunk_at(row), cosine) for row, cosine in self._best_rows(n, among))

    def near_notes(self, n: int, *, least: float, among: Iterable[NoteId] | None = None) -> Iterator[Match]:
        """The matches of `best_per_note`, their cosines rounded to `DIGITS` decimals, without those below `least`."""
        for row, exact in self._best_rows(n, among):
            cosine = round(exact, DIGITS)
            if cosine < least:  # and so are all that follow
                return
            yield Match(*self.view.chunk_at(row), cosine)

    def _best_rows(self, n: int, among: Iterable[NoteId] | None) -> Iterator[tuple[int, float]]:
        """The rows of `best_per_note` and their cosines."""
        nearest, peaks = self._nearest
        if among is not None:
            kept = np.flatnonzero(self.view.is_among(among)[self.view.notes_at(nearest)])
            nearest, peaks = nearest[kept], peaks[kept]
        best = _best(peaks, n)
        return zip(nearest[best].tolist(), peaks[best].tolist(), strict=True)

    @cached_property
    def _nearest(self) -> tuple[RowNumbers, Floats]:
        """Of each note the row that is nearest to the query, the first of equals, and its cosine."""
        starts = np.flatnonzero(np.diff(self.view.notes_at(self.rows), prepend=_DEAD))
        if not len(starts):
            return self.rows, self.cosines
        peaks = np.maximum.reduceat(self.cosines, starts)
        is_peak = self.cosines == np.repeat(peaks, np.diff(starts, append=len(self.rows)))
        at = np.flatnonzero(is_peak)
        return self.rows[at[np.searchsorted(at, starts)]], peaks


class VectorIndex:
    """Vectors of notes, added and removed as notes change. One thread writes; any thread may take a `view`."""

    def __init__(self, n_dimensions: int) -> None:
        self.n_dimensions = n_dimensions
        self._lock = threading.Lock()
        self._view: VectorView | None = None
        self._clear()

    @classmethod
    def of(cls, batches: Iterable[Batch], n_dimensions: int) -> Self:
        """An index of the notes that `VectorStore.batches` yields, each note once."""
        index = cls(n_dimensions)
        for batch in batches:
            index._add(batch.notes, batch.n_chunks, batch.rows)
        return index

    def put(self, note: NoteId, vectors: Floats) -> None:
        """Replace a note's vectors. An array without rows removes the note."""
        rows = quantize(vectors.astype(np.float32, copy=False)).rows
        if len(rows) and rows.shape[1] != self.n_dimensions:
            raise ValueError(f"{note}: the vectors have {rows.shape[1]} dimensions, the index {self.n_dimensions}")
        with self._lock:
            self._remove(note)
            if len(rows):
                self._add([note], [len(rows)], rows)

    def remove(self, note: NoteId) -> None:
        """Remove a note, if it is in the index."""
        with self._lock:
            self._remove(note)

    def view(self) -> VectorView:
        """The index as it is now."""
        with self._lock:
            if self._view is None:
                owners = self._owners[: self._firsts[len(self._names)]]
                self._view = VectorView(tuple(self._blocks), owners, self._numbers, self._names, self._firsts)
            return self._view

    def _clear(self) -> None:
        self._blocks: list[tuple[Rows, Floats]] = []
        self._numbers: dict[NoteId, int] = {}
        self._names: list[NoteId] = []  # by number, which is given once: removed notes keep their place
        self._owners = np.empty(0, np.int32)
        self._firsts = np.zeros(1, np.int32)
        self._n_dead = 0
        self._view = None

    def _begin_change(self) -> None:
        """Copy what a view shows and a change would overwrite. Blocks, names and first rows only grow."""
        if self._view is not None:
            self._owners, self._numbers = self._owners.copy(), self._numbers.copy()
            self._view = None

    def _add(self, notes: Sequence[NoteId], n_chunks: Sequence[int], rows: Rows) -> None:
        """Append the rows of notes that are not in the index."""
        self._begin_change()
        number, n_notes = len(self._names), len(self._names) + len(notes)
        first = int(self._firsts[number])
        end = first + len(rows)
        while end > len(self._blocks) * BLOCK_ROWS:
            block = np.empty((BLOCK_ROWS, self.n_dimensions), np.int8)
            self._blocks.append((block, np.zeros(BLOCK_ROWS, np.float32)))
        at = first
        while at < end:
            block_number, offset = divmod(at, BLOCK_ROWS)
            part = rows[at - first : at - first + BLOCK_ROWS - offset]
            block, inverse = self._blocks[block_number]
            block[offset : offset + len(part)] = part
            inverse[offset : offset + len(part)] = inverse_lengths(part)
            at += len(part)
        self._owners, self._firsts = _grown(self._owners, end), _grown(self._firsts, n_notes + 1)
        self._owners[first:end] = np.repeat(np.arange(number, n_notes, dtype=np.int32), n_chunks)
        self._firsts[number + 1 : n_notes + 1] = first + np.cumsum(n_chunks)
        self._names += notes
        self._numbers.update(zip(notes, range(number, n_notes), strict=True))

    def _remove(self, note: NoteId) -> None:
        if note not in self._numbers:
            return
        self._begin_change()
        number = self._numbers.pop(note)
        start, end = self._firsts[number], self._firsts[number + 1]
        self._owners[start:end] = _DEAD
        self._n_dead += int(end - start)
        if self._n_dead > max(_MIN_DEAD_ROWS, self._firsts[len(self._names)] // 3):
            self._drop_dead_rows()

    def _drop_dead_rows(self) -> None:
        """Copy the living rows into new blocks, in their order. Views keep the old blocks."""
        blocks, firsts, numbers = self._blocks, self._firsts, self._numbers
        self._clear()
        for note, number in numbers.items():
            start, end = int(firsts[number]), int(firsts[number + 1])
            touched = range(start // BLOCK_ROWS, (end - 1) // BLOCK_ROWS + 1)
            parts = [blocks[at][0][max(0, start - at * BLOCK_ROWS) : end - at * BLOCK_ROWS] for at in touched]
            self._add([note], [end - start], np.concatenate(parts))


def _grown(values: npt.NDArray[np.int32], n: int) -> npt.NDArray[np.int32]:
    """The values with room for `n`, and some more: growing one by one would copy the array each time."""
    if n <= len(values):
        return values
    return np.concatenate([values, np.zeros(n // 8 + n - len(values), np.int32)])


def _best(values: Floats, n: int) -> RowNumbers:
    """The positions of the `n` greatest values, greatest first, ties by position."""
    n = min(n, len(values))
    if n <= 0:
        return np.empty(0, np.intp)
    worst = np.partition(values, len(values) - n)[len(values) - n]
    candidates = np.flatnonzero(values >= worst)
    order = np.argsort(-values[candidates], kind="stable")
    best: RowNumbers = candidates[order[:n]]
    return best
