"""The files of one generation: loaded, read, appended to, and exchanged for another generation.

Each file has its own header, so a store whose chunker has changed needs no rewriting. A note that another chunker cut
has an empty content hash, which equals no other hash, so the note is cut again.

Files stay open once they are loaded. So a reader keeps the vectors that it has seen even when a writer in another
process has replaced and deleted the files.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

from search.errors import StoreError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.vectors.partitions import (
    Partition,
    current_generation,
    next_generation,
    partition_path,
    refused,
    sync_folder,
)
from search.vectors.record import Header, Record, read_rows, write_record
from search.vectors.stored_notes import StoredNote, StoredNotes

_N_TRIES = 100  # to load files that another process replaces; each try fails only if a whole store was rewritten


class Generation:
    """The store on the disk. The caller holds a lock around `take`, `read`, `close` and any use of `notes`."""

    def __init__(self, folder: Path, header: Header, number: int = 0, *, partition_bytes: int) -> None:
        self.number = number
        self.notes = StoredNotes()
        self.notices: tuple[Notice, ...] = ()
        self.is_sound = True  # False once another program has changed or deleted a file
        self.is_whole = True  # False if a file cannot be used or is damaged
        self._folder = folder
        self._header = header  # of new lines
        self._partition_bytes = partition_bytes
        self._parts: Mapping[int, Partition] = {}  # replaced, never changed: other threads may be iterating

    @classmethod
    def load(cls, folder: Path, header: Header, *, partition_bytes: int) -> Self:
        """The store in a folder as it is now; empty for a missing folder.

        Raises:
            StoreError: the folder or a file in it cannot be read.
        """
        for _ in range(_N_TRIES):
            generation = cls(folder, header, partition_bytes=partition_bytes)
            try:
                generation.number, paths = current_generation(folder)
                for number, path in paths.items():
                    generation._load(number, path)
            except FileNotFoundError:
                generation.close()
                if not folder.exists():
                    return generation
            except OSError as error:
                generation.close()
                raise refused(error.filename or folder, "read", error) from error
            else:
                return generation
        raise StoreError(str(folder), 0, "other processes replace its files faster than they can be read")

    @classmethod
    def write(cls, folder: Path, records: Iterable[Record], header: Header, *, partition_bytes: int) -> Self:
        """Write a new generation of these records, and make it current by a rename.

        Raises:
            StoreError: it could not be written, and nothing has changed.
        """
        try:
            generation = cls(folder, header, next_generation(folder), partition_bytes=partition_bytes)
            path = partition_path(folder, generation.number, 1)
            first = Partition.create(path.with_suffix(".jsonl.tmp"), header)
            generation._parts = {1: first}
            try:
                for record in records:
                    line = write_record(record, header)
                    generation.take(record, *generation.append(line), len(line))
                generation.sync()
            finally:
                generation.close()
            sync_folder(folder)
            first.path = first.path.rename(path)
            sync_folder(folder)
        except OSError as error:
            raise refused(folder, "written", error) from error
        return generation

    @property
    def n_bytes(self) -> int:
        """The size of all files."""
        return sum(part.size_bytes for part in self._parts.values())

    @property
    def dead_bytes(self) -> int:
        """The size of everything that a rewrite would drop: replaced lines, tombstones, damage."""
        headers = sum(len(part.header.line) for part in self._parts.values() if part.is_usable)
        return max(0, self.n_bytes - self.notes.live_bytes - headers)

    def read(self, note: NoteId) -> Record | None:
        """The note's record, with its rows from the disk; None if it is not stored.

        Raises:
            StoreError: the file cannot be read, or another program has changed it.
        """
        stored = self.notes.get(note)
        if stored is None:
            return None
        part = self._parts[stored.part]
        try:
            line = part.read(stored.offset, stored.length)
            rows = read_rows(line, part.header, note, stored.content_hash, stored.packed_chunks)
        except (OSError, ValueError) as error:
            self.is_sound = False
            reason = "was changed by another program" if isinstance(error, ValueError) else "cannot be read"
            raise StoreError(str(part.path), 0, reason) from error
        return Record(note, stored.content_hash, stored.packed_chunks, rows)

    def append(self, lines: bytes) -> tuple[int, int]:
        """Write lines to the last part, or to a new one if that is full; returns the part and the offset.

        The notes count only after `take`.

        Raises:
            StoreError: the lines could not be written, and none of them counts.
        """
        number = max(self._parts, default=0)
        if not number or not self._parts[number].can_take(len(lines), self._header, self._partition_bytes):
            self.sync()
            number += 1
            try:
                self.number = self.number or next_generation(self._folder)
                path = partition_path(self._folder, self.number, number)
                self._parts = {**self._parts, number: Partition.create(path, self._header)}
                sync_folder(self._folder)
            except OSError as error:
                raise refused(self._folder, "written", error) from error
        return number, self._parts[number].append(lines)

    def take(self, record: Record, part: int, offset: int, length: int) -> None:
        """Count a line that is in a part. The last line of a note wins."""
        if record.is_tombstone:
            self.notes.drop(record.note)
            return
        is_current = self._parts[part].header.chunker == self._header.chunker
        content_hash = record.content_hash if is_current else ""
        self.notes.put(record.note, StoredNote(content_hash, record.chunks, part, offset, length))

    def sync(self) -> None:
        """Wait until everything that was appended is on the disk.

        Raises:
            StoreError: the disk refused, or another program has deleted the file.
        """
        if not self._parts:
            return
        last = self._parts[max(self._parts)]
        last.sync()
        if last.is_deleted:
            self.is_sound = False
            raise StoreError(str(last.path), 0, "was deleted by another program")

    def close(self) -> None:
        """Close the files; more than once is allowed."""
        for part in self._parts.values():
            part.close()

    def _load(self, number: int, path: Path) -> None:
        part = Partition(path, self._header)
        self._parts = {**self._parts, number: part}
        for record, offset, length in part.scan():
            self.take(record, number, offset, length)
        self.is_whole = self.is_whole and part.is_intact and not part.n_damaged
        self.notices = (*self.notices, *_notices(part, self._header))


def _notices(part: Partition, header: Header) -> Iterator[Notice]:
    """What is wrong with a part."""
    name = part.path.name
    if not part.is_usable:
        if part.size_bytes and not part.is_header_damaged:
            theirs = f"{part.header.model} with {part.header.n_dimensions} dimensions"
            ours = f"{header.model} with {header.n_dimensions}"
            message = f"{name} holds vectors of {theirs}, not of {ours}; they will be computed again"
            yield Notice(NoticeKind.SKIPPED, "store-other-model", message, name)
        elif part.size_bytes or part.is_foreign:
            reason = "nothing in it can be read, or another version wrote it; its vectors will be computed again"
            yield Notice(NoticeKind.SKIPPED, "store-unreadable", str(StoreError(name, 1, reason)), name)
        return
    n_damaged = part.n_damaged + part.is_header_damaged
    if n_damaged:
        lines = "1 line is" if n_damaged == 1 else f"{n_damaged:,} lines are"
        first = 1 if part.is_header_damaged else part.first_damaged
        message = str(StoreError(name, first, f"{lines} damaged; these notes will be embedded again"))
        yield Notice(NoticeKind.SKIPPED, "store-damaged", message, name)
