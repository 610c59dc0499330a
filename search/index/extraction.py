"""The extraction thread: has the vault's pending attachments parsed, and adds their text to the corpus in batches.

Files are parsed in a process of low priority, so searches go on meanwhile. When nothing is pending, the thread and the
process end.
"""

import math
import threading
import time
from collections.abc import Callable, Collection

from search.budget import UNLIMITED, Budget
from search.ids import NoteId
from search.ports import Progress, silent
from search.vault.attachments.child import NoChildError
from search.vault.vault import Vault

_BATCH = 64  # files whose text is added at once
_BATCH_S = 2.0  # after so much time it is added all the same, so that a slow file delays no others that are done
_RETRY_S = 0.1  # until files that were written a moment ago are tried again
_CLOSE_S = 1.0  # how long the end waits for the thread
_WAIT_STEP_S = 0.05  # how often a waiting caller checks whether it was cancelled


class Extraction:
    """The extraction of one vault. Any thread may call its methods."""

    def __init__(self, vault: Vault, publish: Callable[[Collection[NoteId]], None], on_end: Callable[[], None]) -> None:
        """Starts nothing. `publish` gets files whose text is known now; `on_end` is called when the thread ends."""
        self._vault = vault
        self._publish = publish
        self._on_end = on_end
        self._state = threading.Condition()
        self._is_closed = False
        self._n_done = 0  # files parsed since the thread was started
        self._begun_s = 0.0  # when it was started
        self.thread: threading.Thread | None = None  # while it works

    def start(self) -> None:
        """Start the thread if files are pending, unless it is running or no file can be parsed."""
        attachments = self._vault.attachments
        if not attachments.pending or attachments.problem:
            return
        with self._state:
            if self.thread is None and not self._is_closed:
                self._n_done = 0
                self._begun_s = time.monotonic()
                self.thread = threading.Thread(target=self._run, name="vault-extractor", daemon=True)
                self.thread.start()

    def wait(self, patience_s: float | None = None, *, budget: Budget = UNLIMITED, progress: Progress = silent) -> None:
        """Wait until the thread is done, at most until `patience_s` seconds after it was started.

        So during a long extraction only the first calls wait. Without a thread, returns at once.

        Raises:
            Cancelled: the budget was cancelled.
        """
        end_s = math.inf if patience_s is None else self._begun_s + patience_s
        with self._state:
            while self.thread is not None and time.monotonic() < end_s:
                budget.check()
                progress(self._n_done, self._n_done + len(self._vault.attachments.pending))
                self._state.wait(_WAIT_STEP_S)

    def close(self) -> None:
        """End the thread and the process, also while a file is parsed; a thread that waits for a disk ends later."""
        with self._state:
            self._is_closed = True
            thread = self.thread
            self._state.notify_all()
        self._vault.attachments.child.close()
        if thread is not None:
            thread.join(_CLOSE_S)

    def _run(self) -> None:
        attachments = self._vault.attachments
        try:
            while batch := self._next():
                if not self._extract(batch):
                    with self._state:
                        self._state.wait_for(lambda: self._is_closed, _RETRY_S)
        except NoChildError as error:  # the process cannot be started, or was closed
            attachments.problem = str(error)
        finally:
            with self._state:
                if self.thread is threading.current_thread():  # an exception came before `_next` found nothing
                    attachments.child.rest()
                    self.thread = None
                    self._state.notify_all()
        self._on_end()

    def _extract(self, batch: Collection[NoteId]) -> bool:
        """Have files parsed and publish those that were, also when the process is lost on the way; False if none was.

        The rest of a batch that takes long is left for the next one.

        Raises:
            NoChildError: the process cannot be started, or was closed.
        """
        done: list[NoteId] = []
        end_s = time.monotonic() + _BATCH_S
        try:
            for note_id in batch:
                if self._vault.extract(note_id):
                    done.append(note_id)
                if time.monotonic() >= end_s:
                    break
        finally:
            self._n_done += len(done)
            if done and not self._is_closed:  # texts that were found are in the store, so the next process has them
                self._publish(done)
        return bool(done)

    def _next(self) -> tuple[NoteId, ...]:
        """The next pending files. If there are none, ends the process, and the thread counts as done."""
        attachments = self._vault.attachments
        if not attachments.pending:
            attachments.child.rest()
        with self._state:
            batch = () if self._is_closed else attachments.pending[:_BATCH]
            if not batch:
                self.thread = None
                self._state.notify_all()
            return batch
