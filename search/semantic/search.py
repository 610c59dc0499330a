"""Search by meaning: the model, the vectors of the notes, and the thread that makes those that are missing.

A query is embedded, the notes that its words found best are given their vectors within a budget, and the pipeline is
handed what the vectors say. All other notes follow behind, newest first, in a thread of low priority that stops
for every search and goes on where it was. Opening does nothing: model and store are loaded by the first query.

Never stands in the way of an answer: whatever fails becomes a notice that says what failed and what helps.
"""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from attrs import evolve

from search.answer.ranking import Ranking
from search.budget import UNLIMITED, Budget
from search.errors import VaultseekError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.ports import Embedder, Progress, silent
from search.query import Scope
from search.ranking.request import SemanticScores
from search.semantic.background_indexer import BackgroundIndexer
from search.semantic.chunking import FOREIGN_LIMIT
from search.semantic.concepts import ConceptKeeper
from search.semantic.diagnostics import FAILED, SOME_MISSING, UNEMBEDDED, Diagnostics, ended, foreign, unembedded
from search.semantic.file_names import FileNames
from search.semantic.maintenance import Maintenance
from search.semantic.note_vectors import Notes, NoteVectors
from search.semantic.query_vectors import QueryVectors, mean_of
from search.semantic.scheduler import LOOK_S, Scheduler
from search.semantic.settings import AutoIndex, Indexing
from search.semantic.status import SemanticStatus
from search.semantic.throughput import Throughput
from search.sources.semantic import Semantic, search_passages, search_semantic
from search.vectors.concepts import Concepts
from search.vectors.cosine import Floats


