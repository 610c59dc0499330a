"""One query's way through sources, fusion and stages, as a pure function over a corpus.

It reads no file and no clock; whoever calls it holds the corpus still. The steps are fixed, what they do and which
stages follow is in the `Pipeline` value: no design is named here.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

import numpy as np
from attrs import evolve, frozen

from search.answer.evidence import FieldMatch, MatchKind
from search.answer.ranking import Hit, Ranking
from search.budget import UNLIMITED, Budget
from search.fuse.convergence import reward_convergence
from search.fuse.linear import fuse_linear
from search.fuse.missing_scores import fill_missing_scores, share_scored
from search.fuse.rrf import fuse_rrf
from search.ids import NoteId, SectionId
from search.index.corpus import Corpus
from search.index.postings import FIELDS, Bools, Postings
from search.index.postings import Occurrences as Matched
from search.matching.bm25f import WeighedTerm, weigh
from search.matching.expansions import TermExpansion
from search.matching.terms import PostedTerm
from search.normalize.scale import Scale
from search.query import NOTHING_UNDERSTOOD, ParsedQuery, Query, Understood
from search.ranking.pipeline import Fusion, Pipeline
from search.ranking.retrieval import NEWEST, Lap, Retrieval, retrieve_lexical
from search.ranking.stage_registry import Stage, run_stage, stage_name
from search.sources.activation import SOURCE as ACTIVATION
from search.sources.activation import search_activation
from search.sources.grep import Candidates
from search.sources.lexical import SOURCE as LEXICAL
from search.sources.neighbours import SOURCE as NEIGHBOURS
from search.sources.neighbours import search_neighbours
from search.sources.proximity import SOURCE as PROXIMITY
from search.sources.proximity import search_proximity
from search.sources.semantic import SOURCE as SEMANTIC
from search.sources.suggested import SOURCE as SUGGESTED
from search.sources.suggested import post_suggested, search_suggested
from search.stages import Context
from search.stages.normalize import Normalize
from search.stages.sections import gather_sections
from search.stages.spread import Spread

_SHOWING = (Normalize(),)  # what an order by age goes through: nothing may change it

_ESTIMATED = "it has no vectors, so its semantic score is estimated from its words"
_NO_SCORES: Mapping[NoteId, float] = {}


@frozen(eq=False)
class Meaning:
    """What the pipeline needs of a model: the notes near to the query, and how far to believe it.

    `near` gives the nearest notes of all that may be found and, besides, those of the given ones that are near at all,
    so that a note which words found gets its cosine too. `without_vectors` gives, of notes that `near` was asked about,
    those of which nothing is known: they are not embedded as they are now, or cannot be.
    """

    near: Callable[[Sequence[NoteId]], Ranking[NoteId]]
    weight: float  # of the semantic score, 0..1; lexical has the rest
    floor: float  # the raw cosine that is worth nothing
    gate: float  # the raw cosine from which a note is sure enough to speak for others
    passages: Callable[[Sequence[NoteId]], Ranking[SectionId]] | None = None  # all that are near, of some notes
    without_vectors: Callable[[Sequence[NoteId]], Collection[NoteId]] = lambda _: ()

    @property
    def anchors(self) -> Mapping[str, tuple[float, float]]:
        """What a cosine is worth, whatever others there are."""
        return {SEMANTIC: (self.floor, self.gate)}


@frozen(eq=False)
class Ranked:
    """All notes that were ranked, with what the answer needs to know of the way there."""

    query: Query
    pipeline: Pipeline
    words: Retrieval
    ranking: Ranking[NoteId]  # what the stages saw and made, some more than are shown
    fused: Ranking[NoteId]  # the same before the first stage
    lexical: Ranking[NoteId]  # all candidates, before fusion
    candidates: Candidates
    n_found: int  # notes that hold a word of the query, and those that anything else found
    posted: tuple[PostedTerm, ...]  # the suggested ones last
    expansions: tuple[TermExpansion, ...]
    weighed: tuple[WeighedTerm, ...]  # typed, expansions and suggested ones
    postings: Postings  # as they were: slots are numbers of these
    generation: int  # of the corpus
    now: float  # seconds since the epoch
    after: Sequence[tuple[str, Ranking[NoteId]]]  # each stage and what it left

    @property
    def has_meaning(self) -> bool:
        """Whether any note was found by what it means."""
        return any(hit.evidence.cosine is not None for hit in self.fused)

    @property
    def has_links(self) -> bool:
        """Whether notes are found by links as well."""
        design = self.pipeline
        by_links = (design.proximity, design.neighbours, design.activation)
        return any(by_links) or any(isinstance(stage, Spread) for stage in design.stages)


def rank(
    query: Query,
    parsed: ParsedQuery,
    corpus: Corpus,
    pipeline: Pipeline,
    *,
    allowed: frozenset[NoteId] | None,
    meaning: Meaning | None = None,
    suggestions: Sequence[str] = (),
    rerank_scores: Mapping[NoteId, float] = _NO_SCORES,
    now: float = 0.0,
    understood: Understood = NOTHING_UNDERSTOOD,
    words: Retrieval | None = None,
    budget: Budget = UNLIMITED,
    lap: Lap = lambda _: None,
) -> Ranked:
    """Rank the vault's notes. `allowed` None lets every note through; filters have acted before this.

    With a `meaning`, notes that only their meaning finds are among them; with `suggestions`, texts that a chat model
    wrote to the query, those that only words of these find, at a small weight. `rerank_scores` are for a stage that
    reranks, `now` (seconds since the epoch) for one that asks how old a note is. `understood` is what the query means
    besides its words; a query that is only a date gives the notes of that date, the newest first. `words` are what this
    very query found before: where no note has changed since, they are not looked for again.

    A query without any token ranks what its filter admits, the newest first; without a filter too it can only be a
    name ("...") or nothing.
    """
    if words is None or words.generation != corpus.generation:
        words = retrieve_lexical(
            query, parsed, corpus, pipeline, allowed=allowed, understood=understood, budget=budget, lap=lap
        )
    parsed, understood, allowed = words.parsed, words.understood, words.allowed
    posted, typed, expansions, weighed = words.posted, words.typed, words.expansions, words.weighed
    named, candidates, lexical, postings = words.named, words.candidates, words.lexical, words.postings
    more = _suggest(suggestions if weighed else (), posted, corpus, pipeline, allowed=words.mask)
    n_pool = pipeline.pool.size(query.limit)
    always = frozenset[NoteId]() if pipeline.pool.is_strict else named.keys()
    pool = [hit.id for hit in lexical if lexical.ranks[hit.id] <= n_pool or hit.id in always]
    pool += [hit.id for hit in more.ranking if hit.id not in lexical.ranks]
    near = Ranking[NoteId]() if meaning is None else _near(meaning, pool, pipeline, n_pool)
    if near.hits and not weighed:  # an order by age says nothing beside one by meaning
        pool = list(named)
    kept = set(pool) if pipeline.pool.is_strict else {*pool, *near.ranks}
    found = Ranking.of(_with_name(hit, named) for hit in lexical if hit.id in kept)
    if meaning is not None:
        lap("semantic")
    rankings = {LEXICAL if weighed else NEWEST: found, SEMANTIC: near}
    if more.ranking.hits:
        rankings[SUGGESTED] = more.ranking
    rankings |= _by_links(rankings, corpus, pipeline, allowed, n_shown=query.limit)
    ceilings = _ceilings(typed, more.weighed, pipeline)
    without_vectors = () if meaning is None else meaning.without_vectors([hit.id for hit in found])
    if meaning is not None and meaning.weight < 1:  # else words have no say
        meaning = evolve(meaning, weight=meaning.weight * share_scored(found, without_vectors))
    fused = _fuse(rankings, pipeline, meaning, ceilings=ceilings, rrf_k=query.rrf_k, factors=understood.source_factors)
    fused = fill_missing_scores(
        fused, without_vectors, missing=SEMANTIC, estimate_from=LEXICAL, by="missing-vectors", why=_ESTIMATED
    )
    lap("fuse")
    context = Context(
        notes=corpus.notes,
        links=corpus.links,
        notes_per_folder=corpus.notes_per_folder,
        allowed=allowed,
        limit=query.limit,
        now=now,
        gate=None if meaning is None else meaning.gate,
        anchors={} if meaning is None else meaning.anchors,
        without_vectors=without_vectors,
        rerank_scores=rerank_scores,
        understood=understood,
        named=words.within,
        length_of=corpus.length_of,
    )
    after = _staged(fused, pipeline.stages if parsed.terms else _SHOWING, context, budget, lap)
    ranking = after[-1][1] if after else fused
    besides = {*near.ranks, *more.ranking.ranks, *ranking.ranks}  # by meaning, by links, by name or by date
    slots = (postings.slots.get(note) for note in besides)
    n_others = sum(slot is not None and not candidates.is_found[slot] for slot in slots)
    return Ranked(
        query,
        pipeline,
        words,
        ranking,
        fused,
        lexical,
        candidates,
        candidates.n_found + n_others,
        (*posted, *more.posted),
        expansions,
        (*weighed, *more.weighed),
        postings,
        corpus.generation,
        now,
        after,
    )


def _near(meaning: Meaning, found: Sequence[NoteId], pipeline: Pipeline, n_pool: int) -> Ranking[NoteId]:
    """What is near to the query, as the design bounds it and makes notes of passages."""
    near = meaning.near(found)
    if pipeline.pool.is_strict:
        near = near.top(n_pool)
    if pipeline.sections is None or meaning.passages is None:
        return near
    return gather_sections(meaning.passages(tuple(near.ranks)), settings=pipeline.sections)


def _staged(
    ranking: Ranking[NoteId], stages: Iterable[Stage], context: Context, budget: Budget, lap: Lap
) -> Sequence[tuple[str, Ranking[NoteId]]]:
    after: list[tuple[str, Ranking[NoteId]]] = []
    for stage in stages:
        budget.check()
        ranking = run_stage(stage, ranking, context)
        after.append((stage_name(stage), ranking))
        lap(stage_name(stage))
    return after


def matches_in(ranked: Ranked, notes: Iterable[NoteId]) -> Mapping[NoteId, tuple[FieldMatch, ...]]:
    """What matched in these notes, term by term in the query's order, glue words last."""
    postings = ranked.postings
    slots = {slot: note for note in notes if (slot := postings.slots.get(note)) is not None}
    is_wanted = np.zeros(len(postings.notes), np.bool_)
    is_wanted[list(slots)] = True
    matches: dict[NoteId, list[FieldMatch]] = {note: [] for note in slots.values()}
    told = (*ranked.posted, *(one.posted for one in ranked.expansions))
    for posted in sorted(told, key=lambda item: not item.term.is_recalling):
        for kind, form, found in _told_apart(posted, postings):
            rows = np.flatnonzero(is_wanted[found.slots])
            sums: dict[tuple[int, int], int] = {}
            for slot, at, count in zip(
                found.slots[rows].tolist(), found.fields[rows].tolist(), found.counts[rows].tolist(), strict=True
            ):
                sums[slot, at] = sums.get((slot, at), 0) + int(count)
            for (slot, at), count in sorted(sums.items()):
                name = FIELDS[at]
                weight, term = ranked.pipeline.lexical.model.weights[name], posted.term
                if not weight:  # it is not looked at
                    continue
                matches[slots[slot]].append(FieldMatch(name, term.text, weight, count, kind, term.is_suggested, form))
    return {note: tuple(found) for note, found in matches.items()}


