"""One query's way through sources, fusion and stages, as a pure function over a corpus.

It reads no file and no clock; whoever calls it holds the corpus still. The order of the steps is fixed, what they do
is in the `Pipeline` value: no design is named here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import assert_never

import numpy as np
from attrs import evolve, frozen

from search.answer.evidence import FieldMatch
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found
from search.budget import UNLIMITED, Budget
from search.corpus import Corpus
from search.fuse.linear import fuse_linear
from search.fuse.rrf import fuse_rrf
from search.ids import NoteId
from search.query import ParsedQuery, Query, RankedTerm
from search.settings import Fusion, Pipeline, Stage
from search.sources.grep import Candidates, scan
from search.sources.lexical import SOURCE as LEXICAL
from search.sources.lexical import search_lexical
from search.sources.semantic import SOURCE as SEMANTIC
from search.stages.folder import Folder, boost_by_folder
from search.stages.graph import Graph, boost_by_graph
from search.stages.normalize import Normalize, normalize_scores
from search.stages.title import Title, put_exact_titles_first
from search.text.bm25f import WeighedTerm, weigh
from search.text.postings import FIELDS, Bools, Postings
from search.text.terms import PostedTerm, post, query_terms

NEWEST = "newest"  # the source of notes that only a filter asked for: their order is their age
_POOL = 2  # so many times the limit are fused and boosted, that a boost may still raise a note into view
_MIN_POOL = 60  # and no fewer, so that a short list is the beginning of a long one

# The share of the highest possible BM25F that is as good as can be. Changes nothing for queries of a few words that are
# found in a title; from .3 to .6 nDCG@10 stays within .01 on Cranfield, CACM and ADI.
_GOOD = 0.5

_SHOWING = (Normalize(),)  # what an order by age goes through: nothing may change it

Lap = Callable[[str], None]  # told the name of each step as it ends


@frozen(eq=False)
class Meaning:
    """What the pipeline needs of a model: the notes near to the query, and how far to believe it.

    `near` gives the nearest notes of all that may be found and, besides, those of the given ones that are near at all,
    so that a note which words found gets its cosine too.
    """

    near: Callable[[Sequence[NoteId]], Ranking[NoteId]]
    weight: float  # of the semantic score, 0..1; lexical has the rest
    floor: float  # the raw cosine that is worth nothing
    gate: float  # the raw cosine from which a note is sure enough to speak for others


@frozen(eq=False)
class Ranked:
    """All notes that were ranked, with what the answer needs to know of the way there."""

    ranking: Ranking[NoteId]  # what the stages saw and made, some more than are shown
    lexical: Ranking[NoteId]  # all candidates, before fusion
    candidates: Candidates
    n_found: int  # notes that hold a word of the query or mean what it means
    posted: tuple[PostedTerm, ...]
    weighed: tuple[WeighedTerm, ...]
    postings: Postings  # as they were: slots are numbers of these
    generation: int  # of the corpus


def rank(
    query: Query,
    parsed: ParsedQuery,
    corpus: Corpus,
    pipeline: Pipeline,
    *,
    admitted: frozenset[NoteId] | None,
    meaning: Meaning | None = None,
    budget: Budget = UNLIMITED,
    lap: Lap = lambda _: None,
) -> Ranked:
    """Rank the vault's notes. `admitted` None lets every note through; filters have acted before this.

    With a `meaning`, notes that only their meaning finds are among them.

    A query without any token ranks what its filter admits, the newest first; without a filter too it can only be a
    name ("...") or nothing.
    """
    postings = corpus.postings
    wanted = (*parsed.terms, *(RankedTerm(term) for term in query.salient_terms))
    posted = post(query_terms(wanted), corpus.vocabulary, postings)
    weighed = tuple(weigh(term, postings, pipeline.lexical.model) for term in posted)
    named = corpus.names.named(parsed.text) if parsed.terms else {}
    if not weighed and admitted is None:
        admitted = frozenset(named)
    candidates = scan(
        weighed,
        postings,
        limit=query.candidate_limit or pipeline.grep.candidate_limit,
        k1=pipeline.lexical.model.k1,
        settings=pipeline.grep,
        admitted=None if admitted is None else _mask(corpus, admitted),
        always=_mask(corpus, named),
    )
    lap("grep")
    budget.check()
    if weighed:
        lexical = search_lexical(weighed, candidates.slots, postings, k1=pipeline.lexical.model.k1)
    else:
        lexical = _newest(corpus, candidates)
    lap("lexical")
    budget.check()
    n_pool = max(_POOL * query.limit, _MIN_POOL)
    pool = [hit.id for hit in lexical if lexical.ranks[hit.id] <= n_pool or hit.id in named]
    near: Ranking[NoteId] = Ranking() if meaning is None else meaning.near(pool)
    if near.hits and not weighed:  # an order by age says nothing beside one by meaning
        pool = list(named)
    kept = {*pool, *near.ranks}
    found = Ranking.of(_with_name(hit, named) for hit in lexical if hit.id in kept)
    if meaning is not None:
        lap("semantic")
    rankings = {LEXICAL if weighed else NEWEST: found, SEMANTIC: near}
    fused = _fuse(rankings, pipeline, meaning, good_bm25=_good_bm25(weighed, pipeline), rrf_k=query.rrf_k)
    lap("fuse")
    for stage in pipeline.stages if parsed.terms else _SHOWING:
        budget.check()
        fused = _apply(stage, fused, corpus, meaning)
        lap(type(stage).__name__.lower())
    slots = (postings.slots.get(hit.id) for hit in near)
    n_only_near = sum(slot is not None and not candidates.is_found[slot] for slot in slots)
    return Ranked(
        fused, lexical, candidates, candidates.n_found + n_only_near, posted, weighed, postings, corpus.generation
    )


def matches_in(ranked: Ranked, notes: Iterable[NoteId], pipeline: Pipeline) -> Mapping[NoteId, tuple[FieldMatch, ...]]:
    """What matched in these notes, term by term in the query's order, glue words last."""
    postings = ranked.postings
    slots = {slot: note for note in notes if (slot := postings.slots.get(note)) is not None}
    is_wanted = np.zeros(len(postings.notes), np.bool_)
    is_wanted[list(slots)] = True
    matches: dict[NoteId, list[FieldMatch]] = {note: [] for note in slots.values()}
    for posted in sorted(ranked.posted, key=lambda item: not item.term.is_recalling):
        for kind, found in posted.found:
            rows = np.flatnonzero(is_wanted[found.slots])
            sums: dict[tuple[int, int], int] = {}
            for slot, at, count in zip(
                found.slots[rows].tolist(), found.fields[rows].tolist(), found.counts[rows].tolist(), strict=True
            ):
                sums[slot, at] = sums.get((slot, at), 0) + int(count)
            for (slot, at), count in sorted(sums.items()):
                name = FIELDS[at]
                weight = pipeline.lexical.model.weights[name]
                matches[slots[slot]].append(FieldMatch(name, posted.term.text, weight, count, kind))
    return {note: tuple(found) for note, found in matches.items()}


