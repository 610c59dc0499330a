"""Which notes hold which tokens, in which field, how often: flat arrays in memory, rebuilt from the notes each time.

The trick: a batch of notes becomes one *segment*, sorted by token, by one numpy sort; as soon as eight segments are of
about one size they are merged, as a counter carries, so that a vault can be searched while it is still being read and a
changed note costs a tiny segment, never a rebuild. Each version of a note has a *slot*, a number; a slot that was
replaced is dead and its postings vanish with the next merge.

`Postings` is a value: adding and removing give a new one that shares the old one's arrays, so a search that has
begun is never disturbed. Costs about 6 bytes for each distinct (token, note, field).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from search.answer.evidence import Field
from search.ids import NoteId
from search.index.number_sets import is_first
from search.index.vocabulary import NO_IDS, Ids

FIELDS = tuple(Field)
NAMES = (Field.TITLE, Field.PATH)  # what a note is called, with its aliases: the first of the fields
N_FIELD_BITS = 3  # len(FIELDS) <= 8
_FIELD_MASK = np.uint32((1 << N_FIELD_BITS) - 1)
_MAX_COUNT = np.iinfo(np.uint16).max
_FAN_IN = 8  # segments that are merged into one: more are merged less often, but each look-up asks each segment
_ALIKE = 4  # times as many postings as the newest segment
_COMPACT_AT = 4096  # dead slots kept before slots are renumbered, if they are the majority

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@frozen(eq=False)
class Segment:
    """Postings sorted by token. Token `words[i]` owns `where[starts[i]:starts[i + 1]]`, each `slot << 3 | field`."""

    words: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.int64]
    where: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.where)


@frozen(eq=False)
class Occurrences:
    """The postings of some tokens: for each one its place, `slot << 3 | field`, and the count."""

    where: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.where)

    @cached_property
    def slots(self) -> npt.NDArray[np.int64]:
        """The slot of each."""
        return (self.where >> N_FIELD_BITS).astype(np.int64)

    @property
    def fields(self) -> npt.NDArray[np.uint32]:
        """The position in `FIELDS` of each one's field."""
        return self.where & _FIELD_MASK

    def at(self, rows: npt.NDArray[np.int64] | Bools) -> "Occurrences":
        """Those of `rows`, which are positions or say yes or no of each."""
        return Occurrences(self.where[rows], self.counts[rows])


@frozen(eq=False)
class Postings:
    """All notes of a vault as tokens."""

    segments: tuple[Segment, ...] = ()
    notes: tuple[NoteId, ...] = ()  # slot -> note
    slots: Mapping[NoteId, int] = field(factory=dict)  # note -> its living slot
    lengths: npt.NDArray[np.float32] = field(factory=lambda: np.empty((0, len(FIELDS)), np.float32))
    is_alive: Bools = field(factory=lambda: np.empty(0, np.bool_))

    def __len__(self) -> int:
        return len(self.slots)

    @cached_property
    def mean_lengths(self) -> npt.NDArray[np.float64]:
        """Each field's mean number of tokens over the living notes, at least 1."""
        if not len(self):
            return np.ones(len(FIELDS))
        means: Floats = np.maximum(self.lengths[self.is_alive].mean(axis=0, dtype=np.float64), 1.0)
        return means

    def place_weights(self, weights: Sequence[float], b: Sequence[float]) -> Floats:
        """What one token weighs in each place, `slot << 3 | field`: w_f / (1 - b_f + b_f * length / mean length).

        `weights` and `b` are by field, as `FIELDS`. Remembered: every term of every query asks.
        """
        key = (*weights, *b)
        known = self._place_weights.get(key)
        if known is None:
            shares = np.array(b)
            known = np.zeros((len(self.notes), 1 << N_FIELD_BITS))
            known[:, : len(FIELDS)] = np.array(weights) / (1.0 - shares + shares * (self.lengths / self.mean_lengths))
            known = self._place_weights[key] = known.ravel()
        return known

    @cached_property
    def _place_weights(self) -> dict[tuple[float, ...], Floats]:
        return {}

    def with_notes(self, batch: Sequence[tuple[NoteId, Sequence[Ids]]]) -> "Postings":
        """The postings with these notes added or replaced; each comes with its tokens field by field, as `FIELDS`."""
        latest = dict(batch)
        if not latest:
            return self
        base = self.without(latest)
        first = len(base.notes)
        lengths = np.array([[len(tokens) for tokens in fields] for fields in latest.values()], np.float32)
        return evolve(
            base,
            segments=_carry((*base.segments, _segment(first, tuple(latest.values()))), base.is_alive),
            notes=base.notes + tuple(latest),
            slots={**base.slots, **{note: first + at for at, note in enumerate(latest)}},
            lengths=np.concatenate((base.lengths, lengths)),
            is_alive=np.concatenate((base.is_alive, np.ones(len(latest), np.bool_))),
        )

    def merged(self) -> "Postings":
        """The same in one segment, which is looked up fastest: for when a vault has been read."""
        if len(self.segments) < 2:
            return self
        return evolve(self, segments=(_merged(self.segments, self.is_alive),))

    def without(self, notes: Iterable[NoteId]) -> "Postings":
        """The postings without these notes; unknown ones are passed over."""
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
        """For each token at most how many postings it has: those of notes that are gone count until the next merge."""
        sizes = np.zeros(len(words), np.int64)
        for segment in self.segments:
            if len(segment.words):
                at = np.minimum(np.searchsorted(segment.words, words), len(segment.words) - 1)
                sizes += np.where(segment.words[at] == words, segment.starts[at + 1] - segment.starts[at], 0)
        return sizes

    def find(self, words: Ids) -> Occurrences:
        """All postings of these tokens in living notes, in no order to rely on."""
        where = [np.empty(0, np.uint32)]
        counts = [np.empty(0, np.uint16)]
        for segment in self.segments:
            spans = _spans(segment, words)
            where.append(segment.where[spans])
            counts.append(segment.counts[spans])
        found = Occurrences(np.concatenate(where), np.concatenate(counts))
        return found if len(self.notes) == len(self) else found.at(self.is_alive[found.slots])