def _told_apart(posted: PostedTerm, postings: Postings) -> Iterator[tuple[MatchKind, str, Matched]]:
    """The term's postings by kind, and of other words than the query's by word."""
    for kind, found in posted.found:
        forms = [form for form in posted.forms if form.kind is kind]
        if forms:
            yield from ((kind, form.word, postings.find(form.numbers)) for form in forms)
        else:
            yield kind, "", found


def _by_links(
    rankings: Mapping[str, Ranking[NoteId]],
    corpus: Corpus,
    pipeline: Pipeline,
    allowed: frozenset[NoteId] | None,
    *,
    n_shown: int,
) -> Mapping[str, Ranking[NoteId]]:
    """What lies around the notes that were found; the filter holds for these as well."""
    found: dict[str, Ranking[NoteId]] = {}
    if NEWEST in rankings:
        return found
    if (far := pipeline.proximity) is not None:
        found[PROXIMITY] = search_proximity(rankings[SEMANTIC], settings=far, links=corpus.links, n_shown=n_shown)
    if (near := pipeline.neighbours) is not None:
        n = pipeline.pool.size(n_shown)
        found[NEIGHBOURS] = search_neighbours(rankings.values(), settings=near, links=corpus.links, n=n)
    if (active := pipeline.activation) is not None:
        n = pipeline.pool.size(n_shown)
        found[ACTIVATION] = search_activation(rankings.values(), settings=active, links=corpus.links, n=n)
    if allowed is None:
        return found
    return {source: Ranking.of(hit for hit in there if hit.id in allowed) for source, there in found.items()}


