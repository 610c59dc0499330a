"""What a query's words find: the notes that hold them and their order by BM25F, before anything else is asked.

It is the dearest part of a ranking. So it is a value of its own, which what comes later (meaning, suggested words, a
reranker) builds on, as long as no note has changed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
from attrs import evolve, frozen

from search.analysis.tokens import tokens
from search.answer.evidence import Evidence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.budget import Budget
from search.ids import NoteId
from search.index.corpus import Corpus
from search.index.postings import Bools, Postings
from search.matching.bm25f import WeighedTerm, weigh_forms
from search.matching.corrections import correct
from search.matching.expansions import TermExpansion, weigh_expansions
from search.matching.terms import PostedTerm, Term, post, query_terms
from search.query import ParsedQuery, Query, RankedTerm, Understood
from search.ranking.pipeline import Pipeline
from search.sources.grep import Candidates, scan
from search.sources.lexical import search_lexical

_WHEN = 0.25  # of its weight: "yesterday" is a rare word, and stands in no note that is meant by "garden yesterday"
NEWEST = "newest"  # the source of notes that only a filter asked for: their order is their age

Lap = Callable[[str], None]  # told the name of each step as it ends


@frozen(eq=False)
class Retrieval:
    """What was looked for in a corpus, and what was found."""

    parsed: ParsedQuery  # as it was looked for: without terms where it is only a date
    understood: Understood  # as far as the notes may be found
    allowed: frozenset[NoteId] | None  # the notes that may be found; None: all
    mask: Bools | None  # the same by slot
    named: Mapping[NoteId, str]  # notes that are called what was typed, and what they are called
    within: Mapping[NoteId, tuple[str, float]]  # notes one of whose names is a part of it, and how much of it that is
    posted: tuple[PostedTerm, ...]
    typed: tuple[WeighedTerm, ...]
    expansions: tuple[TermExpansion, ...]
    candidates: Candidates
    lexical: Ranking[NoteId]  # the candidates: by words, by age where there are none
    postings: Postings  # as they were: slots are numbers of these
    generation: int  # of the corpus

    @property
    def weighed(self) -> tuple[WeighedTerm, ...]:
        """Typed terms and expansions."""
        return (*self.typed, *(term for one in self.expansions for term in one.weighed))


def retrieve_lexical(
    query: Query,
    parsed: ParsedQuery,
    corpus: Corpus,
    pipeline: Pipeline,
    *,
    allowed: frozenset[NoteId] | None,
    understood: Understood,
    budget: Budget,
    lap: Lap,
) -> Retrieval:
    """Look a query's words up, as `rank` says. Stands for what it was given: use it for no other query or pipeline."""
    postings = corpus.postings
    understood = _allowed_only(understood, corpus, allowed)
    if understood.is_only_date:  # and no word of the query is one
        parsed, allowed = evolve(parsed, terms=()), frozenset(one.note for one in understood.dated)
    wanted = query_terms((*parsed.terms, *map(RankedTerm, query.salient_terms)))
    wanted = tuple(term for term in wanted if term.text not in pipeline.lexical.stop_words) or wanted
    posted = _looked_up(wanted, corpus, pipeline)
    typed = _less_when(_weighed(posted, postings, pipeline), understood.date_words)
    expansions = _expansions(understood, typed, corpus, pipeline)
    weighed = (*typed, *(term for one in expansions for term in one.weighed))
    named = corpus.names.named(parsed.text) if parsed.terms else {}
    if not weighed and allowed is None:
        allowed = frozenset(named)
    mask = None if allowed is None else _mask(corpus, allowed)
    candidates = scan(
        weighed,
        postings,
        limit=query.candidate_limit or pipeline.grep.candidate_limit,
        k1=pipeline.lexical.model.k1,
        settings=pipeline.grep,
        allowed=mask,
        always=_mask(corpus, named),
    )
    lap("grep")
    budget.check()
    if weighed:
        lexical = search_lexical(weighed, candidates.slots, postings, k1=pipeline.lexical.model.k1)
    else:
        lexical = _newest(corpus, candidates, understood)
    lap("lexical")
    budget.check()
    return Retrieval(
        parsed=parsed,
        understood=understood,
        allowed=allowed,
        mask=mask,
        named=named,
        within=_within(parsed, typed, corpus),
        posted=posted,
        typed=typed,
        expansions=expansions,
        candidates=candidates,
        lexical=lexical,
        postings=postings,
        generation=corpus.generation,
    )


