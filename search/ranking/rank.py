"""Rank the notes for one request: sources, fusion and stages, as its `Pipeline` says.

Pure: reads no file and no clock, calls no model and waits for no lock. The results of models are passed in as values,
and the index must not change meanwhile. Never depends on a preset.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

import numpy as np
from attrs import evolve, frozen

from search.answer.evidence import NO_EVIDENCE, FieldMatch, MatchKind
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Fused
from search.budget import UNLIMITED, Budget
from search.fuse.convergence import reward_convergence
from search.fuse.linear import fuse_linear
from search.fuse.missing_scores import fill_missing_scores, share_scored
from search.fuse.rrf import fuse_rrf
from search.ids import NoteId, is_by_name, other_type
from search.index.corpus import Corpus
from search.index.postings import FIELDS, Occurrences, Postings
from search.matching.bm25f import WeighedTerm
from search.matching.terms import PostedTerm
from search.normalize.scale import Scale
from search.ranking.pipeline import Fusion, Pipeline
from search.ranking.request import Request, SemanticScores
from search.ranking.retrieval import NEWEST, Lap, Retrieval, retrieve
from search.ranking.stage_registry import Stage, run_stage, stage_name
from search.ranking.total import n_found
from search.sources.activation import SOURCE as ACTIVATION
from search.sources.activation import search_activation
from search.sources.gist import SOURCE as GIST
from search.sources.lexical import SOURCE as LEXICAL
from search.sources.neighbours import SOURCE as NEIGHBOURS
from search.sources.neighbours import search_neighbours
from search.sources.proximity import SOURCE as PROXIMITY
from search.sources.proximity import search_proximity
from search.sources.semantic import SOURCE as SEMANTIC
from search.sources.suggested import SOURCE as SUGGESTED
from search.stages import Context
from search.stages.normalize import Normalize
from search.stages.sections import gather_sections
from search.stages.spread import Spread
from search.stages.title import Title
from search.stages.whole import Whole

_BY_AGE = (Normalize(),)  # for a ranking by age, whose order no stage may change

_WHY_FILLED = "its text has no vectors yet, so its semantic score is estimated from the other sources"
_WHY_FILLED_GIST = "its name and opening have no vectors yet, so their score is estimated from the other sources"
_NO_WEIGHT = Arithmetic("weight * raw", {})
_NO_SCORES: Mapping[NoteId, float] = {}


@frozen(eq=False, kw_only=True)
class Ranked:
    """All notes that were ranked, and the results of each step."""

    request: Request
    retrieval: Retrieval
    scores: SemanticScores | None
    fused: Ranking[NoteId]  # before the first stage
    after: Sequence[tuple[str, Ranking[NoteId]]]  # each stage with the ranking after it
    n_found: int  # all notes found, by words or otherwise, also those that were cut

    @property
    def ranking(self) -> Ranking[NoteId]:
        """The ranking after the last stage; it may have more notes than are shown."""
        return self.after[-1][1] if self.after else self.fused

    @property
    def posted(self) -> tuple[PostedTerm, ...]:
        """The query's terms and where they occur, suggested ones last."""
        return (*self.retrieval.posted, *self.retrieval.suggestions.posted)

    @property
    def weighed(self) -> tuple[WeighedTerm, ...]:
        """Typed, expanded and suggested terms with their weights."""
        return (*self.retrieval.weighed, *self.retrieval.suggestions.weighed)

    @property
    def has_semantic(self) -> bool:
        """Whether any note was found by its meaning."""
        return any(hit.evidence.nearest is not None for hit in self.fused)

    @property
    def has_links(self) -> bool:
        """Whether the pipeline also finds notes by links."""
        pipeline = self.request.pipeline
        by_links = (pipeline.proximity, pipeline.neighbours, pipeline.activation)
        return any(by_links) or any(isinstance(stage, Spread) for stage in pipeline.stages)