def _fuse(
    rankings: Mapping[str, Ranking[NoteId]],
    pipeline: Pipeline,
    meaning: Meaning | None,
    *,
    ceilings: Mapping[str, float],
    rrf_k: int | None,
    factors: Mapping[str, float],
) -> Ranking[NoteId]:
    """By the pipeline's own fusion; by rank where the query asks for a `k` of its own. `factors` change weights."""
    fusion = pipeline.fusion if rrf_k is None else Fusion.RRF
    if NEWEST in rankings:
        return fuse_rrf(rankings, {NEWEST: 1.0, SEMANTIC: 1.0}, k=rrf_k or pipeline.rrf.k)
    has_hits = {source for source, ranking in rankings.items() if ranking.hits}
    shares = _weights(has_hits, pipeline.weights, 0.0 if meaning is None else meaning.weight)
    weights = {source: share * factors.get(source, 1.0) for source, share in shares.items()}
    match fusion:
        case Fusion.RRF:
            fused = fuse_rrf(rankings, weights, k=rrf_k or pipeline.rrf.k)
            return reward_convergence(fused, pipeline.rrf.convergence)
        case Fusion.LINEAR:
            is_anchored = SEMANTIC not in pipeline.linear.scales
            return fuse_linear(
                rankings,
                weights,
                scales={SUGGESTED: Scale.UNIT, **pipeline.linear.scales},
                anchors=meaning.anchors if meaning is not None and is_anchored else {},
                ceilings={} if meaning is None and SUGGESTED not in rankings else ceilings,
            )
        case _:
            assert_never(fusion)


