"""How near notes are to the best hits of another source, by links in both directions (designs/0).

    proximity(note) = 1 / hops to the nearest start,   1 for a start itself

Notes that no source found, but that links lead to, are included.
"""

from attrs import field, frozen
from attrs.validators import deep_iterable, ge, instance_of, le

from search.answer.evidence import Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Found
from search.graph.links import LinkIndex
from search.graph.walk import MAX_DEPTH, walk
from search.ids import NoteId

SOURCE = "proximity"


@frozen(kw_only=True)
class Proximity:
    """Where the breadth-first walk over links starts, how far it goes and which links it follows.

    weight: weight of nearness by links, relative to the other sources except the semantic one, 0..10; 0.7, with 0.3 for
        words (designs/0).
    starts_per_result: the number of starting notes for each result that is shown, 1..100; 2 (designs/0).
    depth: the maximum number of links from a start, 0..5; 2 (designs/0).
    link_types: only links of these types are followed; empty: all links.
    """

    weight: float = field(default=0.7, validator=[ge(0.0), le(10.0)])
    starts_per_result: int = field(default=2, validator=[instance_of(int), ge(1), le(100)])
    depth: int = field(default=2, validator=[instance_of(int), ge(0), le(MAX_DEPTH)])
    link_types: tuple[str, ...] = field(default=(), validator=deep_iterable(instance_of(str)))


def search_proximity(near: Ranking[NoteId], *, settings: Proximity, links: LinkIndex, n_shown: int) -> Ranking[NoteId]:
    """The notes around the best `starts_per_result * n_shown` of `near`; scores above 0 and at most 1."""
    starts = [hit.id for hit in near.top(settings.starts_per_result * n_shown)]
    reached = walk(starts, links, depth=settings.depth, link_types=settings.link_types)
    return Ranking.of(
        Hit.found(
            note,
            Found(SOURCE, proximity(link.hops), Arithmetic("1 / max(1, hops)", {"hops": link.hops})),
            evidence=Evidence(link=link if link.hops else None),
        )
        for note, link in reached.items()
    )


def proximity(hops: int) -> float:
    """1 for the start and its direct neighbours, then 1 / hops.

    >>> [round(proximity(hops), 2) for hops in range(4)]
    [1.0, 1.0, 0.5, 0.33]
    """
    return 1.0 / max(1, hops)
