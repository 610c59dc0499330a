"""What stands where in a store's files: for each note its hashes, its line ranges and the place of its line.

Vectors stay on disk. Each file has its own header, so a changed encoding or chunker needs no rewriting: notes that
another chunker cut show an empty content hash, which equals no other, so that they are cut anew.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import Factory, define, frozen

from search.errors import StoreError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.vectors.partitions import Partition, Placed, current_generation, read_partition
from search.vectors.record import Header, StoredChunk, unpack_chunks
from search.vectors.refusal import refused

_HEAD = struct.Struct("<IQIB")  # part, offset, length, and whether content hash and lines are short
_HEX = re.compile("[0-9a-f]{32}")
_SHORT_HASH, _SHORT_LINES = 1, 2
_SHORT_CHUNK = struct.Struct("<HH16s")
_CHUNK = struct.Struct("<II16s")
_LINES = 0x10000
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


class StoredNotes(Mapping[NoteId, StoredNote]):
    """Notes as one string of bytes each, which takes a third of the memory of objects; unpacked when asked for.

    In the order of their lines: what is put goes to the end.
    """

    def __init__(self) -> None:
        self._packed: dict[NoteId, bytes] = {}
        self._is_shared = False  # with a copy, until either is written to

    def __getitem__(self, note: NoteId) -> StoredNote:
        """What is stored of the note; KeyError for none."""
        return _unpack(self._packed[note])

    def __contains__(self, note: object) -> bool:
        """Whether it is stored."""
        return note in self._packed

    def __iter__(self) -> Iterator[NoteId]:
        """The notes, in the order of their lines."""
        return iter(self._packed)

    def __len__(self) -> int:
        """How many notes."""
        return len(self._packed)

    def put(self, note: NoteId, stored: StoredNote) -> None:
        """Store a note, at the end."""
        self.drop(note)
        self._packed[note] = _pack(stored)

    def drop(self, note: NoteId) -> None:
        """Forget a note; one that is not stored is no matter."""
        if self._is_shared:
            self._packed, self._is_shared = self._packed.copy(), False
        self._packed.pop(note, None)

    def copy(self) -> "StoredNotes":
        """The same, from now on apart."""
        copied = StoredNotes()
        copied._packed = self._packed
        copied._is_shared = self._is_shared = True
        return copied


@define(eq=False)
class Catalog:
    """The files of one generation by part, and the notes in them."""

    generation: int = 0
    parts: dict[int, Partition] = Factory(dict)
    notes: StoredNotes = Factory(StoredNotes)
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
        before = self.notes.get(record.note)
        self.live_bytes -= before.length if before else 0
        self.notes.drop(record.note)
        if not record.is_tombstone:
            is_current = self.parts[part].header.chunker == header.chunker
            content_hash = record.content_hash if is_current else ""
            stored = StoredNote(content_hash, record.packed, part, placed.offset, placed.length)
            self.notes.put(record.note, stored)
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
            raise refused(error.filename or folder, "read", error) from error
    raise StoreError(str(folder), 0, "its files are exchanged faster than they can be read")


def _load(folder: Path, header: Header) -> tuple[Catalog, tuple[Notice, ...]]:
    generation, paths = current_generation(folder)
    catalog = Catalog(generation)
    notices: list[Notice] = []
    for number, path in paths.items():
        notices += _notices(_read(catalog, number, path, header), header)
    return catalog, tuple(notices)


def _read(catalog: Catalog, number: int, path: Path, header: Header) -> Partition:
    """Take in a file line by line: to hold all lines at once would leave holes in the memory that they took."""

    def take(part: Partition, placed: Placed) -> None:
        catalog.parts[number] = part
        catalog.apply(number, placed, header)

    part = catalog.parts[number] = read_partition(path, header, take)
    return part


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


def _pack(stored: StoredNote) -> bytes:
    """Line numbers in two bytes where they fit, a hash of 32 hex digits in 16."""
    text, packed, form = stored.content_hash, stored.packed, 0
    if _HEX.fullmatch(text):
        form, content_hash = _SHORT_HASH, bytes.fromhex(text)
    else:
        long = text.encode("utf-8", "surrogatepass")
        content_hash = len(long).to_bytes(4, "little") + long
    chunks = list(_CHUNK.iter_unpack(packed))
    if all(start < _LINES and end < _LINES for start, end, _ in chunks):
        form, packed = form | _SHORT_LINES, b"".join(_SHORT_CHUNK.pack(*chunk) for chunk in chunks)
    return _HEAD.pack(stored.part, stored.offset, stored.length, form) + content_hash + packed


def _unpack(data: bytes) -> StoredNote:
    part, offset, length, form = _HEAD.unpack_from(data)
    at = _HEAD.size
    if form & _SHORT_HASH:
        content_hash = data[at : at + 16].hex()
        at += 16
    else:
        end = at + 4 + int.from_bytes(data[at : at + 4], "little")
        content_hash = data[at + 4 : end].decode("utf-8", "surrogatepass")
        at = end
    packed = data[at:]
    if form & _SHORT_LINES:
        packed = b"".join(_CHUNK.pack(*chunk) for chunk in _SHORT_CHUNK.iter_unpack(packed))
    return StoredNote(content_hash, packed, part, offset, length)
