"""Breadth-first walk over links in both directions: how many links notes are away from some starting notes.

The shortest path counts; among equally short ones, the path from the earlier start, then the path to the earlier
neighbour, so that results are stable. Never reaches more than `MAX_NOTES` notes: two links from a hub can be half the
vault.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from attrs import frozen

from search.answer.evidence import LinkEvidence
from search.graph.links import LinkIndex
from search.ids import NoteId

MAX_NOTES = 2000
MAX_DEPTH = 5


@frozen
class Neighbour:
    """A note one link away from another one, which it links to if `is_backlink`."""

    note: NoteId
    types: frozenset[str]  # of the links; empty unless requested
    is_backlink: bool


def neighbours(
    note: NoteId, links: LinkIndex, *, link_types: Collection[str] = (), is_typed: bool = False
) -> Iterator[Neighbour]:
    """The notes one link away: first those it links to, in their order, then those that link to it, by id.

    A note that does both comes twice, once for each direction, since each may have types of its own.
    Only links of `link_types`, in any case, count; all if it is empty. The types are looked up if `link_types` or
    `is_typed` is set.
    """
    wanted = frozenset(map(str.casefold, link_types))
    no_types: frozenset[str] = frozenset()
    for is_backlink, others in ((False, links.outlinks(note)), (True, sorted(links.backlinks(note)))):
        for other in others:
            types = no_types
            if is_typed or wanted:
                types = links.types(other, note) if is_backlink else links.types(note, other)
            if not wanted or not types.isdisjoint(wanted):
                yield Neighbour(other, types, is_backlink)


def walk(
    starts: Iterable[NoteId], links: LinkIndex, *, depth: int, link_types: Collection[str] = ()
) -> Mapping[NoteId, LinkEvidence]:
    """All notes within `depth` links of the starts, nearest first; the starts themselves have 0 hops."""
    reached = {start: LinkEvidence(start, 0) for start in starts}
    edge = list(reached)
    for hops in range(1, depth + 1):
        next_edge: list[NoteId] = []
        for note in edge:
            for other in neighbours(note, links, link_types=link_types):
                if other.note not in reached and len(reached) < MAX_NOTES:
                    reached[other.note] = LinkEvidence(reached[note].origin, hops, other.types)
                    next_edge.append(other.note)
        edge = next_edge
    return reached


def within_reach(
    starts: Iterable[NoteId], links: LinkIndex, *, depth: int, link_types: Collection[str] = ()
) -> set[NoteId]:
    """All notes up to `depth` links away from `starts`, and these. Unlike `walk`, without paths and without a limit."""
    reached = set(starts)
    edge: Collection[NoteId] = tuple(reached)
    for _ in range(depth):
        near = {other.note for note in edge for other in neighbours(note, links, link_types=link_types)}
        edge = near - reached
        reached |= edge
    return reached
