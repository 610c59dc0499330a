"""The lines of a store's files: a header, then one line per note, or a tombstone for a note that was removed.

    {"vaultseek":1,"model":"minilm-l6-v2-q8@1","dim":384,"enc":"q8","chunker":"1","x":1234}
    {"n":"trees/oak.md","h":"<hash of the text>","c":[[0,12,"<hash of a chunk>"],...],"v":"<base64 of rows>","x":1234}
    {"n":"trees/elm.md","d":1,"x":1234}

`v` holds one row per chunk, see `Quantized.to_bytes`. A path that is not valid UTF-8 (a file name in an old
encoding) is written as "s", the hex digits of its bytes, instead of "n".

The trick: `x` is the CRC-32 of the line before it. For a note's line the CRC starts from the header's `x`. So any
changed byte is noticed, a line written for another model never passes, and a damaged header can be replaced by the
expected one: the lines below it prove whether that is the right one.
"""

import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator

import orjson
from attrs import field, frozen

from search.ids import NoteId
from search.vectors.cosine import row_bytes

_FORMAT_VERSION = 1
_ENCODING = "q8"
_SHORT, _LONG = struct.Struct("<HH16s"), struct.Struct("<II16s")  # a chunk's two lines and its hash
_SEAL = b',"x":'
_VECTORS = b',"v":"'
_BEGIN_OF_HEADER, _BEGINS_OF_RECORD = b'{"vaultseek":', (b'{"n":"', b'{"s":"')


@frozen
class ChunkPlace:
    """Where a chunk is in its file, and which text was embedded for it."""

    start_line: int  # from 0
    end_line: int  # the line after the last one
    text_hash: str  # 32 hex digits


@frozen
class Header:
    """The values that all lines of a file share. `seal` is the start of their checksums."""

    model: str
    n_dimensions: int
    chunker: str
    line: bytes = field(init=False, eq=False, repr=False)
    seal: int = field(init=False, eq=False, repr=False)

    @line.default
    def _write(self) -> bytes:
        fields = {
            "vaultseek": _FORMAT_VERSION,
            "model": self.model,
            "dim": self.n_dimensions,
            "enc": _ENCODING,
            "chunker": self.chunker,
        }
        return _sealed(orjson.dumps(fields), 0)

    @seal.default
    def _checksum(self) -> int:
        return zlib.crc32(self.line)

    @classmethod
    def read(cls, line: bytes) -> "Header | None":
        """Parse the first line of a file; None if it is damaged or has another format version."""
        try:
            found = orjson.loads(_unsealed(line, 0))
            header = cls(found["model"], found["dim"], found["chunker"])
        except (ValueError, KeyError, TypeError):
            return None
        return header if header.line == line else None


@frozen(slots=True)
class Record:
    """The contents of one line. A note without text has no chunks."""

    note: NoteId
    content_hash: str = ""  # 32 hex digits; empty where another chunker cut the note, and of vectors of no whole note
    chunks: bytes = b""  # as `pack_chunks` packs them
    rows: bytes = b""  # as `Quantized.to_bytes` writes them
    is_tombstone: bool = False


def pack_chunks(chunks: Iterable[tuple[int, int, str]]) -> bytes:
    """Chunks, each a first line, an end line and a hash, in 20 bytes each: 24 where line numbers are above 65,535.

    Raises:
        ValueError: a hash is not 32 hex digits.
    """
    packed = [(start, end, hash_bytes(text_hash)) for start, end, text_hash in chunks]
    if not packed:
        return b""
    form = _SHORT if max(end for _, end, _ in packed) < 2**16 else _LONG
    return bytes([form.size]) + b"".join([form.pack(*chunk) for chunk in packed])


def unpack_chunks(packed: bytes) -> tuple[ChunkPlace, ...]:
    """The chunks that `pack_chunks` packed."""
    return tuple(ChunkPlace(start, end, text_hash.hex()) for start, end, text_hash in _iter_chunks(packed))


def unpack_lines(packed: bytes, number: int) -> tuple[int, int] | None:
    """The lines of one chunk that `pack_chunks` packed, by its number from 0; None if there is no such chunk."""
    form = _form_of(packed)
    at = 1 + number * form.size
    if at >= len(packed):
        return None
    start, end, _ = form.unpack_from(packed, at)
    return start, end


