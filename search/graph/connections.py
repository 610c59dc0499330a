"""How strongly the best results of a query are connected: by links, co-citations and shared tags.

    score = 1.0 * backlinks + 0.5 * co_citations + 0.3 * shared_tags

Each part counts distinct things, so no note or tag counts twice:

    backlinks     other candidates with a link to this one that it does not return; mutual links do not count, as the
                  pages of an index link back and forth whatever the query
    co_citations  notes, anywhere in the vault, that link to this one and to another candidate
    shared_tags   tags, ignoring case, that this one shares with another candidate

Co-citations count the citing notes (as in Small, JASIS 1973), not the notes cited together: an index note that links to
all ten candidates counts once; otherwise every vault with an index would boost everything to the cap.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import frozen

from search.graph.links import LinkIndex
from search.ids import NoteId

TagsOf = Callable[[NoteId], Iterable[str]]


@frozen
class Connections:
    """The connections of one candidate to the others; each a count from 0."""

    backlinks: int = 0
    co_citations: int = 0
    shared_tags: int = 0
    mutual_links: int = 0  # other candidates that this one links to and that link back

    def score(
        self,
        *,
        backlink_weight: float,
        co_citation_weight: float,
        shared_tag_weight: float,
        mutual_link_weight: float = 0.0,
    ) -> float:
        """The weighted sum of the counts, 0 or more.

        >>> Connections(1, 1, 1).score(backlink_weight=1.0, co_citation_weight=0.5, shared_tag_weight=0.3)
        1.8
        """
        return (
            backlink_weight * self.backlinks
            + mutual_link_weight * self.mutual_links
            + co_citation_weight * self.co_citations
            + shared_tag_weight * self.shared_tags
        )


def connect(candidates: Sequence[NoteId], *, links: LinkIndex, tags_of: TagsOf) -> Mapping[NoteId, Connections]:
    """The connections of each candidate to the others; all counts are 0 with fewer than two candidates."""
    citers = {id_: links.backlinks(id_) for id_ in candidates}
    tags = {id_: {tag.casefold() for tag in tags_of(id_)} for id_ in candidates}
    n_cited = Counter(source for sources in citers.values() for source in sources)
    n_tagged = Counter(tag for own in tags.values() for tag in own)
    linking = {id_: citers[id_] & citers.keys() for id_ in candidates}
    mutual = {id_: linking[id_].intersection(links.outlinks(id_)) for id_ in candidates}
    return {
        id_: Connections(
            backlinks=len(linking[id_]) - len(mutual[id_]),
            mutual_links=len(mutual[id_]),
            co_citations=sum(n_cited[source] > 1 for source in citers[id_]),
            shared_tags=sum(n_tagged[tag] > 1 for tag in tags[id_]),
        )
        for id_ in citers
    }
