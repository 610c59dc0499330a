"""Answers queries about one vault: understood, filtered, ranked by words and by meaning, reranked, and shown.

What is about to be shown is compared with its file once more, and answered anew where that changed. Never raises for
what a query or a note says, only for a vault that is not there.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from search.analysis.fold import fold
from search.answer.ranking import Hit
from search.answer.result import FoundNote, Reason, SearchResult
from search.budget import UNLIMITED, Budget
from search.execution.enrichment import Enricher
from search.execution.presentation import describe, place_of, verdict
from search.execution.request import Enrichment, Request, Stopwatch, question_of, wordless
from search.execution.rerank_passages import passages_of, wants_rerank
from search.execution.understanding import Idea, Understand, ideas_of
from search.filters.allowed import allowed_notes
from search.ids import NoteId
from search.index.indexer import Indexer
from search.index.vault_view import IndexedVaultView
from search.matching.corrections import correction_notices
from search.notice import Notice, NoticeKind
from search.ports import Progress, Reranker, silent
from search.providers.guarded_reranker import GuardedReranker
from search.query import Mode, ParsedQuery, Query
from search.ranking.rank import Ranked, rank
from search.semantic.settings import AutoIndex
from search.settings import Settings
from search.syntax import parse

if TYPE_CHECKING:
    from search.semantic.search import SemanticSearch

_GAPS = frozenset({"unreadable", "note-too-large", "unparsed"})  # notices of the vault that every answer repeats
FALLBACK = "fulltext_fallback"  # the type of an answer by words alone where meaning was asked as well


class Executor:
    """Of one vault. All methods may be called from any thread; they block until done."""

    def __init__(
        self,
        reading: Indexer,
        settings: Settings,
        asking: Enricher,
        *,
        semantics: "SemanticSearch | None",
        reranker: Reranker | None,
        understand: Understand | None,
        now: Callable[[], float],
    ) -> None:
        self._reading = reading
        self._settings = settings
        self._asking = asking
        self._semantics = semantics
        self._reranker = None if reranker is None else GuardedReranker(reranker, settings.reranking)
        self._understand = understand
        self._now = now  # seconds since the epoch

    def refresh(
        self, *, budget: Budget = UNLIMITED, patience_s: float | None = None, progress: Progress = silent
    ) -> None:
        """Sweep for changes and read them, as `search` does before it answers.

        Raises as `search` does.
        """
        is_done = self._reading.refresh(budget=budget, patience_s=patience_s, progress=progress)
        if is_done and self._semantics is not None and self._settings.indexing.auto_index is AutoIndex.ON_STARTUP:
            self._semantics.follow()

    def search(
        self,
        query: Query,
        *,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
        progress: Progress = silent,
        on_answer: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Answer a query; see `Engine.search`."""
        answer = self._search(query, budget, patience_s, progress, on_answer)
        if self._is_stale(answer):
            self._reading.look_again()
            answer = self._search(query, budget, patience_s, progress, on_answer)
        self._reading.require_open()  # else what was closed in between may be missing
        return answer

    def _is_stale(self, answer: SearchResult) -> bool:
        """Whether a note that is shown changed or went since the last sweep, which may be a second ago."""
        is_lost = answer.total > 0 and not answer.hits
        return is_lost or not self._reading.vault.is_current(found.hit.id for found in answer.hits)

    def _search(
        self,
        query: Query,
        budget: Budget,
        patience_s: float | None,
        progress: Progress,
        on_answer: Callable[[SearchResult], None] | None,
    ) -> SearchResult:
        watch = Stopwatch()
        self._asking.pipeline_of(query)  # no vault need be read for a preset that there is not
        self.refresh(budget=budget, patience_s=patience_s, progress=progress)
        watch.lap("read")
        parsed = parse(query.text)
        is_complete = self._reading.is_complete
        allowed, notices = allowed_notes(self._reading, query, parsed, budget)
        watch.lap("filter")
        partial = () if is_complete else (self.partial(),)
        remarks = (*parsed.notices, *wordless(parsed), *notices, *partial, *self._gaps(), *self._asking.unwired(query))
        asked = self._understood(Request(query, parsed, allowed, remarks, is_complete), budget)
        if self._understand is not None:
            watch.lap("understand")
        by_words = self._rank(asked, Enrichment(), budget, watch)
        if not self._asking.wants_more(query, asked.parsed):
            if on_answer is not None and self._reranks(asked, by_words):
                on_answer(self._shown(asked, by_words, Mode.KEYWORD, budget, watch))
            asked, ranked = self._reranked(asked, by_words, Enrichment(), budget, watch)
            return self._shown(asked, ranked, Mode.KEYWORD, budget, watch)
        if on_answer is not None and self._asking.mode_of(query) is Mode.HYBRID:
            on_answer(self._shown(asked, by_words, Mode.KEYWORD, budget, watch))
        semantics = self._asking.semantics_of(query)
        with contextlib.nullcontext() if semantics is None else semantics.asking():
            wanted = (hit.id for hit in by_words.ranking) if is_complete else None
            more = self._asking.ask(asked, budget, wanted, progress)
            watch.lap("embed")
            ranked = self._rank(asked, more, budget, watch, before=by_words) if more else by_words
        if is_complete and semantics is not None:
            semantics.follow()
        mode = Mode.KEYWORD if more.meaning is None else self._asking.mode_of(query)
        asked = evolve(asked, notices=(*asked.notices, *more.notices), expanded=more.expanded, concepts=more.concepts)
        if on_answer is not None and mode is Mode.VECTOR and self._reranks(asked, ranked):
            on_answer(self._shown(asked, ranked, mode, budget, watch))
        asked, ranked = self._reranked(asked, ranked, more, budget, watch)
        return self._shown(asked, ranked, mode, budget, watch)

    def explain(self, query: Query, note: NoteId, *, budget: Budget = UNLIMITED) -> Reason:
        """Say where a note stands in the answer to a query and why, or at which step it fell out.

        Raises as `search` does; a note that does not exist is a reason, not an error.
        """
        self.refresh(budget=budget)
        parsed = parse(query.text)
        allowed, notices = allowed_notes(self._reading, query, parsed, budget)
        remarks = (*parsed.notices, *wordless(parsed), *notices, *self._asking.unwired(query))
        asked = self._understood(Request(query, parsed, allowed, remarks, self._reading.is_complete), budget)
        parsed, watch = asked.parsed, Stopwatch()
        more = self._asking.ask(asked, budget, None, silent) if self._asking.wants_more(query, parsed) else Enrichment()
        asked, ranked = self._reranked(asked, self._rank(asked, more, budget, watch), more, budget, watch)
        shown = self._describe(ranked, parsed, ranked.ranking.top(query.limit))
        reason = Reason(
            note=note,
            rank=place_of(note, ranked),
            total=ranked.n_found,
            step="",
            sentence="",
            last_shown=shown[-1] if shown else None,
            notices=(*asked.notices, *more.notices, *self._corrections(asked, ranked, shown)),
        )
        is_only_date = asked.understood.is_only_date
        step, why = verdict(note, ranked, allowed, reading=self._reading, limit=query.limit, is_only_date=is_only_date)
        described = self._describe(ranked, parsed, [hit for hit in ranked.ranking if hit.id == note])
        self._reading.require_open()
        return evolve(reason, step=step, sentence=why, found=described[0] if described else None)

    def _understood(self, asked: Request, budget: Budget) -> Request:
        """With what the query means besides its words, as far as the design makes use of it."""
        ideas = ideas_of(self._asking.pipeline_of(asked.query)) | ({Idea.KINDS} if asked.query.doc_types else set())
        if self._understand is None or not ideas:
            return asked
        known = IndexedVaultView(self._reading)
        understood = self._understand(asked.parsed, known, ideas, self._now(), budget)
        parsed = evolve(asked.parsed, terms=()) if understood.is_only_date else asked.parsed
        asked = evolve(asked, parsed=parsed, understood=understood, notices=(*asked.notices, *understood.notices))
        return self._of_kinds(asked) if asked.query.doc_types else asked

    def _of_kinds(self, asked: Request) -> Request:
        """Only the notes of the kinds that the query names; a notice where there are none."""
        wanted = {fold(name) for name in asked.query.doc_types}
        with self._reading.lock:
            notes = tuple(self._reading.corpus.notes if asked.allowed is None else asked.allowed)
        kept = frozenset(note for note in notes if wanted & asked.understood.kinds_of(note))
        if kept:
            return evolve(asked, allowed=kept)
        message = f"There is no note of the kind {', '.join(sorted(wanted))}."
        notice = Notice(NoticeKind.SKIPPED, "unknown-kind", message, "docType")
        return evolve(asked, allowed=kept, notices=(*asked.notices, notice))

    def _reranks(self, asked: Request, ranked: Ranked) -> bool:
        """Whether a reranker is to be asked: of a vault that is still being read it would be asked in vain."""
        is_asked = self._reranker is not None and wants_rerank(ranked) is not None
        return is_asked and asked.is_complete and bool(asked.parsed.terms) and len(ranked.fused) > 1

    def _reranked(
        self, asked: Request, ranked: Ranked, more: Enrichment, budget: Budget, watch: Stopwatch
    ) -> tuple[Request, Ranked]:
        """The best notes in the reranker's order, where there is one; else what there was, with a notice."""
        stage = wants_rerank(ranked)
        if self._reranker is None or stage is None or not self._reranks(asked, ranked):
            return asked, ranked
        phrases = [term.text for term in asked.parsed.terms if term.is_phrase]
        n_characters = self._settings.reranking.n_characters
        passages = passages_of(
            ranked,
            phrases=phrases,
            n_notes=stage.top_n,
            n_characters=n_characters,
            reading=self._reading,
            budget=budget,
        )
        answer = self._reranker.score(question_of(asked.parsed), passages, budget=budget)
        watch.lap("reranker")
        asked = evolve(asked, notices=(*asked.notices, *answer.notices))
        if not answer.scores:
            return asked, ranked
        return asked, self._rank(asked, more, budget, watch, answer.scores, before=ranked)

    def _rank(
        self,
        asked: Request,
        more: Enrichment,
        budget: Budget,
        watch: Stopwatch,
        rerank_scores: Mapping[NoteId, float] | None = None,
        *,
        before: Ranked | None = None,
    ) -> Ranked:
        """`before`: a ranking of the same query; what its words found is not looked for again."""
        with self._reading.lock:
            return rank(
                asked.query,
                asked.parsed,
                self._reading.corpus,
                self._asking.pipeline_of(asked.query),
                now=self._now(),
                allowed=asked.allowed,
                meaning=more.meaning,
                suggestions=more.suggestions,
                rerank_scores=rerank_scores or {},
                understood=asked.understood,
                words=None if before is None else before.words,
                budget=budget,
                lap=watch.lap,
            )

    def _shown(self, asked: Request, ranked: Ranked, mode: Mode, budget: Budget, watch: Stopwatch) -> SearchResult:
        """A ranking as an answer."""
        hits = self._describe(ranked, asked.parsed, ranked.ranking.top(asked.query.limit), budget)
        watch.lap("explain")
        return SearchResult(
            hits=hits,
            notices=(*asked.notices, *self._corrections(asked, ranked, hits), *self._guessed(hits)),
            timings_ms=dict(watch.laps),
            mode=mode,
            search_type=mode if ranked.has_meaning or not self._was_meaning_asked(asked) else FALLBACK,
            total=ranked.n_found,
            is_complete=asked.is_complete,
            generation=ranked.generation,
            terms=tuple(dict.fromkeys(item.term.text for item in ranked.weighed if not item.term.is_suggested)),
            suggested=tuple(item.term.text for item in ranked.posted if item.term.is_suggested),
            variants=asked.expanded.variants[1:],
            passage=asked.expanded.hyde,
            concepts=asked.concepts,
        )

    def _corrections(self, asked: Request, ranked: Ranked, hits: Sequence[FoundNote]) -> tuple[Notice, ...]:
        first = {match.form or match.query for shown in hits[:1] for match in shown.hit.evidence.matches}

        def texts() -> Iterator[str]:
            return (f"{shown.title}\n{self._reading.vault.text(shown.hit.id)}" for shown in hits)

        return correction_notices(ranked.posted, asked.parsed.text, first=first, texts=texts)

    def _describe(
        self, ranked: Ranked, parsed: ParsedQuery, hits: Iterable[Hit[NoteId]], budget: Budget = UNLIMITED
    ) -> tuple[FoundNote, ...]:
        return describe(ranked, parsed, hits, reading=self._reading, settings=self._settings, budget=budget)

    def _was_meaning_asked(self, asked: Request) -> bool:
        """Whether the query was to be answered by meaning too."""
        is_by_words = self._asking.mode_of(asked.query) is Mode.KEYWORD
        return self._semantics is not None and not is_by_words and bool(asked.parsed.terms)

    def _gaps(self) -> tuple[Notice, ...]:
        """What a search cannot find although it is in the vault, or that there is nothing to be found in."""
        gaps = [notice for notice in self._reading.vault.notices if notice.code in _GAPS]
        if gaps:
            more = f", and {len(gaps) - 1} more like it; the status names them all" if len(gaps) > 1 else ""
            return (Notice(gaps[0].kind, gaps[0].code, gaps[0].message + more, gaps[0].subject),)
        if self._reading.is_complete and not self._reading.corpus.notes:
            message = f"There are no Markdown notes in {self._reading.vault.root}."
            return (Notice(NoticeKind.SKIPPED, "empty-vault", message, str(self._reading.vault.root)),)
        return ()

    def _guessed(self, hits: Sequence[FoundNote]) -> Iterator[Notice]:
        """That the text of a note which is shown may be misread."""
        shown = {found.hit.id for found in hits}
        notices = self._reading.vault.notices
        return (notice for notice in notices if notice.code == "encoding" and notice.subject in shown)

    def partial(self) -> Notice:
        """That notes are still to be read."""
        message = f"{self._reading.n_pending} notes are still being read; the answer may change."
        return Notice(NoticeKind.PARTIAL, "still-reading", message)
