"""The posting lists: which notes contain which token, in which field and how often, as flat arrays in memory.

The trick is a log-structured merge: a batch of notes becomes one *segment*, sorted by token with one numpy sort. As
soon as eight segments have about the same size, they are merged. So a vault can be searched while it is still being
read, and a changed note costs one small segment instead of a rebuild. Each version of a note has a number, its *slot*.
The slot of a replaced version is dead, and its postings disappear with the next merge.

`Postings` is immutable: adding and removing notes returns a new value that shares most arrays with the old one, so a
running search is never disturbed. Takes about 6 bytes for each distinct (token, note, field).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from search.analysis.tokens import Grade
from search.answer.evidence import Field
from search.cache.byte_planes import from_planes, to_planes
from search.cache.plain_values import pack, unpack
from search.ids import NoteId, is_by_name, other_type
from search.index.number_sets import is_first
from search.index.vocabulary import GRADE_BIT, NO_IDS, NUMBER_BITS, Ids

FIELDS = tuple(Field)
_BODY = FIELDS.index(Field.BODY)
NAME_FIELDS = (Field.TITLE, Field.PATH)  # the names of a note (the title field has its aliases); the first FIELDS
N_FIELD_BITS = 3  # enough for len(FIELDS) <= 8
_FIELD_MASK = np.uint32((1 << N_FIELD_BITS) - 1)
_NUMBER_MASK = np.uint32(NUMBER_BITS)
_FIRST_HIDDEN = np.uint32(Grade.HIDDEN << GRADE_BIT)
_GRADE_MASK = np.uint32(3 << GRADE_BIT)
_HIDDEN_LENGTH = 0.5  # of a hidden token; tests/ranking/PARAMETERS.md says why
BY_NAME_SHARE = 0.1
"""Share of a word of a file that is found by name, which counts as if its texts had at least the mean length: less than
one mention in a note of mean length."""

_MAX_COUNT = np.iinfo(np.uint16).max
_FAN_IN = 8  # segments merged at once; with more, merges are rarer but each look-up searches more segments
_ALIKE = 4  # a segment with up to so many times the newest one's postings is of about the same size
_BLOCK = (
    1 << 15
)  # postings; arrays of so many stay in the processor's cache, and the kernel clears no new pages for them
_LONG_LISTS = 64  # mean postings of a token from which copying lists is faster than picking each posting
_COMPACT_AT = 4096  # dead slots from which slots are renumbered, if more slots are dead than alive

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@frozen(eq=False)
class Segment:
    """Postings sorted by token id. A *place* is a note and a field, packed as `slot << 3 | field`.

    The postings of token `words[i]` are rows `starts[i]` to `starts[i + 1]` of `places` and `counts`: where it occurs,
    and how often. The two upper bits of a place are the token's grade there (see `Grade`). The postings of a token that
    come from one batch of notes are sorted by place, those of a later batch follow.
    """

    words: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int32]
    places: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.places)


@frozen(eq=False)
class Occurrences:
    """The postings of one or several tokens: the place of each, with its grade in the upper bits, and its count."""

    graded_places: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.graded_places)

    @cached_property
    def places(self) -> npt.NDArray[np.uint32]:
        """The place of each posting, `slot << 3 | field`."""
        return _without_grade(self.graded_places)

    @property
    def grades(self) -> npt.NDArray[np.uint32]:
        """The token's grade in each posting, see `Grade`."""
        grades: npt.NDArray[np.uint32] = np.right_shift(self.graded_places, np.uint32(GRADE_BIT))
        return grades

    @property
    def parts(self) -> npt.NDArray[np.int64]:
        """The rows of postings where the token is only a part of a compound."""
        return np.flatnonzero(self.graded_places > _NUMBER_MASK)

    @cached_property
    def slots(self) -> npt.NDArray[np.int64]:
        """The slot of each posting."""
        return _slots(self.graded_places).astype(np.int64)

    @property
    def fields(self) -> npt.NDArray[np.uint32]:
        """The field of each posting, as a position in `FIELDS`."""
        return self.places & _FIELD_MASK

    def seen(self) -> "Occurrences":
        """The postings without those in what no reader sees."""
        is_seen = self.graded_places < _FIRST_HIDDEN
        return self if is_seen.all() else self.at(is_seen)

    def blocks(self) -> Iterator["Occurrences"]:
        """The postings in their order, in parts: common words have millions of them, and most arrays are temporary."""
        if len(self) <= _BLOCK:
            yield self
            return
        for start in range(0, len(self), _BLOCK):
            rows = slice(start, start + _BLOCK)
            yield Occurrences(self.graded_places[rows], self.counts[rows])

    def held_by(self, n_slots: int) -> Bools:
        """Whether each slot has any of the postings."""
        is_there = np.zeros(n_slots, np.bool_)
        for part in self.blocks():
            is_there[part.slots] = True
        return is_there

    def in_slots(self, is_wanted: Bools) -> "Occurrences":
        """The postings in the wanted slots."""
        found = [part.at(is_wanted[part.slots]) for part in self.blocks()]
        return Occurrences(
            np.concatenate([part.graded_places for part in found]), np.concatenate([part.counts for part in found])
        )

    def at(self, rows: npt.NDArray[np.int64] | Bools) -> "Occurrences":
        """The postings at `rows`, which are positions or a mask."""
        return Occurrences(self.graded_places[rows], self.counts[rows])


