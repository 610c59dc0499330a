"""Notes one link away from the hits of the other sources, in either direction (designs/4).

    raw(neighbour) = discount * max over its origins o of 1 / rank(o),   rank(o): the best that any source gives o

In this ranking a neighbour is always below its origin. The weight keeps it so after fusion by rank: with 0.2, the best
neighbour gets less than the last of 200 notes that one other source of weight 1 found.
"""

from collections.abc import Iterable

from attrs import field, frozen
from attrs.validators import deep_iterable, ge, gt, instance_of, le, lt

from search.answer.evidence import Evidence, LinkEvidence
from search.answer.ranking import Hit, Ranking, best_ranks
from search.answer.trail import Arithmetic, Found
from search.graph.links import LinkIndex
from search.graph.walk import neighbours
from search.ids import NoteId

SOURCE = "neighbours"


@frozen(kw_only=True)
class Neighbours:
    """How much notes at the other end of a link count.

    weight: weight of neighbours, relative to the other sources except the semantic one, 0..10; 0.2, see the module.
    discount: factor on the origin's score, above 0 and below 1; 0.9: "slightly lower" (designs/4).
    link_types: only links of these types count; empty: all links.
    """

    weight: float = field(default=0.2, validator=[ge(0.0), le(10.0)])
    discount: float = field(default=0.9, validator=[gt(0.0), lt(1.0)])
    link_types: tuple[str, ...] = field(default=(), validator=deep_iterable(instance_of(str)))


def search_neighbours(
    found: Iterable[Ranking[NoteId]], *, settings: Neighbours, links: LinkIndex, n: int
) -> Ranking[NoteId]:
    """The `n` best neighbours of the hits, with scores above 0 and below 1. No hits: an empty ranking.

    A hit can itself be the neighbour of another hit.
    """
    best: dict[NoteId, Hit[NoteId]] = {}
    for origin, rank in best_ranks(found).items():
        for near in neighbours(origin, links, link_types=settings.link_types):
            if near.note not in best:  # from the best of its origins, which come first
                link = LinkEvidence(origin, 1, near.types)
                numbers = {"discount": settings.discount, "origin_rank": rank}
                step = Found(SOURCE, settings.discount / rank, Arithmetic("discount / origin_rank", numbers))
                best[near.note] = Hit.found(near.note, step, evidence=Evidence(link=link))
    return Ranking.of(best.values()).top(n)
