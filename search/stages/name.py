"""Name boost: raise a note whose whole name is part of the query, such as `tar` for "tar extract".

    factor = 1 + strength * share

share is the name's share of the query's words, weighted by idf. Such a query names a thing and then asks something
about it. BM25F knows that a word occurs in a name, but not that it is the whole name.
"""

from attrs import field, frozen
from attrs.validators import ge, le

from search.answer.explain import quote
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Scaled
from search.ids import NoteId
from search.stages import Context


@frozen(kw_only=True)
class Name:
    """strength: the boost for a name that is nearly the whole query, 0..2; 0.6 (tests/ranking/PARAMETERS.md)."""

    strength: float = field(default=0.6, validator=[ge(0.0), le(2.0)])


def boost_by_name(ranking: Ranking[NoteId], settings: Name, context: Context) -> Ranking[NoteId]:
    """Multiply the hits that the query names (with a share of the query, 0..1) by 1 to 1 + strength."""

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        name, share = context.named.get(hit.id, ("", 0.0))
        factor = 1.0 + settings.strength * share
        if factor <= 1.0:
            return hit
        arithmetic = Arithmetic("1 + strength * share", {"strength": settings.strength, "share": share})
        return hit.then(Scaled("name", factor, f"{quote(name)} is its name", arithmetic))

    return ranking.map(boost)
