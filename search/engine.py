"""One vault, searched: answers queries from a corpus that is kept true to the files and open buffers.

Until all notes are read (`reading.py`), answers are marked partial. What is about to be shown is compared with its file
once more, and answered anew where that changed.

Never writes to the vault; never raises for what a query or a note says, only for a vault that is not there.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from search.answer.explain import quote
from search.answer.notice import Notice, NoticeKind
from search.answer.ranking import Hit
from search.answer.result import FoundNote, Reason, SearchResult
from search.beside import Beside
from search.budget import UNLIMITED, Budget
from search.design import Pipeline
from search.display import by_name, describe, verdict
from search.errors import ConfigError, VaultseekError
from search.ids import NoteId
from search.known import KnownVault
from search.library import Library
from search.passages import passages_of, wants_rerank
from search.pipeline import Meaning, Ranked, rank
from search.ports import Embedder, Reranker
from search.presets import preset_named
from search.progress import Progress, silent
from search.query import NOTHING_UNDERSTOOD, ExpandedQuery, Level, Mode, ParsedQuery, Query, Understood
from search.reading import Reading
from search.rerank import PatientReranker
from search.settings import AutoIndex, Settings
from search.symbols import Symbol, Symbols
from search.syntax import parse
from search.text.corrections import notices_of
from search.text.filters import admitted
from search.text.fold import fold
from search.text.scope import scope, unknown_names
from search.text.tokens import runs
from search.understanding import Idea, Understand, ideas_of
from search.vault.note import lines_below
from search.vault.snapshot import Vault

if TYPE_CHECKING:
    from search.related import Alike, Related, RelatedNotes
    from search.semantics import Semantics, SemanticStatus

SYMBOL_PATIENCE_S = 0.03  # a palette asks at each key
FIRST_SWEEP_S = 2.0  # before it nothing is known to be there; 20,000 files take a fifth of it
_SCATTERED = 0.45  # names that score less have the query's letters only, here and there
_GAPS = frozenset({"unreadable", "note-too-large", "unparsed"})  # notices of the vault that every answer repeats


@frozen(kw_only=True)
class Status:
    """How a vault stands. `skipped`: path -> why it is not searched."""

    root: str
    n_notes: int
    n_pending: int  # still to be read
    is_complete: bool
    generation: int
    skipped: Mapping[str, str] = field(factory=dict)
    notices: tuple[Notice, ...] = ()
    n_words: int = 0  # distinct tokens
    semantic: "SemanticStatus | None" = None  # None where words alone are searched


FALLBACK = "fulltext_fallback"  # the type of an answer by words alone where meaning was asked as well
Expand = Callable[[str, Mode, Budget], ExpandedQuery]
"""Says what a query may mean besides; takes a few seconds at most and raises nothing but `Cancelled`.

