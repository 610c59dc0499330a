"""The background indexer: a thread of low priority that embeds the notes without vectors and stops for every search.

Names and openings come first, so that the whole vault is soon found by meaning. Then come whole texts: those that
searches found, those that most notes link to, the newest. It continues where it stopped, starts again when notes have
changed, and ends when no note is missing or a step fails.
"""

import contextlib
import os
import sys
import threading

from search.budget import UNLIMITED, Cancelled
from search.errors import VaultseekError
from search.semantic.maintenance import Maintenance
from search.semantic.status import PARTLY_COVERED, Diagnostics

_NICE = 10  # at 19, a step of 0.1 s takes 10 s on a busy machine, and a search waits for the end of the step
_CLOSE_S = 3.0  # how long closing waits for the thread; a local model's step takes a tenth of a second


class BackgroundIndexer:
    """The background indexer of one vault. Any thread may call its methods."""

    def __init__(self, maintenance: Maintenance, diagnostics: Diagnostics) -> None:
        self._maintenance = maintenance
        self._vectors = maintenance.vectors
        self._scheduler = maintenance.scheduler
        self._diagnostics = diagnostics
        self.thread: threading.Thread | None = None  # while it works

    def start(self) -> None:
        """Start the thread, unless it is running or no note has changed since it was done."""
        with self._scheduler.changed:
            is_due = self._maintenance.completed_generation != self._vectors.vault.generation
            if is_due and self.thread is None and not self._scheduler.is_closed:
                self.thread = threading.Thread(target=self._run, name="vault-embedder", daemon=True)
                self.thread.start()

    def close(self) -> None:
        """Stop the thread and close the store, so that other processes can write."""
        self._scheduler.close()
        with self._scheduler.changed:
            thread = self.thread
        if thread is not None:
            thread.join(_CLOSE_S)
            if thread.is_alive():  # an endpoint keeps it waiting; the thread closes the store later
                return
        self._close_store()

    def _run(self) -> None:
        _lower_priority()
        try:
            with contextlib.suppress(Cancelled), self._diagnostics.reporting(impact=PARTLY_COVERED):
                while self._index_once():
                    pass
        finally:
            with self._scheduler.changed:
                self.thread = None
                self._scheduler.changed.notify_all()
            if self._scheduler.is_closed:
                self._close_store()

    def _index_once(self) -> bool:
        """Embed what is missing now; whether notes have changed meanwhile."""
        vectors, maintenance = self._vectors, self._maintenance
        generation = vectors.vault.generation
        maintenance.queries.learn_dimensions(self._scheduler.background_budget(UNLIMITED))
        for embedder in maintenance.embedders:
            with self._scheduler.model_lock:
                embedder.storage.retry_writing()
                embedder.vectors.hide_deleted()
                missing = [] if embedder.storage.read_only_reason else embedder.vectors.unchecked()
            maintenance.embed_all(embedder, missing, UNLIMITED)
        maintenance.concepts.learn(UNLIMITED)
        if any(embedder.storage.read_only_reason for embedder in maintenance.embedders):
            return False
        maintenance.completed_generation = generation
        return generation != vectors.vault.generation

    def _close_store(self) -> None:
        with self._scheduler.model_lock, contextlib.suppress(VaultseekError):
            for embedder in self._maintenance.embedders:
                embedder.storage.close_for_good()


def _lower_priority() -> None:
    """Lower the priority of this thread on Linux, the only system with a priority per thread."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
