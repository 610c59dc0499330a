"""How many notes a query finds, whatever number of them is shown.

Sources that follow links start at the best notes, and the more are shown, the more these are. A total of what they
reached would grow with the number that a client asks for. So here links are followed from all notes that were found,
as far as the pipeline follows them.
"""

import numpy as np

from search.graph.walk import within_reach
from search.ids import NoteId
from search.index.corpus import Corpus
from search.ranking.retrieval import Retrieval
from search.stages.spread import Spread


def n_found(corpus: Corpus, found: Retrieval, by_meaning: frozenset[NoteId] | None, others: frozenset[NoteId]) -> int:
    """The number of notes found by words, by meaning and by links from either, however many are ranked.

    `by_meaning` has all notes found by their meaning, None if no vectors were compared; `others` has notes found for
    other reasons, such as the query's date.
    """
    slots, is_found = found.postings.slots, found.candidates.is_found
    further = (by_meaning or frozenset()) | others | _by_links(corpus, found, by_meaning)
    known = (slots.get(note) for note in further)
    return found.candidates.n_found + sum(slot is not None and not is_found[slot] for slot in known)


def _by_links(corpus: Corpus, found: Retrieval, by_meaning: frozenset[NoteId] | None) -> frozenset[NoteId]:
    """The notes that the pipeline's sources and stages could reach by links, as far as the filter allows them."""
    pipeline, links, allowed = found.request.pipeline, corpus.links, found.request.allowed
    spreads = [stage for stage in pipeline.stages if isinstance(stage, Spread)]
    far, near = pipeline.proximity, pipeline.neighbours
    if not found.weighed or not (far or near or spreads):
        return frozenset()
    suggested = found.suggestions.ranking.ranks
    by_words = (found.postings.notes[slot] for slot in np.flatnonzero(found.candidates.is_found).tolist())
    starts = {*by_words, *(by_meaning or ()), *suggested}
    reached = set(starts)
    if far is not None and by_meaning is not None:  # notes found by words have cosines too
        reached |= within_reach(starts, links, depth=far.depth, link_types=far.link_types)
    if near is not None:
        reached |= within_reach(starts, links, depth=1, link_types=near.link_types)
    for spread in spreads:
        reached = within_reach(reached, links, depth=spread.depth, link_types=spread.link_types)
    return frozenset(reached if allowed is None else reached & allowed)
