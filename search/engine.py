"""One vault, searched: answers queries from a corpus that is kept true to the files and open buffers.

Until all notes are read (`reading.py`), answers are marked partial. Queries go to `answering.py`; what is asked about a
note, a name or the vault is answered here.

Never writes to the vault; never raises for what a query or a note says, only for a vault that is not there.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from search.answer.explain import quote
from search.answer.result import Reason, SearchResult
from search.budget import UNLIMITED, Budget
from search.errors import ConfigError, VaultseekError
from search.execution.enrichment import Enricher, Expand
from search.execution.executor import Executor
from search.execution.presentation import by_name
from search.execution.understanding import Understand
from search.filters.allowed import is_scoped
from search.ids import NoteId
from search.index.indexer import Indexer
from search.navigation.library import Library
from search.navigation.symbols import Symbol, Symbols
from search.notice import Notice, NoticeKind
from search.ports import Embedder, Progress, Reranker, silent
from search.query import Mode, Query
from search.settings import Settings
from search.syntax import parse
from search.vault.note import lines_below
from search.vault.snapshot import Vault

if TYPE_CHECKING:
    from search.navigation.related import Related, RelatedNotes, SimilarNotes
    from search.semantic.maintenance import Maintenance
    from search.semantic.search import SemanticSearch
    from search.semantic.status import SemanticStatus

SYMBOL_PATIENCE_S = 0.03  # a palette asks at each key
FIRST_SWEEP_S = 2.0  # before it nothing is known to be there; 20,000 files take a fifth of it
_SCATTERED = 0.45  # names that score less have the query's letters only, here and there


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
        from search.execution.opening import embedder_of, reranker_of  # noqa: PLC0415 - who searches by words alone needs none

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
        self.semantics: SemanticSearch | None = None
        if embedder is not None:
            from search.execution.opening import semantics_of  # noqa: PLC0415 - as above

            self.semantics = semantics_of(embedder, self._vault, self.settings)
        self._reading = Indexer(self._vault, clock)
        self._corpus = self._reading.corpus
        self._lock = self._reading.lock  # guards the corpus
        self._asking = Enricher(self._reading, self.settings, semantics=self.semantics, expand=expand)
        self._answering = Executor(
            self._reading,
            self.settings,
            self._asking,
            semantics=self.semantics,
            reranker=reranker,
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
        return self._answering.search(
            query, budget=budget, patience_s=patience_s, progress=progress, on_answer=on_answer
        )

    def explain(self, query: Query, note: NoteId, *, budget: Budget = UNLIMITED) -> Reason:
        """Say where a note stands in the answer to a query and why, or at which step it fell out.

        Raises as `search` does; a note that does not exist is a reason, not an error.
        """
        return self._answering.explain(query, note, budget=budget)

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
        from search.navigation.related import Place  # noqa: PLC0415 - the first search need not wait for it

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
            notices.append(self._answering.partial())
        self._reading.require_open()
        return evolve(answer, notices=(*answer.notices, *notices), is_complete=is_complete)

    @cached_property
    def _related(self) -> "Related":
        from search.navigation.related import Related  # noqa: PLC0415 - as above

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
        if parsed.filter is not None or is_scoped(query) or not parsed.terms:
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

    def indexed(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> "Maintenance":
        """The commands over the vectors, once all notes are read.

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
            self.semantics.want_concepts(self._asking.concept_words)
        return self.semantics.upkeep

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
        self._answering.refresh(budget=budget, patience_s=patience_s, progress=progress)

    def close(self) -> None:
        """Stop reading; the engine answers nothing after this."""
        self._reading.close()
        if self.semantics is not None:
            self.semantics.close()


def _alike(
    semantics: "SemanticSearch", note: NoteId, lines: tuple[int, int] | None, budget: Budget
) -> "SimilarNotes | None":
    from search.navigation.related import N_NEAR, SimilarNotes  # noqa: PLC0415 - as above

    ranking = semantics.alike(note, lines, N_NEAR, budget=budget)
    if ranking is None:
        return None
    floor, gate = semantics.anchors
    return SimilarNotes(ranking=ranking, floor=floor, gate=gate)
