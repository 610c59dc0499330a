"""Notes one link away from the hits of the other sources, in either direction (designs/4).

    raw(neighbour) = discount * max over its origins o of 1 / rank(o),   rank(o): the best that any source gives o

In this ranking a neighbour is always below its origin. The weight keeps it so after fusion by rank: with 0.2, the best
neighbour gets less than the last of 200 notes that one other source of weight 1 found.
"""

from collections.abc import Iterable, Mapping

from attrs import evolve, field, frozen
from attrs.validators import deep_iterable, ge, gt, instance_of, le, lt

from search.answer.evidence import NO_EVIDENCE, LinkEvidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.graph.links import LinkIndex
from search.graph.walk import Tie, ties
from search.ids import NoteId

SOURCE = "neighbours"


@frozen(kw_only=True)
class Neighbours:
    """How much notes at the other end of a link count.

    weight: relative to the other sources except the semantic one, 0..10; 0.2, see the module.
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
    origins: dict[NoteId, int] = {}
    for ranking in found:
        for note, rank in ranking.ranks.items():
            origins[note] = min(rank, origins.get(note, rank))
    link_types = frozenset(type_.casefold() for type_ in settings.link_types)
    best: dict[NoteId, tuple[float, NoteId, Tie]] = {}
    for origin, rank in sorted(origins.items(), key=lambda item: (item[1], item[0])):
        raw = settings.discount / rank
        for tie in ties(origin, links, link_types=link_types):
            if raw > (best[tie.note][0] if tie.note in best else 0.0):
                best[tie.note] = (raw, origin, tie)
    return Ranking.of(_hits(best)).top(n)


def _hits(best: Mapping[NoteId, tuple[float, NoteId, Tie]]) -> Iterable[Hit[NoteId]]:
    for note, (raw, origin, tie) in best.items():
        link = LinkEvidence(str(origin), 1, tuple(sorted(tie.types)))
        yield Hit.found(note, Found(SOURCE, raw), evidence=evolve(NO_EVIDENCE, link=link))
