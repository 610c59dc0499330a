"""Pictures: the texts in their metadata (EXIF, XMP, IPTC, comments) and in drawings, and their width and height.

Programs that tag pictures write these into JPEG, PNG, WebP, GIF, TIFF, HEIC, AVIF and PSD files in the same forms. They
are found by their marks, rather than by walking through each format. A picture without texts is no problem.
Runs in the child process only, on a sample (`image_sample`).
"""

import re
import zlib
from collections.abc import Iterator

from search.vault.attachments.exif import read_exif
from search.vault.attachments.extracted import Extracted
from search.vault.attachments.image_sample import Sample
from search.vault.attachments.image_texts import ImageTexts, Role
from search.vault.attachments.svg import is_svg, read_svg
from search.vault.attachments.xmp import read_xmp

_TIFF = (b"II*\0", b"MM\0*")  # the first bytes of a TIFF file, and of EXIF
_BEFORE_EXIF = re.compile(rb"(?:Exif\0\0|EXIF.{4}|eXIf|\0{4})\Z", re.DOTALL)
_MAX_PLACES = 1_000  # that look like EXIF or a chunk of a PNG
_CHUNKS = frozenset({b"tEXt", b"zTXt", b"iTXt"})
_MAX_UNPACKED = 256 * 1024  # bytes of a text
_PNG = b"\x89PNG\r\n\x1a\n"
_KEYWORDS = {
    "title": Role.TITLE,
    "description": Role.CAPTION,
    "caption": Role.CAPTION,
    "subject": Role.CAPTION,
    "keywords": Role.KEYWORD,
    "author": Role.CREATOR,
    "comment": Role.COMMENT,
}
_IPTC = b"8BIM\x04\x04"
_IPTC_ROLES = {
    5: Role.TITLE,
    105: Role.TITLE,
    120: Role.CAPTION,
    25: Role.KEYWORD,
    92: Role.PLACE,
    90: Role.PLACE,
    95: Role.PLACE,
    101: Role.PLACE,
    80: Role.CREATOR,
}
_UTF8 = b"\x1b%G"
_MAX_SEGMENTS = 1_000  # of a JPEG
_SIZE_SEGMENTS = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_HEIF_SIZE = re.compile(rb"ispe\0{4}(.{4})(.{4})", re.DOTALL)
_MAX_SIDE = 1_000_000  # pixels


def read_image(sample: bytes) -> Extracted:
    """The texts in a picture's sample, with its width and height; nothing of a file in an unknown format."""
    picture, found = Sample(sample), ImageTexts()
    data = picture.data
    if data.startswith(b"\xff\xd8"):
        data = data[: _read_jpeg(picture, found)]
    elif not data.startswith(_TIFF):
        found.size = _size(data)
    read_xmp(data, found)  # before the others, as it has most texts and cuts none
    iptc = _iptc_in(data)
    if data.startswith(_TIFF):
        iptc = read_exif(picture.at, found, has_size=True) or iptc
    else:
        for start in _exif_in(data):
            iptc = _read_exif_at(data, start, found) or iptc
    _read_iptc(iptc, found)
    if data.startswith(_PNG):
        _read_chunks(data, found)
    elif is_svg(data):
        read_svg(data, found)
    if max(found.size) > _MAX_SIDE:
        found.size = 0, 0
    return found.extracted()


def _exif_in(data: bytes) -> Iterator[int]:
    """Where EXIF begins: the first place of each byte order that has what goes before it in some format."""
    for mark in _TIFF:
        at = -1
        for _ in range(_MAX_PLACES):
            at = data.find(mark, at + 1)
            if at < 0:
                break
            if _BEFORE_EXIF.search(data[max(0, at - 8) : at]):
                yield at
                break


def _read_exif_at(data: bytes, start: int, found: ImageTexts) -> bytes:
    def read(offset: int, n_bytes: int) -> bytes:
        piece = data[start + offset : start + offset + n_bytes]
        return piece if len(piece) == n_bytes else b""

    return read_exif(read, found)


