"""A vault's corpus, kept true to its files and open buffers.

Changes are seen without any event: before a query, at most every second, the files' states are compared with what was
read. A few changed notes are read on the spot; many, as at the first query, by a thread of their own, and until it is
done the corpus is not complete. One lock guards the corpus; it is held for a batch of reading or for one question, some
ten milliseconds each, never while files are read.

Never writes to the vault.
"""

import contextlib
import gc
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from search.budget import UNLIMITED, Budget
from search.errors import VaultClosed, VaultError
from search.ids import NoteId
from search.index.corpus import Corpus
from search.index.memory import give_back, return_large_blocks
from search.ports import Progress, silent
from search.vault.markdown import Parsed
from search.vault.note import Note
from search.vault.snapshot import Vault

_SWEEP_EVERY_S = 1.0  # a typed query is several requests a second; files change far less often
_INLINE_NOTES = 64  # so many changed notes are read before the answer: some 20 milliseconds
_BATCH_NOTES = 256  # read between two publications: small enough that a first partial answer is soon there
_QUICK_S = 0.03  # a sweep of 2,000 files; who asks often does not wait for longer ones
_WAIT_STEP_S = 0.05  # how soon a waiting query sees that it was cancelled


class Indexer:
    """All methods may be called from any thread. `corpus` is only looked at while `lock` is held."""

    def __init__(self, vault: Vault, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is read yet; `clock` (seconds) says how long ago the last sweep was."""
        self.vault = vault
        self.corpus = Corpus()
        self.lock = threading.Lock()  # guards the corpus
        self.thread: threading.Thread | None = None  # that reads what is pending, where that is much
        self._behind: threading.Thread | None = None  # that sweeps for who does not wait
        self._sweeping = threading.Lock()  # one sweep at a time; the others find its result
        self._state = threading.Condition()
        self._pending: dict[NoteId, None] = {}  # to be read, in this order
        self._outlines: dict[NoteId, Note] = {}  # of what is pending, as far as somebody asked
        self._n_read = 0
        self._clock = clock
        self._swept_at: float | None = None  # None: there was no sweep yet
        self._is_due = True  # sweep before the next answer, however short ago the last one was
        self._is_closed = False

    @property
    def is_complete(self) -> bool:
        """Whether all notes were read."""
        return not self._pending and self._swept_at is not None

    @property
    def is_swept(self) -> bool:
        """Whether it is known which files there are."""
        return self._swept_at is not None

    @property
    def n_pending(self) -> int:
        """Notes still to be read."""
        with self._state:
            return len(self._pending)

    def awaited(self) -> Mapping[NoteId, Note]:
        """The notes still to be read, as far as their files' names and times tell."""
        with self._state:
            pending = tuple(self._pending)
        known = self._outlines
        self._outlines = {note: known.get(note) or self.vault.outline(note) for note in pending}
        return self._outlines

    def refresh(
        self, *, budget: Budget = UNLIMITED, patience_s: float | None = None, progress: Progress = silent
    ) -> bool:
        """Sweep for changes and read them, waiting `patience_s` at most (None: to the end); whether it was all.

        Raises:
            VaultError: the vault's folder is gone or may not be read any more.
            VaultClosed: all this was closed.
            Cancelled: the budget was cancelled.
        """
        deadline = None if patience_s is None else time.monotonic() + patience_s
        self._sweep(budget)
        is_done = self._wait(budget, deadline, progress)
        self.require_open()
        if is_done:
            progress(self._n_read, self._n_read)
        return is_done

    def _wait(self, budget: Budget, deadline: float | None, progress: Progress = silent) -> bool:
        """Until nothing is pending or it is time; whether nothing is."""
        with self._state:
            while self._pending and self.thread is not None:
                budget.check()
                progress(self._n_read, self._n_read + len(self._pending))
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._state.wait(_WAIT_STEP_S if left is None else min(left, _WAIT_STEP_S))
            return not self._pending

    def look(self, *, budget: Budget = UNLIMITED, patience_s: float | None = None) -> None:
        """For questions that must be quick: not even a sweep that takes long is waited for longer than `patience_s`.

        Once all was read, 30 milliseconds are enough. Raises as `refresh` does, of a vault that is gone only where
        `patience_s` is None.
        """
        self.require_open()
        if self.is_complete:
            self.refresh_behind(_QUICK_S if patience_s is None else min(_QUICK_S, patience_s))
        elif patience_s is None:
            self.refresh(budget=budget)
        else:
            deadline = time.monotonic() + patience_s
            self.refresh_behind(patience_s)
            self._wait(budget, deadline)

    def refresh_behind(self, patience_s: float) -> None:
        """Sweep and read in a thread of its own, and wait for it `patience_s` at most.

        Raises nothing: what fails is found again by whoever waits for a whole answer.
        """
        if not self._is_due and not self._is_late and not self._pending:
            return
        with self._state:
            behind = self._behind
            if behind is None:
                behind = self._behind = threading.Thread(target=self._refresh_quietly, name="vault-sweep", daemon=True)
                behind.start()
        behind.join(patience_s)

    def _refresh_quietly(self) -> None:
        try:
            with contextlib.suppress(VaultError):
                self.refresh(patience_s=0.0)
        finally:
            self._behind = None

    @property
    def _is_late(self) -> bool:
        return self._swept_at is None or self._clock() - self._swept_at >= _SWEEP_EVERY_S

    def look_again(self) -> None:
        """Sweep before the next answer, however short ago the last sweep was."""
        self._is_due = True

    def open_buffer(self, note: NoteId, text: str) -> None:
        """Lay an editor's text over the file, or over nothing; called anew for each change of it."""
        parsed = self.vault.open_buffer(note, text)
        self._publish((parsed,), (note,))

    def close_buffer(self, note: NoteId) -> None:
        """The file counts again, as it is on disk at the next query; a note that was never saved is gone."""
        self._publish((), self.vault.close_buffer(note).removed)
        self._is_due = True

    def hint(self, notes: Iterable[NoteId]) -> None:
        """These files may have changed: look at them before the next query, even if size and time are the same."""
        self.vault.hint(notes)
        self._is_due = True

    def require_open(self) -> None:
        """What was found out may be less than there is once this was closed.

        Raises:
            VaultClosed: it was closed.
        """
        if self._is_closed:
            raise VaultClosed(str(self.vault.root))

    def close(self) -> None:
        """Stop reading; nothing can be asked after this."""
        with self._state:
            self._is_closed = True
            self._pending.clear()
            self._state.notify_all()
            thread = self.thread
        if thread is not None:
            thread.join()

    def _sweep(self, budget: Budget) -> None:
        with self._sweeping:
            self.require_open()
            if self._is_due or self._is_late:
                self._is_due = False
                self._look_for_changes(budget)
            if not self._start_thread():
                self._read_batch(_INLINE_NOTES, budget)

    def _look_for_changes(self, budget: Budget) -> None:
        try:
            changes = self.vault.sweep(budget)
        except BaseException:
            self._is_due = True
            raise
        self._publish((), changes.removed)
        with self._state:
            self._pending.update(dict.fromkeys(changes.to_read))
            self._swept_at = self._clock()
        give_back()  # what a second of questions left behind; half a millisecond

    def _start_thread(self) -> bool:
        """Whether a thread reads what is pending; it does not where that is little."""
        with self._state:
            if self.thread is None and len(self._pending) > _INLINE_NOTES and not self._is_closed:
                self._n_read = 0
                self.thread = threading.Thread(target=self._read_all, name="vault-reader", daemon=True)
                self.thread.start()
            return self.thread is not None

    def _read_all(self) -> None:
        try:
            while self._read_batch(_BATCH_NOTES, UNLIMITED) or not self._end_reading():
                gc.freeze()  # what was read stays: looking for garbage in it takes a thirtieth of the whole
        finally:
            gc.unfreeze()
            with self._state:
                self.thread = None
                self._state.notify_all()
            self._settle()
            return_large_blocks()
            give_back()

    def _settle(self) -> None:
        """What makes the queries to come quick; without the lock as long as it can be."""
        with self.lock:
            self.corpus.vocabulary.forget_pieces()
            postings = self.corpus.postings
        merged = postings.merged()
        with self.lock:
            if self.corpus.postings is postings:
                self.corpus.postings = merged

    def _end_reading(self) -> bool:
        """Whether nothing is left; decided together with who starts the next thread, so that no note is left over."""
        with self._state:
            if self._pending and not self._is_closed:
                return False
            self.thread = None
            return True

    def _read_batch(self, n_notes: int, budget: Budget) -> bool:
        """Read the next pending notes and publish them; False when there are none."""
        with self._state:
            batch = list(self._pending)[:n_notes]
        if not batch or self._is_closed:
            return False
        parsed = list(self.vault.read(batch))
        self._publish(parsed, batch)
        with self._state:
            for note in batch:
                self._pending.pop(note, None)
            self._n_read += len(batch)
            self._state.notify_all()
        budget.check()
        return True

    def _publish(self, parsed: Iterable[Parsed], notes: Iterable[NoteId]) -> None:
        """Bring the corpus to what the vault knows of `notes`; what somebody has read anew meanwhile stays as it is."""
        with self.lock:
            known = self.vault.notes
            self.corpus.update(item for item in parsed if known.get(item.note.id) is item.note)
            self.corpus.remove(note for note in notes if note not in known)