def _looked_up(terms: Sequence[Term], corpus: Corpus, pipeline: Pipeline) -> tuple[PostedTerm, ...]:
    stems = corpus.stems if pipeline.stems.weight else None
    posted = post(terms, corpus.vocabulary, corpus.postings, stems=stems)
    if not pipeline.typos.weight:
        return posted
    return correct(posted, corpus.vocabulary, corpus.postings, corpus.spelling, stems=stems)


def _weighed(posted: Sequence[PostedTerm], postings: Postings, pipeline: Pipeline) -> tuple[WeighedTerm, ...]:
    """All terms, those that find something first: glue is part of a name that has one of these in it."""
    n_words = sum(item.term.is_recalling and not item.term.is_compound for item in posted)
    is_named = np.zeros(len(postings.notes), np.bool_)
    weighed: list[WeighedTerm] = []
    for item in sorted(posted, key=lambda item: item.term.is_stop_word):
        weighed += weigh_forms(
            item,
            postings,
            pipeline.lexical.model,
            stems=pipeline.stems,
            n_words=n_words,
            near_weight=pipeline.typos.weight,
            is_named=is_named,
        )
        if not item.term.is_stop_word:
            is_named |= weighed[-1].is_in_name
    return tuple(weighed)


def _less_when(typed: tuple[WeighedTerm, ...], date_words: Collection[str]) -> tuple[WeighedTerm, ...]:
    """With less for words that say when, unless there are no others."""
    if not date_words or all(item.term.is_stop_word or item.term.text in date_words for item in typed):
        return typed
    return tuple(
        evolve(item, idf=_WHEN * item.idf) if item.term.text in date_words and not item.term.is_literal else item
        for item in typed
    )


def _within(parsed: ParsedQuery, typed: Iterable[WeighedTerm], corpus: Corpus) -> Mapping[NoteId, tuple[str, float]]:
    """The notes one of whose names stands in the query, with the share of the query's rarity that its words have."""
    idf: dict[str, float] = {}
    for weighed in typed:
        if weighed.term.is_recalling:
            idf[weighed.term.text] = idf.get(weighed.term.text, 0.0) + weighed.idf
    total = sum(idf.values())
    found: dict[NoteId, tuple[str, float]] = {}
    for note, name in corpus.names.within(parsed.text) if total else ():
        share = sum(idf.get(token, 0.0) for token in set(tokens(name))) / total
        if share > found.get(note, ("", 0.0))[1]:
            found[note] = (name, min(share, 1.0))
    return found


def _mask(corpus: Corpus, notes: Iterable[NoteId]) -> Bools:
    mask = np.zeros(len(corpus.postings.notes), np.bool_)
    slots = corpus.postings.slots
    mask[[slots[note] for note in notes if note in slots]] = True
    return mask


def _newest(corpus: Corpus, candidates: Candidates, understood: Understood) -> Ranking[NoteId]:
    """All that the filter admits, newest first, by date or else by file: no cut before the order is known."""
    notes = [corpus.postings.notes[slot] for slot in np.flatnonzero(candidates.is_found).tolist()]
    dated = {one.note: one for one in understood.dated} if understood.is_only_date else {}
    if dated:
        return Ranking.of(
            Hit.found(note, Found(NEWEST, dated[note].order), evidence=Evidence(dated=dated[note].why))
            for note in notes
            if note in dated
        )
    return Ranking.of(Hit.found(note, Found(NEWEST, corpus.notes[note].modified)) for note in notes)


def _allowed_only(understood: Understood, corpus: Corpus, allowed: frozenset[NoteId] | None) -> Understood:
    """Without notes that the filter does not let through, and those that went away meanwhile."""
    if not (understood.pins or understood.dated):
        return understood
    may = corpus.notes.keys() if allowed is None else allowed & corpus.notes.keys()
    return evolve(
        understood,
        pins=tuple(pin for pin in understood.pins if pin.note in may),
        dated=tuple(one for one in understood.dated if one.note in may),
    )


def _expansions(
    understood: Understood, typed: Sequence[WeighedTerm], corpus: Corpus, pipeline: Pipeline
) -> tuple[TermExpansion, ...]:
    if pipeline.acronyms is None or not understood.expansions:
        return ()
    return weigh_expansions(
        understood.expansions,
        typed,
        corpus.vocabulary,
        corpus.postings,
        model=pipeline.lexical.model,
        settings=pipeline.acronyms,
    )
