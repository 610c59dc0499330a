"""What was read of a vault: its files, and the editor's open buffers in place of their files.

`sweep` compares the files on disk with what was read, and `read` reads those that differ. A published `notes` mapping
never changes: readers take it once and use it, while a writer replaces it as a whole, so a search never waits for
reading and never sees half a change. All methods may be called from any thread.

If the vault's folder disappears, `sweep` raises, and the notes stay, so that a drive that comes back is not read again.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import RLock
from types import MappingProxyType

from attrs import frozen

from search.budget import UNLIMITED, Budget
from search.errors import VaultError
from search.ids import NoteId, extensions_of, extracted_type, is_unopened, named_extensions_of
from search.notice import Notice, NoticeKind
from search.vault.attachments.attachments import Attachments
from search.vault.exclusions import WITHHELD, Exclusions
from search.vault.file import (
    File,
    load_attachment,
    load_file,
    may_change_unseen,
    parse_file,
    parse_text,
    raw_bytes,
    real_path,
    reason_of,
    require_folder,
)
from search.vault.kinds.places import FilePlace, file_places, fragments
from search.vault.kinds.registry import seen_text
from search.vault.lines import to_lf
from search.vault.markdown import ParsedNote
from search.vault.note import Note, file_name
from search.vault.packed import PackedDict
from search.vault.paths import is_note_id
from search.vault.raw_scan import n_held, n_named, needles_of
from search.vault.settings import VaultSettings
from search.vault.text_cache import TextCache
from search.vault.walk import Stat, walk

_LONG_AGO = Stat(0, 0, 0, 0)


@frozen
class VaultReading:
    """What was read of a vault: notes, the state in which each file was read, and notices about notes."""

    notes: PackedDict[NoteId, Note]
    read: dict[NoteId, Stat]
    notices: dict[NoteId, tuple[Notice, ...]]


@frozen
class VaultChanges:
    """Differences from what was read: notes to read, the newest first, and notes removed since the last sweep."""

    to_read: tuple[NoteId, ...] = ()
    removed: tuple[NoteId, ...] = ()


class Vault:
    """A folder of notes. `generation` grows with every change of `notes`."""

    def __init__(
        self, root: Path, settings: VaultSettings | None = None, *, attachments: Attachments | None = None
    ) -> None:
        """Reads nothing yet.

        Raises:
            VaultError: `root` does not exist, is not a folder, or cannot be listed.
        """
        self.root = root
        self.settings = settings or VaultSettings()
        self.attachments = attachments or Attachments()
        self._root = os.path.abspath(root).replace(os.sep, "/").rstrip("/")
        require_folder(self._root or "/", str(root))
        self._exclusions = Exclusions(self._root, self.settings)
        self._extensions = extensions_of(self.settings.file_types)
        self._named_extensions = named_extensions_of(self.settings.file_types)
        self._lock = RLock()
        self._sweeping = RLock()
        self._notes: PackedDict[NoteId, Note] = PackedDict()
        self._generation = 0
        self._read: dict[NoteId, Stat] = {}  # the state in which each file was read
        self._on_disk: dict[NoteId, Stat] = {}  # the state of each file in the last sweep
        self.folders: tuple[str, ...] = ()  # the folders that the last sweep listed; "" is the vault itself
        self._links: frozenset[NoteId] = frozenset()  # the notes that are symbolic links
        self._buffers: dict[NoteId, str] = {}
        self._unjudged: set[NoteId] = set()  # buffers that were opened under other exclusions
        self._seen: dict[NoteId, str] = {}  # what people see in open buffers, made on demand
        self._marked: set[str] = set()  # the paths passed to `mark_changed` since the last sweep
        self._removed: set[NoteId] = set()  # removed since the last sweep; the next one returns them
        self._skipped: dict[str, str] = {}  # path -> why the last sweep skipped it
        self._unread: dict[NoteId, str] = {}  # note -> why `read` left it out
        self._note_notices: dict[NoteId, tuple[Notice, ...]] = {}
        self._notices: tuple[Notice, ...] | None = None  # a cache for `notices`; None when it is out of date
        self._recent: dict[NoteId, int] = {}  # notes read within a tick of being written: the digests of their contents
        self._texts = TextCache(self.settings.text_cache_bytes)

    @property
    def path(self) -> str:
        """The absolute path of the vault's folder, with `/` and without one at its end."""
        return self._root

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes that have been read; the returned mapping never changes."""
        return MappingProxyType(self._notes)

    @property
    def generation(self) -> int:
        """A number that grows with every change of `notes`."""
        return self._generation

    @property
    def skipped(self) -> Mapping[str, str]:
        """The notes and folders that are not searched: path -> reason."""
        with self._lock:
            return self._all_skipped()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about reading the vault, in order of path."""
        with self._lock:
            if self._notices is None:  # cached, since every search needs them
                unreadable = [
                    Notice(NoticeKind.SKIPPED, "unreadable", f"{path}: {reason}", path)
                    for path, reason in sorted(self._all_skipped().items())
                    if "cannot be read" in reason
                ]
                of_notes = [notice for note_id in sorted(self._note_notices) for notice in self._note_notices[note_id]]
                self._notices = (*unreadable, *of_notes)
            return self._exclusions.notices + self._notices + self.attachments.notices

    def outline(self, note_id: NoteId) -> Note:
        """A note without its content: only the name of the file, and its time in the last sweep."""
        stat = self._on_disk.get(note_id)
        return Note(note_id, file_name(note_id), modified=stat.mtime_ns / 1e9 if stat else 0.0)

    def size_of(self, ids: Iterable[NoteId]) -> int:
        """The bytes of these files together, in the last sweep."""
        on_disk = self._on_disk
        return sum(on_disk[note_id].size for note_id in ids if note_id in on_disk)

    def is_current(self, ids: Iterable[NoteId]) -> bool:
        """Whether the files of these notes have not changed since they were read. Open buffers are always current."""
        for note_id in ids:
            with self._lock:
                stat = None if note_id in self._buffers else self._read.get(note_id)
            if stat is None or note_id in self._links:
                continue
            try:
                info = os.lstat(f"{self._root}/{note_id}")
            except OSError:
                return False
            if Stat.of(info) != stat and not is_unopened(note_id):
                return False
        return True

    def reading(self) -> VaultReading:
        """What was read so far, without what a file's state says nothing about.

        That is open buffers, notes that were left out, files written so recently that another write could leave the
        same state, and attachments whose text, or the reason why they have none, is not kept.
        """
        with self._lock:
            unknown = {*self._recent, *self.attachments.pending, *self.attachments.unsaved}
            read = {i: stat for i, stat in self._read.items() if i in self._notes and i not in unknown}
            return VaultReading(self._notes, read, dict(self._note_notices))

    def restore(self, reading: VaultReading) -> None:
        """Begin with what an earlier process read; the next sweep compares all of it with the files."""
        with self._lock:
            self._notes, self._read = reading.notes, reading.read
            self._note_notices, self._notices = reading.notices, None
            self._generation += 1

    def sweep(self, budget: Budget = UNLIMITED) -> VaultChanges:
        """Compare the stat of every file with what was read; opens no file. Removes deleted notes from `notes`.

        Raises:
            VaultError: the folder no longer exists or cannot be listed; nothing changes.
            Cancelled: the budget was cancelled.
        """
        with self._sweeping:
            with self._lock:
                marked, self._marked = self._marked, set()
            if self._exclusions.refresh():
                with self._lock:
                    self._unjudged.update(self._buffers)
            try:
                walked = walk(
                    self._root or "/",
                    extensions=self._extensions,
                    named=self._named_extensions,
                    why_skip_file=self._exclusions.why_skip_file if self._exclusions.can_exclude_files else None,
                    why_skip_folder=self._exclusions.why_skip_folder if self._exclusions.can_exclude_files else None,
                    check=budget.check,
                )
            except OSError as error:
                with self._lock:
                    self._marked |= marked
                raise VaultError(str(self.root), reason_of(error)) from error
            self.folders = walked.folders
            skipped = {path: why for path, why in walked.skipped.items() if self._exclusions.may_name_unread(path)}
            stats = walked.stats
            if withheld := {link for link in walked.links if self._exclusions.is_link_withheld(link)}:
                stats = {note_id: stat for note_id, stat in stats.items() if note_id not in withheld}
            with self._lock:
                return self._compare(stats, skipped, walked.links - withheld, marked)

    def _compare(
        self, stats: dict[NoteId, Stat], skipped: dict[str, str], links: frozenset[NoteId], marked: set[str]
    ) -> VaultChanges:
        for path in marked:
            for note_id in [i for i in self._read if i == path or i.startswith(path.rstrip("/") + "/")]:
                del self._read[note_id]
        if skipped != self._skipped:
            self._notices = None
        is_first = not self._on_disk
        self._on_disk, self._skipped, self._links = stats, skipped, links
        known = {*self._notes, *self._read, *self._unread, *self._note_notices}
        deleted = [note_id for note_id in known.difference(stats) if note_id not in self._buffers]
        for note_id in deleted:
            self._forget(note_id)
            self.attachments.forget(note_id)
        self._replace([], deleted)
        read = self._read
        self._recheck(stats)
        changed = [i for i, stat in stats.items() if read.get(i) != stat and i not in self._buffers]
        changed.sort(key=lambda i: (-stats[i].mtime_ns, i))
        self.attachments.sweep(stats, stats if is_first else changed)
        removed = tuple(sorted(self._removed - self._notes.keys()))
        self._removed.clear()
        return VaultChanges(tuple(changed), removed)

    def _recheck(self, stats: dict[NoteId, Stat]) -> None:
        """Compare the contents of files read so soon after a write that another write would leave the same stat.

        Each such file is read again in every sweep, a last time when the file system's tick has passed.
        """
        for note_id, digest in list(self._recent.items()):
            if not may_change_unseen(stats.get(note_id, _LONG_AGO)):
                del self._recent[note_id]
            file = self._load(note_id)
            if file and file.digest != digest:
                self._read.pop(note_id, None)

    def read(self, ids: Iterable[NoteId]) -> list[ParsedNote]:
        """Read and parse notes in the order of `ids`, add those that belong to the vault to `notes`, and return them.

        A note that cannot be read is named in `skipped`; one that no longer exists is returned as removed by the next
        sweep. A note in an open buffer is not read, since `open_buffer` has returned it.
        """
        limit = self.settings.max_note_bytes
        files = [(file, parse_file(file, limit_bytes=limit)) for note_id in ids if (file := self._load(note_id))]
        with self._lock:
            kept: list[ParsedNote] = []
            left_out: list[NoteId] = []
            for file, parsed in files:
                if file.id in self._buffers:  # opened in the meantime
                    continue
                reason = self._exclusions.why_skip_note(parsed)
                self._remember(parsed, reason)
                self._mark_read(file)
                self._texts.drop(file.id)
                if reason:
                    left_out.append(file.id)
                else:
                    kept.append(parsed)
            self._replace([parsed.note for parsed in kept], left_out)
            return kept

    def holders(self, ids: Iterable[NoteId], texts: Iterable[str], *, budget: Budget) -> list[NoteId]:
        """Those of `ids` whose file seems to have a word of `texts`, those with the most words first.

        Files that cannot be read are left out. Ends with what was found when `budget` is used up.

        Raises:
            Cancelled: the budget was cancelled.
        """
        needles = needles_of(texts)
        limit = self.settings.max_note_bytes
        found = {note_id: n_named(needles, note_id) for note_id in ids} if needles else {}
        for note_id in sorted(found, key=lambda note_id: -found[note_id]):
            budget.check()
            if budget.is_spent:
                break
            if is_unopened(note_id) or extracted_type(note_id):  # nothing to find in their bytes
                continue
            with contextlib.suppress(OSError):
                data, _ = raw_bytes(self._root, note_id, limit_bytes=limit, is_link=note_id in self._links)
                found[note_id] += n_held(needles, data)
        return sorted((note_id for note_id, held in found.items() if held), key=lambda note_id: -found[note_id])

    def text(self, note_id: NoteId) -> str:
        """The note's current text, from its open buffer or else its file; "" for a note that does not exist.

        Of a file that is not Markdown it is what people see in it, see `kinds`.
        """
        with self._lock:
            if note_id in self._buffers:
                return self._seen_buffer(note_id)
            if note_id not in self._notes:
                return ""
            cached = self._texts.get(note_id, self._read.get(note_id))
        if cached is not None:
            return cached
        file = self._load(note_id)
        if file is None:
            return ""
        text = seen_text(note_id, file.text)
        with self._lock:
            self._texts.put(note_id, file.stat, text)
        return text

    def file_places(self, note_id: NoteId, lines: Sequence[int]) -> Sequence[FilePlace | None]:
        """Where these lines of a note's text are in its file, if its own lines are others, see `kinds.places`."""
        return file_places(note_id, self._file_text(note_id), lines)

    def fragments(self, note_id: NoteId) -> tuple[tuple[int, str], ...]:
        """The first line of each card or cell in a note's text, and the fragment that names it."""
        return fragments(note_id, self._file_text(note_id))

    def _file_text(self, note_id: NoteId) -> str:
        """The text of the open buffer, else of the file; "" for a file that cannot be read."""
        with self._lock:
            text = self._buffers.get(note_id)
        if text is not None:
            return text
        file = self._load(note_id)
        return "" if file is None else to_lf(file.text)

    def _seen_buffer(self, note_id: NoteId) -> str:
        if note_id not in self._seen:
            self._seen[note_id] = seen_text(note_id, self._buffers[note_id])
        return self._seen[note_id]

    def open_buffer(self, note_id: NoteId, text: str) -> ParsedNote:
        """Use `text` in place of the note's file, which need not exist yet; call again when the text changes.

        The buffer of a note that is excluded from the vault does not appear in `notes`.

        Raises:
            ValueError: `note_id` is not the path of a note.
        """
        if not is_note_id(note_id):
            raise ValueError(f"{note_id!r} is not the path of a note in a vault")
        text = text.removeprefix("\ufeff")  # as of a file
        parsed = self._parse_buffer(note_id, text)
        with self._lock:
            self._buffers[note_id] = text
            self._seen.pop(note_id, None)
            self._read.pop(note_id, None)
            self._texts.drop(note_id)
            self._judge(parsed)
        return parsed

    def judge_buffers(self) -> Iterator[ParsedNote]:
        """Take buffers into `notes` or out of them if a sweep has found other exclusions since they were opened.

        Obsidian's are first read by a sweep, and an editor may open a buffer before.
        """
        while True:
            with self._lock:
                if not self._unjudged:
                    return
                note_id = self._unjudged.pop()
                text = self._buffers.get(note_id)
            if text is None:
                continue
            parsed = self._parse_buffer(note_id, text)
            with self._lock:
                if self._buffers.get(note_id) is not text:  # edited or closed meanwhile
                    continue
                self._judge(parsed)
            yield parsed

    def _parse_buffer(self, note_id: NoteId, text: str) -> ParsedNote:
        size_bytes = len(text.encode("utf-8", "surrogatepass"))
        return parse_text(note_id, text, modified=self._time_of(note_id, text), size_bytes=size_bytes)

    def _time_of(self, note_id: NoteId, text: str) -> float:
        """The modification time of a buffer's text: now if it was edited or has no file, else the time of the file."""
        before, known = self._buffers.get(note_id), self._notes.get(note_id)
        if before is None or before == text:
            if known is not None:
                return known.modified
            with contextlib.suppress(OSError):  # opened before the first sweep
                return os.stat(f"{self._root}/{note_id}").st_mtime
        return time.time()

    def close_buffer(self, note_id: NoteId) -> VaultChanges:
        """Close the buffer: returns the note as one to read from its file, or as removed if it has no file."""
        with self._lock:
            self._seen.pop(note_id, None)
            if self._buffers.pop(note_id, None) is None:
                return VaultChanges()
            if os.path.lexists(f"{self._root}/{note_id}") and not self._exclusions.why_skip_file(note_id):
                return VaultChanges(to_read=(note_id,))
            self._forget(note_id)
            if note_id not in self._notes:
                return VaultChanges()
            self._replace([], [note_id])
            return VaultChanges(removed=(note_id,))

    def mark_changed(self, paths: Iterable[str]) -> None:
        """Have the next sweep return these notes, and all notes in these folders, even if their stats are the same."""
        with self._lock:
            self._marked.update(path.strip("/") for path in paths)

    # ---- reading
    def _load(self, note_id: NoteId) -> File | None:
        """The file, or None if it may not or cannot be read; a failure is recorded."""
        is_known = note_id in self._on_disk or (is_note_id(note_id) and not self._exclusions.why_skip_file(note_id))
        if note_id in self._buffers or not is_known:
            return None
        is_link = note_id in self._links
        try:
            if extracted_type(note_id):
                return load_attachment(
                    self._root, note_id, lambda stat: self._extracted(note_id, stat), is_link=is_link
                )
            return load_file(self._root, note_id, limit_bytes=self.settings.max_note_bytes, is_link=is_link)
        except OSError as error:
            self._record_failure(note_id, error)
            return None

    def _extracted(self, note_id: NoteId, stat: Stat) -> tuple[str, str]:
        """The content id and the JSON of an attachment in this state, see `Attachments.known`."""
        with self._lock:
            note = self._notes.get(note_id) if self._read.get(note_id) == stat else None
        return self.attachments.known(note_id, stat, note.content_id if note else "")

    def extract(self, note_id: NoteId) -> bool:
        """Have a pending attachment parsed, so that `read` finds its text; False if it was written a moment ago.

        Raises:
            NoChildError: the process that parses files cannot be started.
        """
        try:
            path = real_path(self._root, note_id, is_link=note_id in self._links)
        except OSError:
            self.attachments.forget(note_id)
            return True
        return self.attachments.extract(self._root or "/", note_id, path, is_fresh=_is_just_written)

    def prefer_attachments(self, texts: Iterable[str]) -> None:
        """Have pending attachments parsed first whose names have words of `texts`, those with the most words first.

        Nothing but their names is known yet.
        """
        if (needles := needles_of(texts)) and (pending := self.attachments.pending):
            named = {note_id: n_named(needles, note_id) for note_id in pending}
            self.attachments.prefer(sorted((note_id for note_id in pending if named[note_id]), key=lambda i: -named[i]))

    def prune_attachments(self) -> None:
        """Delete kept texts that belong to no file of the vault, see `TextStore.prune`."""
        notes = self._notes
        self.attachments.store.prune({notes[note_id].content_id for note_id in notes if extracted_type(note_id)})

    def _record_failure(self, note_id: NoteId, error: OSError) -> None:
        with self._lock:
            self._replace([], [note_id])
            self._forget(note_id)
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                self._notices = None
                if self._exclusions.may_name_unread(note_id):
                    self._unread[note_id] = f"the note cannot be read ({reason_of(error)})"
                if note_id in self._on_disk:
                    self._read[note_id] = self._on_disk[note_id]  # tried again when its stat changes

    def _all_skipped(self) -> dict[str, str]:
        unread: dict[str, str] = {str(note_id): reason for note_id, reason in self._unread.items()}
        return self._skipped | unread

    # ---- the state; all methods below are called with the lock held
    def _replace(self, notes: list[Note], removed: Iterable[NoteId]) -> None:
        """Replace `notes` by a mapping with these notes added or replaced, and others removed."""
        removed = [note_id for note_id in removed if note_id in self._notes]
        if not notes and not removed:
            return
        changed = self._notes.copy()
        for note in notes:
            changed[note.id] = note
        for note_id in removed:
            del changed[note_id]
            self._texts.drop(note_id)
        self._removed.update(removed)
        self._notes = changed
        self._generation += 1

    def _judge(self, parsed: ParsedNote) -> None:
        """Take the note of a buffer into `notes` or out of them."""
        note_id = parsed.note.id
        reason = self._exclusions.why_skip_file(note_id) or self._exclusions.why_skip_note(parsed)
        self._remember(parsed, reason)
        self._replace([] if reason else [parsed.note], [note_id] if reason else [])

    def _remember(self, parsed: ParsedNote, reason: str) -> None:
        self._forget(parsed.note.id)
        if reason == WITHHELD:
            return
        if parsed.notices:
            self._note_notices[parsed.note.id] = parsed.notices
        if reason:
            self._unread[parsed.note.id] = reason

    def _forget(self, note_id: NoteId) -> None:
        self._notices = None
        self._read.pop(note_id, None)
        self._unread.pop(note_id, None)
        self._note_notices.pop(note_id, None)
        self._recent.pop(note_id, None)

    def _mark_read(self, file: File) -> None:
        on_disk = self._on_disk.get(file.id)
        is_same = on_disk == file.stat or (on_disk is not None and is_unopened(file.id))
        self._read[file.id] = on_disk if on_disk and is_same else file.stat  # share one object if they are equal
        if may_change_unseen(file.stat) and not is_unopened(file.id):
            self._recent[file.id] = file.digest


def _is_just_written(stat: Stat) -> bool:
    """Whether `may_change_unseen` will soon be false; never for a file with a time in the future."""
    return stat.mtime_ns <= time.time_ns() and may_change_unseen(stat)