def _weights(has_hits: Collection[str], weights: Mapping[str, float], semantic: float) -> Mapping[str, float]:
    """The semantic source its share of the whole, the others the rest in proportion; what found nothing leaves it.

    >>> _weights({"semantic", "lexical", "neighbours"}, {"lexical": 1.0, "neighbours": 3.0}, 0.5)
    {'lexical': 0.125, 'neighbours': 0.375, 'semantic': 0.5}
    """
    others = {source: weight for source, weight in weights.items() if source in has_hits}
    total = sum(others.values()) or 1.0
    return {**{source: (1.0 - semantic) * (weight / total) for source, weight in others.items()}, SEMANTIC: semantic}


def _ceilings(
    typed: Iterable[WeighedTerm], suggested: Iterable[WeighedTerm], pipeline: Pipeline
) -> Mapping[str, float]:
    """What counts as a very good score: suggested words that stand in most notes say little, and count for little."""
    good = _good_bm25(typed, pipeline)
    return {LEXICAL: good, SUGGESTED: max(good, _good_bm25(suggested, pipeline))}


def _good_bm25(weighed: Iterable[WeighedTerm], pipeline: Pipeline) -> float:
    """What a very good match would get: a share of what a note would that held every word of the query without end."""
    k1 = pipeline.lexical.model.k1
    return pipeline.linear.good_bm25 * sum(w.idf * w.term.times * (k1 + 1.0) for w in weighed if w.term.is_recalling)


@frozen(eq=False)
class _Suggestions:
    posted: tuple[PostedTerm, ...]
    weighed: tuple[WeighedTerm, ...]
    ranking: Ranking[NoteId]


def _suggest(
    texts: Sequence[str], posted: Iterable[PostedTerm], corpus: Corpus, pipeline: Pipeline, *, allowed: Bools | None
) -> _Suggestions:
    """What words of `texts` find that were not typed."""
    settings, model, postings = pipeline.suggested, pipeline.lexical.model, corpus.postings
    typed = [item.term for item in posted]
    new = post_suggested(texts, typed, corpus.vocabulary, postings, n_terms=settings.n_terms)
    weighed = tuple(weigh(term, postings, model) for term in new)
    ranking = search_suggested(weighed, postings, settings.n_notes, k1=model.k1, allowed=allowed)
    return _Suggestions(new, weighed, ranking)


def _with_name(hit: Hit[NoteId], named: Mapping[NoteId, str]) -> Hit[NoteId]:
    if hit.id not in named:
        return hit
    return evolve(hit, evidence=evolve(hit.evidence, exact_name=named[hit.id]))
