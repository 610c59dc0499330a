"""A store's files: `vectors-<generation>-<part>.jsonl`, read whole, appended to, exchanged all at once.

The trick: a generation counts only once its first part exists, and that part is renamed into place last. So one
rename exchanges any number of files, and whatever a crash leaves behind is either the old generation or the new one.

A line that does not end in a line feed was being written when its process died: it was never acknowledged, and is cut
off before the next one is written. Nothing else is ever changed in place.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import define, field, frozen

from search.vectors.record import Header, Record, read_record
from search.vectors.refusal import refused

_NAME = re.compile(r"vectors-([0-9]{6,12})-([0-9]{4,9})\.jsonl(\.tmp)?\Z")
_FIRST = 1


@define(eq=False)
class Partition:
    """One file: `size_bytes` counts its whole lines, and `n_damaged` the lines that could not be read."""

    path: Path
    header: Header
    size_bytes: int = 0
    n_damaged: int = 0
    first_damaged: int = 0  # its line, from 1
    is_header_damaged: bool = False
    is_usable: bool = True  # False: another model, another format, or nothing in it can be read


@frozen(slots=True)
class Placed:
    """A record and where its line stands, in bytes."""

    record: Record
    offset: int
    length: int


def partition_path(folder: Path, generation: int, part: int) -> Path:
    """The file of a part; parts count from 1."""
    return folder / f"vectors-{generation:06d}-{part:04d}.jsonl"


def current_generation(folder: Path) -> tuple[int, dict[int, Path]]:
    """The generation that counts and its files by part; (0, {}) where nothing was ever stored.

    What has the name of a file and is none (a folder, a device) does not count. A file that is taken away meanwhile
    does: whoever opens it sees that, and looks again.

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
    """A number that no file in the folder has, finished or not: 1 for an empty folder."""
    return max((generation for _, generation, _ in _files(folder)), default=0) + 1


def remove_other_generations(folder: Path, generation: int) -> None:
    """Delete what is left of older generations and of unfinished ones; a file that is in use stays for another time."""
    for path, found, _ in _files(folder):
        if found != generation or path.suffix == ".tmp":
            try:
                path.unlink()
            except OSError:
                continue


def read_partition(path: Path, expected: Header, take: Callable[[Partition, Placed], None]) -> Partition:
    """The file; `take` is given its records in order, one by one, damaged ones left out; none where it is not usable.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        first = file.readline()
        header = Header.read(first)
        part = Partition(path, header or expected, is_header_damaged=header is None)
        if header and (header.model, header.n_dimensions) != (expected.model, expected.n_dimensions):
            part.is_usable = False
            part.size_bytes = os.fstat(file.fileno()).st_size
            return part
        n_placed = 0
        part.size_bytes = len(first) if first.endswith(b"\n") else 0
        for number, line in enumerate(file, 2):
            if not line.endswith(b"\n"):
                break
            try:
                record = read_record(line, part.header)
            except ValueError:
                part.n_damaged += 1
                part.first_damaged = part.first_damaged or number
            else:
                take(part, Placed(record, part.size_bytes, len(line)))
                n_placed += 1
            part.size_bytes += len(line)
    part.is_usable = header is not None or n_placed > 0
    return part


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last; Windows has no such call and needs none."""
    if os.name == "nt":  # pragma: no cover
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@define(eq=False)
class Tail:
    """The end of a partition, where lines are added. What `append` returned for survives the process, `sync` the power.

    After a write that failed (a full disk) the file is cut back to its whole lines before the next one.
    """

    partition: Partition
    _file: int = field(alias="file")
    _is_torn: bool = field(alias="is_torn", default=True)

    @classmethod
    def open(cls, partition: Partition) -> "Tail":
        """The tail of a file that exists."""
        return cls(partition, os.open(partition.path, os.O_RDWR | getattr(os, "O_BINARY", 0)))

    @classmethod
    def create(cls, path: Path, header: Header) -> "Tail":
        """The tail of a new file, its header written."""
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        tail = cls(Partition(path, header), os.open(path, flags, 0o600))
        tail.append(header.line)
        return tail

    def is_full(self, n_bytes: int, limit: int) -> bool:
        """Whether `n_bytes` more go beyond the limit; a file without lines takes any number."""
        size = self.partition.size_bytes
        return size + n_bytes > limit and size > len(self.partition.header.line)

    def append(self, data: bytes) -> int:
        """Write whole lines; gives the offset of the first.

        Raises:
            StoreError: they could not be written; none of them counts.
        """
        offset = self.partition.size_bytes
        try:
            if self._is_torn:
                os.ftruncate(self._file, offset)
                os.lseek(self._file, offset, os.SEEK_SET)
            self._is_torn = True
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            raise refused(self.partition.path, "written", error) from error
        self._is_torn = False
        self.partition.size_bytes = offset + len(data)
        return offset

    def sync(self) -> None:
        """Wait until the disk has it all.

        Raises:
            StoreError: the disk refused; what was written since the last `sync` may be lost.
        """
        try:
            os.fsync(self._file)
        except OSError as error:
            raise refused(self.partition.path, "written", error) from error

    @property
    def is_gone(self) -> bool:
        """Whether the file has lost its name, so that what is in it ends with this process."""
        return os.fstat(self._file).st_nlink == 0

    def close(self) -> None:
        """Give the file back; nothing is written after this."""
        os.close(self._file)


def _files(folder: Path) -> Iterator[tuple[Path, int, int]]:
    for path in sorted(folder.iterdir()):
        if match := _NAME.match(path.name):
            yield path, int(match[1]), int(match[2])
