"""Notes one link away from what the other sources found: linked from it, or linking to it (designs/4).

    raw(neighbour) = discount * max over its origins o of 1 / rank(o),   rank(o) the best that any source gives o

A neighbour stands below the note it came from here; that it also does so after a fusion by rank is the weight's part:
with 0.2, the highest neighbour gets less than the last of 200 notes that one other source of weight 1 found.
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
    """What notes at the other end of a link are worth.

    weight: against the other sources but the semantic one, 0..10; 0.2 (see above).
    discount: of the origin's score, above 0 and below 1; 0.9: "slightly lower" (designs/4).
    link_types: only links of these types count; all where it is empty.
    """

    weight: float = field(default=0.2, validator=[ge(0.0), le(10.0)])
    discount: float = field(default=0.9, validator=[gt(0.0), lt(1.0)])
    link_types: tuple[str, ...] = field(default=(), validator=deep_iterable(instance_of(str)))


def search_neighbours(
    found: Iterable[Ranking[NoteId]], *, settings: Neighbours, links: LinkIndex, n: int
) -> Ranking[NoteId]:
    """The `n` best neighbours of the notes that were found; nothing found: nothing.

    Scores lie above 0 and below 1. A note that was found itself may be one, as a neighbour of another.
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