def _renumbered(postings: Postings) -> Postings:
    """The same postings with dead slots gone and the living ones numbered anew, in order."""
    numbers = (np.cumsum(postings.is_alive) - 1).astype(np.uint32)
    merged = _merged(postings.segments, postings.is_alive)
    where = numbers[merged.where >> N_FIELD_BITS] << N_FIELD_BITS | merged.where & _FIELD_MASK
    return Postings(
        segments=(evolve(merged, where=where),),
        notes=tuple(note for note, alive in zip(postings.notes, postings.is_alive, strict=True) if alive),
        slots={note: int(numbers[slot]) for note, slot in postings.slots.items()},
        lengths=postings.lengths[postings.is_alive],
        is_alive=np.ones(len(postings), np.bool_),
    )


def _segment(first_slot: int, notes: Sequence[Sequence[Ids]]) -> Segment:
    """Of notes one after the other, so that what has the same token is in order already."""
    fields = [tokens for note in notes for tokens in note]
    tokens = np.concatenate([NO_IDS, *fields])
    slots = range(first_slot, first_slot + len(notes))
    places = [slot << N_FIELD_BITS | at for slot, note in zip(slots, notes, strict=True) for at in range(len(note))]
    where = np.repeat(np.array(places, np.uint32), [len(tokens) for tokens in fields])
    order = _stable_order(tokens)
    tokens, where = tokens[order], where[order]
    firsts = np.flatnonzero(is_first(tokens) | is_first(where))
    counts = np.minimum(np.diff(firsts, append=len(tokens)), _MAX_COUNT)
    return _of(tokens[firsts], where[firsts], counts.astype(np.uint16))


def _stable_order(tokens: Ids) -> npt.NDArray[np.int64]:
    """The positions by token, equal ones as they stand: numpy sorts 16 bits by counting, thrice as fast as 32."""
    order = np.argsort(tokens.astype(np.uint16), kind="stable")
    upper = (tokens >> 16).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")] if upper.any() else order


def _of(tokens: Ids, where: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint16]) -> Segment:
    """A segment of postings that are sorted by token and place."""
    firsts = np.flatnonzero(is_first(tokens))
    starts = np.concatenate((firsts, [len(tokens)])).astype(np.int64)
    return Segment(tokens[firsts], starts, where, counts)


def _carry(segments: tuple[Segment, ...], is_alive: Bools) -> tuple[Segment, ...]:
    """Merge the newest segments once `_FAN_IN` of them are of about one size, or smaller than the newest."""
    stack = list(segments)
    while True:
        n_alike = next(
            (at for at, segment in enumerate(reversed(stack)) if len(segment) > _ALIKE * len(stack[-1])), len(stack)
        )
        if n_alike < _FAN_IN:
            return tuple(stack)
        alike = stack[-n_alike:]
        grown = np.concatenate((is_alive, np.ones(max(0, _n_slots(alike) - len(is_alive)), np.bool_)))
        stack[-n_alike:] = [_merged(alike, grown)]


def _merged(segments: Sequence[Segment], is_alive: Bools) -> Segment:
    """One segment of the living postings of several. Without a sort, for a later segment has none but later slots."""
    n_words = max(int(segment.words[-1]) + 1 if len(segment) else 0 for segment in segments)
    sizes = np.zeros(n_words, np.int64)
    for segment in segments:
        sizes[segment.words] += np.diff(segment.starts)
    words = np.flatnonzero(sizes)
    starts = np.concatenate(([0], np.cumsum(sizes[words])))
    where = np.empty(starts[-1], np.uint32)
    counts = np.empty(starts[-1], np.uint16)
    free = np.zeros(n_words, np.int64)  # where the next postings of each word go
    free[words] = starts[:-1]
    for segment in segments:
        n_each = np.diff(segment.starts)
        places = np.repeat(free[segment.words] - segment.starts[:-1], n_each)
        places += np.arange(len(segment))
        where[places], counts[places] = segment.where, segment.counts
        free[segment.words] += n_each
    is_living = is_alive[where >> N_FIELD_BITS]
    if not is_living.all():
        starts = np.concatenate(([0], np.cumsum(is_living)))[starts]
        is_left = starts[1:] > starts[:-1]
        words, starts = words[is_left], np.concatenate((starts[:-1][is_left], starts[-1:]))
        where, counts = where[is_living], counts[is_living]
    return Segment(words.astype(np.uint32), starts, where, counts)


def _n_slots(segments: Iterable[Segment]) -> int:
    return max((int(segment.where.max()) >> N_FIELD_BITS) + 1 if len(segment) else 0 for segment in segments)


def _spans(segment: Segment, words: Ids) -> npt.NDArray[np.int32]:
    """The positions in `segment.where` that belong to any of `words`."""
    if not len(segment.words):
        return np.empty(0, np.int32)
    at = np.minimum(np.searchsorted(segment.words, words), len(segment.words) - 1)
    at = at[segment.words[at] == words]
    firsts = segment.starts[at]
    sizes = segment.starts[at + 1] - firsts
    offsets = np.cumsum(sizes) - sizes
    spans = np.repeat((firsts - offsets).astype(np.int32), sizes)
    spans += np.arange(len(spans), dtype=np.int32)
    return spans
