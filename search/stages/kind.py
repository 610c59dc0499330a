"""Kind: notes of the kinds that a query's intent asks for are raised, by the largest factor of their kinds.

Which kinds a note has, and which are asked for, is told by whoever understands queries; without either, nothing moves.
"""

from collections.abc import Callable, Mapping

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Scaled
from search.ids import NoteId


@frozen(kw_only=True)
class Kind:
    """cap: the highest factor, 1..2; 1.3: a kind is a hint, and words must be able to outweigh it."""

    cap: float = field(default=1.3, validator=[ge(1.0), le(2.0)])


def boost_by_kind(
    ranking: Ranking[NoteId],
    *,
    settings: Kind,
    factors: Mapping[str, float],
    kinds_of: Callable[[NoteId], frozenset[str]],
    why: str = "",
) -> Ranking[NoteId]:
    """Multiply the hits that have a kind with a factor above 1, by at most `cap`; `why` names the intent."""
    wanted = {kind: min(factor, settings.cap) for kind, factor in factors.items() if factor > 1.0}
    if not wanted:
        return ranking

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        asked = sorted(kinds_of(hit.id) & wanted.keys(), key=lambda kind: (-wanted[kind], kind))
        if not asked:
            return hit
        reason = f"a note of kind {asked[0]}{f', for {why}' if why else ''}"
        return hit.then(Scaled("kind", wanted[asked[0]], reason))

    return ranking.map(boost)
