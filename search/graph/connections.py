"""How strongly the best results of a query are connected: by links, co-citations and shared tags.

Each part counts distinct things, so no note or tag counts twice:

    backlinks     other candidates with a link to this one that it does not return; mutual links do not count, as the
                  pages of an index link back and forth whatever the query
    co_citations  Markdown notes, anywhere in the vault, that link to this one and to another candidate
    shared_tags   tags, ignoring case, that this one shares with another candidate

Co-citations count the citing notes (as in Small, JASIS 1973), not the notes cited together: an index note that links to
all ten candidates counts once; otherwise every vault with an index note would boost everything to the cap.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import frozen

from search.graph.links import LinkIndex
from search.ids import NoteId, is_by_name, is_note
from search.vault.note import Note


@frozen
class Connections:
    """The connections of one candidate to the others; each a count from 0."""

    backlinks: int = 0
    co_citations: int = 0
    shared_tags: int = 0
    mutual_links: int = 0  # other candidates that this one links to and that link back


def connect(
    candidates: Sequence[NoteId], *, links: LinkIndex, notes: Mapping[NoteId, Note]
) -> Mapping[NoteId, Connections]:
    """The connections of each candidate to the others; all counts are 0 with fewer than two candidates.

    Files that are found by name only have none.

    A candidate that is not among `notes`, because it was deleted, has no tags.
    """
    citers = {id_: links.backlinks(id_) for id_ in candidates if not is_by_name(id_)}
    tags = {id_: {tag.casefold() for tag in notes[id_].tags} for id_ in candidates if id_ in notes}
    n_cited = Counter(source for sources in citers.values() for source in sources)
    n_tagged = Counter(tag for own in tags.values() for tag in own)
    linking = {id_: citers[id_] & citers.keys() for id_ in citers}
    mutual = {id_: linking[id_].intersection(links.outlinks(id_)) for id_ in citers}
    return {
        id_: Connections(
            backlinks=len(linking[id_]) - len(mutual[id_]),
            mutual_links=len(mutual[id_]),
            co_citations=sum(n_cited[source] > 1 for source in citers[id_] if is_note(source)),
            shared_tags=sum(n_tagged[tag] > 1 for tag in tags.get(id_, ())),
        )
        for id_ in citers
    }