def _fuse(
    rankings: Mapping[str, Ranking[NoteId]],
    pipeline: Pipeline,
    meaning: Meaning | None,
    *,
    good_bm25: float,
    rrf_k: int | None,
) -> Ranking[NoteId]:
    """By the pipeline's own fusion; by rank where the query asks for a `k` of its own."""
    fusion = pipeline.fusion if rrf_k is None else Fusion.RRF
    weights = None if meaning is None else {LEXICAL: 1.0 - meaning.weight, SEMANTIC: meaning.weight}
    if NEWEST in rankings:
        return fuse_rrf(rankings, {NEWEST: 1.0, SEMANTIC: 1.0}, k=rrf_k or pipeline.rrf.k)
    match fusion:
        case Fusion.RRF:
            return fuse_rrf(rankings, weights or pipeline.rrf.weights, k=rrf_k or pipeline.rrf.k)
        case Fusion.LINEAR:
            if meaning is None:
                return fuse_linear(rankings, pipeline.linear.weights, scales=pipeline.linear.scales)
            return fuse_linear(
                rankings,
                weights or pipeline.linear.weights,
                scales=pipeline.linear.scales,
                anchors={SEMANTIC: (meaning.floor, meaning.gate)},
                ceilings={LEXICAL: good_bm25},
            )
        case _:
            assert_never(fusion)


def _good_bm25(weighed: Iterable[WeighedTerm], pipeline: Pipeline) -> float:
    """Half of what a note would get that held every word of the query without end."""
    k1 = pipeline.lexical.model.k1
    return _GOOD * sum(w.idf * w.term.times * (k1 + 1.0) for w in weighed if w.term.is_recalling)


def _apply(stage: Stage, ranking: Ranking[NoteId], corpus: Corpus, meaning: Meaning | None) -> Ranking[NoteId]:
    match stage:
        case Folder():
            return boost_by_folder(ranking, settings=stage, notes_per_folder=corpus.notes_per_folder)
        case Graph():
            gated = stage if meaning is None else evolve(stage, min_cosine=meaning.gate)
            return boost_by_graph(ranking, settings=gated, links=corpus.links, tags_of=corpus.tags_of)
        case Title():
            return put_exact_titles_first(ranking, settings=stage, note_of=corpus.notes.get, leads_to=corpus.leads_to)
        case Normalize():
            return normalize_scores(ranking, settings=stage)
        case _:
            assert_never(stage)


def _mask(corpus: Corpus, notes: Iterable[NoteId]) -> Bools:
    mask = np.zeros(len(corpus.postings.notes), np.bool_)
    slots = corpus.postings.slots
    mask[[slots[note] for note in notes if note in slots]] = True
    return mask


def _newest(corpus: Corpus, candidates: Candidates) -> Ranking[NoteId]:
    """All that the filter admits, newest first: no cut before the order is known."""
    notes = [corpus.postings.notes[slot] for slot in np.flatnonzero(candidates.is_found).tolist()]
    return Ranking.of(Hit.found(note, Found(NEWEST, corpus.notes[note].modified)) for note in notes)


def _with_name(hit: Hit[NoteId], named: Mapping[NoteId, str]) -> Hit[NoteId]:
    if hit.id not in named:
        return hit
    return evolve(hit, evidence=evolve(hit.evidence, exact_name=named[hit.id]))
