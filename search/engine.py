"""The entry point to one vault: answers queries from an index that follows the vault's files and open buffers.

Until all notes are read, answers are marked partial. `execution` runs queries, `navigation` answers other requests.

Never writes to the vault. Never raises for what a query or a note says, only for a missing vault.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from search.answer.context import DEFAULT_TOKENS, MAX_TOKENS, MIN_TOKENS, QuestionContext
from search.answer.result import Reason, SearchResult
from search.budget import UNLIMITED, Budget
from search.cache.folder import attachments_folder, cache_folder, snapshot_path, snapshots_like
from search.errors import ConfigError, StoreError, VaultseekError
from search.execution.enrichment import Enricher, Expand
from search.execution.executor import Call, Executor
from search.execution.presentation import by_name
from search.execution.understanding import Understand
from search.filters.allowed import is_scoped
from search.ids import NoteId, is_by_name
from search.index.indexer import Indexer
from search.navigation.library import Library
from search.navigation.searched_text import SearchedText, searched_text
from search.navigation.symbols import Symbol, Symbols
from search.notice import Notice, one_of_each
from search.ports import Embedder, Progress, Reranker, silent
from search.providers.guarded_reranker import GuardedReranker
from search.query import Linked, Mode, Query
from search.settings import Settings
from search.syntax import parse
from search.vault.attachments.attachments import Attachments
from search.vault.vault import Vault

if TYPE_CHECKING:
    from search.navigation.related import RelatedFinder, RelatedNotes
    from search.semantic.maintenance import Maintenance
    from search.semantic.search import SemanticSearch
    from search.semantic.status import SemanticStatus

SYMBOL_PATIENCE_S = 0.03  # an editor sends a request at each keystroke
FIRST_SWEEP_S = 2.0  # until the first sweep no note is known; 20,000 files take a fifth of it
_SCATTERED = 0.45  # names with a lower score only have the query's letters scattered over them


@frozen(kw_only=True)
class Status:
    """The state of a vault. `skipped`: path -> why it is not searched."""

    root: str
    n_notes: int
    n_files: int  # found by name only; not counted in `n_notes`
    n_pending: int  # still to be read
    is_complete: bool
    generation: int
    skipped: Mapping[str, str] = field(factory=dict)
    notices: tuple[Notice, ...] = ()
    n_words: int = 0  # distinct tokens
    semantic: "SemanticStatus | None" = None  # None if only words are searched


def open_engine(
    root: Path,
    settings: Settings | None = None,
    *,
    key: str = "",
    rerank_key: str = "",
    expand: Expand | None = None,
    understand: Understand | None = None,
) -> "Engine":
    """An engine with the models and endpoints in the settings, as far as they are switched on.

    `key` is the API key of the endpoint for vectors, `rerank_key` that of the endpoint for reranking. Opening sends
    nothing.

    Raises:
        VaultError: as `Engine`.
        ConfigError: a key is not a valid one.
    """
    settings = settings or Settings()
    embedder, reranker, snapshot = None, None, None
    if settings.keep_snapshot:
        snapshot = snapshot_path(cache_folder(settings.indexing.folder), root, settings.vault.withheld)
    if settings.enable_semantic or settings.rerank is not None:
        from search.execution.opening import embedder_of, reranker_of  # noqa: PLC0415 - a search by words alone need not load it

        embedder, reranker = embedder_of(root, settings, key), reranker_of(settings, rerank_key)
    return Engine(
        root,
        settings,
        embedder=embedder,
        reranker=reranker,
        expand=expand,
        understand=understand,
        snapshot=snapshot,
        watches=settings.indexing.in_background,
    )


class Engine:
    """An open vault that answers queries. All methods may be called from any thread; they block until done."""

    def __init__(
        self,
        root: Path,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        expand: Expand | None = None,
        understand: Understand | None = None,
        snapshot: Path | None = None,
        watches: bool = False,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Open a vault without reading it.

        `snapshot` is the file that keeps what was read for the next start; without one, nothing is kept. With
        `watches`, the vault's folders are watched, so that a query need not look for changes.
        `clock` (seconds) measures the time since the last sweep. `now` (seconds since the epoch) is the time up to
        which the age of a note is counted.

        Without an `embedder` only words are searched. With one, queries are also answered by meaning, unless they or
        the settings say otherwise. With `expand`, a chat model also writes a passage that might answer a question, and
        other words for it. `understand` finds dates, names, acronyms and intents in a query, and a `reranker` orders
        the best notes, where the pipeline makes use of them.

        Raises:
            VaultError: `root` is missing, is a file, or may not be read.
        """
        self.settings = settings or Settings()
        folder = None if snapshot is None else attachments_folder(snapshot)
        attachments = Attachments(folder, keeps=self.settings.indexing.keeps)
        self._vault = Vault(root, self.settings.vault, attachments=attachments)
        self.indexer = Indexer(
            self._vault,
            clock,
            snapshot=snapshot,
            saves_by_itself=self.settings.indexing.in_background,
            watches=watches,
        )
        self.semantic: SemanticSearch | None = None
        if embedder is not None:
            from search.execution.opening import semantic_search_of  # noqa: PLC0415 - only a search by meaning needs it

            self.semantic = semantic_search_of(embedder, self.indexer, self.settings)
        self.enricher = Enricher(indexer=self.indexer, semantic=self.semantic, expand=expand)
        if self.semantic is not None:
            self.semantic.maintenance.count_links = self.enricher.count_links
        self._executor = Executor(
            indexer=self.indexer,
            settings=self.settings,
            enricher=self.enricher,
            reranker=None if reranker is None else GuardedReranker(reranker, self.settings.reranking),
            understand=understand,
            now=now,
        )
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
        on_first: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        """Answer a query.

        While notes are being read, it waits `patience_s` at most (None: until all are read) and then answers from the
        notes read so far, with `is_complete` False and a notice.

        If a model may change the answer, `on_answer` first receives the answer by words alone. Then the notes found by
        words get vectors, within the settings' patience, and are ranked by meaning too. A reranker, if there is one,
        scores the best of them.

        Before the first of these answers, `on_first` receives it with the first ten hits described, and the others
        without excerpts, sections and strength; it is not called if there are no others.

        Raises:
            ConfigError: the query names an unknown preset.
            VaultError: the vault's folder is gone or may no longer be read.
            VaultClosed: the engine was closed, before the call or during it.
            Cancelled: the budget was cancelled.
        """
        call = Call(budget=budget, patience_s=patience_s, progress=progress, on_answer=on_answer, on_first=on_first)
        return self._executor.search(query, call)

    def explain(self, query: Query, note: NoteId, *, budget: Budget = UNLIMITED) -> Reason:
        """Explain a note's rank in the answer to a query, or name the step that left the note out.

        A traced `search`: ranks, scores and notices are those of the answer. Raises as `search` does; a note that does
        not exist is a reason, not an error.
        """
        return self._executor.explain(query, note, Call(budget=budget))

    def context(
        self,
        query: Query,
        *,
        max_tokens: int = DEFAULT_TOKENS,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
        progress: Progress = silent,
    ) -> QuestionContext:
        """The best passages for a query as one text of at most `max_tokens`, as estimated.

        The notes are those of `search`, in its order; the query's limit is not used. Raises as `search` does, and
        ConfigError if `max_tokens` is out of range.
        """
        if not MIN_TOKENS <= max_tokens <= MAX_TOKENS:
            raise ConfigError("max_tokens", max_tokens, f"a whole number from {MIN_TOKENS:,} to {MAX_TOKENS:,}")
        return self._executor.context(query, max_tokens, Call(budget=budget, patience_s=patience_s, progress=progress))

    def related(
        self,
        note: NoteId,
        *,
        heading: str = "",
        lines: tuple[int, int] | None = None,
        linked: Linked = Linked.INCLUDE,
        limit: int = 10,
        mode: Mode | None = None,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
    ) -> "RelatedNotes":
        """The notes related to a note, to a section of it or to some of its lines (half-open, from 0).

        `linked`: what to do with notes that are linked with it already.

        Raises as `search` does. A missing note has no related notes; a missing heading becomes a notice, and the whole
        note is used.
        """
        from search.navigation.related import Place  # noqa: PLC0415 - the first search need not load it

        self.indexer.refresh_quickly(budget=budget, patience_s=patience_s)
        is_complete = self.indexer.is_complete
        answer = self._related.find(
            Place(note=note, lines=lines),
            heading=heading,
            linked=linked,
            limit=limit,
            n_snippets=self.settings.n_snippets,
            meaning=None if (mode or self.settings.mode) is Mode.KEYWORD else self.semantic,
            budget=budget,
        )
        notices = answer.notices if is_complete else (*answer.notices, self._executor.still_reading())
        self.indexer.require_open()
        return evolve(answer, notices=notices, is_complete=is_complete)

    @cached_property
    def _related(self) -> "RelatedFinder":
        from search.navigation.related import RelatedFinder  # noqa: PLC0415 - the first search need not load it

        return RelatedFinder(self.indexer)

    def library(self, *, budget: Budget = UNLIMITED, patience_s: float | None = None) -> Library:
        """The vault's links, tags and headings, for navigation; raises as `search` does."""
        self.indexer.refresh_quickly(budget=budget, patience_s=patience_s)
        return Library(self.indexer)

    def text_of(self, note: NoteId, *, budget: Budget = UNLIMITED, patience_s: float | None = None) -> SearchedText:
        """The text of a note or another file as it is searched.

        Raises:
            VaultseekError: there is no such file, it is not searched, or it has no text; the message says why.
            VaultError, VaultClosed, Cancelled: as `search`.
        """
        self.indexer.refresh_quickly(budget=budget, patience_s=patience_s)
        found = searched_text(note, self.indexer)
        self.indexer.require_open()
        return found

    def seen_text(self, note: NoteId) -> str:
        """The text of a file as it was searched last, for places in it; "" for a file that is not searched."""
        return self._vault.text(note)

    def by_name(self, query: Query) -> SearchResult | None:
        """The notes read so far whose name matches the query: a first step of the answer, without any wait.

        Reads no file. None if names do not determine the first results: no name matches, or the query has a filter.
        """
        parsed = parse(query.text)
        if parsed.filter is not None or is_scoped(query) or not parsed.terms:
            return None
        symbols = self._symbols.find(self._vault.notes, parsed.text, limit=query.limit, with_headings=False)
        likely = (symbol for symbol in symbols if symbol.score > _SCATTERED and not is_by_name(symbol.note))
        hits = by_name(parsed.text, likely)
        if not hits:
            return None
        return SearchResult(
            hits=hits,
            notices=one_of_each(parsed.notices),
            mode=Mode.KEYWORD,
            total=len(hits),
            is_complete=False,
            generation=self.indexer.corpus.generation,
            terms=tuple(term.text for term in parsed.terms),
        )

    def symbols(self, query: str, *, limit: int = 200, with_headings: bool = True) -> tuple[Symbol, ...]:
        """Titles, aliases and headings that match a few letters, best first; for no letters the newest notes.

        Looks for changes for `SYMBOL_PATIENCE_S`, then answers from the notes known by then. Only the first list of the
        vault's files is waited for, a few seconds at most; notes are read in the background, and until then a note's
        file name stands for its title.
        """
        self.indexer.refresh_in_background(SYMBOL_PATIENCE_S if self.indexer.is_swept else FIRST_SWEEP_S)
        notes = self._vault.notes
        if not self.indexer.is_complete:
            notes = {**self.indexer.pending_outlines(), **notes}
        return self._symbols.find(notes, query, limit=limit, with_headings=with_headings)

    def prepare_symbols(self) -> None:
        """Build the list of names that `symbols` and `by_name` search, so that the next call need not wait for it."""
        self._symbols.prepare(self._vault.notes)

    def maintenance(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> "Maintenance":
        """The maintenance commands over the vectors, once all notes are read.

        Raises:
            ConfigError: search by meaning is switched off.
            VaultError, Cancelled: as `search`.
        """
        if self.semantic is None:
            if self.settings.embedding_problem:
                raise VaultseekError(self.settings.embedding_problem)
            raise ConfigError("enableSemantic", "false", "true, because only semantic search has an index")
        self.refresh(budget=budget, progress=progress)
        self.indexer.extraction.wait(budget=budget, progress=progress)
        if self.settings.pipeline.concepts is not None:
            self.semantic.learn_concepts(self.enricher.concept_words)
        return self.semantic.maintenance

    def find_note(self, name: str) -> NoteId:
        """The note meant by a path, with or without extension, or by a name; `name` itself if there is none."""
        with self.indexer.lock:
            for path in (name, f"{name}.md", f"{name}.markdown"):
                if path in self.indexer.corpus.notes:
                    return NoteId(path)
            meant = self.indexer.corpus.resolve_link(name)
            return meant or min(self.indexer.corpus.notes_named(name), default=NoteId(name))

    def status(self) -> Status:
        """The state of the vault; reads nothing."""
        return Status(
            root=str(self._vault.root),
            n_notes=self.indexer.corpus.n_notes,
            n_files=len(self.indexer.corpus.notes) - self.indexer.corpus.n_notes,
            n_pending=self.indexer.n_pending,
            is_complete=self.indexer.is_complete,
            generation=self.indexer.corpus.generation,
            skipped=dict(self._vault.skipped),
            notices=tuple(self._vault.notices),
            n_words=len(self.indexer.corpus.vocabulary),
            semantic=None if self.semantic is None else self.semantic.status(),
        )

    # Changes

    def open_buffer(self, note: NoteId, text: str) -> None:
        """Use an editor's text for the note instead of its file, if it has one; call again after each edit."""
        self.indexer.open_buffer(note, text)

    def close_buffer(self, note: NoteId) -> None:
        """Use the note's file again, read at the next query; a note that was never saved is removed."""
        self.indexer.close_buffer(note)

    def mark_changed(self, notes: Iterable[NoteId]) -> None:
        """Check these files for changes before the next query, even if their size and time are the same."""
        self.indexer.mark_changed(notes)

    def refresh(
        self, *, budget: Budget = UNLIMITED, patience_s: float | None = None, progress: Progress = silent
    ) -> None:
        """Sweep for changes and read them, as `search` does before it answers.

        Raises as `search` does.
        """
        self._executor.refresh(Call(budget=budget, patience_s=patience_s, progress=progress))

    def save_snapshot(self) -> None:
        """Keep what was read for the next start, if it is much; for programs that end after an answer."""
        self.indexer.save_snapshot()

    def clear_snapshot(self) -> None:
        """Delete what was kept for the next start, also for those who may not see all notes.

        Raises:
            StoreError: it cannot be deleted.
        """
        if self.indexer.snapshot is not None:
            for path in snapshots_like(self.indexer.snapshot):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise StoreError(str(path), 0, f"cannot be deleted: {error.strerror}") from error
            try:
                self._vault.attachments.store.clear()
            except OSError as error:
                folder = str(attachments_folder(self.indexer.snapshot))
                raise StoreError(folder, 0, f"cannot be deleted: {error.strerror}") from error

    def close(self) -> None:
        """Stop reading; the engine answers nothing after this."""
        self.indexer.close()
        if self.semantic is not None:
            self.semantic.close()
