"""Semantic search: embeds a query, and keeps the vectors of the notes that it is compared with up to date.

For each query, the notes that keyword search ranks best are embedded within a time budget. The background indexer
embeds all others, newest first. Nothing is loaded or opened before the first query that needs it.

A failure never prevents an answer: it becomes a notice that says what failed and what helps.
"""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from attrs import frozen

from search.answer.evidence import Passage
from search.answer.ranking import Ranking
from search.budget import UNLIMITED, Budget
from search.errors import VaultseekError
from search.ids import NoteId
from search.index.vault_view import LanguageView
from search.notice import Notice, NoticeKind
from search.ports import Embedder, Progress, silent
from search.providers.scripts import FOREIGN_LIMIT
from search.query import Scope
from search.ranking.request import SemanticScores, counted_from
from search.semantic.background_indexer import BackgroundIndexer
from search.semantic.file_names import FileNames
from search.semantic.gists import FOLDER as GIST_FOLDER
from search.semantic.gists import Gists
from search.semantic.maintenance import Maintenance
from search.semantic.note_embedder import NoteEmbedder
from search.semantic.note_vectors import Notes, NoteVectors
from search.semantic.query_vectors import mean_of
from search.semantic.scheduler import Scheduler
from search.semantic.settings import AutoIndex, Indexing
from search.semantic.status import (
    FAILED,
    PARTLY_COVERED,
    THIS_COMPUTER,
    WITHOUT_VECTORS,
    Diagnostics,
    SemanticStatus,
    as_sentence_end,
    foreign_language,
    foreign_script,
    without_vectors,
)
from search.sources.gist import SOURCE as GIST
from search.sources.gist import search_gists
from search.sources.semantic import SOURCE as SEMANTIC
from search.sources.semantic import Semantic, search_passages, search_semantic
from search.vectors.concepts import Concepts
from search.vectors.cosine import Floats
from search.vectors.index import DIGITS, Alike, Comparison, VectorView

_TOLD = "told-about-languages"  # a file next to the vectors


