"""Adds to the trails of a few hits what their BM25F scores are made of, term by term."""

from collections.abc import Iterable

from attrs import evolve

from search.answer.ranking import Hit
from search.answer.trail import Found, Step
from search.ids import NoteId
from search.matching.term_scores import term_scores
from search.ranking.rank import Ranked
from search.sources.lexical import SOURCE as LEXICAL
from search.sources.suggested import SOURCE as SUGGESTED


def with_terms(hits: Iterable[Hit[NoteId]], ranked: Ranked) -> tuple[Hit[NoteId], ...]:
    """The same hits; the `Found` steps of the lexical and the suggested source have their terms."""
    kept, found = tuple(hits), ranked.retrieval
    postings, model = found.postings, ranked.request.pipeline.lexical.model
    slots = {hit.id: postings.slots[hit.id] for hit in kept if hit.id in postings.slots}
    terms = {
        source: term_scores(weighed, slots.values(), postings, model)
        for source, weighed in ((LEXICAL, found.weighed), (SUGGESTED, found.suggestions.weighed))
    }

    def detailed(step: Step, slot: int) -> Step:
        if isinstance(step, Found) and step.source in terms:
            return evolve(step, terms=terms[step.source][slot])
        return step

    return tuple(
        evolve(hit, trail=tuple(detailed(step, slots[hit.id]) for step in hit.trail)) if hit.id in slots else hit
        for hit in kept
    )
