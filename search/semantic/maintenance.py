"""The commands over a vault's vectors: planned, brought up to date, made anew, dropped, rid of what is gone.

What a command has done stays done when it is cancelled. It stops for every search, as the thread behind does.
"""

from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.notice import Notice
from search.ports import Progress, silent
from search.semantic.background_indexer import BackgroundIndexer
from search.semantic.chunking import Need
from search.semantic.concepts import ConceptKeeper
from search.semantic.note_vectors import Notes, NoteVectors
from search.semantic.query_vectors import QueryVectors
from search.semantic.scheduler import Scheduler
from search.semantic.status import Plan
from search.semantic.throughput import Throughput


@frozen(eq=False, kw_only=True)
class Maintenance:
    """One vault's. `where` the embedder computes, for a person to read."""

    _embeddings: NoteVectors
    _vault: Notes
    _turns: Scheduler
    _pace: Throughput
    _asked: QueryVectors
    _filler: BackgroundIndexer
    _concepts: ConceptKeeper
    _where: str

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is wrong with the store, or with what was embedded since the start."""
        return self._embeddings.notices

    def plan(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> Plan:
        """What `update` would do. Reads and cuts every note that has no vectors yet, embeds nothing.

        Raises:
            VaultseekError: the store cannot be read, or the model not be loaded.
        """
        total = Need()
        was_open = self._embeddings.is_open
        with self._turns.model:
            is_new = not self._embeddings.open_unasked()
            if is_new:
                missing = tuple(self._embeddings.missing())
            else:
                self._embeddings.forget_gone()
                missing = self._embeddings.check(self._embeddings.missing())
        n_missing = 0
        for at, note in enumerate(missing):
            budget.check()
            progress(at, len(missing))
            with self._turns.model:
                need = (self._embeddings.need_anew if is_new else self._embeddings.need)(note, budget)
            n_missing += need.n_chunks > 0
            total = Need(total.n_chunks + need.n_chunks, total.n_tokens + need.n_tokens)
        progress(len(missing), len(missing))
        if not was_open and self._embeddings.embedder.known_dimensions is None:
            with self._turns.model:
                self._embeddings.close()  # who embeds opens it with the dimensions that the model has now
        return Plan(
            n_notes=len(self._vault.notes),
            n_missing=n_missing,
            n_chunks=total.n_chunks,
            n_tokens=total.n_tokens,
            seconds=self._pace.seconds_for_chunks(total.n_chunks),
            model=self._embeddings.embedder.model,
            where=self._where,
        )

    def update(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> int:
        """Embed everything that is missing; gives how many notes got vectors that the model made.

        What is done stays done if it is cancelled.

        Raises:
            VaultseekError: the model failed, or the store cannot be written.
            Cancelled: the budget was cancelled.
        """
        self._asked.learn_dimensions(budget)
        with self._turns.model:
            self._embeddings.retry()
            self._embeddings.need_store()
            self._embeddings.forget_gone()
            missing = self._embeddings.check(self._embeddings.missing())
        n_before = self._embeddings.n_notes
        try:
            for at, note in enumerate(missing):
                progress(at, len(missing))
                self._filler.embed(note, budget, ahead=missing[at + 1 : at + self._embeddings.embedder.batch_size])
                self._embeddings.need_store()
        finally:
            with self._turns.model:
                self._embeddings.flush()
        self._concepts.learn(budget)
        progress(len(missing), len(missing))
        return self._embeddings.n_notes - n_before

    def rebuild(self, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> int:
        """Forget all vectors and make them anew; raises as `update` does."""
        self.clear()
        return self.update(budget=budget, progress=progress)

    def clear(self) -> None:
        """Forget all vectors.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._turns.model:
            self._embeddings.clear()
            self._filler.forget()

    def collect_garbage(self) -> int:
        """Drop from the store what belongs to no note any more; gives of how many notes.

        Raises:
            StoreError: the store cannot be written.
        """
        with self._turns.model:
            return self._embeddings.collect()
