"""Name: who asks "tar extract" or "how do I publish my notes" names a thing and then what about it.

    factor = 1 + strength * share

for a note one of whose names stands in the query as a whole, with other words beside it; share is what the words of the
name are of the query's words, by rarity. BM25F knows that a word stands in a name, but not that it is all of the name.
"""

from collections.abc import Mapping

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.explain import quote
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Scaled
from search.ids import NoteId


@frozen(kw_only=True)
class Name:
    """strength: what a name that is nearly all of the query adds, 0..2; 0.6 (tests/ranking/PARAMETERS.md)."""

    strength: float = field(default=0.6, validator=[ge(0.0), le(2.0)])


def boost_by_name(
    ranking: Ranking[NoteId], *, settings: Name, named: Mapping[NoteId, tuple[str, float]]
) -> Ranking[NoteId]:
    """Multiply the hits in `named`, which tells the name and its share of the query (0..1), by 1 to 1 + strength."""

    def raise_(hit: Hit[NoteId]) -> Hit[NoteId]:
        name, share = named.get(hit.id, ("", 0.0))
        factor = 1.0 + settings.strength * share
        return hit.then(Scaled("name", factor, f"{quote(name)} is its name")) if factor > 1.0 else hit

    return ranking.map(raise_)
