"""What stands where in a store's files: for each note its hashes, its line ranges and the place of its line.

Vectors stay on disk. Each file has its own header, so a changed encoding or chunker needs no rewriting: notes that
another chunker cut show an empty content hash, which equals no other, so that they are cut anew.
"""

from collections.abc import Iterator
from pathlib import Path

from attrs import Factory, define, frozen

from search.answer.notice import Notice, NoticeKind
from search.errors import StoreError
from search.ids import NoteId
from search.vectors.partitions import Partition, Placed, current_generation, read_partition
from search.vectors.record import Header, StoredChunk, unpack_chunks

_N_TRIES = 100  # to read files that another process exchanges; each fails only where a whole store was rewritten


@frozen(slots=True)
class StoredNote:
    """What is stored of a note. `content_hash` is as it was put; empty where another chunker cut the note."""

    content_hash: str
    packed: bytes  # see `Record.packed`
    part: int
    offset: int
    length: int

    @property
    def chunks(self) -> tuple[StoredChunk, ...]:
        """Its chunks, in the order of its vectors."""
        return unpack_chunks(self.packed)


@define(eq=False)
class Catalog:
    """The files of one generation by part, and the notes in them."""

    generation: int = 0
    parts: dict[int, Partition] = Factory(dict)
    notes: dict[NoteId, StoredNote] = Factory(dict)
    live_bytes: int = 0

    @property
    def n_bytes(self) -> int:
        """The size of all files."""
        return sum(part.size_bytes for part in self.parts.values())

    @property
    def dead_bytes(self) -> int:
        """What a rewrite would save: lines that no longer count, tombstones, damage."""
        headers = sum(len(part.header.line) for part in self.parts.values() if part.is_usable)
        return max(0, self.n_bytes - self.live_bytes - headers)

    def apply(self, part: int, placed: Placed, header: Header) -> None:
        """Take in a line that stands in a part; the last line of a note wins. `header` is the one to write now."""
        record = placed.record
        before = self.notes.pop(record.note, None)
        self.live_bytes -= before.length if before else 0
        if not record.is_tombstone:
            is_current = self.parts[part].header.chunker == header.chunker
            content_hash = record.content_hash if is_current else ""
            self.notes[record.note] = StoredNote(content_hash, record.packed, part, placed.offset, placed.length)
            self.live_bytes += placed.length


def load_catalog(folder: Path, header: Header) -> tuple[Catalog, tuple[Notice, ...]]:
    """The store in a folder as it is now, and what was wrong with it; empty where there is none.

    Raises:
        StoreError: the folder or a file in it cannot be opened.
    """
    for _ in range(_N_TRIES):
        try:
            return _load(folder, header)
        except FileNotFoundError:
            if not folder.exists():
                return Catalog(), ()
        except OSError as error:
            raise StoreError(str(error.filename or folder), 0, f"cannot be read: {error.strerror}") from error
    raise StoreError(str(folder), 0, "its files are exchanged faster than they can be read")


def _load(folder: Path, header: Header) -> tuple[Catalog, tuple[Notice, ...]]:
    generation, paths = current_generation(folder)
    catalog = Catalog(generation)
    notices: list[Notice] = []
    for number, path in paths.items():
        part, placed = read_partition(path, header)
        catalog.parts[number] = part
        for line in placed:
            catalog.apply(number, line, header)
        notices += _notices(part, header)
    return catalog, tuple(notices)


def _notices(part: Partition, header: Header) -> Iterator[Notice]:
    name = part.path.name
    if not part.is_usable:
        if part.size_bytes and not part.is_header_damaged:
            theirs = f"{part.header.model} with {part.header.n_dimensions} dimensions"
            ours = f"{header.model} with {header.n_dimensions}"
            message = f"{name} holds vectors of {theirs}, not of {ours}: they are made anew"
            yield Notice(NoticeKind.SKIPPED, "store-other-model", message, name)
        elif part.size_bytes:
            reason = "nothing in it can be read, or another version of the program wrote it: its vectors are made anew"
            yield Notice(NoticeKind.SKIPPED, "store-unreadable", str(StoreError(name, 1, reason)), name)
        return
    n_damaged = part.n_damaged + part.is_header_damaged
    if n_damaged:
        lines = "1 line is" if n_damaged == 1 else f"{n_damaged:,} lines are"
        first = 1 if part.is_header_damaged else part.first_damaged
        message = str(StoreError(name, first, f"{lines} damaged; the notes in question are embedded anew"))
        yield Notice(NoticeKind.SKIPPED, "store-damaged", message, name)
