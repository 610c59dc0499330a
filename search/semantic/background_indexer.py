"""The thread behind: gives the rest of a vault its vectors, at a low priority, and stops for every search.

It goes on where it was, begins anew when notes have changed, and ends when nothing is missing or something fails.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import VaultseekError
from search.ids import NoteId
from search.semantic.note_vectors import Notes, NoteVectors
from search.semantic.query_vectors import QueryVectors
from search.semantic.scheduler import Scheduler
from search.semantic.throughput import Throughput

_NICE = 10  # at 19 a step of a tenth of a second takes ten on a busy machine, and a search waits for the step's end
_CLOSE_S = 3.0  # closing waits for the thread; a step of a model on this computer takes a tenth of it


class BackgroundIndexer:
    """One vault's. All methods may be called from any thread."""

    def __init__(
        self,
        embeddings: NoteVectors,
        vault: Notes,
        *,
        turns: Scheduler,
        pace: Throughput,
        asked: QueryVectors,
        noticing: Callable[[], AbstractContextManager[object]],
        afterwards: Callable[[], None] = lambda: None,
    ) -> None:
        """`noticing` makes a notice of what fails inside; `afterwards` is done when no vector is missing."""
        self._embeddings = embeddings
        self._vault = vault
        self._turns = turns
        self._pace = pace
        self._asked = asked
        self._noticing = noticing
        self._afterwards = afterwards
        self._filled: object = None  # the notes when there was nothing left to do
        self.thread: threading.Thread | None = None  # while it works

    def start(self) -> None:
        """Begin, unless all is done or goes on already."""
        with self._turns.changed:
            is_due = self._filled != self._vault.generation and self.thread is None
            if is_due and not self._turns.is_closed:
                self.thread = threading.Thread(target=self._fill, name="vault-embedder", daemon=True)
                self.thread.start()

    def forget(self) -> None:
        """What was done does not count any more."""
        self._filled = None

    def close(self) -> None:
        """Stop, flush, and let others write to the store."""
        self._turns.close()
        with self._turns.changed:
            thread = self.thread
        if thread is not None:
            thread.join(_CLOSE_S)
            if thread.is_alive():  # an endpoint keeps it waiting; it closes the store when it is let go
                return
        self._close_store()

    def embed(self, note: NoteId, budget: Budget, *, ahead: Sequence[NoteId] = ()) -> None:
        """Embed a note, stopping for every search; `ahead` are those that come next.

        Raises:
            Cancelled: the budget was cancelled, or all this was closed.
            VaultseekError: the model failed, or the store cannot be written.
        """
        self._cut_ahead(note, budget)
        calm = self._turns.behind(budget)
        while True:
            self._turns.wait_for_calm(budget)
            measuring = self._pace.measuring(lambda: self._embeddings.n_embedded)
            with contextlib.suppress(Cancelled), self._turns.model, measuring:
                self._embeddings.embed(note, calm, ahead=ahead)
                return

    def _cut_ahead(self, note: NoteId, budget: Budget) -> None:
        """Cut a long note while others have their turn: it takes seconds, and the model is not needed."""
        if self._embeddings.is_long(note):
            self._turns.wait_for_calm(budget)
            with self._turns.model:
                is_missing = bool(self._embeddings.check([note]))
            if is_missing:
                self._embeddings.cut_ahead(note, self._turns.until_closed(budget))

    def _fill(self) -> None:
        _lower_priority()
        try:
            with contextlib.suppress(Cancelled), self._noticing():
                while self._fill_once():
                    pass
        finally:
            with self._turns.changed:
                self.thread = None
                self._turns.changed.notify_all()
            if self._turns.is_closed:
                self._close_store()

    def _fill_once(self) -> bool:
        """Embed what is missing now; whether something has changed meanwhile."""
        generation = self._vault.generation
        self._asked.learn_dimensions(self._turns.behind(UNLIMITED))
        with self._turns.model:
            self._embeddings.retry()
            self._embeddings.forget_gone()
            missing = [] if self._embeddings.busy else self._embeddings.missing()
        for at, note in enumerate(missing):
            self.embed(note, UNLIMITED, ahead=missing[at + 1 : at + self._embeddings.embedder.batch_size])
            self._embeddings.need_store()
        with self._turns.model:
            self._embeddings.flush()
        self._afterwards()
        if not self._embeddings.busy:
            self._filled = generation
        return generation != self._vault.generation and not self._embeddings.busy

    def _close_store(self) -> None:
        with self._turns.model, contextlib.suppress(VaultseekError):
            self._embeddings.end()


def _lower_priority() -> None:
    """Linux has a priority for each thread; elsewhere the thread's short steps must do."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
