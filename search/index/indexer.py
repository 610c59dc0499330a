"""The indexer: keeps a vault's corpus up to date with its files and open buffers.

Before a query, at most once a second, it *sweeps* the vault, which compares the state of every file with the state in
which it was read; if the vault's folders are watched, only after a change and once a minute. A few changed notes are
read before the query goes on. Many or large ones, as on the first query, are read by a background thread, and the
corpus is incomplete until that thread is done. One lock guards the corpus; it is held while a batch of notes is added
or a query is ranked, some ten milliseconds each, and never while files are read.

Never writes to the vault.
"""

import contextlib
import gc
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from search.budget import UNLIMITED, Budget
from search.errors import VaultClosed, VaultError
from search.ids import NoteId, extracted_type
from search.index.corpus import Corpus
from search.index.extraction import Extraction
from search.index.memory import configure_allocator, trim_heap
from search.index.snapshot import load_snapshot, take_snapshot, write_snapshot
from search.ports import Progress, silent
from search.vault.markdown import ParsedNote
from search.vault.note import Note
from search.vault.vault import Vault
from search.vault.watch import Watch

_SWEEP_EVERY_S = 1.0  # typing a query sends several requests a second, and files change far less often
_CHECK_EVERY_S = 60.0  # of a vault that is watched, since a system may lose events
_INLINE_NOTES = 64  # up to so many changed notes are read before the query goes on: some 20 ms
_INLINE_BYTES = 2**20  # of these notes; more may take seconds, and a query that waits for a thread can be cancelled
_BATCH_NOTES = 64  # notes added to the corpus at once: few enough that an early answer has the best of them
_MANY_PIECES = 10_000  # of text that are cached for the next edit of a note; most notes have less than a thousand
_QUICK_S = 0.03  # how long a quick refresh waits: enough to sweep 2,000 files
_FEW_NOTES, _FEW = 256, 16  # fewer changed notes, or a smaller part of all, are read again before a snapshot is written
_EXTRACTED = 16  # notes that take as long to read as an attachment, of which not even its hash is known
_QUIET_S = 2.0  # without a note being read, before the snapshot is written
_EXTRACTION_S = 2.0  # of extraction for which a caller waits that waits for all notes
_LOOK_S = 0.4  # of looking for the notes with a query's words, so that they are read first: some 10,000 notes
_WAIT_STEP_S = 0.05  # how often a waiting query checks whether it was cancelled