def packed_hashes(packed: bytes) -> list[bytes]:
    """The 16 bytes of each chunk's hash, in order."""
    return [text_hash for _, _, text_hash in _iter_chunks(packed)]


def hash_bytes(text: str) -> bytes:
    """The 16 bytes of a hash. Anything but 32 hex digits raises ValueError."""
    found = bytes.fromhex(text)
    if len(found) != 16:
        raise ValueError(f"{text!r} is not a hash of 32 hex digits")
    return found


def write_record(record: Record, header: Header) -> bytes:
    """The line of a record, with a line feed at its end."""
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
        fields["c"] = [[start, end, text_hash.hex()] for start, end, text_hash in _iter_chunks(record.chunks)]
        fields["v"] = b64encode(record.rows).decode("ascii")
    return _sealed(orjson.dumps(fields), header.seal)


def read_record(line: bytes, header: Header) -> Record:
    """Parse a line. The record's rows stay empty, because checking a line does not need them: see `read_rows`.

    Raises:
        ValueError: the line is not what `write_record` wrote under this header.
    """
    body = _unsealed(line, header.seal)
    try:
        found = orjson.loads(body)
        note = NoteId(found["n"] if "n" in found else bytes.fromhex(found["s"]).decode("utf-8", "surrogatepass"))
        if "d" in found:
            return Record(note, is_tombstone=True)
        if found["h"] != "":
            hash_bytes(found["h"])
        record = Record(note, found["h"], pack_chunks(found["c"]))
        size = row_bytes(header.n_dimensions) * len(found["c"])
        n_chars = len(found["v"])
    except (KeyError, TypeError, AttributeError, OverflowError, struct.error) as error:
        raise ValueError("not the line of a note") from error
    if n_chars != (size + 2) // 3 * 4:
        raise ValueError("the number of vectors differs from the number of chunks")
    return record


def is_torn_header(line: bytes) -> bool:
    """Whether a first line without a line feed may have been cut off while it was written; else it is damaged."""
    return _begins(line, _BEGIN_OF_HEADER) and b"}" not in line[:-1]


def is_torn_record(line: bytes) -> bool:
    """Whether a line of a note without a line feed may have been cut off likewise."""
    return any(_begins(line, begin) for begin in _BEGINS_OF_RECORD)


def _begins(line: bytes, begin: bytes) -> bool:
    return line.startswith(begin) or begin.startswith(line)


def read_rows(line: bytes, header: Header, note: NoteId, content_hash: str, chunks: bytes) -> bytes:
    """The rows in a line that `read_record` has accepted before.

    Raises:
        ValueError: the line was changed since, or is not that of this note with this hash and these chunks.
    """
    body = _unsealed(line, header.seal)
    # Without a hash, since another chunker cut the note, only the whole record says what it is.
    if not content_hash or not body.startswith(_begin_of(note, content_hash)):
        record = read_record(line, header)
        if (record.note, record.chunks) != (note, chunks) or content_hash not in ("", record.content_hash):
            raise ValueError("the line of another text")
    return b64decode(body[body.rindex(_VECTORS) + len(_VECTORS) : -2])


def _begin_of(note: NoteId, content_hash: str) -> bytes:
    """How the line of a note begins; the chunks that follow are determined by its text and the chunker."""
    try:
        return b'{"n":%b,"h":"%b",' % (orjson.dumps(note), content_hash.encode())
    except TypeError:  # the path is not UTF-8
        return b"\n"  # no line begins so


def _iter_chunks(packed: bytes) -> Iterator[tuple[int, int, bytes]]:
    return _form_of(packed).iter_unpack(packed[1:])


def _form_of(packed: bytes) -> struct.Struct:
    return _LONG if packed[:1] == bytes([_LONG.size]) else _SHORT


def _sealed(body: bytes, seal: int) -> bytes:
    head = body[:-1]
    return b"%b%b%d}\n" % (head, _SEAL, zlib.crc32(head, seal))


def _unsealed(line: bytes, seal: int) -> bytes:
    head, _, tail = line.rpartition(_SEAL)
    if tail != b"%d}\n" % zlib.crc32(head, seal):
        raise ValueError("the checksum differs")
    return head + b"}"