The mode is hybrid, or vector, where words are of no use.
"""


def open_engine(
    root: Path,
    settings: Settings | None = None,
    *,
    key: str = "",
    rerank_key: str = "",
    expand: Expand | None = None,
    understand: Understand | None = None,
) -> "Engine":
    """An engine as a user has it: with the model or endpoint that the settings name, unless they switch it off.

    `key` is that of the endpoint for vectors, `rerank_key` that of the one for reranking. Opening sends nothing.

    Raises:
        VaultError: as `Engine`.
        ConfigError: the key cannot be one.
    """
    settings = settings or Settings()
    embedder, reranker = None, None
    if settings.enable_semantic or settings.rerank is not None:
        from search.opening import embedder_of, reranker_of  # noqa: PLC0415 - who searches by words alone needs none

        embedder, reranker = embedder_of(settings, key), reranker_of(settings, rerank_key)
    return Engine(root, settings, embedder=embedder, reranker=reranker, expand=expand, understand=understand)


class Engine:
    """One vault and what is known of it. All methods may be called from any thread; they block until done."""

    def __init__(
        self,
        root: Path,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        expand: Expand | None = None,
        understand: Understand | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Open a vault without reading it; `clock` (seconds) says how long ago the last sweep was.

        `now` (seconds since the epoch) is what the age of a note is counted from.

        Without an `embedder` words alone are searched. With one, queries are answered by meaning as well, unless they
        or the settings say otherwise. With `expand` as well, the meaning of a question is that of a passage too which
        might answer it. `understand` says what a query means besides its words, and a `reranker` puts the best notes in
        order, where the design makes use of these.

        Raises:
            VaultError: `root` is missing, is a file, or may not be read.
        """
        self.settings = settings or Settings()
        self._vault = Vault(root, self.settings.vault)
        self.semantics: Semantics | None = None
        if embedder is not None:
            from search.opening import semantics_of  # noqa: PLC0415 - as above

            self.semantics = semantics_of(embedder, self._vault, self.settings)
        self._reranker = None if reranker is None else PatientReranker(reranker, self.settings.reranking)
        self._expand = expand
        self._understand = understand
        self._now = now
        self._reading = Reading(self._vault, clock)
        self._corpus = self._reading.corpus
        self._lock = self._reading.lock  # guards the corpus
        self._symbols = Symbols()

    # Questions

    def search(
        self,
        query: Query,
        *,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
        progress: Progress = silent,
        on_answer: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Answer a query.

        While many notes are still to be read, waits `patience_s` at most (None: until all are read) and then answers
        from what there is, with `is_complete` False and a notice.

        What words find is told to `on_answer` at once, if the answer that is returned may say more: then the notes that
        words found are given vectors, within the settings' patience, and ranked by meaning too, and a reranker is
        asked.

        Raises:
            ConfigError: the query names a preset that there is not.
            VaultError: the vault's folder is gone or may not be read any more.
            VaultClosed: the engine was closed, before or meanwhile.
            Cancelled: the budget was cancelled.
        """
        answer = self._search(query, budget, patience_s, progress, on_answer)
        if self._is_stale(answer):
            self._reading.look_again()
            answer = self._search(query, budget, patience_s, progress, on_answer)
        self._reading.require_open()  # else what was closed in between may be missing
        return answer

    def _is_stale(self, answer: SearchResult) -> bool:
        """Whether a note that is shown changed or went since the last sweep, which may be a second ago."""
        is_lost = answer.total > 0 and not answer.hits
        return is_lost or not self._vault.is_current(found.hit.id for found in answer.hits)

    def _search(
        self,
        query: Query,
        budget: Budget,
        patience_s: float | None,
        progress: Progress,
        on_answer: Callable[[SearchResult], None] | None,
    ) -> SearchResult:
        watch = _Stopwatch()
        self._pipeline(query)  # no vault need be read for a preset that there is not
        self.refresh(budget=budget, patience_s=patience_s, progress=progress)
        watch.lap("read")
        parsed = parse(query.text)
        is_complete = self._reading.is_complete
        let_in, notices = self._filter(query, parsed, budget)
        watch.lap("filter")
        partial = () if is_complete else (self._partial(),)
        remarks = (*parsed.notices, *_wordless(parsed), *notices, *partial, *self._gaps(), *self._unwired(query))
        found = self._understood(_Found(query, parsed, let_in, remarks, is_complete), budget)
        if self._understand is not None:
            watch.lap("understand")
        by_words = self._rank(found, _More(), budget, watch)
        if not self._wants_more(query, found.parsed):
            if on_answer is not None and self._reranks(found, by_words):
                on_answer(self._shown(found, by_words, Mode.KEYWORD, budget, watch))
            found, ranked = self._reranked(found, by_words, _More(), budget, watch)
            return self._shown(found, ranked, Mode.KEYWORD, budget, watch)
        if on_answer is not None and self._mode(query) is Mode.HYBRID:
            on_answer(self._shown(found, by_words, Mode.KEYWORD, budget, watch))
        semantics = self._semantics(query)
        with contextlib.nullcontext() if semantics is None else semantics.asking():
            wanted = (hit.id for hit in by_words.ranking) if is_complete else None
            more = self._ask_for_more(found, budget, wanted, progress)
            watch.lap("embed")
            ranked = self._rank(found, more, budget, watch, before=by_words) if more else by_words
        if is_complete and semantics is not None:
            semantics.follow()
        mode = Mode.KEYWORD if more.meaning is None else self._mode(query)
        found = evolve(found, notices=(*found.notices, *more.notices), expanded=more.expanded, concepts=more.concepts)
        if on_answer is not None and mode is Mode.VECTOR and self._reranks(found, ranked):
            on_answer(self._shown(found, ranked, mode, budget, watch))
        found, ranked = self._reranked(found, ranked, more, budget, watch)
        return self._shown(found, ranked, mode, budget, watch)

    def explain(self, query: Query, note: NoteId, *, budget: Budget = UNLIMITED) -> Reason:
        """Say where a note stands in the answer to a query and why, or at which step it fell out.

        Raises as `search` does; a note that does not exist is a reason, not an error.
        """
        self.refresh(budget=budget)
        parsed = parse(query.text)
        let_in, notices = self._filter(query, parsed, budget)
        remarks = (*parsed.notices, *_wordless(parsed), *notices, *self._unwired(query))
        found = self._understood(_Found(query, parsed, let_in, remarks, self._reading.is_complete), budget)
        parsed, watch = found.parsed, _Stopwatch()
        more = self._ask_for_more(found, budget, None, silent) if self._wants_more(query, parsed) else _More()
        found, ranked = self._reranked(found, self._rank(found, more, budget, watch), more, budget, watch)
        shown = self._describe(ranked, parsed, ranked.ranking.top(query.limit))
        reason = Reason(
            note=note,
            rank=ranked.ranking.ranks.get(note) or ranked.lexical.ranks.get(note),
            total=ranked.n_found,
            step="",
            sentence="",
            last_shown=shown[-1] if shown else None,
            notices=(*found.notices, *more.notices, *self._corrections(found, ranked, shown)),
        )
        is_only_date = found.understood.is_only_date
        step, why = verdict(note, ranked, let_in, reading=self._reading, limit=query.limit, is_only_date=is_only_date)
        described = self._describe(ranked, parsed, [hit for hit in ranked.ranking if hit.id == note])
        self._reading.require_open()
        return evolve(reason, step=step, sentence=why, found=described[0] if described else None)

    def related(
        self,
        note: NoteId,
        *,
        heading: str = "",
        lines: tuple[int, int] | None = None,
        limit: int = 10,
        mode: Mode | None = None,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
    ) -> "RelatedNotes":
        """The notes that have to do with a note, with a section of it or with some of its lines (half-open, from 0).

        Raises as `search` does. A note that is not there has none; a heading that is not there is a notice, and the
        whole note is asked about.
        """
        from search.related import Place  # noqa: PLC0415 - the first search need not wait for it

        self._reading.look(budget=budget, patience_s=patience_s)
        is_complete, notices = self._reading.is_complete, []
        known = self._vault.notes.get(note)
        if known is not None and heading:
            lines = lines_below(known, heading)
            if lines is None:
                message = f"The note has no heading {quote(heading)}; the whole note was asked about."
                notices.append(Notice(NoticeKind.DEGRADED, "no-such-heading", message, heading))
        semantics = None if (mode or self.settings.mode) is Mode.KEYWORD else self.semantics
        answer = self._related.find(
            Place(note=note, lines=lines),
            limit=limit,
            n_snippets=self.settings.n_snippets,
            alike=lambda: None if semantics is None else _alike(semantics, note, lines, budget),
            stamp=None if semantics is None else semantics.n_vectors,
            budget=budget,
        )
        if known is None:
            why = self._vault.skipped.get(note)
            message = f"{note} is not searched: {why}." if why else f"There is no note {note}."
            notices.append(Notice(NoticeKind.SKIPPED, "no-such-note", message, note))
        if not is_complete:
            notices.append(self._partial())
        self._reading.require_open()
        return evolve(answer, notices=(*answer.notices, *notices), is_complete=is_complete)

    @cached_property
    def _related(self) -> "Related":
        from search.related import Related  # noqa: PLC0415 - as above

        return Related(self._reading)

    def library(self, *, budget: Budget = UNLIMITED, patience_s: float | None = None) -> Library:
        """The vault for who follows links in it; raises as `search` does."""
        self._reading.look(budget=budget, patience_s=patience_s)
        return Library(self._reading)

    def by_name(self, query: Query) -> SearchResult | None:
        """The notes that are called what is asked for, of those that are known: the first step of an answer, at once.

        Reads nothing and waits for nothing. None where names cannot say what the answer begins with: none fits, or the
        query has a filter.
        """
        parsed = parse(query.text)
        if parsed.filter is not None or _is_scoped(query) or not parsed.terms:
            return None
        symbols = self._symbols.find(self._vault.notes, parsed.text, limit=query.limit, with_headings=False)
        hits = by_name(parsed.text, (symbol for symbol in symbols if symbol.score > _SCATTERED))
        if not hits:
            return None
        return SearchResult(
            hits=hits,
            notices=parsed.notices,
            mode=Mode.KEYWORD,
            total=len(hits),
            is_complete=False,
            generation=self._corpus.generation,
            terms=tuple(term.text for term in parsed.terms),
        )

    def symbols(self, query: str, *, limit: int = 200, with_headings: bool = True) -> tuple[Symbol, ...]:
        """Titles, aliases and headings that a few letters may mean, best first; for no letters the newest notes.

        Looks for changes for a moment, see `SYMBOL_PATIENCE_S`, then answers from the notes that are known. Only the
        first look at what files there are is waited for, a few seconds at most; notes are read behind, and until then
        they are called as their files are.
        """
        self._reading.refresh_behind(SYMBOL_PATIENCE_S if self._reading.is_swept else FIRST_SWEEP_S)
        notes = self._vault.notes
        if not self._reading.is_complete:
            notes = {**self._reading.awaited(), **notes}
        return self._symbols.find(notes, query, limit=limit, with_headings=with_headings)

    def prepare_symbols(self) -> None:
        """Make what `symbols` and `by_name` look through, so that the next one need not wait for it."""
        self._symbols.prepare(self._vault.notes)

    def indexed(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> "Semantics":
        """Search by meaning, for its commands, once all notes are read.

        Raises:
            ConfigError: it is switched off.
            VaultError, Cancelled: as `search`.
        """
        if self.semantics is None:
            if self.settings.embedding_problem:
                raise VaultseekError(self.settings.embedding_problem)
            raise ConfigError("enableSemantic", "false", "true, for there to be an index")
        self.refresh(budget=budget, progress=progress)
        if self.settings.pipeline.concepts is not None:
            self.semantics.want_concepts(self._concept_words)
        return self.semantics

    def find_note(self, name: str) -> NoteId:
        """The note that a person means by a path, with or without extension, or by a name; else `name` as it is."""
        with self._lock:
            for path in (name, f"{name}.md", f"{name}.markdown"):
                if path in self._corpus.notes:
                    return NoteId(path)
            meant = self._corpus.leads_to(name)
            return meant or min(self._corpus.names.named(name), default=NoteId(name))

    def status(self) -> Status:
        """How the vault stands, without reading anything."""
        return Status(
            root=str(self._vault.root),
            n_notes=len(self._corpus.notes),
            n_pending=self._reading.n_pending,
            is_complete=self._reading.is_complete,
            generation=self._corpus.generation,
            skipped=dict(self._vault.skipped),
            notices=tuple(self._vault.notices),
            n_words=len(self._corpus.vocabulary),
            semantic=None if self.semantics is None else self.semantics.status(),
        )

    # Changes

    def open_buffer(self, note: NoteId, text: str) -> None:
        """Lay an editor's text over the file, or over nothing; called anew for each change of it."""
        self._reading.open_buffer(note, text)

    def close_buffer(self, note: NoteId) -> None:
        """The file counts again, as it is on disk at the next query; a note that was never saved is gone."""
        self._reading.close_buffer(note)

    def hint(self, notes: Iterable[NoteId]) -> None:
        """These files may have changed: look at them before the next query, even if size and time are the same."""
        self._reading.hint(notes)

    def refresh(
        self, *, budget: Budget = UNLIMITED, patience_s: float | None = None, progress: Progress = silent
    ) -> None:
        """Sweep for changes and read them, as `search` does before it answers.

        Raises as `search` does.
        """
        is_done = self._reading.refresh(budget=budget, patience_s=patience_s, progress=progress)
        if is_done and self.semantics is not None and self.settings.indexing.auto_index is AutoIndex.ON_STARTUP:
            self.semantics.follow()

    def close(self) -> None:
        """Stop reading; the engine answers nothing after this."""
        self._reading.close()
        if self.semantics is not None:
            self.semantics.close()

    # Answers

    def _wants_more(self, query: Query, parsed: ParsedQuery) -> bool:
        """Whether anything besides words is to be asked, and can be."""
        has_more = self.semantics is not None or self._expand is not None
        return has_more and bool(parsed.terms) and not _wordless(parsed) and self._mode(query) is not Mode.KEYWORD

    def _ask_for_more(
        self, found: "_Found", budget: Budget, wanted: Iterable[NoteId] | None, progress: Progress
    ) -> "_More":
        """What a query is besides its words: a chat model is asked while notes are embedded.

        `wanted`: the notes that words found, which are embedded for it; None: nothing is embedded.
        """
        query, notices = found.query, list[Notice]()
        expanding = self._begin_to_expand(found, budget)
        vector, semantics = None, self._semantics(query)
        if semantics is not None:
            is_chosen = query.mode is not None
            vector, notices = semantics.ask(_question(found.parsed), is_chosen=is_chosen, budget=budget)
            if vector is not None and wanted is not None:
                notices += semantics.prepare(tuple(wanted), budget=budget, progress=progress)
        expanded = ExpandedQuery(original=query.text)
        if expanding is not None:
            expanding.is_done_within(evolve(budget, deadline=None))  # it keeps to a time of its own
            expanded = expanding.result()
            notices += expanded.notices
        if semantics is None or vector is None:
            return _More(None, expanded, notices)
        concepts, design = tuple[str, ...](), self._pipeline(query).concepts
        if design is not None:
            semantics.want_concepts(self._concept_words)
            question = _question(found.parsed)
            vector, concepts = semantics.with_concepts(question, vector, design, budget=budget, notices=notices)
        vector = semantics.blend(vector, expanded.hyde, budget=budget, notices=notices)
        settings = self._pipeline(query).semantic
        meaning = semantics.meaning(
            vector,
            settings if query.semantic_scope is None else evolve(settings, scope=query.semantic_scope),
            admitted=found.let_in,
            weight=1.0 if self._mode(query) is Mode.VECTOR else query.semantic_weight,
            budget=budget,
            notices=notices,
        )
        return _More(meaning, expanded, notices, concepts)

    def _concept_words(self) -> tuple[str, ...]:
        with self._lock:
            return self._corpus.concept_words()

    def _begin_to_expand(self, found: "_Found", budget: Budget) -> Beside[ExpandedQuery] | None:
        expand = self._expand
        if expand is None:
            return None
        text = _question(found.parsed) if found.parsed.filter else found.query.text
        return Beside.start(lambda: expand(text, self._mode(found.query), budget), name="vault-expander")

    def _understood(self, found: "_Found", budget: Budget) -> "_Found":
        """With what the query means besides its words, as far as the design makes use of it."""
        ideas = ideas_of(self._pipeline(found.query)) | ({Idea.KINDS} if found.query.doc_types else set())
        if self._understand is None or not ideas:
            return found
        known = KnownVault(self._reading)
        understood = self._understand(found.parsed, known, ideas, self._now(), budget)
        parsed = evolve(found.parsed, terms=()) if understood.is_only_date else found.parsed
        found = evolve(found, parsed=parsed, understood=understood, notices=(*found.notices, *understood.notices))
        return self._of_kinds(found) if found.query.doc_types else found

    def _of_kinds(self, found: "_Found") -> "_Found":
        """Only the notes of the kinds that the query names; a notice where there are none."""
        wanted = {fold(name) for name in found.query.doc_types}
        with self._lock:
            notes = tuple(self._corpus.notes if found.let_in is None else found.let_in)
        kept = frozenset(note for note in notes if wanted & found.understood.kinds_of(note))
        if kept:
            return evolve(found, let_in=kept)
        message = f"There is no note of the kind {', '.join(sorted(wanted))}."
        notice = Notice(NoticeKind.SKIPPED, "unknown-kind", message, "docType")
        return evolve(found, let_in=kept, notices=(*found.notices, notice))

    def _reranks(self, found: "_Found", ranked: Ranked) -> bool:
        """Whether a reranker is to be asked: of a vault that is still being read it would be asked in vain."""
        is_asked = self._reranker is not None and wants_rerank(ranked) is not None
        return is_asked and found.is_complete and bool(found.parsed.terms) and len(ranked.fused) > 1

    def _reranked(
        self, found: "_Found", ranked: Ranked, more: "_More", budget: Budget, watch: "_Stopwatch"
    ) -> tuple["_Found", Ranked]:
        """The best notes in the reranker's order, where there is one; else what there was, with a notice."""
        stage = wants_rerank(ranked)
        if self._reranker is None or stage is None or not self._reranks(found, ranked):
            return found, ranked
        phrases = [term.text for term in found.parsed.terms if term.is_phrase]
        n_characters = self.settings.reranking.n_characters
        passages = passages_of(
            ranked,
            phrases=phrases,
            n_notes=stage.top_n,
            n_characters=n_characters,
            reading=self._reading,
            budget=budget,
        )
        answer = self._reranker.score(_question(found.parsed), passages, budget=budget)
        watch.lap("reranker")
        found = evolve(found, notices=(*found.notices, *answer.notices))
        if not answer.scores:
            return found, ranked
        return found, self._rank(found, more, budget, watch, answer.scores, before=ranked)

    def _unwired(self, query: Query) -> tuple[Notice, ...]:
        """What is to be said of endpoints that were named and cannot be asked."""
        told = [("rerank-failed", "The order was not refined", self.settings.rerank_problem)]
        if self._mode(query) is not Mode.KEYWORD and self.settings.enable_semantic:
            told += [
                ("semantic-failed", "Words alone were searched", self.settings.embedding_problem),
                ("expansion-failed", "No chat model was asked", self.settings.chat_problem),
            ]
        return tuple(
            Notice(NoticeKind.DEGRADED, code, f"{what}: {problem}.") for code, what, problem in told if problem
        )

    def _mode(self, query: Query) -> Mode:
        return query.mode or self.settings.mode

    def _pipeline(self, query: Query) -> Pipeline:
        """The design that ranks; another than that of the settings as it stands in `presets`.

        Raises:
            ConfigError: the query names one that there is not.
        """
        own = self.settings.pipeline
        chosen = own if query.preset in {"", own.name} else preset_named(query.preset)
        chosen = chosen.following(depth=query.depth, link_types=query.link_types)
        return chosen.of_files() if query.level is Level.FILE else chosen

    def _semantics(self, query: Query) -> "Semantics | None":
        """Search by meaning in what the query looks at."""
        if self.semantics is None or query.level is Level.NOTE:
            return self.semantics
        return self.semantics.of_files()

    def _rank(
        self,
        found: "_Found",
        more: "_More",
        budget: Budget,
        watch: "_Stopwatch",
        rerank_scores: Mapping[NoteId, float] | None = None,
        *,
        before: Ranked | None = None,
    ) -> Ranked:
        """`before`: a ranking of the same query; what its words found is not looked for again."""
        with self._lock:
            return rank(
                found.query,
                found.parsed,
                self._corpus,
                self._pipeline(found.query),
                now=self._now(),
                admitted=found.let_in,
                meaning=more.meaning,
                suggestions=more.suggestions,
                rerank_scores=rerank_scores or {},
                understood=found.understood,
                words=None if before is None else before.words,
                budget=budget,
                lap=watch.lap,
            )

    def _shown(self, found: "_Found", ranked: Ranked, mode: Mode, budget: Budget, watch: "_Stopwatch") -> SearchResult:
        """A ranking as an answer."""
        hits = self._describe(ranked, found.parsed, ranked.ranking.top(found.query.limit), budget)
        watch.lap("explain")
        return SearchResult(
            hits=hits,
            notices=(*found.notices, *self._corrections(found, ranked, hits), *self._guessed(hits)),
            timings_ms=dict(watch.laps),
            mode=mode,
            search_type=mode if ranked.has_meaning or not self._was_meaning_asked(found) else FALLBACK,
            total=ranked.n_found,
            is_complete=found.is_complete,
            generation=ranked.generation,
            terms=tuple(dict.fromkeys(item.term.text for item in ranked.weighed if not item.term.is_suggested)),
            suggested=tuple(item.term.text for item in ranked.posted if item.term.is_suggested),
            variants=found.expanded.variants[1:],
            passage=found.expanded.hyde,
            concepts=found.concepts,
        )

    def _corrections(self, found: "_Found", ranked: Ranked, hits: Sequence[FoundNote]) -> tuple[Notice, ...]:
        first = {match.form or match.query for shown in hits[:1] for match in shown.hit.evidence.matches}

        def texts() -> Iterator[str]:
            return (f"{shown.title}\n{self._reading.vault.text(shown.hit.id)}" for shown in hits)

        return notices_of(ranked.posted, found.parsed.text, first=first, texts=texts)

    def _filter(
        self, query: Query, parsed: ParsedQuery, budget: Budget
    ) -> tuple[frozenset[NoteId] | None, tuple[Notice, ...]]:
        with self._lock:
            notes = dict(self._corpus.notes) if parsed.filter is not None or _is_scoped(query) else {}
        within, notices = scope(query, notes)
        if parsed.filter is None:
            return within, notices
        universe = notes if within is None else {note: notes[note] for note in within}
        linked = KnownVault(self._reading).linked
        found = admitted(
            parsed.filter,
            universe,
            text_of=self._vault.text,
            having=self._having,
            named=self._named,
            holding=self._holding,
            linked=linked,
            budget=budget,
        )
        return found.ids, (*notices, *unknown_names(parsed.filter, notes, linked=linked), *found.notices)

    def _holding(self, word: str, is_whole: bool) -> frozenset[NoteId] | None:  # noqa: FBT001 - a filter's question
        with self._lock:
            return self._corpus.holding(word, is_whole=is_whole)

    def _named(self, text: str) -> frozenset[NoteId] | None:
        with self._lock:
            return self._corpus.having(text, is_name=True)

    def _having(self, text: str) -> frozenset[NoteId] | None:
        with self._lock:
            return self._corpus.having(text)

    def _describe(
        self, ranked: Ranked, parsed: ParsedQuery, hits: Iterable[Hit[NoteId]], budget: Budget = UNLIMITED
    ) -> tuple[FoundNote, ...]:
        return describe(ranked, parsed, hits, reading=self._reading, settings=self.settings, budget=budget)

    def _was_meaning_asked(self, found: "_Found") -> bool:
        """Whether the query was to be answered by meaning too."""
        return self.semantics is not None and self._mode(found.query) is not Mode.KEYWORD and bool(found.parsed.terms)

    def _gaps(self) -> tuple[Notice, ...]:
        """What a search cannot find although it is in the vault, or that there is nothing to be found in."""
        gaps = [notice for notice in self._vault.notices if notice.code in _GAPS]
        if gaps:
            more = f", and {len(gaps) - 1} more like it; the status names them all" if len(gaps) > 1 else ""
            return (Notice(gaps[0].kind, gaps[0].code, gaps[0].message + more, gaps[0].subject),)
        if self._reading.is_complete and not self._corpus.notes:
            message = f"There are no Markdown notes in {self._vault.root}."
            return (Notice(NoticeKind.SKIPPED, "empty-vault", message, str(self._vault.root)),)
        return ()

    def _guessed(self, hits: Sequence[FoundNote]) -> Iterator[Notice]:
        """That the text of a note which is shown may be misread."""
        shown = {found.hit.id for found in hits}
        return (notice for notice in self._vault.notices if notice.code == "encoding" and notice.subject in shown)

    def _partial(self) -> Notice:
        message = f"{self._reading.n_pending} notes are still being read; the answer may change."
        return Notice(NoticeKind.PARTIAL, "still-reading", message)


_AS_TYPED = ExpandedQuery(original="")


def _alike(semantics: "Semantics", note: NoteId, lines: tuple[int, int] | None, budget: Budget) -> "Alike | None":
    from search.related import N_NEAR, Alike  # noqa: PLC0415 - as above

    ranking = semantics.alike(note, lines, N_NEAR, budget=budget)
    if ranking is None:
        return None
    floor, gate = semantics.anchors
    return Alike(ranking=ranking, floor=floor, gate=gate)


@frozen
class _Found:
    """A query understood, with what its filter lets in."""

    query: Query
    parsed: ParsedQuery
    let_in: frozenset[NoteId] | None
    notices: tuple[Notice, ...]
    is_complete: bool
    expanded: ExpandedQuery = _AS_TYPED
    understood: Understood = NOTHING_UNDERSTOOD
    concepts: tuple[str, ...] = ()


@frozen(eq=False)
class _More:
    """What a query is besides its words; false where it is nothing."""

    meaning: Meaning | None = None
    expanded: ExpandedQuery = _AS_TYPED
    notices: Sequence[Notice] = ()
    concepts: tuple[str, ...] = ()  # words of the vault that its meaning was searched together with

    @property
    def suggestions(self) -> tuple[str, ...]:
        """What a chat model would look for, words that were typed among it."""
        return (*self.expanded.terms, *self.expanded.variants[1:])

    def __bool__(self) -> bool:
        return self.meaning is not None or bool(self.suggestions)


class _Stopwatch:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self.laps[step] = self.laps.get(step, 0.0) + (now - self._last) * 1000.0
        self._last = now


def _wordless(parsed: ParsedQuery) -> tuple[Notice, ...]:
    """What is said of a query such as "-" or "!!", which only a name can agree with."""
    if not parsed.terms or any(runs(term.text) for term in parsed.terms):
        return ()
    message = f"There is no letter, digit or symbol to look for in {quote(parsed.text.strip())}."
    return (Notice(NoticeKind.SKIPPED, "no-words", message, f"0:{len(parsed.text)}"),)


def _question(parsed: ParsedQuery) -> str:
    """What is asked, as words: filters decide what may be found, and mean nothing."""
    return " ".join(term.text for term in parsed.terms)


def _is_scoped(query: Query) -> bool:
    return bool(query.folder or query.tags or query.limit_to)
