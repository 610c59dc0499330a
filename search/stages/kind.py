"""Kind boost: raise notes of the kinds that fit the query's intent, by the largest factor of their kinds.

The kinds of a note and the factors come from query understanding; without them nothing changes.
"""

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Scaled
from search.ids import NoteId
from search.stages import Context


@frozen(kw_only=True)
class Kind:
    """cap: the highest factor, 1..2; 1.3: a kind is only a hint, and words must be able to outweigh it."""

    cap: float = field(default=1.3, validator=[ge(1.0), le(2.0)])


def boost_by_kind(ranking: Ranking[NoteId], settings: Kind, context: Context) -> Ranking[NoteId]:
    """Multiply the hits that have a kind with a factor above 1, by at most `cap`; the reason names the intent."""
    understood = context.understood
    boosts = {kind: min(factor, settings.cap) for kind, factor in understood.kind_factors.items() if factor > 1.0}
    if not boosts:
        return ranking

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        kinds = sorted(understood.kinds_of(hit.id) & boosts.keys(), key=lambda kind: (-boosts[kind], kind))
        if not kinds:
            return hit
        reason = f"a note of kind {kinds[0]}{f', for {understood.intent}' if understood.intent else ''}"
        numbers = {"cap": settings.cap, "boost": understood.kind_factors[kinds[0]]}
        return hit.then(Scaled("kind", boosts[kinds[0]], reason, Arithmetic("min(cap, boost)", numbers)))

    return ranking.map(boost)
