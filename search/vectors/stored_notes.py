"""The data of stored notes that is kept in memory: hashes, line ranges, and the place of each line on the disk."""

import struct
from collections.abc import Iterator, Mapping

from attrs import frozen

from search.ids import NoteId
from search.vectors.record import ChunkPlace, packed_hashes, unpack_chunks, unpack_lines

_PLACE = struct.Struct("<IQIB")  # part, offset, length, bytes of the content hash


@frozen(slots=True)
class StoredNote:
    """The data of one note, without its vectors."""

    content_hash: str  # as it was stored; empty if another chunker cut the note
    packed_chunks: bytes  # see `pack_chunks`
    part: int
    offset: int
    length: int

    @property
    def chunks(self) -> tuple[ChunkPlace, ...]:
        """The chunks, in the order of their vectors."""
        return unpack_chunks(self.packed_chunks)

    def lines_of(self, chunk: int) -> tuple[int, int] | None:
        """The lines of a chunk, half-open and from 0; None if there is no such chunk."""
        return unpack_lines(self.packed_chunks, chunk)


class StoredNotes(Mapping[NoteId, StoredNote]):
    """All notes of a store, in the order of their lines. Each is one `bytes` value, a third of an object's size."""

    def __init__(self) -> None:
        self.live_bytes = 0  # the size of the lines of these notes
        self._packed: dict[NoteId, bytes] = {}
        self._is_shared = False  # with a copy, until one of the two changes
        self._by_chunk: dict[bytes, NoteId] | None = None  # made on first use, because a search does not need it

    def __getitem__(self, note: NoteId) -> StoredNote:
        return _unpack(self._packed[note])

    def __contains__(self, note: object) -> bool:
        return note in self._packed

    def __iter__(self) -> Iterator[NoteId]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def put(self, note: NoteId, stored: StoredNote) -> None:
        """Add or replace a note, which moves to the end."""
        self.drop(note)
        self._packed[note] = _pack(stored)
        self.live_bytes += stored.length
        if self._by_chunk is not None:
            self._by_chunk.update(dict.fromkeys(packed_hashes(stored.packed_chunks), note))

    def drop(self, note: NoteId) -> None:
        """Remove a note, if it is stored."""
        if self._is_shared:
            self._packed, self._is_shared = self._packed.copy(), False
        dropped = self._packed.pop(note, None)
        if dropped is not None:
            self.live_bytes -= _unpack(dropped).length

    def copy(self) -> "StoredNotes":
        """The notes as they are now. Costs nothing until one of the two changes."""
        copied = StoredNotes()
        copied.live_bytes, copied._packed = self.live_bytes, self._packed
        copied._is_shared = self._is_shared = True
        return copied

    def note_with(self, text_hash: bytes) -> NoteId | None:
        """A note that has a chunk with this hash.

        Changes only add to the map of chunks. So an entry may be out of date, and may hide another note with the same
        chunk. Looking up such an entry makes the map again.
        """
        note = self._chunk_map().get(text_hash)
        if note is not None and not self._has_chunk(note, text_hash):
            self._by_chunk = None
            note = self._chunk_map().get(text_hash)
        return note

    def _chunk_map(self) -> dict[bytes, NoteId]:
        if self._by_chunk is None:
            notes = self.items()
            self._by_chunk = {each: note for note, stored in notes for each in packed_hashes(stored.packed_chunks)}
        return self._by_chunk

    def _has_chunk(self, note: NoteId, text_hash: bytes) -> bool:
        return note in self and text_hash in packed_hashes(self[note].packed_chunks)


def _pack(stored: StoredNote) -> bytes:
    content_hash = bytes.fromhex(stored.content_hash)
    place = _PLACE.pack(stored.part, stored.offset, stored.length, len(content_hash))
    return place + content_hash + stored.packed_chunks


def _unpack(packed: bytes) -> StoredNote:
    part, offset, length, n_hash = _PLACE.unpack_from(packed)
    end = _PLACE.size + n_hash
    return StoredNote(packed[_PLACE.size : end].hex(), packed[end:], part, offset, length)