class Indexer:
    """All methods may be called from any thread. `corpus` may only be used while `lock` is held."""

    def __init__(
        self,
        vault: Vault,
        clock: Callable[[], float] = time.monotonic,
        *,
        snapshot: Path | None = None,
        saves_by_itself: bool = False,
        watches: bool = False,
    ) -> None:
        """Reads nothing yet; `clock` (seconds) measures the time since the last sweep.

        `snapshot` is the file of the snapshot, if one is kept. It is written by `save_snapshot` and, if the indexer
        `saves_by_itself`, in the background when many notes have been read. With `watches`, the vault's folders are
        watched from the first sweep on, and later sweeps wait for a change.
        """
        self.vault = vault
        self.corpus = Corpus()
        self.snapshot = snapshot
        self.snapshot_problem = ""  # why the snapshot could not be written
        self._saves_by_itself = saves_by_itself
        self._watch = Watch(vault.path, self.request_sweep, clock) if watches else None
        self._saver: threading.Thread | None = None  # writes the snapshot
        self._is_restored = snapshot is None  # whether the snapshot has been looked for
        self._n_unsaved = 0  # notes read since the snapshot was read or written
        self.lock = threading.Lock()  # guards the corpus
        self.extraction = Extraction(vault, self._read_extracted, self._end_extraction)
        self.thread: threading.Thread | None = None  # reads the pending notes, if they are many or large
        self._sweeper: threading.Thread | None = None  # runs `refresh_in_background`
        self._sweeping = threading.Lock()  # one sweep at a time; waiting threads use its result
        self._state = threading.Condition()
        self._pending: dict[NoteId, None] = {}  # the notes still to be read, in this order
        self._outlines: dict[NoteId, Note] = {}  # the result of the last `pending_outlines`
        self._preferred: tuple[str, ...] = ()  # the words whose notes are read first
        self._is_looking = False  # for these notes; reading waits for that
        self._n_read = 0
        self._clock = clock
        self._swept_at: float | None = None  # None before the first sweep
        self._is_due = True  # the next refresh sweeps, however recent the last sweep is
        self._is_closed = False

    @property
    def is_complete(self) -> bool:
        """Whether all notes have been read."""
        return not self._pending and self._swept_at is not None

    @property
    def is_swept(self) -> bool:
        """Whether the first sweep is done, so that the paths of all files are known."""
        return self._swept_at is not None

    @property
    def n_pending(self) -> int:
        """The number of notes still to be read."""
        with self._state:
            return len(self._pending)

    def pending_outlines(self) -> Mapping[NoteId, Note]:
        """The notes still to be read, as values that have only the name and the time of the file."""
        with self._state:
            pending = tuple(self._pending)
        known = self._outlines
        self._outlines = {note: known.get(note) or self.vault.outline(note) for note in pending}
        return self._outlines

    def refresh(
        self,
        *,
        budget: Budget = UNLIMITED,
        patience_s: float | None = None,
        progress: Progress = silent,
        wanted: tuple[str, ...] = (),
    ) -> bool:
        """Sweep, and read the changed notes; return whether all notes have been read.

        Waits at most `patience_s` seconds for the background thread, or until it is done if None. If it does not wait
        for all notes, those with words of `wanted` are read first.

        Raises:
            VaultError: the vault's folder is gone or can no longer be read.
            VaultClosed: the indexer was closed.
            Cancelled: the budget was cancelled.
        """
        self._sweep(budget, wanted if patience_s else ())
        deadline = None if patience_s is None else time.monotonic() + patience_s
        is_done = self._wait(budget, deadline, progress)
        self.require_open()
        if is_done:
            progress(self._n_read, self._n_read)
            self.vault.prefer_attachments(wanted)
            self.extraction.start()
            if patience_s is None:
                self.extraction.wait(_EXTRACTION_S, budget=budget)
        return is_done

    def _prefer(self, wanted: tuple[str, ...], budget: Budget) -> None:
        """Have the pending notes with words of `wanted` read first. The caller holds `_sweeping`."""
        with self._state:
            pending = tuple(self._pending)
            if len(pending) <= _BATCH_NOTES or wanted == self._preferred:
                return
            self._preferred = wanted
            self._is_looking = True
        holders: list[NoteId] = []
        try:
            holders = self.vault.holders(pending, wanted, budget=budget.within(_LOOK_S))
        finally:
            with self._state:
                first = dict.fromkeys(note for note in holders if note in self._pending)
                self._pending = first | self._pending
                self._is_looking = False
                self._state.notify_all()

    def _wait(self, budget: Budget, deadline: float | None, progress: Progress = silent) -> bool:
        """Wait until no note is pending or `deadline` has passed; return whether no note is pending."""
        with self._state:
            while self._pending and self.thread is not None:
                budget.check()
                progress(self._n_read, self._n_read + len(self._pending))
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._state.wait(_WAIT_STEP_S if left is None else min(left, _WAIT_STEP_S))
            return not self._pending

    def refresh_quickly(self, *, budget: Budget = UNLIMITED, patience_s: float | None = None) -> None:
        """Refresh for calls that must return quickly, such as hover: wait at most `patience_s`, also for the sweep.

        Once all notes have been read, it waits at most 30 milliseconds. Raises the errors of `refresh`, except that it
        raises VaultError only while notes are still to be read and `patience_s` is None.
        """
        self.require_open()
        if self.is_complete:
            self.refresh_in_background(_QUICK_S if patience_s is None else min(_QUICK_S, patience_s))
        elif patience_s is None:
            self.refresh(budget=budget)
        else:
            deadline = time.monotonic() + patience_s
            self.refresh_in_background(patience_s)
            self._wait(budget, deadline)

    def refresh_in_background(self, patience_s: float) -> None:
        """Sweep and read in a background thread, and wait for it at most `patience_s`.

        Raises nothing: a failure occurs again in the next `refresh`, which raises it.
        """
        if not self._is_due and not self._is_overdue and not self._pending:
            return
        with self._state:
            sweeper = self._sweeper
            if sweeper is None:
                sweeper = threading.Thread(target=self._refresh_quietly, name="vault-sweep", daemon=True)
                self._sweeper = sweeper
                sweeper.start()
        sweeper.join(patience_s)

    def _refresh_quietly(self) -> None:
        try:
            with contextlib.suppress(VaultError):
                self.refresh(patience_s=0.0)
        finally:
            self._sweeper = None

    @property
    def _is_overdue(self) -> bool:
        if self._swept_at is None:
            return True
        since = None if self._watch is None else self._watch.since
        if since is not None and self._swept_at >= since:
            return self._clock() - self._swept_at >= _CHECK_EVERY_S
        return self._clock() - self._swept_at >= _SWEEP_EVERY_S

    def request_sweep(self) -> None:
        """Have the next refresh sweep, however recent the last sweep is."""
        self._is_due = True

    def open_buffer(self, note: NoteId, text: str) -> None:
        """Use an editor's text for the note instead of its file, if it has one; call again after each edit.

        An attachment keeps the text of its file, since an editor shows its bytes.
        """
        if extracted_type(note):
            return
        self._restore()
        parsed = self.vault.open_buffer(note, text)
        self._publish((parsed,), (note,))

    def close_buffer(self, note: NoteId) -> None:
        """Use the note's file again, read at the next query; a note that was never saved is removed."""
        self._restore()
        self._publish((), self.vault.close_buffer(note).removed)
        self._is_due = True

    def mark_changed(self, notes: Iterable[NoteId]) -> None:
        """Have these files read again before the next query, even if their sizes and times are the same."""
        self.vault.mark_changed(notes)
        self._is_due = True

    def require_open(self) -> None:
        """Check that the indexer is open; after `close` the corpus may be incomplete.

        Raises:
            VaultClosed: it was closed.
        """
        if self._is_closed:
            raise VaultClosed(str(self.vault.root))

    def close(self) -> None:
        """Stop reading; the indexer cannot be used afterwards."""
        with self._state:
            self._is_closed = True
            self._pending.clear()
            self._state.notify_all()
            thread = self.thread
        self.extraction.close()
        if self._watch is not None:
            self._watch.close()
        if thread is not None:
            thread.join()

    def save_snapshot(self) -> None:
        """Write the snapshot if one is kept, all notes have been read, and many of them since it was last written.

        Never fails: a folder that cannot be written only means that the next start reads the notes again.
        """
        if self.snapshot is None or not self.is_complete or self._n_unsaved < self._n_worth_saving:
            return
        with self.lock:
            n_unsaved = self._n_unsaved
            snapshot = take_snapshot(self.corpus, self.vault)
        try:
            write_snapshot(self.snapshot, snapshot, self.vault.settings)
            self.snapshot_problem = ""
        except OSError as error:
            self.snapshot_problem = error.strerror or str(error)
        self._n_unsaved -= n_unsaved
        del snapshot
        trim_heap()  # writing it takes half as much memory as the vault

    @property
    def _n_worth_saving(self) -> int:
        return max(_FEW_NOTES, len(self.corpus.notes) // _FEW)

    def _restore(self) -> None:
        """Read the snapshot, once, before anything else is read."""
        if self._is_restored:
            return
        with self._sweeping, self.lock:
            if not self._is_restored and self.snapshot is not None:
                load_snapshot(self.snapshot, self.corpus, self.vault)
            self._is_restored = True

    def _save_later(self) -> None:
        """Write the snapshot in the background when no note has been read for a while."""
        if not self._saves_by_itself or self.snapshot is None or self._n_unsaved < self._n_worth_saving:
            return
        with self._state:
            if self._saver is None and not self._is_closed:
                self._saver = threading.Thread(target=self._save_when_quiet, name="vault-saver", daemon=True)
                self._saver.start()

    def _save_when_quiet(self) -> None:
        n_before = -1
        with self._state:
            while not self._is_closed and n_before != self._n_unsaved:
                n_before = self._n_unsaved
                self._state.wait_for(lambda: self._is_closed, _QUIET_S)
            self._saver = None
        if not self._is_closed:
            self.save_snapshot()

    def _sweep(self, budget: Budget, wanted: tuple[str, ...] = ()) -> None:
        self._restore()
        with self._sweeping:
            self.require_open()
            if self._is_due or self._is_overdue:
                self._is_due = False
                self._find_changes(budget)
            try:
                if wanted:
                    self._prefer(wanted, budget)
            finally:
                has_thread = self._start_thread()  # its first batch has what is wanted
            if not has_thread:
                self._read_batch(_INLINE_NOTES, budget)
                self._save_later()

    def _find_changes(self, budget: Budget) -> None:
        began_at = self._clock()
        try:
            changes = self.vault.sweep(budget)
        except BaseException:
            self._is_due = True
            raise
        self._publish((), changes.removed)
        for parsed in self.vault.judge_buffers():
            self._publish((parsed,), (parsed.note.id,))
        if self._watch is not None:
            self._watch.watch(self.vault.folders)
        with self._state:
            self._pending.update(dict.fromkeys(changes.to_read))
            self._swept_at = began_at
        trim_heap()  # frees what a second of queries left; takes half a millisecond

    def _start_thread(self) -> bool:
        """Whether a background thread reads the pending notes; starts one if they are many or large."""
        with self._state:
            is_much = len(self._pending) > _INLINE_NOTES or self.vault.size_of(self._pending) > _INLINE_BYTES
            if self.thread is None and is_much and not self._is_closed:
                self._n_read = 0
                self.thread = threading.Thread(target=self._read_all, name="vault-reader", daemon=True)
                self.thread.start()
            return self.thread is not None

    def _read_all(self) -> None:
        try:
            while self._read_batch(_BATCH_NOTES, UNLIMITED) or not self._end_reading():
                gc.freeze()  # notes stay in memory: searching them for garbage takes 3 % of the time
        finally:
            gc.unfreeze()
            with self._state:
                self.thread = None
                self._state.notify_all()
            self._settle()

    def _settle(self) -> None:
        """Give back the memory that reading took, and write the snapshot later."""
        self._optimize()
        configure_allocator()
        trim_heap()
        self._save_later()

    def _optimize(self) -> None:
        """Free caches and merge segments, so that later queries are fast; merges without holding the lock."""
        with self.lock:
            self.corpus.vocabulary.forget_pieces()
            postings = self.corpus.postings
        merged = postings.merged()
        with self.lock:
            if self.corpus.postings is postings:
                self.corpus.postings = merged

    def _end_reading(self) -> bool:
        """Whether no note is pending, so that the thread may end.

        Holds the lock that `_start_thread` also holds, so that no note stays pending.
        """
        with self._state:
            if self._pending and not self._is_closed:
                return False
            self.thread = None
            return True

    def _read_batch(self, n_notes: int, budget: Budget) -> bool:
        """Read the next pending notes and add them to the corpus; False if there are none."""
        with self._state:
            self._state.wait_for(lambda: not self._is_looking or self._is_closed)
            batch = list(self._pending)[:n_notes]
        if not batch or self._is_closed:
            return False
        parsed = self.vault.read(batch)
        self._publish(parsed, batch)
        with self._state:
            for note in batch:
                self._pending.pop(note, None)
            self._n_read += len(batch)
            self._n_unsaved += len(batch)
            self._state.notify_all()
        budget.check()
        return True

    def _read_extracted(self, notes: Collection[NoteId]) -> None:
        """Read attachments again, whose text is known now."""
        self._publish(self.vault.read(notes), notes)
        with self._state:
            self._n_unsaved += _EXTRACTED * len(notes)

    def _end_extraction(self) -> None:
        """Give back the memory that reading took, and delete texts of files that are gone."""
        self._settle()
        if not self.vault.settings.withheld:  # else texts of withheld files would be deleted, which others may see
            self.vault.prune_attachments()

    def _publish(self, parsed: Iterable[ParsedNote], notes: Iterable[NoteId]) -> None:
        """Bring the corpus up to date with the vault's version of `notes`.

        A parsed note that the vault has replaced in the meantime is skipped.
        """
        with self.lock:
            known = self.vault.notes
            self.corpus.update(item for item in parsed if known.get(item.note.id) is item.note)
            self.corpus.remove(note for note in notes if note not in known)
            if self.thread is None and self.corpus.vocabulary.n_pieces > _MANY_PIECES:
                self.corpus.vocabulary.forget_pieces()
