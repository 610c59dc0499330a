"""Takes the BM25F scores of a few notes apart again, term by term, with all numbers of the formula.

Everything is read from the places, weights and lengths that the score was computed from (`Weighing`). It is done only
for notes that are shown with an explanation: for all candidates it would cost as much as the ranking itself.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from search.answer.evidence import MatchKind
from search.answer.term_score import FieldCount, FrequencyPart, TermScore
from search.index.postings import FIELDS, NAME_FIELDS, Bools, Occurrences, Postings
from search.matching.bm25f import Bm25f, WeighedTerm, saturate

_Held = Sequence[tuple[MatchKind, int, bool, int]]  # kind, position in `FIELDS`, is a part, occurrences in one note


def term_scores(
    terms: Sequence[WeighedTerm], slots: Collection[int], postings: Postings, model: Bm25f
) -> Mapping[int, tuple[TermScore, ...]]:
    """The terms that each of these slots contains, in the order of `terms`; their scores add up to the BM25F score."""
    is_wanted = np.zeros(len(postings.notes), np.bool_)
    is_wanted[list(slots)] = True
    scores: dict[int, list[TermScore]] = {slot: [] for slot in slots}
    for weighed in terms:
        held: dict[int, list[tuple[MatchKind, int, bool, int]]] = {}
        for kind, found in weighed.weighing.found:
            for slot, at, is_part, count in _counts(found, is_wanted):
                held.setdefault(slot, []).append((kind, at, is_part, count))
        for slot in slots:
            if weighed.frequencies[slot] > 0:
                scores[slot].append(_term_score(weighed, slot, held[slot], postings, model))
    return {slot: tuple(found) for slot, found in scores.items()}


def _counts(found: Occurrences, is_wanted: Bools) -> Iterator[tuple[int, int, bool, int]]:
    """The occurrences in the wanted slots: slot, field, whether it is a part of a compound, count; in this order."""
    some = found.in_slots(is_wanted)
    sums: dict[tuple[int, int, bool], int] = {}
    rows = zip(some.slots.tolist(), some.fields.tolist(), some.grades.tolist(), some.counts.tolist(), strict=True)
    for slot, at, grade, count in rows:
        sums[slot, at, grade > 0] = sums.get((slot, at, grade > 0), 0) + count
    return ((slot, at, is_part, count) for (slot, at, is_part), count in sorted(sums.items()))


def _term_score(weighed: WeighedTerm, slot: int, held: _Held, postings: Postings, model: Bm25f) -> TermScore:
    frequency, times = weighed.frequencies[slot], weighed.term.times
    return TermScore(
        term=weighed.term.text,
        score=float(weighed.idf * times * saturate(frequency, model.k1)),
        times=times,
        df=weighed.weighing.df,
        n_notes=postings.n_weighing,
        share=weighed.share,
        idf=weighed.idf,
        k1=model.k1,
        frequency=float(frequency),
        parts=tuple(_parts(weighed, slot, held, postings, model)),
    )


def _parts(weighed: WeighedTerm, slot: int, held: _Held, postings: Postings, model: Bm25f) -> Iterator[FrequencyPart]:
    """The matches that count: whole words and words that begin with the term, or inner matches if there are no others.

    Of a stop word, the names that count come before the other fields, which are saturated.
    """
    weighing, is_inner = weighed.weighing, bool(weighed.is_inner[slot])
    counts_in_names = weighing.is_named is None or bool(weighing.is_named[slot])
    parts: dict[tuple[bool, float, bool], list[FieldCount]] = {}
    for kind, at, is_part, count in held:
        name = FIELDS[at]
        if not model.weights[name] or is_inner == (kind in weighing.whole):
            continue
        scale, is_saturated = 1.0, is_inner
        if is_inner:
            scale = model.inner_share * weighing.least
        elif kind is MatchKind.PREFIX:
            scale = model.prefix_weight
        if weighed.term.is_stop_word and not (name in NAME_FIELDS and counts_in_names):
            scale, is_saturated = scale * model.stop_words_in_text, True
        length, mean = float(postings.lengths[slot, at]), float(postings.mean_lengths[at])
        fields = parts.setdefault((kind is MatchKind.PREFIX, scale, is_saturated), [])
        fields.append(
            FieldCount(
                kind=kind,
                field=name,
                count=count,
                weight=float(postings.shares[slot, at]) * model.weights[name] * (model.part_weight if is_part else 1.0),
                b=model.b[name],
                length=length,
                mean_length=mean,
            )
        )
    return (
        FrequencyPart(scale=scale, is_saturated=is_saturated, fields=tuple(fields))
        for (_, scale, is_saturated), fields in parts.items()
    )
