"""A store's files as one ledger: lines are read and appended, and all of it exchanged for a shorter one.

Knows no vectors. Readers of the same process take a lock for the moment of one read; a reader in another process finds
its files gone when the writer has exchanged them, and then looks again.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from io import FileIO
from pathlib import Path

from attrs import frozen

from search.errors import StoreError
from search.ids import NoteId
from search.notice import Notice
from search.vectors.catalog import Catalog, StoredNote, load_catalog
from search.vectors.compaction import write_generation
from search.vectors.lock import WriterLock
from search.vectors.partitions import (
    Partition,
    Placed,
    Tail,
    next_generation,
    partition_path,
    remove_other_generations,
    sync_folder,
)
from search.vectors.record import Header, Record, read_rows
from search.vectors.refusal import refused

_N_TRIES = 100  # to read files that another process exchanges; each fails only where a whole store was rewritten


@frozen
class Found:
    """A note's line, and the rows in it."""

    record: Record
    line: bytes
    rows: bytes
    header: Header


class Ledger:
    """The files of one folder. Only one thread at a time may write; any may read."""

    def __init__(self, folder: Path, header: Header, lock: WriterLock | None, *, partition_bytes: int) -> None:
        self.folder = folder
        self.header = header
        self._lock = lock
        self._partition_bytes = partition_bytes
        self._state = threading.Lock()  # held for moments
        self._tail: Tail | None = None
        self._files: dict[Path, FileIO] = {}
        self._shown: Mapping[NoteId, StoredNote] | None = None
        self.is_sound = True  # until a file is not what it was
        self._catalog, self.notices = load_catalog(folder, header)

    @property
    def notes(self) -> Mapping[NoteId, StoredNote]:
        """All notes as they are now, in the order of their lines; does not change under the reader's hands."""
        with self._state:
            if self._shown is None:
                self._shown = self._catalog.notes.copy()
            return self._shown

    @property
    def n_bytes(self) -> int:
        """The size of the files."""
        with self._state:
            return self._catalog.n_bytes

    @property
    def dead_bytes(self) -> int:
        """How many of these do not count any more."""
        with self._state:
            return self._catalog.dead_bytes

    @property
    def needs_rewriting(self) -> bool:
        """Whether a file cannot be used, or is damaged: what is left would be told of at each start."""
        parts = self._catalog.parts.values()
        return any(part.is_header_damaged or part.n_damaged or not part.is_usable for part in parts)

    def stored(self, note: NoteId) -> StoredNote | None:
        """What is stored of a note at this moment."""
        with self._state:
            return self._catalog.notes.get(note)

    def read(self, note: NoteId) -> Found | None:
        """The note's line as it stands on the disk; None if it is not stored.

        Raises:
            StoreError: the file is gone, or not what it was.
        """
        with self._state:
            for _ in range(_N_TRIES):
                stored = self._catalog.notes.get(note)
                if stored is None:
                    return None
                part = self._catalog.parts[stored.part]
                try:
                    line = self._read_bytes(part, stored)
                    rows = read_rows(line, part.header)
                except (OSError, ValueError) as error:
                    if self._lock is None and not part.path.exists():  # a writer elsewhere has exchanged the files
                        self._take(load_catalog(self.folder, self.header))
                        continue
                    self.is_sound = False
                    reason = "was changed by another program" if isinstance(error, ValueError) else "cannot be read"
                    raise StoreError(str(part.path), 0, reason) from error
                return Found(Record(note, stored.content_hash, stored.packed), line, rows, part.header)
            raise StoreError(str(self.folder), 0, "its files are exchanged faster than they can be read")

    def append(self, lines: Sequence[tuple[Record, bytes]]) -> None:
        """Write lines that belong together.

        Raises:
            StoreError: they could not be written; none of them counts.
        """
        self._need_writer()
        number, tail = self._tail_for(sum(len(line) for _, line in lines))
        offset = tail.append(b"".join(line for _, line in lines))
        with self._state:
            for record, line in lines:
                self._catalog.apply(number, Placed(record, offset, len(line)), self.header)
                offset += len(line)
            self._shown = None

    def sync(self) -> None:
        """Wait until everything is on the disk.

        Raises:
            StoreError: the disk refused, or somebody has removed the file.
        """
        if self._tail:
            self._tail.sync()
            if self._tail.is_gone:
                self.is_sound = False
                raise StoreError(str(self._tail.partition.path), 0, "was removed by another program")

    def rewrite(self, lines: Iterable[tuple[Record, bytes, Header]]) -> None:
        """Exchange everything for these lines, each with the header that it was written under.

        Raises:
            StoreError: they could not be written; all is as before.
        """
        self._need_writer()
        catalog = write_generation(self.folder, lines, self.header, partition_bytes=self._partition_bytes)
        self._close_files()
        with self._state:
            self._take((catalog, self.notices))
        remove_other_generations(self.folder, catalog.generation)

    def remove_leftovers(self) -> None:
        """Delete the files that a crash has left behind."""
        remove_other_generations(self.folder, self._catalog.generation)

    def close(self) -> None:
        """Give back the files and the lock; twice is once.

        Raises:
            StoreError: the disk refused what was written last; closed it is all the same.
        """
        try:
            self.sync()
        finally:
            self._close_files()
            if self._lock:
                self._lock.release()
                self._lock = None

    def _read_bytes(self, part: Partition, stored: StoredNote) -> bytes:
        file = self._files.get(part.path)
        if file is None:
            file = self._files[part.path] = FileIO(part.path)  # unbuffered: a buffer could be older
        file.seek(stored.offset)
        return file.read(stored.length)

    def _tail_for(self, n_bytes: int) -> tuple[int, Tail]:
        """The file that takes the next lines: the last one, or a new one if that is full or has another header."""
        parts = self._catalog.parts
        number = max(parts, default=0)
        try:
            if self._tail is None and number and _is_writable(parts[number], self.header):
                self._tail = Tail.open(parts[number])
            if self._tail and not self._tail.is_full(n_bytes, self._partition_bytes):
                return number, self._tail
            self._close_tail()
            generation = self._catalog.generation or next_generation(self.folder)
            self._tail = Tail.create(partition_path(self.folder, generation, number + 1), self.header)
            sync_folder(self.folder)
        except OSError as error:
            raise refused(self.folder, "written", error) from error
        with self._state:
            self._catalog.generation = generation
            parts[number + 1] = self._tail.partition
        return number + 1, self._tail

    def _close_tail(self) -> None:
        if self._tail:
            tail, self._tail = self._tail, None
            try:
                tail.sync()
            finally:
                tail.close()

    def _take(self, loaded: tuple[Catalog, tuple[Notice, ...]]) -> None:
        self._catalog, self.notices = loaded
        self._shown = None

    def _close_files(self) -> None:
        with self._state:
            for file in self._files.values():
                file.close()
            self._files.clear()
        if self._tail:
            self._tail.close()
            self._tail = None

    def _need_writer(self) -> None:
        if self._lock is None:
            raise StoreError(str(self.folder), 0, "is open for reading only, or closed")


def _is_writable(part: Partition, header: Header) -> bool:
    return part.header == header and part.is_usable and not part.is_header_damaged