@frozen(eq=False)
class Postings:
    """The posting lists of all notes of a vault. `lengths` has the number of tokens by slot and field."""

    segments: tuple[Segment, ...] = ()
    notes: tuple[NoteId, ...] = ()  # slot -> note
    slots: Mapping[NoteId, int] = field(factory=dict)  # note -> the slot of its current version
    lengths: npt.NDArray[np.float32] = field(factory=lambda: np.empty((0, len(FIELDS)), np.float32))
    is_alive: Bools = field(factory=lambda: np.empty(0, np.bool_))

    def __len__(self) -> int:
        return len(self.slots)

    @cached_property
    def is_by_name(self) -> Bools:
        """Whether each slot is that of a file that is found by its name only."""
        found = self.is_other.copy()
        others = np.flatnonzero(found)  # few in most vaults
        found[others] = [is_by_name(self.notes[slot]) for slot in others.tolist()]
        return found

    @cached_property
    def is_counted(self) -> Bools:
        """Whether the note of each slot is current and counts in statistics. Files that are found by name only do not.

        So ten thousand pictures make no word of a note rarer. In a vault that has only such files, all of them count.
        """
        counted = self.is_alive & ~self.is_by_name
        return counted if counted.any() else self.is_alive

    @cached_property
    def n_counted(self) -> int:
        """The number of notes that count in statistics."""
        return int(np.count_nonzero(self.is_counted))

    @cached_property
    def is_weighing(self) -> Bools:
        """Whether the note of each slot counts for what words are worth: how rare they are, and the mean lengths.

        Only Markdown notes do, so no other file changes the order of two notes. In a vault without, all files count.
        """
        weighing = self.is_alive & ~self.is_other
        return weighing if weighing.any() else self.is_counted

    @cached_property
    def n_weighing(self) -> int:
        """The number of notes that count for what words are worth."""
        return int(np.count_nonzero(self.is_weighing))

    def document_frequency(self, has_word: Bools) -> int:
        """The number of notes with a word, 0..`n_weighing`; `has_word` says which slots have it.

        A word that only other files have counts as if as large a part of the notes had it, and at least one.
        """
        df = int(np.count_nonzero(has_word & self.is_weighing))
        if df:
            return df
        others = self.is_counted & ~self.is_weighing
        n_files = int(np.count_nonzero(has_word & others))
        return max(1, round(n_files / int(np.count_nonzero(others)) * self.n_weighing)) if n_files else 0

    @cached_property
    def is_other(self) -> Bools:
        """Whether each slot is that of a file that is no Markdown note."""
        return np.fromiter((other_type(note) is not None for note in self.notes), np.bool_, len(self.notes))

    @cached_property
    def mean_lengths(self) -> npt.NDArray[np.float64]:
        """Each field's mean number of tokens over all current notes, at least 1.

        Other files count only if there are no notes: with one large table, all notes would be equally short.
        """
        if not len(self):
            return np.ones(len(FIELDS))
        means: Floats = np.maximum(self.lengths[self.is_weighing].mean(axis=0, dtype=np.float64), 1.0)
        return means

    @cached_property
    def shares(self) -> npt.NDArray[np.float64]:
        """How much an occurrence counts in each slot and field: 1 in notes, 0..1 in other files.

        In files that are found by name only it is `BY_NAME_SHARE`. In the text of another file that is r > 1 times as
        long as the mean note it is 1 / (1 + log2 r), and in its names 1: a table has each of its words in many rows,
        and a book has nearly all words, so neither is much about one of them.
        """
        shares = np.ones((len(self.notes), len(FIELDS)))
        excess = np.maximum(self.lengths[:, _BODY] / self.mean_lengths[_BODY], 1.0)
        of_texts = np.where(self.is_other, 1.0 / (1.0 + np.log2(excess)), 1.0)
        shares[:, len(NAME_FIELDS) :] = of_texts[:, None]
        shares[self.is_by_name] = BY_NAME_SHARE
        return shares

    def place_weights(self, weights: Sequence[float], b: Sequence[float]) -> Floats:
        """The weight of an occurrence in each place, `slot << 3 | field`: w_f / (1 - b_f + b_f * length / mean length).

        It is multiplied by `shares`. `weights` (w) and `b` are in the order of `FIELDS`. Cached, since every term of
        every query needs it.
        """
        key = (*weights, *b)
        cached = self._place_weights.get(key)
        if cached is None:
            shares = np.array(b)
            by_slot = np.zeros((len(self.notes), 1 << N_FIELD_BITS))
            relative = self.lengths / self.mean_lengths
            relative[self.is_by_name] = np.maximum(relative[self.is_by_name], 1.0)
            by_slot[:, : len(FIELDS)] = np.array(weights) / (1.0 - shares + shares * relative)
            by_slot[:, : len(FIELDS)] *= self.shares
            cached = self._place_weights[key] = by_slot.ravel()
        return cached

    @cached_property
    def _place_weights(self) -> dict[tuple[float, ...], Floats]:
        return {}

    def with_notes(self, batch: Sequence[tuple[NoteId, Sequence[Ids]]]) -> "Postings":
        """The postings with these notes added or replaced; each note comes with its token ids for each of `FIELDS`."""
        latest = dict(batch)
        if not latest:
            return self
        base = self.without(latest)
        first = len(base.notes)
        lengths = _lengths(tuple(latest.values()))
        is_alive = np.concatenate((base.is_alive, np.ones(len(latest), np.bool_)))
        return evolve(
            base,
            segments=_carry((*base.segments, _segment(first, tuple(latest.values()))), is_alive),
            notes=base.notes + tuple(latest),
            slots={**base.slots, **{note: first + at for at, note in enumerate(latest)}},
            lengths=np.concatenate((base.lengths, lengths)),
            is_alive=is_alive,
        )

    def merged(self) -> "Postings":
        """The same postings in one segment, which is the fastest to search: for when all notes have been read."""
        if len(self.segments) < 2:
            return self
        return evolve(self, segments=(_merged(self.segments, self.is_alive),))

    def compacted(self) -> "Postings":
        """The same postings in one segment, without those of replaced and removed notes."""
        return self.merged() if len(self.notes) == len(self) else _renumbered(self)

    def saved(self) -> Iterator[tuple[str, bytes]]:
        """Compacted postings for a snapshot, part by part; `restored` reads them."""
        (segment,) = self.segments or (_EMPTY,)
        yield "words", to_planes(segment.words)
        yield "sizes", to_planes(np.diff(segment.starts).astype(np.uint32))
        yield "places", to_planes(segment.places)
        yield "counts", to_planes(segment.counts)
        yield "lengths", to_planes(self.lengths)
        yield "slots", pack(self.notes)

    @classmethod
    def restored(cls, saved: Mapping[str, bytes]) -> "Postings":
        """The postings that `saved` made."""
        notes: tuple[NoteId, ...] = unpack(saved["slots"])
        sizes = from_planes(saved["sizes"], np.dtype(np.uint32))
        segment = Segment(
            words=from_planes(saved["words"], np.dtype(np.uint32)),
            starts=np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int32),
            places=from_planes(saved["places"], np.dtype(np.uint32)),
            counts=from_planes(saved["counts"], np.dtype(np.uint16)),
        )
        return cls(
            segments=(segment,),
            notes=notes,
            slots=dict(zip(notes, range(len(notes)), strict=True)),
            lengths=from_planes(saved["lengths"], np.dtype(np.float32)).reshape(len(notes), len(FIELDS)),
            is_alive=np.ones(len(notes), np.bool_),
        )

    def without(self, notes: Iterable[NoteId]) -> "Postings":
        """The postings without these notes; unknown ones are ignored."""
        gone = [note for note in notes if note in self.slots]
        if not gone:
            return self
        is_alive = self.is_alive.copy()
        is_alive[[self.slots[note] for note in gone]] = False
        remaining = dict(self.slots)
        for note in gone:
            del remaining[note]
        left = evolve(self, slots=remaining, is_alive=is_alive)
        n_dead = len(left.notes) - len(left)
        return _renumbered(left) if n_dead >= _COMPACT_AT and n_dead > len(left) else left

    def sizes(self, words: Ids) -> npt.NDArray[np.int64]:
        """The number of postings of each token; postings of removed notes count until the next merge."""
        sizes = np.zeros(len(words), np.int64)
        for segment in self.segments:
            if len(segment.words):
                at = np.minimum(np.searchsorted(segment.words, words), len(segment.words) - 1)
                sizes += np.where(segment.words[at] == words, segment.starts[at + 1] - segment.starts[at], 0)
        return sizes

    def find(self, words: Ids) -> Occurrences:
        """All postings of these tokens in current notes; their order is not defined."""
        parts = [_find(segment, words) for segment in self.segments] or [Occurrences(NO_IDS, _NO_COUNTS)]
        found = parts[0]
        if len(parts) > 1:
            found = Occurrences(
                np.concatenate([part.graded_places for part in parts]), np.concatenate([part.counts for part in parts])
            )
        return found if len(self.notes) == len(self) else found.in_slots(self.is_alive)