class SemanticSearch:
    """One vault's search by meaning. All methods may be called from any thread."""

    def __init__(
        self,
        embedder: Embedder,
        vault: Notes,
        folder: Path,
        settings: Indexing | None = None,
        *,
        where: str = "this computer",
        turns: Scheduler | None = None,
    ) -> None:
        """`where` the embedder computes, for a person to read; `turns` where the model has other users too."""
        self._where = where
        self._folder = folder
        self._files: SemanticSearch | None = None
        self.settings = settings or Indexing()
        self._embedder = embedder
        self._vault = vault
        self._embeddings = NoteVectors(embedder, vault, folder)
        self._turns = turns or Scheduler(self.settings.resume_after_s)
        self._working = self._turns.model
        self._asked = QueryVectors(embedder, self._turns)
        self._troubles = Diagnostics()
        self._is_wanted = self.settings.auto_index is not AutoIndex.ON_MODE_SWITCH
        self._pace = Throughput()
        self._filler = BackgroundIndexer(
            self._embeddings,
            vault,
            turns=self._turns,
            pace=self._pace,
            asked=self._asked,
            noticing=lambda: self._troubles.noticing(what=SOME_MISSING),
            afterwards=lambda: self._concepts.learn(UNLIMITED),
        )
        self._concepts = ConceptKeeper(embedder, folder, self._turns)
        self.upkeep = Maintenance(
            embeddings=self._embeddings,
            vault=vault,
            turns=self._turns,
            pace=self._pace,
            asked=self._asked,
            filler=self._filler,
            concepts=self._concepts,
            where=where,
        )

    # Questions

    def ask(self, text: str, *, is_chosen: bool, budget: Budget = UNLIMITED) -> tuple[Floats | None, list[Notice]]:
        """The vector of a query's words, or None and why. `is_chosen`: the user asked for search by meaning by name."""
        self._is_wanted = self._is_wanted or is_chosen
        if self._embedder.foreign_share(text) > FOREIGN_LIMIT:
            return None, [foreign(self._embedder.model)]
        vector = None
        with self.asking(), self._troubles.noticing() as notices:
            vector = self._asked.of_query(text, _within(self.settings.patience_alone_s, budget))
        return vector, notices

    def want_concepts(self, words_of: Callable[[], Sequence[str]]) -> None:
        """From now on learn the words that the vault is about, once no note lacks its vectors."""
        if self._concepts.words_of is None:
            self._concepts.words_of = words_of
            self._filler.forget()

    def with_concepts(
        self, query: str, vector: Floats, settings: Concepts, *, budget: Budget = UNLIMITED, notices: list[Notice]
    ) -> tuple[Floats, tuple[str, ...]]:
        """The vector of a query together with the words of the vault that are nearest to it, and these words.

        `vector` itself where no words are known yet, or none is near.
        """
        words = self._concepts.near(query, vector, settings)
        if words:
            with self.asking(), self._troubles.noticing(notices):
                text = f"{query} {' '.join(words)}"
                return self._asked.of_query(text, _within(self.settings.patience_alone_s, budget)), words
        return vector, ()

    def blend(self, vector: Floats, passage: str, *, budget: Budget = UNLIMITED, notices: list[Notice]) -> Floats:
        """The vector of a query and of a passage that might answer it together: their mean, of unit length.

        `vector` itself without a passage, and where the passage has no vector, which is told to `notices`.
        """
        if not passage:
            return vector
        try:
            with self.asking():
                other = self._asked.of_passage(passage, _within(self.settings.patience_alone_s, budget))
        except VaultseekError as error:
            message = f"A passage that might answer the question was left out: {ended(error)}"
            notices.append(Notice(NoticeKind.DEGRADED, "expansion-failed", message, "hyde"))
            return vector
        return mean_of(vector, other)

    def prepare(
        self, wanted: Sequence[NoteId], *, budget: Budget = UNLIMITED, progress: Progress = silent
    ) -> tuple[Notice, ...]:
        """Embed the notes that a query's words found best, best first, then the newest of the vault, within a budget.

        `wanted` empty: nothing was found by words, so there is more patience.
        """
        if not self._may_embed:
            return ()
        patience = self.settings.patience_s if wanted else self.settings.patience_alone_s
        first = list(dict.fromkeys(wanted))[: self.settings.n_first]
        with self.asking(), self._troubles.noticing(what=SOME_MISSING) as notices:
            within = _within(patience, budget)
            queue = self._queue(first, within)
            n_done = self._embed_all(queue, within, progress)
            if self._working.acquire(timeout=LOOK_S):  # else the next one flushes
                try:
                    self._embeddings.flush()
                finally:
                    self._working.release()
            if n_done < len(queue):
                notices.append(self._partial())
        return (*notices, *self.upkeep.notices)

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
        """The cosines of the notes nearest to a query's vector and of those in `pool`, which words found.

        Vectors that are not of a note's text as it is now are left out. `n_notes` bounds the notes whose passages are
        wanted, None for all. None if the store cannot be opened; failures become `notices`.
        """
        views = []
        with self._troubles.noticing(notices):
            views.append(self._embeddings.view())
        if not views:
            return None
        (view,) = views
        is_told = any(notice.code in {UNEMBEDDED, FAILED} for notice in notices)
        if self._is_wanted and settings.scope is Scope.VAULT and not is_told and self._embeddings.lacking():
            notices.append(self._partial())
        floor, lines_of = self._embedder.noise_floor, self._embeddings.lines_of

        def nearest(n: int, among: Iterable[NoteId] | None) -> Ranking[NoteId]:
            rows = None if among is None else view.rows_of(among)
            return search_semantic(vector, view, n, rows, floor=floor, lines_of=lines_of, budget=budget)

        hits = {hit.id: hit for hit in nearest(len(pool), pool)}
        if settings.scope is Scope.VAULT:
            hits |= {hit.id: hit for hit in nearest(settings.n_notes, allowed)}
        stale, with_vectors = set(hits), frozenset[NoteId]()
        with self._troubles.noticing(notices), self._using(_within(self.settings.patience_s, budget)):
            stale = set(self._embeddings.check([*hits, *(view.measured(pool) - hits.keys())]))
        near = Ranking.of(hit for hit in hits.values() if hit.id not in stale)
        with self._troubles.noticing(notices):
            with_vectors = frozenset(self._embeddings.view().measured([*pool, *near.ranks]))
        passages = None
        if with_passages:
            notes = near.ranks if n_notes is None else near.top(n_notes).ranks
            passages = search_passages(vector, view, tuple(notes), floor=floor, lines_of=lines_of, budget=budget)
        return SemanticScores(
            notes=near,
            with_vectors=with_vectors,
            passages=passages,
            weight=self._embedder.default_weight if settings.weight is None else settings.weight,
            floor=floor,
            gate=self._embedder.graph_gate,
        )

    def alike(
        self, note: NoteId, lines: tuple[int, int] | None, n: int, *, budget: Budget = UNLIMITED
    ) -> Ranking[NoteId] | None:
        """The notes with the passage nearest to the mean of this note's passages, or of those on some of its lines.

        Embeds nothing: without vectors of the note's text as it is nothing is alike. None: it cannot be told now, since
        the model is at work or the store cannot be read.
        """
        with self.asking():
            if not self._working.acquire(timeout=LOOK_S):
                return None
            found: Ranking[NoteId] | None = None
            try:
                with self._troubles.noticing():
                    found = self._alike(note, lines, n, budget)
            finally:
                self._working.release()
            return found

    def _alike(self, note: NoteId, lines: tuple[int, int] | None, n: int, budget: Budget) -> Ranking[NoteId]:
        if self._embeddings.check([note]):
            return Ranking()
        view = self._embeddings.view()
        rows = view.rows_of([note])
        if lines is not None:
            rows = rows[[self._is_on(note, view.chunk_at(row)[1], lines) for row in rows.tolist()]]
        floor, lines_of = self._embedder.noise_floor, self._embeddings.lines_of
        found = search_semantic(view.mean(rows), view, n + 1, None, floor=floor, lines_of=lines_of, budget=budget)
        stale = {note, *self._embeddings.check(hit.id for hit in found)}
        return Ranking.of(hit for hit in found if hit.id not in stale)

    def _is_on(self, note: NoteId, chunk: int, lines: tuple[int, int]) -> bool:
        place = self._embeddings.lines_of(note, chunk)
        return place is not None and place[0] < lines[1] and lines[0] < place[1]

    def of_files(self) -> "SemanticSearch":
        """The same for what notes are called and where they lie, with vectors of their own beside those of texts."""
        if self._files is None:
            names, folder = FileNames(self._vault), self._folder / "files"
            self._files = SemanticSearch(
                self._embedder, names, folder, self.settings, where=self._where, turns=self._turns
            )
        return self._files

    @property
    def anchors(self) -> tuple[float, float]:
        """The raw cosines that are worth nothing, and that make a note sure."""
        return self._embedder.noise_floor, self._embedder.graph_gate

    @property
    def n_vectors(self) -> int:
        """How many vectors there are in memory; 0 before the store was opened."""
        return len(self._embeddings.view()) if self._embeddings.is_open else 0

    def asking(self) -> contextlib.AbstractContextManager[None]:
        """While this is held, the thread behind does not work."""
        return self._turns.asking()

    # Behind the answers

    def follow(self) -> None:
        """Begin to embed what is missing, behind; nothing if that is not wanted, is done or goes on already."""
        if self._may_embed and self.settings.is_filling:
            self._filler.start()

    def close(self) -> None:
        """Stop, flush, and let others write to the store."""
        if self._files is not None:
            self._files.close()
        self._filler.close()

    # How it stands

    def look(self) -> None:
        """Open the store, so that `status` tells what is in it; asks no endpoint. What fails is in the status too."""
        with self._working, self._troubles.noticing():
            self._embeddings.open_unasked()

    def seconds_left(self) -> float | None:
        """How long what is missing will take; None if nothing is known of that yet."""
        return self._pace.seconds_for_chunks(self._embeddings.guess(self._embeddings.lacking()))

    def status(self) -> SemanticStatus:
        """How it stands; loads nothing."""
        view = self._embeddings.view() if self._embeddings.is_open else None
        known = view.notes.intersection(self._vault.notes) if view else frozenset()
        lacking = self._embeddings.lacking()
        return SemanticStatus(
            model=self._embedder.model,
            n_notes=len(known),
            n_vectors=len(view) if view else 0,
            n_missing=len(lacking),
            n_bytes=self._embeddings.n_bytes,
            folder=str(self._embeddings.folder),
            is_filling=self._filler.thread is not None,
            seconds_left=self._pace.seconds_for_chunks(self._embeddings.guess(lacking)),
            problem=self._troubles.problem,
            unstored=self._embeddings.busy,
        )

    # Work

    @property
    def _may_embed(self) -> bool:
        return self.settings.auto_index is not AutoIndex.NEVER and self._is_wanted

    def _using(self, budget: Budget) -> contextlib.AbstractContextManager[None]:
        """Hold the model within a budget: on a busy machine the thread behind may keep it for long."""
        return self._turns.using(self._embedder.model, budget)

    def _queue(self, first: Sequence[NoteId], budget: Budget) -> list[NoteId]:
        """Which notes to embed for a query, in which order: long ones last, so that one cannot take all the time."""
        with self._using(budget):
            self._embeddings.forget_gone()
            queue = list(self._embeddings.check(first))
            n_more = self.settings.n_first - len(first)
            if n_more > 0:
                queue += self._newest(n_more, without=set(first))
        return sorted(queue, key=self._embeddings.is_long)

    def _newest(self, n: int, *, without: AbstractSet[NoteId]) -> list[NoteId]:
        """The newest notes without vectors: of the `n` newest those that turn out to, and others known to.

        Beside others that are wanted none that would take all the time.
        """
        is_long = self._embeddings.is_long
        unseen = [
            note for note in self._embeddings.missing() if note not in without and not (without and is_long(note))
        ]
        found = list(self._embeddings.check(unseen[:n]))
        lacking = self._embeddings.lacking()
        return [*found, *(note for note in unseen[n:] if note in lacking)][:n]

    def _partial(self) -> Notice:
        is_never = self.settings.auto_index is AutoIndex.NEVER
        return unembedded(len(self._embeddings.lacking()), None if is_never else self.seconds_left(), is_never=is_never)

    def _embed_all(self, queue: Sequence[NoteId], budget: Budget, progress: Progress) -> int:
        """Embed notes until the budget is spent; gives how many were done."""
        for at, note in enumerate(queue):
            progress(at, len(queue))
            with self._using(budget), self._pace.measuring(lambda: self._embeddings.n_embedded):
                if not self._embeddings.embed(note, budget):
                    return at
        progress(len(queue), len(queue))
        return len(queue)


def _within(seconds: float, budget: Budget) -> Budget:
    """A budget of so many seconds at most, counted from now."""
    ends = budget.clock() + seconds
    return evolve(budget, deadline=ends if budget.deadline is None else min(budget.deadline, ends))