def rank(
    request: Request,
    corpus: Corpus,
    *,
    retrieval: Retrieval | None = None,
    suggestions: Sequence[str] = (),
    scores: SemanticScores | None = None,
    rerank_scores: Mapping[NoteId, float] = _NO_SCORES,
    budget: Budget = UNLIMITED,
    lap: Lap = lambda _: None,
) -> Ranked:
    """Rank the notes that a request allows.

    `retrieval` is an earlier one for this request; it is used again unless a note has changed. `suggestions` are texts
    that a chat model wrote for the query; notes found only by their words get a small weight. With `scores`, notes
    found only by their meaning are ranked too, and lexical hits without vectors get an estimated score.
    `rerank_scores` are used by a stage that reranks.

    A query that is only a date finds the notes of that date, the newest first. A query without any token finds all
    notes that its filter allows, the newest first; without a filter, only notes whose name is the query ("...").

    Raises:
        Cancelled: the budget was cancelled.
    """
    found = retrieve(request, corpus, suggestions=suggestions, before=retrieval, budget=budget, lap=lap)
    narrowed, pipeline, is_strict = found.request, request.pipeline, request.pipeline.pool.is_strict
    near = Ranking[NoteId]() if scores is None else _near(scores, corpus, pipeline, request.query.limit)
    about = Ranking[NoteId]() if scores is None else _about(scores, corpus, pipeline, request.query.limit)
    faint = _faint(near, about).difference(found.lexical.ranks, found.suggestions.ranking.ranks)
    near, about = (by_meaning.where(lambda note: note not in faint) for by_meaning in (near, about))
    pool = found.pool
    if (near.hits or about.hits) and not found.weighed:  # a ranking by meaning is better than one by age
        pool = list(found.named)
    kept = set(pool) if is_strict else {*pool, *near.ranks, *about.ranks}
    lexical = found.lexical.where(lambda note: note in kept).map(lambda hit: _with_name(hit, found.named))
    rankings = {LEXICAL if found.weighed else NEWEST: lexical, SEMANTIC: near, GIST: about}
    if found.suggestions.ranking.hits:
        rankings[SUGGESTED] = found.suggestions.ranking
    activated = _activated(rankings, corpus, pipeline)
    rankings |= _by_links(rankings, corpus, pipeline, narrowed.allowed, activated, n_shown=request.query.limit)
    without_vectors = without_gists = frozenset[NoteId]()
    if scores is not None:
        with_text = frozenset(hit.id for hit in lexical if not is_by_name(hit.id))
        without_vectors, without_gists = with_text - scores.with_vectors, with_text - scores.with_gists
    fused = _fuse(rankings, found, scores, without_vectors, without_gists)
    fused = fill_missing_scores(
        fused, without_gists, missing=GIST, estimate_from=(LEXICAL,), by="missing-gist", why=_WHY_FILLED_GIST
    )
    fused = fill_missing_scores(
        fused, without_vectors, missing=SEMANTIC, estimate_from=(GIST, LEXICAL), by="missing-vectors", why=_WHY_FILLED
    )
    fused = _with_exact(fused, lexical, found)
    lap("fuse")
    context = Context(
        notes=corpus.notes,
        links=corpus.links,
        notes_per_folder=corpus.notes_per_folder,
        allowed=narrowed.allowed,
        limit=request.query.limit,
        now=request.now,
        gate=None if scores is None else scores.gate,
        anchors={} if scores is None else scores.anchors,
        without_vectors=without_vectors,
        rerank_scores=rerank_scores,
        understood=narrowed.understood,
        named=found.names_within,
        name_matches=found.name_matches,
        is_stub=corpus.is_stub,
        whole_word=found.whole_word,
        tiers=_tiers_of(fused, found),
        length_of=corpus.length_of,
    )
    after = _run_stages(fused, pipeline.stages if narrowed.parsed.terms else _BY_AGE, context, budget, lap)
    if corpus.postings.is_other.any():
        after[-1:] = [(stage, _notes_first(ranked)) for stage, ranked in after[-1:]]
    ranking = after[-1][1] if after else fused
    by_links = (note for note in activated.ranks if narrowed.allowed is None or note in narrowed.allowed)
    others = frozenset({*found.suggestions.ranking.ranks, *by_links, *ranking.ranks})
    return Ranked(
        request=request,
        retrieval=found,
        scores=scores,
        fused=fused,
        after=after,
        n_found=n_found(corpus, found, _by_meaning(scores, corpus), others),
    )


