"""One file of a store, `vectors-<generation>-<part>.jsonl`: read as a whole, then only appended to.

A generation is the set of files that are exchanged together. It counts only once its first part exists, and that part
is renamed into place last. So one rename exchanges any number of files, and after a crash either the old generation
counts or the new one.

A line without a line feed at its end was being written when its process died. It was never reported as done, and is
cut off before the next line is written. Nothing else in a file ever changes.
"""

import errno
import os
import re
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Self

from attrs import define, field

from search.errors import StoreError
from search.vectors.record import Header, Record, is_torn_header, is_torn_record, read_record

_NAME = re.compile(r"vectors-([0-9]{6,12})-([0-9]{4,9})\.jsonl(\.tmp)?\Z")
_FIRST = 1
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def refused(path: Path | str, what: str, error: OSError) -> StoreError:
    """The error for a file or folder that cannot be `what` ("read", "written", ...), with advice for the user.

    >>> str(refused("/cache/v", "written", OSError(errno.ENOSPC, "No space left on device")))
    '/cache/v: cannot be written: No space left on device; free some space on that disk'
    """
    advice = (
        "free some space on that disk"
        if error.errno in _FULL
        else "check its permissions, or choose another folder for vectors (VAULTSEEK_CACHE, or the setting indexFolder)"
    )
    return StoreError(str(path), 0, f"cannot be {what}: {error.strerror or error}; {advice}")


def partition_path(folder: Path, generation: int, part: int) -> Path:
    """The path of a part; parts count from 1."""
    return folder / f"vectors-{generation:06d}-{part:04d}.jsonl"


def current_generation(folder: Path) -> tuple[int, dict[int, Path]]:
    """The number of the generation that counts, and its files by part; (0, {}) for an empty folder.

    A folder or a device with the name of a part is ignored. A part that was deleted since the folder was listed is
    included, so that opening it fails and the caller looks again.

    Raises:
        OSError: the folder cannot be read.
    """
    generations: dict[int, dict[int, Path]] = {}
    for path, generation, part in _files(folder):
        if path.suffix != ".tmp" and (path.is_file() or not path.exists()):
            generations.setdefault(generation, {})[part] = path
    newest = max((number for number, parts in generations.items() if _FIRST in parts), default=0)
    return newest, dict(sorted(generations.get(newest, {}).items()))


def next_generation(folder: Path) -> int:
    """A number that no file in the folder has, complete or not; 1 for an empty folder."""
    return max((generation for _, generation, _ in _files(folder)), default=0) + 1


def remove_other_generations(folder: Path, generation: int) -> None:
    """Delete the files of older and of incomplete generations. A file that is in use is left for the next time."""
    for path, found, _ in _files(folder):
        if found != generation or path.suffix == ".tmp":
            try:
                path.unlink()
            except OSError:
                continue


