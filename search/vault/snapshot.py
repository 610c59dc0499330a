"""The vault as it is known at this moment: files, with the editor's open buffers laid over them.

Nothing is watched. `sweep` compares what lies on disk with what was read, `read` reads what differs. Whatever is
published is never changed again: readers take `notes` once and work on it, while a writer replaces it as a whole, so
a search never waits for reading and never sees half a change. All methods may be called from any thread.

A vault that vanishes makes `sweep` raise; what was known of it stays, so that a drive that comes back is not read
again. A file counts as read only when its note has been handed out, so reading can be broken off anywhere.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import RLock
from types import MappingProxyType

from attrs import evolve, frozen

from search.budget import UNLIMITED, Budget
from search.errors import VaultError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.ports import Progress, silent
from search.vault.exclusions import Exclusions
from search.vault.file import File, load_file, may_change_unseen, parse_file, parse_text, reason_of, require_folder
from search.vault.markdown import Parsed
from search.vault.note import Note
from search.vault.paths import is_note_id
from search.vault.settings import VaultSettings
from search.vault.text_cache import TextCache
from search.vault.walk import Stat, walk

_LONG_AGO = Stat(0, 0, 0, 0)
_BATCH = 64  # notes read between two publications; some milliseconds of work


@frozen
class VaultChanges:
    """What differs from the snapshot: notes to be read, newest first, and notes that are gone since the last sweep."""

    to_read: tuple[NoteId, ...] = ()
    removed: tuple[NoteId, ...] = ()


class Vault:
    """A folder of notes. `generation` grows with every change of `notes`."""

    def __init__(self, root: Path, settings: VaultSettings | None = None) -> None:
        """Reads nothing yet.

        Raises:
            VaultError: `root` is missing, is no folder, or may not be listed.
        """
        self.root = root
        self.settings = settings or VaultSettings()
        self._root = os.path.abspath(root).replace(os.sep, "/").rstrip("/")
        require_folder(self._root or "/", str(root))
        self._exclusions = Exclusions(self._root, self.settings)
        self._lock = RLock()
        self._sweeping = RLock()
        self._notes: dict[NoteId, Note] = {}
        self._generation = 0
        self._read: dict[NoteId, Stat] = {}  # the state in which each file was read
        self._on_disk: dict[NoteId, Stat] = {}  # the state in which the last sweep met it
        self._links: frozenset[NoteId] = frozenset()
        self._buffers: dict[NoteId, str] = {}
        self._hints: set[str] = set()
        self._gone: set[NoteId] = set()  # removed since the last sweep, to be told by the next one
        self._skipped: dict[str, str] = {}  # by the last sweep
        self._unread: dict[NoteId, str] = {}  # by `read`
        self._remarks: dict[NoteId, tuple[Notice, ...]] = {}
        self._told: tuple[Notice, ...] | None = None  # what the last three come to; None once one of them has changed
        self._fresh: dict[NoteId, int] = {}  # read within a tick of being written: the digest of what was read
        self._texts = TextCache(self.settings.text_cache_bytes)

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes that are known, as they were at this moment; the mapping never changes."""
        return MappingProxyType(self._notes)

    @property
    def generation(self) -> int:
        """The number of this state of `notes`."""
        return self._generation

    @property
    def skipped(self) -> Mapping[str, str]:
        """Notes and folders that are not searched, each path with the reason."""
        with self._lock:
            return self._all_skipped()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What a person should know about how the vault was read, in the order of the notes' paths."""
        with self._lock:
            if self._told is None:  # every search asks
                unreadable = [
                    Notice(NoticeKind.SKIPPED, "unreadable", f"{path}: {reason}", path)
                    for path, reason in sorted(self._all_skipped().items())
                    if "cannot be read" in reason
                ]
                remarks = [notice for note_id in sorted(self._remarks) for notice in self._remarks[note_id]]
                self._told = (*unreadable, *remarks)
            return self._exclusions.notices + self._told

    def outline(self, note_id: NoteId) -> Note:
        """A note as the last sweep met its file: called by its name, and of its time; without a look inside."""
        named = Note(note_id, "")
        met = self._on_disk.get(note_id)
        return evolve(named, title=named.name, modified=met.mtime_ns / 1e9 if met else 0.0)

    def is_current(self, ids: Iterable[NoteId]) -> bool:
        """Whether the files of these notes are still as they were read; notes in open buffers are."""
        for note_id in ids:
            with self._lock:
                known = None if note_id in self._buffers else self._read.get(note_id)
            if known is None or note_id in self._links:
                continue
            try:
                info = os.lstat(f"{self._root}/{note_id}")
            except OSError:
                return False
            if Stat.of(info) != known:
                return False
        return True

    def sweep(self, budget: Budget = UNLIMITED) -> VaultChanges:
        """Looks at every file's stat, opens none. Notes that are gone leave `notes` at once.

        Raises:
            VaultError: the folder is gone or may not be listed any more; the snapshot stays as it was.
        """
        with self._sweeping:
            with self._lock:
                hints, self._hints = self._hints, set()
            self._exclusions.refresh()
            try:
                walked = walk(
                    self._root or "/",
                    leave_out=self._exclusions.of_file if self._exclusions.needs_paths else None,
                    leave_out_folder=self._exclusions.of_folder if self._exclusions.needs_paths else None,
                    check=budget.check,
                )
            except OSError as error:
                with self._lock:
                    self._hints |= hints
                raise VaultError(str(self.root), reason_of(error)) from error
            with self._lock:
                return self._compare(walked.stats, walked.skipped, walked.links, hints)

    def _compare(
        self, stats: dict[NoteId, Stat], skipped: dict[str, str], links: frozenset[NoteId], hints: set[str]
    ) -> VaultChanges:
        for hint in hints:
            for note_id in [i for i in self._read if i == hint or i.startswith(hint.rstrip("/") + "/")]:
                del self._read[note_id]
        if skipped != self._skipped:
            self._told = None
        self._on_disk, self._skipped, self._links = stats, skipped, links
        known = {*self._notes, *self._read, *self._unread, *self._remarks}
        lost = [note_id for note_id in known.difference(stats) if note_id not in self._buffers]
        for note_id in lost:
            self._forget(note_id)
        self._replace([], lost)
        read = self._read
        self._recheck(stats)
        changed = [i for i, stat in stats.items() if read.get(i) != stat and i not in self._buffers]
        changed.sort(key=lambda i: (-stats[i].mtime_ns, i))
        removed = tuple(sorted(self._gone - self._notes.keys()))
        self._gone.clear()
        return VaultChanges(tuple(changed), removed)

    def _recheck(self, stats: dict[NoteId, Stat]) -> None:
        """Reads again, once, what was read so soon after a write that another write would not show in its stat."""
        for note_id, digest in list(self._fresh.items()):
            if not may_change_unseen(stats.get(note_id, _LONG_AGO)):
                del self._fresh[note_id]
            file = self._load(note_id)
            if file and file.digest != digest:
                self._read.pop(note_id, None)

    def read(
        self, ids: Iterable[NoteId], budget: Budget = UNLIMITED, *, progress: Progress = silent
    ) -> Iterator[Parsed]:
        """Reads, parses, publishes and hands out each note that belongs to the vault, in the order of `ids`.

        Ends early when the budget is spent; what is left is told by the next `sweep`. A note that cannot be read is
        named in `skipped`; one that vanished is told by the next sweep as removed. Of a note in an open buffer, the
        buffer's text is handed out.
        """
        wanted = list(ids)
        for first in range(0, len(wanted), _BATCH):
            batch = wanted[first : first + _BATCH]
            files = []
            for note_id in batch:
                budget.check()
                if budget.is_spent:
                    break
                if file := self._load(note_id):
                    files.append((file, parse_file(file, limit_bytes=self.settings.max_note_bytes)))
            for file, parsed in self._publish(files):
                with self._lock:
                    self._mark_read(file)
                yield parsed
            for note_id in batch:
                if covered := self._parse_buffer(note_id):
                    yield covered
            progress(min(first + _BATCH, len(wanted)), len(wanted))
            if budget.is_spent:
                return

    def text(self, note_id: NoteId) -> str:
        """The note's text as it is now, of the open buffer, else of the file; "" for one that is unknown or gone."""
        with self._lock:
            if (buffer := self._buffers.get(note_id)) is not None:
                return buffer
            if note_id not in self._notes:
                return ""
            cached = self._texts.get(note_id, self._read.get(note_id))
        if cached is not None:
            return cached
        file = self._load(note_id)
        if file is None:
            return ""
        with self._lock:
            self._texts.put(note_id, file.stat, file.text)
        return file.text

    def open_buffer(self, note_id: NoteId, text: str) -> Parsed:
        """Lays `text` over the file, also of a note that is not on disk yet; call it again when the text changes.

        A buffer of a note that is left out of the vault stays out of `notes`.

        Raises:
            ValueError: `note_id` is not the path of a note.
        """
        if not is_note_id(note_id):
            raise ValueError(f"not the path of a note in a vault: {note_id!r}")
        size_bytes = len(text.encode("utf-8", "surrogatepass"))
        parsed = parse_text(note_id, text, modified=self._time_of(note_id, text), size_bytes=size_bytes)
        reason = self._exclusions.of_file(note_id) or self._exclusions.of_note(parsed.note)
        with self._lock:
            self._buffers[note_id] = text
            self._read.pop(note_id, None)
            self._texts.drop(note_id)
            self._remember(parsed, reason)
            self._replace([] if reason else [parsed.note], [note_id] if reason else [])
        return parsed

    def _time_of(self, note_id: NoteId, text: str) -> float:
        """When a buffer's text came to be: now if it was typed or was never saved, else when the file was written."""
        before, known = self._buffers.get(note_id), self._notes.get(note_id)
        if before is None or before == text:
            if known is not None:
                return known.modified
            with contextlib.suppress(OSError):  # opened before the first sweep
                return os.stat(f"{self._root}/{note_id}").st_mtime
        return time.time()

    def close_buffer(self, note_id: NoteId) -> VaultChanges:
        """Takes the buffer away: the file is to be read again, or the note is gone with it."""
        with self._lock:
            if self._buffers.pop(note_id, None) is None:
                return VaultChanges()
            if os.path.lexists(f"{self._root}/{note_id}") and not self._exclusions.of_file(note_id):
                return VaultChanges(to_read=(note_id,))
            self._forget(note_id)
            if note_id not in self._notes:
                return VaultChanges()
            self._replace([], [note_id])
            return VaultChanges(removed=(note_id,))

    def hint(self, paths: Iterable[str]) -> None:
        """Notes or folders, below the vault, that the next sweep is to read again even if they look unchanged."""
        with self._lock:
            self._hints.update(path.strip("/") for path in paths)

    # ---- reading
    def _load(self, note_id: NoteId) -> File | None:
        """The file's text; None when it cannot be had, which is then noted down."""
        if note_id in self._buffers or not (note_id in self._on_disk or self._may_be_read(note_id)):
            return None
        try:
            return load_file(
                self._root, note_id, limit_bytes=self.settings.max_note_bytes, is_link=note_id in self._links
            )
        except OSError as error:
            self._lose(note_id, error)
            return None

    def _may_be_read(self, note_id: NoteId) -> bool:
        """Of what no walk has met; whether it is there is another matter."""
        return is_note_id(note_id) and not self._exclusions.of_file(note_id)

    def _lose(self, note_id: NoteId, error: OSError) -> None:
        with self._lock:
            self._replace([], [note_id])
            self._forget(note_id)
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                self._told = None
                self._unread[note_id] = f"the note cannot be read ({reason_of(error)})"
                if note_id in self._on_disk:
                    self._read[note_id] = self._on_disk[note_id]  # tried again when its stat changes

    def _parse_buffer(self, note_id: NoteId) -> Parsed | None:
        with self._lock:
            text = self._buffers.get(note_id)
            note = self._notes.get(note_id)
        if text is None or note is None:
            return None
        return parse_text(note_id, text, modified=note.modified, size_bytes=note.size_bytes)

    def _publish(self, files: list[tuple[File, Parsed]]) -> list[tuple[File, Parsed]]:
        """Puts the notes into the snapshot; those of them that belong there and no buffer has covered meanwhile."""
        with self._lock:
            files = [entry for entry in files if entry[0].id not in self._buffers]
            kept, left_out = [], []
            for file, parsed in files:
                reason = self._exclusions.of_note(parsed.note)
                self._remember(parsed, reason)
                self._texts.drop(file.id)
                if reason:
                    self._mark_read(file)
                    left_out.append(file.id)
                else:
                    kept.append((file, parsed))
            self._replace([parsed.note for _, parsed in kept], left_out)
            return kept

    def _all_skipped(self) -> dict[str, str]:
        unread: dict[str, str] = {str(note_id): reason for note_id, reason in self._unread.items()}
        return self._skipped | unread

    # ---- the state; all below is called with the lock held
    def _replace(self, notes: list[Note], removed: Iterable[NoteId]) -> None:
        """Publishes a new state of `notes`, unless it would be the old one."""
        removed = [note_id for note_id in removed if note_id in self._notes]
        if not notes and not removed:
            return
        changed = dict(self._notes)
        for note in notes:
            changed[note.id] = note
        for note_id in removed:
            del changed[note_id]
            self._texts.drop(note_id)
        self._gone.update(removed)
        self._notes = changed
        self._generation += 1

    def _remember(self, parsed: Parsed, reason: str) -> None:
        self._forget(parsed.note.id)
        if parsed.notices:
            self._remarks[parsed.note.id] = parsed.notices
        if reason:
            self._unread[parsed.note.id] = reason

    def _forget(self, note_id: NoteId) -> None:
        self._told = None
        self._read.pop(note_id, None)
        self._unread.pop(note_id, None)
        self._remarks.pop(note_id, None)
        self._fresh.pop(note_id, None)

    def _mark_read(self, file: File) -> None:
        known = self._on_disk.get(file.id)
        self._read[file.id] = known if known == file.stat else file.stat  # one object, where they are equal
        if may_change_unseen(file.stat):
            self._fresh[file.id] = file.digest