def _by_meaning(scores: SemanticScores | None, corpus: Corpus) -> frozenset[NoteId] | None:
    """All notes found by their meaning, also those that no ranking of the pool's size has room for."""
    if scores is None:
        return None
    faint = _faint(scores.notes, scores.gists)
    held = (note for note in (*scores.notes.ranks, *scores.gists.ranks) if note in corpus.notes)
    return frozenset(held).difference(faint)


def _near(scores: SemanticScores, corpus: Corpus, pipeline: Pipeline, n_shown: int) -> Ranking[NoteId]:
    """The notes nearest to the query, at most the pool's size if it is strict, scored by passages if configured."""
    near = scores.notes.where(lambda note: note in corpus.notes)  # a note may be deleted after its cosine was computed
    if pipeline.pool.is_strict:
        near = near.top(pipeline.pool.size(n_shown))
    if pipeline.sections is None or scores.passages is None:
        return near
    return gather_sections(scores.passages.where(lambda section: section[0] in near.ranks), settings=pipeline.sections)


def _about(scores: SemanticScores, corpus: Corpus, pipeline: Pipeline, n_shown: int) -> Ranking[NoteId]:
    """The notes whose names and openings are nearest to the query, at most the pool's size if it is strict."""
    about = scores.gists.where(lambda note: note in corpus.notes)
    return about.top(pipeline.pool.size(n_shown)) if pipeline.pool.is_strict else about


def _faint(near: Ranking[NoteId], about: Ranking[NoteId]) -> frozenset[NoteId]:
    """The notes whose cosines are all noise."""
    hits = (*near, *about)
    return frozenset(hit.id for hit in hits) - {hit.id for hit in hits if hit.evidence is not NO_EVIDENCE}


def _run_stages(
    ranking: Ranking[NoteId], stages: Iterable[Stage], context: Context, budget: Budget, lap: Lap
) -> list[tuple[str, Ranking[NoteId]]]:
    after: list[tuple[str, Ranking[NoteId]]] = []
    for stage in stages:
        budget.check()
        ranking = run_stage(stage, ranking, context)
        after.append((stage_name(stage), ranking))
        lap(stage_name(stage))
    return after


def matches_in(ranked: Ranked, notes: Iterable[NoteId]) -> Mapping[NoteId, tuple[FieldMatch, ...]]:
    """The matches in these notes, term by term in the query's order, stop words last."""
    postings = ranked.retrieval.postings
    slots = {slot: note for note in notes if (slot := postings.slots.get(note)) is not None}
    is_wanted = np.zeros(len(postings.notes), np.bool_)
    is_wanted[list(slots)] = True
    matches: dict[NoteId, list[FieldMatch]] = {note: [] for note in slots.values()}
    terms = (*ranked.posted, *(one.posted for one in ranked.retrieval.expansions))
    for posted in sorted(terms, key=lambda item: not item.term.is_recalling):
        for kind, form, found in _by_form(posted, postings):
            some = found.in_slots(is_wanted)
            sums: dict[tuple[int, int], int] = {}
            for slot, at, count in zip(some.slots.tolist(), some.fields.tolist(), some.counts.tolist(), strict=True):
                sums[slot, at] = sums.get((slot, at), 0) + int(count)
            for (slot, at), count in sorted(sums.items()):
                name = FIELDS[at]
                weight, term = ranked.request.pipeline.lexical.model.weights[name], posted.term
                if not weight:  # the pipeline ignores this field
                    continue
                matches[slots[slot]].append(FieldMatch(name, term.text, weight, count, kind, term.is_suggested, form))
    return {note: tuple(found) for note, found in matches.items()}


def _by_form(posted: PostedTerm, postings: Postings) -> Iterator[tuple[MatchKind, str, Occurrences]]:
    """The term's occurrences by kind of match, and by word if it is not the query's own word."""
    for kind, found in posted.found:
        forms = [form for form in posted.forms if form.kind is kind]
        if forms:
            is_seen = len(found.seen()) == len(found)
            held = ((form.word, postings.find(form.numbers)) for form in forms)
            yield from ((kind, word, occurrences.seen() if is_seen else occurrences) for word, occurrences in held)
        else:
            yield kind, "", found


