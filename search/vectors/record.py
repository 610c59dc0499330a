"""The lines of a store's files: a header, then one line a note, or a tombstone where a note was dropped.

    {"vaultseek":1,"model":"minilm-l6-v2-q8@1","dim":384,"enc":"q8","chunker":"1","x":1234}
    {"n":"trees/oak.md","h":"<content hash>","c":[[0,12,"<hash of a chunk>"],...],"v":"<base64 of rows>","x":1234}
    {"n":"trees/elm.md","d":1,"x":1234}

The trick: `x` is the CRC-32 of the line before it, and begins, for a note's line, with the header's `x`. So a changed
byte anywhere is noticed, a line of another model can never pass for one of this, and a header that was damaged itself
is proven right again by any line below it.

A path that is no UTF-8 (a file name in an old encoding) stands as "s", the hex digits of its bytes, instead of "n".
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Protocol

import orjson
from attrs import field, frozen

from search.ids import NoteId
from search.vectors.encoding import Encoding, row_bytes

FORMAT_VERSION = 1
_CHUNK_BYTES = 24  # of a packed chunk: two numbers of 4 bytes, a hash of 16
_SEAL = b',"x":'
_VECTORS = b',"v":"'


class ChunkPlace(Protocol):
    """What a store keeps of a chunk besides its vector."""

    @property
    def start_line(self) -> int:
        """First line in the file, from 0."""

    @property
    def end_line(self) -> int:
        """Line after the last one."""

    @property
    def text_hash(self) -> str:
        """32 hex digits that stand for the text that was embedded."""


@frozen
class StoredChunk:
    """A chunk as it was stored; lines are a half-open range from 0."""

    start_line: int
    end_line: int
    text_hash: str


@frozen
class Header:
    """What all lines of a file have in common; `seal` starts their checksums."""

    model: str
    n_dimensions: int
    encoding: Encoding
    chunker: str
    line: bytes = field(init=False, eq=False, repr=False)
    seal: int = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Spell the line once."""
        fields = {
            "vaultseek": FORMAT_VERSION,
            "model": self.model,
            "dim": self.n_dimensions,
            "enc": self.encoding.value,
            "chunker": self.chunker,
        }
        line = _sealed(orjson.dumps(fields), 0)
        object.__setattr__(self, "line", line)
        object.__setattr__(self, "seal", zlib.crc32(line))

    @classmethod
    def read(cls, line: bytes) -> "Header | None":
        """The header in a file's first line; None if it is damaged or of another format version."""
        try:
            found = orjson.loads(_unsealed(line, 0))
            header = cls(found["model"], found["dim"], Encoding(found["enc"]), found["chunker"])
        except (ValueError, KeyError, TypeError):
            return None
        return header if header.line == line else None


@frozen(slots=True)
class Record:
    """A note's line without its vectors. No chunks: a note that has nothing to embed, or a tombstone."""

    note: NoteId
    content_hash: str = ""
    packed: bytes = b""  # chunks of `_CHUNK_BYTES` each: tuples of tuples would take three times the memory
    is_tombstone: bool = False


def pack_chunks(chunks: Sequence[ChunkPlace]) -> bytes:
    """Chunks as `Record.packed`. A hash that is not 32 hex digits raises ValueError."""
    parts = []
    for chunk in chunks:
        text_hash = bytes.fromhex(chunk.text_hash)
        if len(text_hash) != 16:
            raise ValueError(f"{chunk.text_hash!r} is not a hash of 32 hex digits")
        parts.append(chunk.start_line.to_bytes(4, "little") + chunk.end_line.to_bytes(4, "little") + text_hash)
    return b"".join(parts)


def unpack_chunks(packed: bytes) -> tuple[StoredChunk, ...]:
    """The chunks again, in order."""
    return tuple(
        StoredChunk(
            int.from_bytes(packed[at : at + 4], "little"),
            int.from_bytes(packed[at + 4 : at + 8], "little"),
            packed[at + 8 : at + _CHUNK_BYTES].hex(),
        )
        for at in range(0, len(packed), _CHUNK_BYTES)
    )


def count_chunks(packed: bytes) -> int:
    """How many chunks."""
    return len(packed) // _CHUNK_BYTES


def packed_hashes(packed: bytes) -> list[bytes]:
    """The 16 bytes of each chunk's hash, in order."""
    return [packed[at + 8 : at + _CHUNK_BYTES] for at in range(0, len(packed), _CHUNK_BYTES)]


def write_record(record: Record, data: bytes, header: Header) -> bytes:
    """The record's line, newline included; `data` holds its rows."""
    fields: dict[str, object] = {}
    try:
        record.note.encode()
        fields["n"] = record.note
    except UnicodeEncodeError:
        fields["s"] = record.note.encode("utf-8", "surrogatepass").hex()
    if record.is_tombstone:
        fields["d"] = 1
    else:
        fields["h"] = record.content_hash
        fields["c"] = [[c.start_line, c.end_line, c.text_hash] for c in unpack_chunks(record.packed)]
        fields["v"] = b64encode(data).decode("ascii")
    return _sealed(orjson.dumps(fields), header.seal)


def read_record(line: bytes, header: Header) -> Record:
    """The record in a line, newline included.

    Raises:
        ValueError: the line is not what `write_record` wrote under this header.
    """
    body = _unsealed(line, header.seal)
    try:
        found = orjson.loads(body)
        note = NoteId(found["n"] if "n" in found else bytes.fromhex(found["s"]).decode("utf-8", "surrogatepass"))
        if "d" in found:
            return Record(note, is_tombstone=True)
        packed = b"".join(
            start.to_bytes(4, "little") + end.to_bytes(4, "little") + bytes.fromhex(text_hash)
            for start, end, text_hash in found["c"]
        )
        n_chars = len(found["v"])
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError("not a note's line") from error
    size = row_bytes(header.encoding, header.n_dimensions) * (len(packed) // _CHUNK_BYTES)
    if len(packed) != _CHUNK_BYTES * len(found["c"]) or n_chars != (size + 2) // 3 * 4:
        raise ValueError("vectors and chunks differ in number")
    return Record(note, found["h"], packed)


def read_rows(line: bytes, header: Header) -> bytes:
    """The rows in a line that `read_record` has accepted before.

    Raises:
        ValueError: the line has changed since.
    """
    body = _unsealed(line, header.seal)
    return b64decode(body[body.rindex(_VECTORS) + len(_VECTORS) : -2])


def _sealed(body: bytes, seal: int) -> bytes:
    head = body[:-1]
    return b"%b%b%d}\n" % (head, _SEAL, zlib.crc32(head, seal))


def _unsealed(line: bytes, seal: int) -> bytes:
    head, _, tail = line.rpartition(_SEAL)
    if tail != b"%d}\n" % zlib.crc32(head, seal):
        raise ValueError("the checksum differs")
    return head + b"}"
