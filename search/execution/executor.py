"""Runs one query from its text to the answer: resolve, filter, rank by words, enrich, rank again, rerank, present.

Models are asked and files are read between the rankings, never during one: the index's lock is held only for a
retrieval or a ranking. Notes about to be shown are compared with their files once more; if one changed, the query runs
again.
`explain` runs the same path as `search`. The text of a query or a note never raises; a missing vault does.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache

from attrs import evolve, field, frozen

from search.analysis.fold import fold
from search.answer.context import QuestionContext
from search.answer.result import FoundNote, Reason, SearchResult
from search.budget import UNLIMITED, Budget
from search.execution.enrichment import Enricher, Enrichment
from search.execution.presentation import describe, rank_of, verdict
from search.execution.request import missing_endpoints, resolve, with_named, with_signs, with_text_dashes
from search.execution.rerank_passages import passages_of, rerank_stage
from search.execution.understanding import Idea, Understand, ideas_of
from search.filters.allowed import allowed_notes
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.vault_view import IndexedVaultView
from search.matching.corrections import correction_notices
from search.notice import Notice, NoticeKind, one_of_each
from search.ports import Progress, silent
from search.providers.guarded_reranker import GuardedReranker
from search.query import Mode, Query
from search.ranking.rank import Ranked, rank
from search.ranking.request import Request, SemanticScores
from search.ranking.retrieval import Retrieval, retrieve
from search.semantic.settings import AutoIndex
from search.settings import Settings
from search.stages.rerank import Rerank

# Notices of the vault that every answer repeats.
_GAPS = frozenset({"unreadable", "note-too-large", "note-limits", "note-slow", "unparsed", "file-unread"})
_OF_ATTACHMENTS = frozenset({"attachments-pending", "attachments-unread"})  # repeated too, and each is about many files
FALLBACK = "fulltext_fallback"  # the type of an answer by words alone although semantic search was requested

OnAnswer = Callable[[SearchResult], None]


class _Stopwatch:
    """Milliseconds of each step by its name; a step that is taken twice has the sum."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        """End a step: it took the time since the last one ended."""
        now = time.perf_counter()
        self.laps[step] = self.laps.get(step, 0.0) + (now - self._last) * 1000.0
        self._last = now


@frozen(eq=False, kw_only=True)
class Call:
    """The limits of one search and the functions that receive its progress and early answers, see `Engine.search`."""

    budget: Budget = UNLIMITED
    patience_s: float | None = None
    progress: Progress = silent
    on_answer: OnAnswer | None = None
    on_first: OnAnswer | None = None
    watch: _Stopwatch = field(factory=_Stopwatch)


@frozen(eq=False, kw_only=True)
class Executor:
    """Runs the queries of one vault. All methods may be called from any thread; they block until done."""

    _indexer: Indexer
    _settings: Settings
    _enricher: Enricher
    _reranker: GuardedReranker | None
    _understand: Understand | None
    _now: Callable[[], float]  # seconds since the epoch

    def refresh(self, call: Call, wanted: tuple[str, ...] = ()) -> None:
        """Sweep for changes and read them, notes with words of `wanted` first; raises as `search` does."""
        is_done = self._indexer.refresh(
            budget=call.budget, patience_s=call.patience_s, progress=call.progress, wanted=wanted
        )
        semantic = self._enricher.semantic
        if is_done and semantic is not None and self._settings.indexing.auto_index is AutoIndex.ON_STARTUP:
            semantic.start_background_indexer()

    def search(self, query: Query, call: Call) -> SearchResult:
        """Answer a query; see `Engine.search`."""
        return self._run(query, call)[0]

    def explain(self, query: Query, note: NoteId, call: Call) -> Reason:
        """Explain a note's place; see `Engine.explain`."""
        answer, ranked, _ = self._run(evolve(query, include_terms=True), call)
        shown = answer.hits
        step, why = verdict(note, ranked, indexer=self._indexer)
        found = next((found for found in shown if found.hit.id == note), None)
        if found is None:
            hits = [hit for hit in ranked.ranking if hit.id == note]
            described = describe(ranked, hits, indexer=self._indexer, settings=self._settings, budget=call.budget)
            found = next(iter(described), None)
        return Reason(
            note=note,
            rank=rank_of(note, ranked),
            total=ranked.n_found,
            step=step,
            sentence=why,
            found=found,
            last_shown=shown[-1] if shown else None,
            notices=answer.notices,
        )

    def context(self, query: Query, max_tokens: int, call: Call) -> QuestionContext:
        """The best passages for a query within a budget; see `Engine.context`."""
        from search.execution.context import N_NOTES, NO_CHUNKS, choose_passages  # noqa: PLC0415 - a search need not load it

        answer, ranked, added = self._run(evolve(query, limit=N_NOTES), call)
        semantic, near, anchors = self._enricher.semantic_for(ranked.request), NO_CHUNKS, (0.0, 1.0)
        is_by_meaning = semantic is not None and ranked.request.mode is not Mode.KEYWORD
        if semantic is not None and added.vector is not None:
            anchors = semantic.anchors
            near = semantic.passages_near(added.vector, [found.hit.id for found in answer.hits], budget=call.budget)
        context = choose_passages(
            ranked,
            answer,
            near,
            anchors=anchors,
            max_tokens=max_tokens,
            n_without_vectors=semantic.status().n_missing if semantic is not None and is_by_meaning else 0,
            indexer=self._indexer,
            budget=call.budget,
        )
        self._indexer.require_open()
        return context

    def still_reading(self) -> Notice:
        """The notice of an answer that covers only the notes read so far."""
        message = f"{self._indexer.n_pending} notes are still being read; the answer may change."
        return Notice(NoticeKind.PARTIAL, "still-reading", message)

    def _run(self, query: Query, call: Call) -> tuple[SearchResult, Ranked, Enrichment]:
        """The answer, the ranking that it shows, and what models added to it."""
        answer, ranked, added = self._run_once(query, call)
        if self._is_stale(answer):
            self._indexer.request_sweep()
            answer, ranked, added = self._run_once(query, evolve(call, watch=_Stopwatch()))
        self._indexer.require_open()  # a vault that was closed during the query may have left notes out
        return answer, ranked, added

    def _is_stale(self, answer: SearchResult) -> bool:
        """Whether a shown note changed or disappeared since the last sweep, which may be a second ago."""
        is_lost = answer.total > 0 and not answer.hits
        return is_lost or not self._indexer.vault.is_current(found.hit.id for found in answer.hits)

    def _run_once(self, query: Query, call: Call) -> tuple[SearchResult, Ranked, Enrichment]:
        request = resolve(query, self._settings, now=self._now())  # an unknown preset fails before the vault is read
        self.refresh(call, tuple(term.text for term in request.parsed.terms))
        call.watch.lap("read")
        request = self._filtered(request, call.budget)
        call.watch.lap("filter")
        if self._understand is not None:
            request = self._understood(request, self._understand, call.budget)
            call.watch.lap("understand")
        found, added = self._retrieve(request, call), Enrichment()
        by_words = cache(lambda: self._rank(request, call, found))
        has_early_answer = False
        if self._enricher.can_add_to(request):
            if call.on_answer is not None and request.mode is Mode.HYBRID:
                call.on_answer(self._present(by_words(), added, call, on_first=call.on_first))
                has_early_answer = True
            ranked, added = self._enriched(request, found, by_words, call)
        else:
            ranked = by_words()
        stage = self._stage_to_ask(ranked)
        if self._reranker is not None and stage is not None:
            if call.on_answer is not None and not has_early_answer:
                call.on_answer(self._present(ranked, added, call, on_first=call.on_first))
                has_early_answer = True
            ranked, added = self._reranked(ranked, added, self._reranker, stage, call)
        on_first = None if has_early_answer else call.on_first
        return self._present(ranked, added, call, on_first=on_first), ranked, added

    def _filtered(self, request: Request, budget: Budget) -> Request:
        """The request with the notes that its filter and scope allow, and with notices of what cannot be searched."""
        is_complete = self._indexer.is_complete
        request = with_text_dashes(request, self._indexer, budget=budget)
        allowed, notices = allowed_notes(request.query, request.parsed, self._indexer, budget=budget)
        partial = () if is_complete else (self.still_reading(),)
        endpoints = missing_endpoints(request, self._settings)
        request = with_named(evolve(request, allowed=allowed), self._indexer)
        request = with_signs(request, self._indexer, budget=budget)
        return evolve(
            request,
            is_complete=is_complete,
            notices=(*request.notices, *notices, *partial, *self._gaps(), *endpoints),
        )

    def _understood(self, request: Request, understand: Understand, budget: Budget) -> Request:
        """The request with the dates, names, acronyms and intent in its text, as far as its pipeline uses them."""
        kinds = request.query.doc_types
        ideas = ideas_of(request.pipeline) | ({Idea.KINDS} if kinds else set())
        if not ideas:
            return request
        view = IndexedVaultView(self._indexer)
        understood = understand(request.parsed, view, ideas, request.now, budget)
        parsed = evolve(request.parsed, terms=()) if understood.is_only_date else request.parsed
        notices = (*request.notices, *understood.notices)
        request = evolve(request, parsed=parsed, understood=understood, notices=notices)
        return self._of_kinds(request) if kinds else request

    def _of_kinds(self, request: Request) -> Request:
        """The request limited to notes of the kinds that it names; with a notice if there are none."""
        wanted = {fold(name) for name in request.query.doc_types}
        with self._indexer.lock:
            notes = tuple(self._indexer.corpus.notes if request.allowed is None else request.allowed)
        kept = frozenset(note for note in notes if wanted & request.understood.kinds_of(note))
        if kept:
            return evolve(request, allowed=kept)
        message = f"There is no note of the kind {', '.join(sorted(wanted))}."
        notice = Notice(NoticeKind.NOTE, "unknown-kind", message, "docType")
        return evolve(request, allowed=kept, notices=(*request.notices, notice))

    def _enriched(
        self, request: Request, before: Retrieval, by_words: Callable[[], Ranked], call: Call
    ) -> tuple[Ranked, Enrichment]:
        """The ranking with what models add; if they add nothing, the ranking by words.

        `by_words` makes that ranking, which is not needed when all notes have vectors.
        """
        semantic = self._enricher.semantic_for(request)
        with nullcontext() if semantic is None else semantic.searching():
            wanted = (lambda: by_words().ranking.ranks) if request.is_complete else None
            added = self._enricher.enrich(request, call.budget, wanted, call.progress)
            call.watch.lap("embed")
            found = self._retrieve(request, call, added.suggestions, before=before)
            scores, added = self._enricher.scores(request, added, found, call.budget)
            call.watch.lap("semantic")
            if scores is not None or added.suggestions:
                ranked = self._rank(request, call, found, scores=scores)
            else:
                ranked = by_words()
        if request.is_complete and semantic is not None:
            semantic.start_background_indexer()
        return ranked, added

    def _stage_to_ask(self, ranked: Ranked) -> Rerank | None:
        """The rerank stage of the pipeline, if the reranker should be asked.

        It is not asked while a vault is still being read, because its best notes may change.
        """
        request = ranked.request
        is_asked = request.is_complete and bool(request.parsed.terms) and len(ranked.fused) > 1
        return rerank_stage(ranked) if is_asked else None

    def _reranked(
        self, ranked: Ranked, added: Enrichment, reranker: GuardedReranker, stage: Rerank, call: Call
    ) -> tuple[Ranked, Enrichment]:
        """The ranking with the reranker's scores; the ranking as it was, with a notice, if the reranker fails."""
        passages = passages_of(
            ranked,
            n_notes=stage.top_n,
            n_characters=self._settings.reranking.n_characters,
            indexer=self._indexer,
            budget=call.budget,
        )
        answer = reranker.score(ranked.request.question, passages, budget=call.budget)
        call.watch.lap("reranker")
        added = evolve(added, notices=(*added.notices, *answer.notices))
        if answer.scores:
            request, found = ranked.request, ranked.retrieval
            ranked = self._rank(request, call, found, scores=ranked.scores, rerank_scores=answer.scores)
        return ranked, added

    def _retrieve(
        self, request: Request, call: Call, suggestions: Sequence[str] = (), before: Retrieval | None = None
    ) -> Retrieval:
        """Look words up while the index stands still; `before` is an earlier retrieval for the same request."""
        with self._indexer.lock:
            return retrieve(
                request,
                self._indexer.corpus,
                suggestions=suggestions,
                before=before,
                budget=call.budget,
                lap=call.watch.lap,
            )

    def _rank(
        self,
        request: Request,
        call: Call,
        retrieval: Retrieval,
        *,
        scores: SemanticScores | None = None,
        rerank_scores: Mapping[NoteId, float] | None = None,
    ) -> Ranked:
        """Rank while the index stands still."""
        with self._indexer.lock:
            return rank(
                request,
                self._indexer.corpus,
                retrieval=retrieval,
                suggestions=retrieval.suggestions.texts,
                scores=scores,
                rerank_scores=rerank_scores or {},
                budget=call.budget,
                lap=call.watch.lap,
            )

    def _present(
        self, ranked: Ranked, added: Enrichment, call: Call, *, on_first: OnAnswer | None = None
    ) -> SearchResult:
        """A ranking as an answer; `on_first` receives it once the first hits are described."""

        def send(hits: tuple[FoundNote, ...]) -> None:
            if on_first is not None:
                on_first(self._answer(ranked, added, call, hits))

        best = ranked.ranking.top(ranked.request.query.limit)
        hits = describe(ranked, best, indexer=self._indexer, settings=self._settings, budget=call.budget, on_first=send)
        call.watch.lap("explain")
        return self._answer(ranked, added, call, hits)

    def _answer(self, ranked: Ranked, added: Enrichment, call: Call, hits: tuple[FoundNote, ...]) -> SearchResult:
        request = ranked.request
        mode = Mode.KEYWORD if ranked.scores is None else request.mode
        wants_meaning = self._enricher.semantic is not None and request.mode is not Mode.KEYWORD
        is_fallback = wants_meaning and bool(request.parsed.terms) and not ranked.has_semantic
        return SearchResult(
            hits=hits,
            notices=one_of_each(
                (
                    *request.notices,
                    *added.notices,
                    *self._corrections(ranked, hits),
                    *self._guessed_encodings(hits),
                )
            ),
            timings_ms=dict(call.watch.laps),
            mode=mode,
            search_type=FALLBACK if is_fallback else mode,
            total=ranked.n_found,
            is_complete=request.is_complete,
            generation=ranked.retrieval.generation,
            terms=tuple(dict.fromkeys(item.term.text for item in ranked.weighed if not item.term.is_suggested)),
            suggested=tuple(item.term.text for item in ranked.posted if item.term.is_suggested),
            variants=added.expanded.variants[1:],
            passage=added.expanded.hyde,
            concepts=added.concepts,
        )

    def _corrections(self, ranked: Ranked, hits: Sequence[FoundNote]) -> tuple[Notice, ...]:
        """Notices of the query's words that were corrected."""
        first = {match.form or match.query for shown in hits[:1] for match in shown.hit.evidence.matches}

        def texts() -> Iterator[str]:
            return (f"{shown.title}\n{self._indexer.vault.text(shown.hit.id)}" for shown in hits)

        return correction_notices(ranked.posted, ranked.request.parsed.text, first=first, texts=texts)

    def _gaps(self) -> tuple[Notice, ...]:
        """Notices of notes and attachments that no search can find, or of an empty vault."""
        notices = self._indexer.vault.notices
        gaps = [notice for notice in notices if notice.code in _GAPS]
        of_attachments = tuple(notice for notice in notices if notice.code in _OF_ATTACHMENTS)
        if gaps:
            more = f", and {len(gaps) - 1} more like it; the status names them all" if len(gaps) > 1 else ""
            return (Notice(gaps[0].kind, gaps[0].code, gaps[0].message + more, gaps[0].subject), *of_attachments)
        if self._indexer.is_complete and not self._indexer.corpus.n_notes:
            message = f"There are no Markdown notes in {self._indexer.vault.root}."
            return (Notice(NoticeKind.NOTE, "empty-vault", message, str(self._indexer.vault.root)),)
        return of_attachments

    def _guessed_encodings(self, hits: Sequence[FoundNote]) -> Iterator[Notice]:
        """Notices of shown notes whose encoding was guessed."""
        shown = {found.hit.id for found in hits}
        notices = self._indexer.vault.notices
        return (notice for notice in notices if notice.code == "encoding" and notice.subject in shown)