def _activated(rankings: Mapping[str, Ranking[NoteId]], corpus: Corpus, pipeline: Pipeline) -> Ranking[NoteId]:
    """All notes that the best hits activate, if the pipeline has this source."""
    if pipeline.activation is None or NEWEST in rankings:
        return Ranking()
    n_all = len(corpus.notes)
    return search_activation(rankings.values(), settings=pipeline.activation, links=corpus.links, n=n_all)


def _by_links(
    rankings: Mapping[str, Ranking[NoteId]],
    corpus: Corpus,
    pipeline: Pipeline,
    allowed: frozenset[NoteId] | None,
    activated: Ranking[NoteId],
    *,
    n_shown: int,
) -> Mapping[str, Ranking[NoteId]]:
    """The rankings of the sources that follow links from the notes found so far; only notes that the filter allows."""
    found: dict[str, Ranking[NoteId]] = {}
    if NEWEST in rankings:
        return found
    if (far := pipeline.proximity) is not None:
        origins = rankings[SEMANTIC] or rankings[GIST]  # names and openings, before any whole text has vectors
        found[PROXIMITY] = search_proximity(origins, settings=far, links=corpus.links, n_shown=n_shown)
    if (near := pipeline.neighbours) is not None:
        n = pipeline.pool.size(n_shown)
        found[NEIGHBOURS] = search_neighbours(rankings.values(), settings=near, links=corpus.links, n=n)
    if pipeline.activation is not None:
        found[ACTIVATION] = activated.top(pipeline.pool.size(n_shown))
    if allowed is None:
        return found
    return {source: ranking.where(lambda note: note in allowed) for source, ranking in found.items()}


def _fuse(
    rankings: Mapping[str, Ranking[NoteId]],
    found: Retrieval,
    scores: SemanticScores | None,
    without_vectors: Collection[NoteId],
    without_gists: Collection[NoteId],
) -> Ranking[NoteId]:
    """Fuse by the pipeline's method, or by rank if the query has its own `k`.

    The more of the best lexical hits are `without_vectors`, the less the semantic source weighs; likewise names and
    openings. Query understanding multiplies weights by factors.
    """
    pipeline, rrf_k = found.request.pipeline, found.request.query.rrf_k
    fusion = pipeline.fusion if rrf_k is None else Fusion.RRF
    if NEWEST in rankings:
        return fuse_rrf(rankings, {NEWEST: 1.0, SEMANTIC: 1.0, GIST: 1.0}, k=rrf_k or pipeline.rrf.k)
    has_hits = {source for source, ranking in rankings.items() if ranking.hits}
    shares = _weights(
        has_hits,
        pipeline.weights,
        meaning=0.0 if scores is None else scores.weight,
        gist_share=pipeline.gist.share if rankings[GIST] else 0.0,
        scored=share_scored(rankings[LEXICAL], without_vectors),
        scored_gists=share_scored(rankings[LEXICAL], without_gists),
    )
    factors = found.request.understood.source_factors
    factors = {GIST: factors.get(SEMANTIC, 1.0), **factors}
    weights = {source: share * factors.get(source, 1.0) for source, share in shares.items()}
    match fusion:
        case Fusion.RRF:
            fused = fuse_rrf(rankings, weights, k=rrf_k or pipeline.rrf.k)
            return reward_convergence(fused, pipeline.rrf.convergence, alike=(SEMANTIC, GIST))
        case Fusion.LINEAR:
            scales = pipeline.linear.scales
            return fuse_linear(
                rankings,
                weights,
                scales={SUGGESTED: Scale.UNIT, GIST: scales.get(SEMANTIC, Scale.MINMAX), **scales},
                anchors=scores.anchors if scores is not None and SEMANTIC not in scales else {},
                ceilings={} if scores is None and SUGGESTED not in rankings else _ceilings(found),
            )
        case _:
            assert_never(fusion)


