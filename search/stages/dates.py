"""Dates: notes of a time that the query speaks of are raised, and daily notes of it that no word found are put in.

The words of the query keep their say: a factor raises what they found, and what is put in stands below the best. Of
notes that are worth the same the newest stands first, by a fiftieth of the boost at most.
"""

from collections.abc import Iterable
from itertools import islice

from attrs import evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled
from search.ids import NoteId
from search.query import DatedNote

SOURCE = "dates"
_LEAN = 0.02  # of the boost or of the share: what the oldest note of a date has less than the newest


@frozen(kw_only=True)
class Dates:
    """factor: for notes of the date, 1..2; 1.25, more than a folder or links give, for it was asked for by name.

    share: the score of what is put in, as a share of the best hit's, 0..1; 0.5.
    n_added: notes that are put in, 0..100; 10, the newest.
    """

    factor: float = field(default=1.25, validator=[ge(1.0), le(2.0)])
    share: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    n_added: int = field(default=10, validator=[instance_of(int), ge(0), le(100)])


def raise_dated(ranking: Ranking[NoteId], *, settings: Dates, dated: Iterable[DatedNote]) -> Ranking[NoteId]:
    """Multiply the hits that are among `dated`, and add the first of them that are named after the date.

    `dated` comes newest first. Nothing dated: unchanged.
    """
    by_note = {one.note: one for one in dated}
    if not by_note:
        return ranking
    leans = {note: _LEAN * at / len(by_note) for at, note in enumerate(by_note)}
    best = max((hit.score for hit in ranking), default=0.0) or 1.0

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        one = by_note.get(hit.id)
        if one is None:
            return hit
        factor = settings.factor - leans[hit.id] * (settings.factor - 1.0)
        return hit.then(Scaled("dates", factor, one.why), evidence=evolve(hit.evidence, dated=one.why))

    missing = (one for one in by_note.values() if one.is_named and one.note not in ranking.ranks)
    added = (
        evolve(hit, evidence=evolve(hit.evidence, dated=one.why))
        for one in islice(missing, settings.n_added)
        for hit in (Hit.found(one.note, Found(SOURCE, settings.share * best * (1.0 - leans[one.note]))),)
    )
    return Ranking.of((*map(boost, ranking), *added))