class SemanticSearch:
    """Semantic search in one vault. Any thread may call its methods."""

    def __init__(
        self,
        embedder: Embedder,
        vault: Notes,
        folder: Path,
        settings: Indexing | None = None,
        *,
        where: str = THIS_COMPUTER,
        scheduler: Scheduler | None = None,
        has_gists: bool = True,
        languages: LanguageView | None = None,
    ) -> None:
        """`where` the model runs, for display; `scheduler` if something else uses the model too.

        `has_gists`: whether names and openings have vectors of their own. `languages` tells what the model cannot read;
        None if it reads all.
        """
        self.settings = settings or Indexing()
        self._embedder = embedder
        self._vault = vault
        self._folder = folder
        self._scheduler = scheduler or Scheduler(self.settings.resume_after_s)
        self._languages = languages
        gists = NoteVectors(embedder, Gists(vault), folder / GIST_FOLDER, languages=languages) if has_gists else None
        vectors = NoteVectors(embedder, vault, folder, languages=languages)
        self.maintenance = Maintenance(vectors, self._scheduler, where, gists=gists)
        self._vectors, self._gists = vectors, gists
        self._queries = self.maintenance.queries
        self._concepts = self.maintenance.concepts
        self._diagnostics = Diagnostics()
        self.indexer = BackgroundIndexer(self.maintenance, self._diagnostics)
        # Whether notes may be embedded; with ON_MODE_SWITCH only after a query that selects semantic search.
        self._is_wanted = self.settings.auto_index is not AutoIndex.ON_MODE_SWITCH
        self._files: SemanticSearch | None = None

    # Queries: the caller holds `searching`

    def embed_query(
        self, text: str, *, is_chosen: bool, budget: Budget = UNLIMITED
    ) -> tuple[Floats | None, list[Notice]]:
        """The vector of a query, or None and the reason. `is_chosen`: the user selected semantic search explicitly."""
        self._is_wanted = self._is_wanted or is_chosen
        if self._embedder.foreign_share(text) > FOREIGN_LIMIT:
            return None, [foreign_script(self._embedder.model)]
        if self._languages is not None and self._languages.is_foreign_query(text):
            return None, [foreign_language(self._embedder.model)] if self._vectors.storage.is_first_time(_TOLD) else []
        vector = None
        with self._diagnostics.reporting() as notices:
            vector = self._queries.of_query(text, self._patient(budget))
        return vector, notices

    def learn_concepts(self, words_of: Callable[[], Sequence[str]]) -> None:
        """Learn the vault's key words from now on, once all notes have vectors."""
        if self._concepts.words_of is None:
            self._concepts.words_of = words_of
            self.maintenance.completed_generation = None

    def with_concepts(
        self, query: str, vector: Floats, settings: Concepts, *, budget: Budget = UNLIMITED, notices: list[Notice]
    ) -> tuple[Floats, tuple[str, ...]]:
        """The vector of a query together with the vault's nearest key words, and these words.

        `vector` itself if no words are known yet, or none is near.
        """
        words = self._concepts.near(query, vector, settings)
        if words:
            with self._diagnostics.reporting(notices):
                return self._queries.of_query(f"{query} {' '.join(words)}", self._patient(budget)), words
        return vector, ()

    def with_passage(
        self, vector: Floats, passage: str, *, budget: Budget = UNLIMITED, notices: list[Notice]
    ) -> Floats:
        """The mean of a query's vector and that of a passage that might answer it, of unit length.

        `vector` itself without a passage, or if the passage cannot be embedded, which is added to `notices`.
        """
        if not passage:
            return vector
        try:
            return mean_of(vector, self._queries.of_passage(passage, self._patient(budget)))
        except VaultseekError as error:
            message = f"The hypothetical answer was left out: {as_sentence_end(error)}"
            notices.append(Notice(NoticeKind.DEGRADED, "expansion-failed", message, "hyde"))
            return vector

    def embed_best_notes(
        self, wanted: Callable[[], Iterable[NoteId]], *, budget: Budget = UNLIMITED, progress: Progress = silent
    ) -> tuple[Notice, ...]:
        """Embed the notes that keyword search ranks best, best first, then the newest ones, within a time budget.

        `wanted` returns the former; it is called only if notes lack vectors. Names and openings come first, whole texts
        in the time that is left. If it returns none, the time is longer, because there is no other answer to show.
        """
        if not self._may_embed:
            return ()
        if all(embedder.vectors.is_complete for embedder in self.maintenance.embedders):
            return self.maintenance.notices
        first = list(dict.fromkeys(wanted()))[: self.settings.n_first]
        patience = self.settings.patience_s if first else self.settings.patience_alone_s
        self.maintenance.note_use(first)
        with self._diagnostics.reporting(impact=PARTLY_COVERED) as notices:
            within = budget.within(patience)
            n = self.settings.n_first
            with self._using(within):
                queues = [(embedder, embedder.queue(first, n)) for embedder in self.maintenance.embedders]
            is_done = self._embed_all(queues, within, progress)
            with self._scheduler.if_free() as is_free:
                if is_free:  # else the thread that uses the model flushes
                    self.maintenance.flush()
            if not is_done:
                notices.append(self._partial())
        return (*notices, *self.maintenance.notices)

    def scores(
        self,
        vector: Floats,
        pool: Sequence[NoteId],
        *,
        settings: Semantic,
        allowed: frozenset[NoteId] | None,
        n_notes: int | None = None,
        with_passages: bool = False,
        budget: Budget = UNLIMITED,
        notices: list[Notice],
    ) -> SemanticScores | None:
        """The cosines of the notes nearest to a query's vector, and of those in `pool`, which keyword search found.

        Outdated vectors are left out. With passages, `n_notes` is the number of notes to take them from, None for all.
        Returns None if the store cannot be opened. Failures are added to `notices`.
        """
        floor, lines_of = self._embedder.traits.noise_floor, self._vectors.lines_of
        kinds = {SEMANTIC: (self._vectors, partial(search_semantic, floor=floor, lines_of=lines_of))}
        if self._gists is not None:
            kinds[GIST] = (self._gists, partial(search_gists, floor=floor))
        found = dict[NoteId, None].fromkeys(pool)
        is_in_vault = settings.scope is Scope.VAULT
        within = pool if not is_in_vault else None if allowed is None else allowed.union(pool)
        sources: dict[str, _VectorSearch] = {}
        with self._diagnostics.reporting(notices):
            for name, (vectors, search) in kinds.items():
                compared = vectors.compared_to(vector, within, budget)
                sources[name] = _VectorSearch(vectors, compared, search)
                if is_in_vault:
                    near_notes = compared.near_notes(settings.n_notes, least=floor, among=allowed)
                    found |= dict.fromkeys(match.note for match in near_notes)
        if len(sources) < len(kinds):
            return None
        is_reported = any(notice.code in {WITHOUT_VECTORS, FAILED} for notice in notices)
        is_whole = not any(source.vectors.missing_readable() for source in sources.values())
        if self._is_wanted and is_in_vault and not is_reported and not is_whole:
            notices.append(self._partial())
        near_by = {name: self._compare(source, tuple(found), budget, notices) for name, source in sources.items()}
        near, with_vectors = near_by[SEMANTIC]
        gists, with_gists = near_by.get(GIST, (Ranking[NoteId](), frozenset[NoteId]()))
        passages = None
        if with_passages:
            notes = near.ranks if n_notes is None else near.top(n_notes).ranks
            view = self._vectors.view()
            passages = search_passages(vector, view, tuple(notes), floor=floor, lines_of=lines_of, budget=budget)
        return SemanticScores(
            notes=near,
            with_vectors=with_vectors,
            gists=gists,
            with_gists=with_gists,
            passages=passages,
            weight=self._embedder.traits.default_weight if settings.weight is None else settings.weight,
            floor=floor,
            gate=self._embedder.traits.graph_gate,
        )

    def passages_near(
        self, vector: Floats, notes: Iterable[NoteId], *, budget: Budget = UNLIMITED
    ) -> dict[NoteId, list[Passage]]:
        """The chunks of these notes with their cosines, those below the noise floor included.

        Embeds nothing; notes without vectors of their current text have no chunks.
        """
        found: dict[NoteId, list[Passage]] = {}
        with self._diagnostics.reporting(), self._using(budget.within(self.settings.patience_s)):
            current = set(notes).difference(self._vectors.check(notes))
            view = self._vectors.view()
            rows = view.rows_of(current)
            for row, cosine in zip(*view.search(vector, len(rows), allowed=rows, budget=budget), strict=True):
                note, chunk = view.chunk_at(int(row))
                if (lines := self.lines_of(note, chunk)) is not None:
                    found.setdefault(note, []).append(Passage(lines, round(float(cosine), DIGITS)))
        return found

    def similar_notes(
        self,
        note: NoteId,
        lines: tuple[int, int] | None,
        n: int,
        *,
        others: Iterable[NoteId] = (),
        budget: Budget = UNLIMITED,
    ) -> tuple[Alike, ...] | None:
        """How much a note, or its passages on the given lines, is like the `n` nearest notes and like `others`.

        Embeds nothing: a note without vectors of its current text is like no other. None if the result is unknown now,
        because the model is busy or the store cannot be read.
        """
        with self.searching(), self._scheduler.if_free() as is_free:
            if is_free:
                with self._diagnostics.reporting():
                    return self._similar_notes(note, lines, n, others, budget)
        return None

    def lines_of(self, note: NoteId, chunk: int) -> tuple[int, int] | None:
        """The lines of a note's passage, half-open and from 0; None if there is no such passage any more."""
        return self._vectors.lines_of(note, chunk)

    def for_files(self) -> "SemanticSearch":
        """Semantic search in the names and folders of notes. Its vectors are kept apart from those of texts."""
        if self._files is None:
            names, folder = FileNames(self._vault), self._folder / "files"
            self._files = SemanticSearch(
                self._embedder,
                names,
                folder,
                self.settings,
                where=self.maintenance.where,
                scheduler=self._scheduler,
                has_gists=False,
                languages=self._languages,
            )
        return self._files

    @property
    def anchors(self) -> tuple[float, float]:
        """The model's noise floor, where a raw cosine is worth nothing, and the raw cosine of a sure match."""
        traits = self._embedder.traits
        return traits.noise_floor, traits.graph_gate

    @property
    def n_vectors(self) -> int:
        """The number of vectors of whole texts in memory; 0 before the store is opened."""
        return len(self._vectors.view()) if self._vectors.storage.is_open else 0

    def searching(self) -> contextlib.AbstractContextManager[None]:
        """Keep the background indexer stopped while this is held."""
        return self._scheduler.searching()

    # The background indexer

    def start_background_indexer(self) -> None:
        """Start the background indexer, unless the settings forbid it, it is running, or no note is missing."""
        if self._may_embed and self.settings.in_background:
            self.indexer.start()

    def close(self) -> None:
        """Stop the background indexer and close the stores, so that other processes can write."""
        if self._files is not None:
            self._files.close()
        self.indexer.close()

    # Status

    def open_store(self) -> None:
        """Open the store, so that `status` covers it, without asking an endpoint. `status` reports a failure."""
        with self._scheduler.model_lock, self._diagnostics.reporting():
            for embedder in self.maintenance.embedders:
                embedder.storage.open_without_request()

    def status(self) -> SemanticStatus:
        """The state of semantic search; loads nothing."""
        storage, (texts, n_missing) = self._vectors.storage, _known(self._vectors)
        gists, n_missing_gists = _known(self._gists) if self._gists else (None, 0)
        views = [view for view in (texts, gists) if view]
        notes = self._vault.notes
        return SemanticStatus(
            model=self._embedder.model,
            n_notes=len(texts.notes.intersection(notes)) if texts else 0,
            n_vectors=sum(map(len, views)),
            n_missing=n_missing,
            n_gists=len(gists.notes.intersection(notes)) if gists else 0,
            n_missing_gists=n_missing_gists,
            n_foreign=len(self._vectors.unreadable()),
            n_bytes=sum(embedder.storage.n_bytes for embedder in self.maintenance.embedders),
            folder=str(storage.folder),
            is_indexing=self.indexer.thread is not None,
            seconds_left=self._seconds_left(),
            problem=self._diagnostics.problem,
            read_only_reason=storage.read_only_reason,
        )

    # Parts of the methods above

    @property
    def _may_embed(self) -> bool:
        return self.settings.auto_index is not AutoIndex.NEVER and self._is_wanted

    def _patient(self, budget: Budget) -> Budget:
        return budget.within(self.settings.patience_alone_s)

    def _using(self, budget: Budget) -> contextlib.AbstractContextManager[None]:
        """Hold the model lock within a budget: on a busy machine, the background indexer may keep it for long."""
        return self._scheduler.using(self._embedder.model, budget)

    def _embed_all(
        self, queues: Sequence[tuple[NoteEmbedder, Sequence[NoteId]]], budget: Budget, progress: Progress
    ) -> bool:
        """Embed notes until the budget is spent; whether all were done."""
        n_done, n_all = 0, sum(len(queue) for _, queue in queues)
        for embedder, queue in queues:
            for at, note in enumerate(queue):
                progress(n_done, n_all)
                with self._using(budget):
                    if not embedder.embed(note, budget, ahead=queue[at + 1 : at + embedder.batch_size]):
                        return False
                n_done += 1
        progress(n_all, n_all)
        return True

    def _compare(
        self, source: "_VectorSearch", notes: Sequence[NoteId], budget: Budget, notices: list[Notice]
    ) -> tuple[Ranking[NoteId], frozenset[NoteId]]:
        """The near ones of these notes by a source, and those with vectors of their current text."""
        near = source.search(source.compared, len(notes), notes, least=counted_from(*self.anchors))
        outdated, with_vectors = set(near.ranks), frozenset[NoteId]()
        with self._diagnostics.reporting(notices), self._using(budget.within(self.settings.patience_s)):
            outdated = set(source.vectors.check(source.vectors.view().measured(notes).union(near.ranks)))
        near = near.where(lambda note: note not in outdated)
        with self._diagnostics.reporting(notices):
            with_vectors = source.vectors.view().measured(notes)
        return near, with_vectors

    def _partial(self) -> Notice:
        is_never = self.settings.auto_index is AutoIndex.NEVER
        return without_vectors(
            None if is_never else self._seconds_left(),
            n_notes=len(self._vault.notes) - len(self._vectors.unreadable()),
            n_missing=len(self._vectors.missing_readable()),
            n_missing_gists=len(self._gists.missing_readable()) if self._gists else 0,
            is_never=is_never,
        )

    def _seconds_left(self) -> float | None:
        """About how long embedding all missing notes takes; None if it is not known of a kind of vectors."""
        parts = [
            embedder.seconds_to_embed(embedder.vectors.missing_readable()) for embedder in self.maintenance.embedders
        ]
        return None if None in parts else sum(filter(None, parts))

    def _similar_notes(
        self, note: NoteId, lines: tuple[int, int] | None, n: int, others: Iterable[NoteId], budget: Budget
    ) -> tuple[Alike, ...]:
        if not self._vectors.is_current(note):
            return ()
        view = self._vectors.view()
        rows = view.rows_of([note])
        if lines is not None:
            rows = rows[[self._is_on(note, view.chunk_at(row)[1], lines) for row in rows.tolist()]]
        near = (match.note for match in view.best_per_note(view.mean(rows), n + 1, budget=budget))
        compared = dict.fromkeys((*near, *others))
        outdated = {note, *self._vectors.check(compared)}
        return view.alike(rows, (other for other in compared if other not in outdated), budget=budget)

    def _is_on(self, note: NoteId, chunk: int, lines: tuple[int, int]) -> bool:
        place = self._vectors.lines_of(note, chunk)
        return place is not None and place[0] < lines[1] and lines[0] < place[1]


@frozen
class _VectorSearch:
    """A kind of vectors, their comparison with one query, and the function that makes a ranking of that."""

    vectors: NoteVectors
    compared: Comparison
    search: Callable[..., Ranking[NoteId]]  # `search_semantic` or `search_gists`


def _known(vectors: NoteVectors) -> tuple[VectorView | None, int]:
    """What is known of a kind of vectors without opening a store: those in memory, and how many notes lack them."""
    return (vectors.view() if vectors.storage.is_open else None), len(vectors.missing_readable())