_NO_COUNTS = np.empty(0, np.uint16)
_EMPTY = Segment(NO_IDS, np.zeros(1, np.int32), NO_IDS, _NO_COUNTS)


def _without_grade(numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    plain: npt.NDArray[np.uint32] = np.bitwise_and(numbers, _NUMBER_MASK)
    return plain


def _slots(places: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    slots: npt.NDArray[np.uint32] = np.right_shift(_without_grade(places), np.uint32(N_FIELD_BITS))
    return slots


def _renumbered(postings: Postings) -> Postings:
    """The same postings without dead slots; the others get new numbers, in the same order."""
    numbers = (np.cumsum(postings.is_alive) - 1).astype(np.uint32)
    merged = _merged(postings.segments, postings.is_alive)
    kept = merged.places & _GRADE_MASK | merged.places & _FIELD_MASK
    places = (numbers[_slots(merged.places)] << N_FIELD_BITS | kept).astype(np.uint32)
    return Postings(
        segments=(evolve(merged, places=places),),
        notes=tuple(note for note, alive in zip(postings.notes, postings.is_alive, strict=True) if alive),
        slots={note: int(numbers[slot]) for note, slot in postings.slots.items()},
        lengths=postings.lengths[postings.is_alive],
        is_alive=np.ones(len(postings), np.bool_),
    )


def _lengths(notes: Sequence[Sequence[Ids]]) -> npt.NDArray[np.float32]:
    """The length of each field of each note: its number of tokens, of which hidden ones count in part."""
    n_each = np.array([[len(tokens) for tokens in note] for note in notes])
    is_hidden = np.concatenate([tokens for note in notes for tokens in note]) >= _FIRST_HIDDEN
    n_hidden = np.diff(np.concatenate(([0], np.cumsum(is_hidden)))[np.cumsum(n_each)], prepend=0).reshape(n_each.shape)
    lengths: npt.NDArray[np.float32] = (n_each - (1 - _HIDDEN_LENGTH) * n_hidden).astype(np.float32)
    return lengths


def _segment(first_slot: int, notes: Sequence[Sequence[Ids]]) -> Segment:
    """The segment of new notes. Their postings come in order of place, so a stable sort by token is enough."""
    fields = [tokens for note in notes for tokens in note]
    graded = np.concatenate([NO_IDS, *fields])
    slots = range(first_slot, first_slot + len(notes))
    each = [slot << N_FIELD_BITS | at for slot, note in zip(slots, notes, strict=True) for at in range(len(note))]
    places = np.repeat(np.array(each, np.uint32), [len(tokens) for tokens in fields])
    grades = graded & _GRADE_MASK
    by_grade = np.concatenate([np.flatnonzero(grades == grade << GRADE_BIT) for grade in Grade])
    tokens, places = _without_grade(graded)[by_grade], (places | grades)[by_grade]
    order = _stable_order(tokens)
    tokens, places = tokens[order], places[order]
    firsts = np.flatnonzero(is_first(tokens) | is_first(places))
    counts = np.minimum(np.diff(firsts, append=len(tokens)), _MAX_COUNT)
    return _of(tokens[firsts], places[firsts], counts.astype(np.uint16))


def _stable_order(tokens: Ids) -> npt.NDArray[np.int64]:
    """The positions in order of token, ties in order of position.

    Two sorts of 16 bits, which numpy does by counting, are three times as fast as one of 32 bits.
    """
    order = np.argsort(tokens.astype(np.uint16), kind="stable")
    upper = (tokens >> 16).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")] if upper.any() else order


def _of(tokens: Ids, places: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint16]) -> Segment:
    """The segment of postings that are already sorted by token and place."""
    firsts = np.flatnonzero(is_first(tokens))
    starts = np.concatenate((firsts, [len(tokens)])).astype(np.int32)
    return Segment(tokens[firsts], starts, places, counts)


def _carry(segments: tuple[Segment, ...], is_alive: Bools) -> tuple[Segment, ...]:
    """Merge the newest segments if at least `_FAN_IN` of them have at most `_ALIKE` times the newest one's postings.

    Repeats with the merged segment, like the carry of an addition.
    """
    stack = list(segments)
    while True:
        n_alike = next(
            (at for at, segment in enumerate(reversed(stack)) if len(segment) > _ALIKE * len(stack[-1])), len(stack)
        )
        if n_alike < _FAN_IN:
            return tuple(stack)
        stack[-n_alike:] = [_merged(stack[-n_alike:], is_alive)]


def _merged(segments: Sequence[Segment], is_alive: Bools) -> Segment:
    """One segment with the postings of several, without those of dead slots.

    Needs no sort: the slots of a later segment are all higher than those of an earlier one.
    """
    n_words = max(int(segment.words[-1]) + 1 if len(segment) else 0 for segment in segments)
    sizes = np.zeros(n_words, np.int64)
    for segment in segments:
        sizes[segment.words] += np.diff(segment.starts)
    words = np.flatnonzero(sizes)
    starts = np.concatenate(([0], np.cumsum(sizes[words])))
    places = np.empty(starts[-1], np.uint32)
    counts = np.empty(starts[-1], np.uint16)
    free = np.zeros(n_words, np.int64)  # where the next postings of each token go
    free[words] = starts[:-1]
    for segment in segments:
        n_each = np.diff(segment.starts)
        positions = np.repeat((free[segment.words] - segment.starts[:-1]).astype(np.int32), n_each)
        positions += np.arange(len(segment), dtype=np.int32)  # 32 bits halve the memory of merging a large vault
        places[positions], counts[positions] = segment.places, segment.counts
        free[segment.words] += n_each
    if not is_alive.all():
        is_living = is_alive[_slots(places)]
        starts = np.concatenate(([0], np.cumsum(is_living)))[starts]
        is_left = starts[1:] > starts[:-1]
        words, starts = words[is_left], np.concatenate((starts[:-1][is_left], starts[-1:]))
        places, counts = places[is_living], counts[is_living]
    return Segment(words.astype(np.uint32), starts.astype(np.int32), places, counts)


def _find(segment: Segment, words: Ids) -> Occurrences:
    """The postings of `words` in a segment."""
    if not len(segment.words):
        return Occurrences(NO_IDS, _NO_COUNTS)
    at = np.minimum(np.searchsorted(segment.words, words), len(segment.words) - 1)
    at = at[segment.words[at] == words]
    firsts = segment.starts[at].astype(np.int64)
    ends = segment.starts[at + 1].astype(np.int64)
    if len(at) and (ends - firsts).sum() >= _LONG_LISTS * len(at):
        lists = [slice(first, end) for first, end in zip(firsts.tolist(), ends.tolist(), strict=True)]
        return Occurrences(
            np.concatenate([segment.places[rows] for rows in lists]),
            np.concatenate([segment.counts[rows] for rows in lists]),
        )
    spans = _spans(firsts, ends - firsts)
    return Occurrences(segment.places[spans], segment.counts[spans])


def _spans(firsts: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """The numbers from each of `firsts` on, as many as `sizes` says."""
    offsets = np.cumsum(sizes) - sizes
    spans = np.repeat((firsts - offsets).astype(np.int32), sizes)
    spans += np.arange(len(spans), dtype=np.int32)
    return spans