def _iptc_in(data: bytes) -> bytes:
    """The IPTC block among the resources that Photoshop and others write, after a name that is mostly empty."""
    at = data.find(_IPTC)
    if at < 0 or at + len(_IPTC) >= len(data):
        return b""
    start = at + len(_IPTC) + (data[at + len(_IPTC)] // 2 + 1) * 2
    size = int.from_bytes(data[start : start + 4], "big")
    return data[start + 4 : start + 4 + size]


def _read_iptc(block: bytes, found: ImageTexts) -> None:
    """Add the texts of the block's datasets: a mark, record, number and size, then the bytes. IPTC-IIM 4.2."""
    at, encoding = 0, "cp1252"
    while block[at : at + 1] == b"\x1c" and len(block) >= at + 5:
        record, number, size = block[at + 1], block[at + 2], int.from_bytes(block[at + 3 : at + 5], "big")
        value = block[at + 5 : at + 5 + size]
        at += 5 + size
        if (record, number) == (1, 90) and value == _UTF8:
            encoding = "utf-8"
        if record == 2 and number in _IPTC_ROLES:
            found.add(_IPTC_ROLES[number], _text(value, encoding))


def _text(value: bytes, encoding: str) -> str:
    """A text in an encoding that is often not stated."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode(encoding, "replace")


def _read_chunks(data: bytes, found: ImageTexts) -> None:
    """Add the texts of a PNG's chunks, which are known by their checksums wherever they are."""
    for kind, chunk in _chunks(data):
        name, _, value = chunk.partition(b"\0")
        keyword = name.decode("latin-1").casefold()
        if kind == b"iTXt":
            is_packed, (_language, _, rest) = value[:1] == b"\1", value[2:].partition(b"\0")
            value = rest.partition(b"\0")[2]
            value = _unpacked(value) if is_packed else value
        elif kind == b"zTXt":
            value = _unpacked(value[1:])
        if keyword == "xml:com.adobe.xmp":
            read_xmp(value, found)
        elif keyword in _KEYWORDS:
            found.add(_KEYWORDS[keyword], _text(value, "latin-1"))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The type and the content of each chunk with a text. A chunk is its size, type, content and checksum."""
    at = 0
    for _ in range(_MAX_PLACES):
        start = data.find(b"Xt", at) + 2
        if start < 2:
            return
        at, kind = start, data[start - 4 : start]
        end = start + int.from_bytes(data[max(0, start - 8) : start - 4], "big")
        checksum = int.from_bytes(data[end : end + 4], "big")
        if kind in _CHUNKS and end <= len(data) - 4 and zlib.crc32(memoryview(data)[start - 4 : end]) == checksum:
            yield kind, data[start:end]
            at = end


def _unpacked(value: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(value, _MAX_UNPACKED)
    except zlib.error:
        return b""


def _read_jpeg(picture: Sample, found: ImageTexts) -> int:
    """Add the comments of a JPEG, and its size, from its segments; returns where they end and the pixels begin."""
    at = 2
    for _ in range(_MAX_SEGMENTS):
        mark = picture.at(at, 4)
        if len(mark) < 4 or mark[0] != 0xFF:
            break
        kind, size = mark[1], int.from_bytes(mark[2:], "big")
        if kind == 0xFF:  # bytes of padding may stand before a mark
            at += 1
            continue
        if kind in _SIZE_SEGMENTS and (sides := picture.at(at + 5, 4)):
            found.size = int.from_bytes(sides[2:], "big"), int.from_bytes(sides[:2], "big")
        elif kind == 0xFE:
            found.add(Role.COMMENT, _text(picture.at(at + 4, max(0, size - 2)).rstrip(b"\0"), "cp1252"))
        elif kind in {0xD9, 0xDA}:
            return at
        at += 2 + size
    return len(picture.data)  # damaged, or cut: its texts may be anywhere


def _size(data: bytes) -> tuple[int, int]:  # noqa: PLR0911 - a table of formats
    """Width and height by the first bytes of a picture that is neither JPEG nor TIFF; (0, 0) if they are not known."""
    if data.startswith(_PNG):
        return _number(data[16:20]), _number(data[20:24])
    if data.startswith(b"8BPS"):
        return _number(data[18:22]), _number(data[14:18])
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _little(data[6:8]), _little(data[8:10])
    if data.startswith(b"BM"):
        return _little(data[18:22]), abs(int.from_bytes(data[22:26], "little", signed=True))
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _size_of_webp(data)
    if data[4:8] == b"ftyp":  # the largest of the pictures in it, since a preview is one too
        sizes = ((_number(match[1]), _number(match[2])) for match in _HEIF_SIZE.finditer(data))
        return max(sizes, default=(0, 0), key=lambda size: size[0] * size[1])
    return 0, 0


def _size_of_webp(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return _little(data[24:27]) + 1, _little(data[27:30]) + 1
        case b"VP8 ":
            return _little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF
        case b"VP8L":
            bits = _little(data[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return 0, 0


def _number(value: bytes) -> int:
    return int.from_bytes(value, "big")


def _little(value: bytes) -> int:
    return int.from_bytes(value, "little")