def _weights(
    has_hits: Collection[str],
    weights: Mapping[str, float],
    *,
    meaning: float,
    gist_share: float,
    scored: float = 1.0,
    scored_gists: float = 1.0,
) -> Mapping[str, float]:
    """The shares of the sources.

    `meaning` is that of whole texts, names and openings together, of which the latter two have `gist_share`. The weight
    of whole texts is multiplied by `scored`, the share of the best lexical hits whose whole texts could be compared;
    names and openings take `meaning` of what is left over, and their weight is multiplied by `scored_gists`. The
    others with hits divide the rest in proportion to their own weights; they have none if `meaning` is 1.

    >>> _weights({"lexical", "neighbours"}, {"lexical": 1.0, "neighbours": 3.0}, meaning=0.5, gist_share=0.25)
    {'lexical': 0.125, 'neighbours': 0.375, 'gist': 0.125, 'semantic': 0.375}
    """
    semantic = meaning * (1.0 - gist_share) * scored
    left_over = meaning * (1.0 - gist_share) - semantic
    gist = (meaning * gist_share + meaning * left_over) * scored_gists if gist_share else 0.0
    rest = 1.0 - semantic - gist if meaning < 1.0 else 0.0
    others = {source: weight for source, weight in weights.items() if source in has_hits}
    total = sum(others.values()) or 1.0
    return {**{source: rest * (weight / total) for source, weight in others.items()}, GIST: gist, SEMANTIC: semantic}


def _ceilings(found: Retrieval) -> Mapping[str, float]:
    """The scores of very good matches, by source.

    Suggested words share the ceiling of the typed ones if theirs is lower: words that occur in most notes say little.
    """
    good = _good_bm25(found.typed, found.request.pipeline)
    return {LEXICAL: good, SUGGESTED: max(good, _good_bm25(found.suggestions.weighed, found.request.pipeline))}


def _good_bm25(weighed: Iterable[WeighedTerm], pipeline: Pipeline) -> float:
    """The score of a very good match: a share of the limit for a note with every query word infinitely often."""
    k1 = pipeline.lexical.model.k1
    return pipeline.linear.good_bm25 * sum(w.idf * w.term.times * (k1 + 1.0) for w in weighed if w.term.is_recalling)


def _with_exact(fused: Ranking[NoteId], lexical: Ranking[NoteId], found: Retrieval) -> Ranking[NoteId]:
    """Also with the notes that have the query's only word or its name, if the pipeline puts these first.

    Only a search by meaning alone has not ranked them yet; they get the score 0 here.
    """
    if not any(isinstance(stage, Title | Whole) for stage in found.request.pipeline.stages):
        return fused
    tiers = _tiers_of(lexical, found)
    missing = [
        Hit.found(
            hit.id, *hit.trail, Fused(LEXICAL, lexical.ranks[hit.id], 0.0, 0.0, _NO_WEIGHT), evidence=hit.evidence
        )
        for hit in lexical
        if hit.id not in fused.ranks and (tiers.get(hit.id) or hit.evidence.exact_name)
    ]
    return Ranking.of((*fused, *missing)) if missing else fused


def _tiers_of(ranking: Ranking[NoteId], found: Retrieval) -> Mapping[NoteId, int]:
    if found.tiers is None:
        return {}
    slots = found.postings.slots
    return {hit.id: int(found.tiers[slots[hit.id]]) for hit in ranking if hit.id in slots}


def _notes_first(ranking: Ranking[NoteId]) -> Ranking[NoteId]:
    """The same hits; of equal scores notes come first, then other files with text, then files found by name only."""
    if not any(other_type(hit.id) for hit in ranking):
        return ranking
    order = {hit.id: (-hit.score, other_type(hit.id) is not None, is_by_name(hit.id)) for hit in ranking}
    return evolve(ranking, hits=tuple(sorted(ranking, key=lambda hit: order[hit.id])))


def _with_name(hit: Hit[NoteId], named: Mapping[NoteId, str]) -> Hit[NoteId]:
    if hit.id not in named:
        return hit
    return evolve(hit, evidence=evolve(hit.evidence, exact_name=named[hit.id]))
