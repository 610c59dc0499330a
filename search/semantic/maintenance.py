"""The commands on a vault's vectors: plan, update, rebuild, clear, collect garbage.

A command that is cancelled keeps what it has done. It pauses for every search, like the background indexer, which
embeds notes through the same methods.
"""

import contextlib
import time
from collections.abc import Sequence
from random import Random

from search.budget import UNLIMITED, Budget, Cancelled
from search.ids import NoteId
from search.notice import Notice
from search.ports import Progress, silent
from search.semantic.concepts import ConceptKeeper
from search.semantic.note_embedder import NoteEmbedder
from search.semantic.note_vectors import NoteVectors
from search.semantic.query_vectors import QueryVectors
from search.semantic.scheduler import Scheduler
from search.semantic.status import THIS_COMPUTER, Plan

_N_TIMED = 50  # notes whose passages may be embedded to see how long it takes
_TIMED_S = 1.0  # for how long at most


class Maintenance:
    """The vectors of one vault, the objects that make them, and the commands on them."""

    def __init__(self, vectors: NoteVectors, scheduler: Scheduler, where: str) -> None:
        """`where` the model runs, for display."""
        self.vectors = vectors
        self.scheduler = scheduler
        self.where = where
        self.note_embedder = NoteEmbedder(vectors)
        self.queries = QueryVectors(vectors.embedder, scheduler)
        self.concepts = ConceptKeeper(vectors.embedder, vectors.storage.folder, scheduler)
        self.completed_generation: int | None = None  # of the vault, when all notes had vectors; None: look again

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Problems of the store, and of the vectors made since the start."""
        return self.vectors.storage.notices

    def plan(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> Plan:
        """The work that `update` would do. Reads and cuts every note without vectors, and stores nothing.

        A model on this computer embeds a few of the passages to see how long that takes, unless it did so before.
        An endpoint gets no text, so the time is unknown until it embedded some.

        Raises:
            VaultseekError: the store cannot be read, or the model cannot be loaded.
        """
        storage, model = self.vectors.storage, self.vectors.embedder
        was_open = storage.is_open
        with self.scheduler.model_lock:
            is_open = storage.open_without_request()
            missing = self._missing() if is_open else tuple(self.vectors.unchecked())
        timed = frozenset(Random(0).sample(missing, min(_N_TIMED, len(missing))))  # noqa: S311 not for secrets
        samples: list[str] = []
        seen: set[str] = set()  # hashes of passages, since the model reads one that occurs in several notes once
        n_missing = n_tokens = n_chars = 0
        for at, note in enumerate(missing):
            budget.check()
            progress(at, len(missing))
            with self.scheduler.model_lock:
                found = self.note_embedder.new_passages(note, budget, is_all_new=not is_open)
                new = [text for text_hash, text in found.items() if text_hash not in seen]
                n_tokens += sum(map(model.count_tokens, new))
            seen |= found.keys()
            n_missing += bool(new)
            n_chars += sum(map(len, new))
            samples += new if note in timed else ()
        progress(len(missing), len(missing))
        if self.where == THIS_COMPUTER:
            self._measure(samples, budget)
        if not was_open and model.known_dimensions is None:
            with self.scheduler.model_lock:
                storage.close()  # embedding opens it again with the vector length that the model has then
        return Plan(
            n_notes=len(self.vectors.vault.notes),
            n_missing=n_missing,
            n_chunks=len(seen),
            n_tokens=n_tokens,
            seconds=self.note_embedder.throughput.seconds_for(n_chars),
            model=model.model,
            where=self.where,
        )

    def _measure(self, passages: Sequence[str], budget: Budget) -> None:
        """Measure the throughput with some of these passages, unless it is known; takes about a second."""
        throughput, began = self.note_embedder.throughput, time.perf_counter()
        if throughput.is_known or not passages:
            return
        with self.scheduler.model_lock:
            self.vectors.embedder.embed_passages(passages[:1], budget=budget)  # loads the model
            for passage in Random(0).sample(passages, len(passages)):  # noqa: S311 likewise
                started = time.perf_counter()
                self.vectors.embedder.embed_passages([passage], budget=budget)
                throughput.add(len(passage), time.perf_counter() - started)
                if time.perf_counter() - began > _TIMED_S:
                    break

    def update(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> int:
        """Embed all notes that have no vectors; returns for how many of them the model was used.

        Raises:
            VaultseekError: the model failed, or the store cannot be written.
            Cancelled: the budget was cancelled.
        """
        self.queries.learn_dimensions(budget)
        with self.scheduler.model_lock:
            self.vectors.storage.retry_writing()
            self.vectors.storage.writable()
            missing = self._missing()
        n_before = self.note_embedder.n_embedded_notes
        self.embed_all(missing, budget, progress)
        self.concepts.learn(budget)
        progress(len(missing), len(missing))
        return self.note_embedder.n_embedded_notes - n_before

    def rebuild(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> int:
        """Delete all vectors and embed all notes; raises as `update`."""
        self.clear()
        return self.update(budget=budget, progress=progress)

    def clear(self) -> None:
        """Delete all vectors.

        Raises:
            StoreError: the store cannot be written.
        """
        with self.scheduler.model_lock:
            self.vectors.storage.clear()
            self.completed_generation = None

    def collect_garbage(self) -> int:
        """Delete the vectors of notes that no longer exist; returns of how many notes.

        Raises:
            StoreError: the store cannot be written.
        """
        with self.scheduler.model_lock:
            return self.vectors.collect()

    def embed_all(self, notes: Sequence[NoteId], budget: Budget, progress: Progress = silent) -> None:
        """Embed these notes in their order, pausing for every search, and flush the store.

        Raises:
            Cancelled: the budget was cancelled, or the scheduler was closed.
            VaultseekError: the model failed, or the store cannot be written.
        """
        batch_size = self.vectors.embedder.batch_size
        try:
            for at, note in enumerate(notes):
                progress(at, len(notes))
                self._embed(note, budget, notes[at + 1 : at + batch_size])
                self.vectors.storage.writable()
        finally:
            with self.scheduler.model_lock:
                self.vectors.storage.flush()

    def _missing(self) -> tuple[NoteId, ...]:
        self.vectors.hide_deleted()
        return self.vectors.check(self.vectors.unchecked())

    def _embed(self, note: NoteId, budget: Budget, ahead: Sequence[NoteId]) -> None:
        self._cut_long(note, budget)
        background = self.scheduler.background_budget(budget)
        while True:
            self.scheduler.wait_until_idle(budget)
            with contextlib.suppress(Cancelled), self.scheduler.model_lock:  # a search cancels it: try again when idle
                self.note_embedder.embed(note, background, ahead=ahead)
                return

    def _cut_long(self, note: NoteId, budget: Budget) -> None:
        """Cut a long note without the model lock: it takes seconds, and searches can use the model meanwhile."""
        if self.note_embedder.is_long(note):
            self.scheduler.wait_until_idle(budget)
            with self.scheduler.model_lock:
                is_missing = not self.vectors.is_current(note)
            if is_missing:
                self.note_embedder.cut_ahead(note, self.scheduler.budget_until_closed(budget))
