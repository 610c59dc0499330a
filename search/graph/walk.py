"""How far notes lie from some others: breadth first over links, in both directions.

The shortest way counts; of several as short the one from the earlier start, then that to the earlier neighbour, so that
no two runs differ. Never goes further than `MAX_NOTES` notes: with a hub two steps are half the vault.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from attrs import frozen

from search.graph.links import LinkIndex
from search.ids import NoteId

MAX_NOTES = 2000
MAX_DEPTH = 5


@frozen
class Tie:
    """One step from a note to another one that it links to, or that links to it (`is_backlink`)."""

    note: NoteId
    types: frozenset[str]  # of the links; empty where nobody asked
    is_backlink: bool


@frozen
class Reached:
    """`hops` links lie between the note and `origin`; the last of them is of `types` and comes from `by`."""

    hops: int
    origin: NoteId
    by: NoteId
    types: frozenset[str] = frozenset()


def ties(note: NoteId, links: LinkIndex, *, link_types: Collection[str] = (), is_typed: bool = False) -> Iterator[Tie]:
    """The notes one link away: those it links to in their order, then those that link to it by id.

    `link_types` lets only links of these types through, all where it is empty. `is_typed` asks for types anyway.
    """
    nothing: frozenset[str] = frozenset()
    for is_backlink, others in ((False, links.outlinks(note)), (True, sorted(links.backlinks(note)))):
        for other in others:
            types = nothing
            if is_typed or link_types:
                types = links.types(other, note) if is_backlink else links.types(note, other)
            if not link_types or not types.isdisjoint(link_types):
                yield Tie(other, types, is_backlink)


def walk(
    starts: Iterable[NoteId], links: LinkIndex, *, depth: int, link_types: Collection[str] = ()
) -> Mapping[NoteId, Reached]:
    """All notes within `depth` links of the starts, the starts themselves with 0 hops, nearest first."""
    reached = {start: Reached(0, start, start) for start in starts}
    edge = list(reached)
    for hops in range(1, depth + 1):
        ahead: list[NoteId] = []
        for note in edge:
            for tie in ties(note, links, link_types=link_types):
                if tie.note not in reached and len(reached) < MAX_NOTES:
                    reached[tie.note] = Reached(hops, reached[note].origin, note, tie.types)
                    ahead.append(tie.note)
        edge = ahead
    return reached