def _files(folder: Path) -> Iterator[tuple[Path, int, int]]:
    """The parts of all generations, with the numbers of generation and part."""
    for path in sorted(folder.iterdir()):
        if match := _NAME.match(path.name):
            yield path, int(match[1]), int(match[2])


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk. Windows has no such call and needs none."""
    if os.name == "nt":  # pragma: no cover
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@define(eq=False)
class Partition:
    """One file, open for reading. `append` opens it for writing too.

    Once `append` has returned, its data survives the end of the process; once `sync` has returned, also a power cut.
    After a failed write (a full disk) the file is cut back to its whole lines before the next write.
    """

    path: Path
    header: Header
    size_bytes: int = 0  # of its whole lines
    n_damaged: int = 0  # lines that cannot be read, without the header
    first_damaged: int = 0  # the number of the first of these lines, from 1
    is_header_damaged: bool = False
    is_foreign: bool = False  # there is something in it, but no line and no beginning of a header
    is_usable: bool = True  # False: another model, another format, or not one readable line
    _reader: FileIO | None = field(default=None, init=False)  # unbuffered: a buffer could be out of date
    _writer: FileIO | None = field(default=None, init=False)
    _is_torn: bool = field(default=True, init=False)  # there may be more in the file than its whole lines

    @classmethod
    def create(cls, path: Path, header: Header) -> Self:
        """Make a new file with a header.

        Raises:
            OSError: it cannot be made.
            StoreError: the header could not be written.
        """
        os.close(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        part = cls(path, header)
        try:
            part.append(header.line)
        except StoreError:
            part.close()
            raise
        return part

    def scan(self) -> Iterator[tuple[Record, int, int]]:
        """Yield each record with the offset and length of its line, and set all attributes. Skips damaged lines.

        Yields nothing from a file that holds vectors of another model. `header` is the file's own from the first
        record on, or still the expected one if that line is damaged.

        Raises:
            OSError: the file cannot be read.
        """
        self._reader = FileIO(self.path)
        with os.fdopen(self._reader.fileno(), "rb", closefd=False) as file:
            first = file.readline()
            found = Header.read(first)
            self.is_header_damaged = found is None
            expected, self.header = self.header, found or self.header
            if (self.header.model, self.header.n_dimensions) != (expected.model, expected.n_dimensions):
                self.is_usable = False
                self.size_bytes = os.fstat(file.fileno()).st_size
                return
            self.is_usable = found is not None
            self.size_bytes = len(first) if first.endswith(b"\n") else 0
            self.is_foreign = not self.size_bytes and not is_torn_header(first)
            for number, line in enumerate(file, 2):
                is_whole = line.endswith(b"\n")
                if not is_whole and is_torn_record(line):
                    break
                try:
                    record = read_record(line, self.header)
                except ValueError:
                    self.n_damaged += 1
                    self.first_damaged = self.first_damaged or number
                    if not is_whole:
                        break
                else:
                    self.is_usable = True
                    yield record, self.size_bytes, len(line)
                self.size_bytes += len(line)

    @property
    def is_intact(self) -> bool:
        """Whether the header is right, so that lines can be added."""
        return self.is_usable and not self.is_header_damaged

    def can_take(self, n_bytes: int, header: Header, limit: int) -> bool:
        """Whether lines under a header can be added within a size limit. A file without lines takes any number."""
        has_room = self.size_bytes + n_bytes <= limit or self.size_bytes <= len(self.header.line)
        return has_room and self.is_intact and self.header == header

    def read(self, offset: int, length: int) -> bytes:
        """Some bytes of the file; fewer if it was cut off since. One thread at a time may read.

        Raises:
            OSError: the file cannot be read.
        """
        if self._reader is None:
            self._reader = FileIO(self.path)
        self._reader.seek(offset)
        return self._reader.read(length)

    def append(self, data: bytes) -> int:
        """Write whole lines and return the offset of the first.

        Raises:
            StoreError: they could not be written, and none of them counts.
        """
        offset = self.size_bytes
        try:
            if self._writer is None:
                self._writer = FileIO(self.path, "r+")
            if self._is_torn:
                self._writer.truncate(offset)
                self._writer.seek(offset)
            self._is_torn = True
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._writer.fileno(), rest) :]
        except OSError as error:
            raise refused(self.path, "written", error) from error
        self._is_torn = False
        self.size_bytes = offset + len(data)
        return offset

    def sync(self) -> None:
        """Wait until everything that was appended is on the disk.

        Raises:
            StoreError: the disk refused.
        """
        try:
            if self._writer is not None:
                os.fsync(self._writer.fileno())
        except OSError as error:
            raise refused(self.path, "written", error) from error

    @property
    def is_deleted(self) -> bool:
        """Whether the file was deleted since it was opened for writing: its content ends with this process."""
        return self._writer is not None and os.fstat(self._writer.fileno()).st_nlink == 0

    def close(self) -> None:
        """Close the file until it is read or appended to again."""
        for file in (self._reader, self._writer):
            if file is not None:
                file.close()
        self._reader = self._writer = None
        self._is_torn = True
