"""Dates: boost the notes of a date that the query mentions, and add daily notes of it that no source found.

The words of the query stay decisive: a factor boosts what they found, and added notes rank below the best hit. Among
notes of the same score the newest comes first, by at most a fiftieth of the boost.
"""

from itertools import islice

from attrs import evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.evidence import NO_EVIDENCE
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found, Scaled
from search.ids import NoteId
from search.query import DatedNote
from search.stages import Context

SOURCE = "dates"
_AGE_PENALTY = 0.02  # how much less of the boost or the share the oldest note of a date gets


@frozen(kw_only=True)
class Dates:
    """factor: the boost for notes of the date, 1..2; 1.25, more than folder or graph, as the query names the date.

    share: the score of added notes, as a share of the best hit's score, 0..1; 0.5.
    n_added: the maximum number of added notes, the newest, 0..100; 10.
    """

    factor: float = field(default=1.25, validator=[ge(1.0), le(2.0)])
    share: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    n_added: int = field(default=10, validator=[instance_of(int), ge(0), le(100)])


def raise_dated(ranking: Ranking[NoteId], settings: Dates, context: Context) -> Ranking[NoteId]:
    """Multiply the hits that are among the dated notes, and add the first of these that are named after the date.

    The query's dated notes must have the newest first. No dated notes: unchanged.
    """
    by_note = {note.note: note for note in context.understood.dated}
    if not by_note:
        return ranking
    places = {note: at for at, note in enumerate(by_note)}
    penalties = {note: _AGE_PENALTY * at / len(by_note) for note, at in places.items()}
    best = max((hit.score for hit in ranking), default=0.0) or 1.0

    def aged(note: NoteId) -> dict[str, float]:
        return {"penalty": _AGE_PENALTY, "place": places[note], "n": len(by_note)}

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        found = by_note.get(hit.id)
        if found is None:
            return hit
        factor = settings.factor - penalties[hit.id] * (settings.factor - 1.0)
        numbers = {"boost": settings.factor, **aged(hit.id)}
        step = Scaled("dates", factor, found.why, Arithmetic("boost - penalty * place / n * (boost - 1)", numbers))
        return hit.then(step, evidence=evolve(hit.evidence, dated=found.why))

    def added(found: DatedNote) -> Hit[NoteId]:
        score = settings.share * best * (1.0 - penalties[found.note])
        numbers = {"share": settings.share, "best": best, **aged(found.note)}
        step = Found(SOURCE, score, Arithmetic("share * best * (1 - penalty * place / n)", numbers))
        return Hit.found(found.note, step, evidence=evolve(NO_EVIDENCE, dated=found.why))

    missing = (found for found in by_note.values() if found.is_named and found.note not in ranking.ranks)
    return Ranking.of((*map(boost, ranking), *map(added, islice(missing, settings.n_added))))
