"""EXIF: what a TIFF file, or the same structure within another picture, says in words. EXIF 3.0, CIPA DC-008-2023."""

import re
import struct
from collections.abc import Callable

from search.vault.attachments.image_texts import ImageTexts, Role

_WINDOWS = {0x9C9B: Role.TITLE, 0x9C9C: Role.COMMENT, 0x9C9D: Role.CREATOR, 0x9C9E: Role.KEYWORD, 0x9C9F: Role.CAPTION}
_TEXTS = {0x010E: Role.CAPTION, 0x013B: Role.CREATOR}
_WIDTH, _HEIGHT = 0x0100, 0x0101
_ORIENTATION, _USER_COMMENT, _EXIF, _IPTC = 0x0112, 0x9286, 0x8769, 0x83BB
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 7: 1}  # type -> bytes of a value: bytes, ASCII, short, long, undefined
_MAX_ENTRIES = 500  # of a directory; cameras write some fifty
_MAX_BYTES = 64 * 1024  # of a text
_HELD = 4  # bytes that an entry has itself, instead of a place
_SEPARATORS = {Role.KEYWORD: re.compile("[;,]"), Role.CREATOR: re.compile(";")}

Read = Callable[[int, int], bytes]
"""The bytes at an offset; b"" if there are fewer."""


def read_exif(read: Read, found: ImageTexts, *, has_size: bool = False) -> bytes:
    """Add what the structure behind `read` says in words; returns the IPTC block in it, or b"".

    With `has_size` the structure is the picture itself, so its width and height are those of the picture.
    """
    start = read(0, 8)
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(start[:4])
    if order is None:
        return b""
    tags = _entries(read, order, struct.unpack(f"{order}I", start[4:])[0])
    if _EXIF in tags:
        tags = _entries(read, order, _number(tags[_EXIF], order)) | tags
    for tag, role in _TEXTS.items():
        found.add(role, _decoded(tags.get(tag, b"")))
    for tag, role in _WINDOWS.items():
        _add_windows(found, role, tags.get(tag, b"").decode("utf-16-le", "replace"))
    found.add(Role.COMMENT, _user_comment(tags.get(_USER_COMMENT, b""), order))
    found.is_turned = found.is_turned or _number(tags.get(_ORIENTATION, b""), order) in range(5, 9)
    if has_size:
        found.size = _number(tags.get(_WIDTH, b""), order), _number(tags.get(_HEIGHT, b""), order)
    return tags.get(_IPTC, b"")


def _entries(read: Read, order: str, offset: int) -> dict[int, bytes]:
    """The bytes of each tag of a directory; of a tag that occurs twice, the first ones."""
    found: dict[int, bytes] = {}
    count = read(offset, 2)
    n_entries = struct.unpack(f"{order}H", count)[0] if count else 0
    for number in range(min(n_entries, _MAX_ENTRIES)):
        entry = read(offset + 2 + 12 * number, 12)
        if not entry:
            break
        tag, kind, n_values, place = struct.unpack(f"{order}HHII", entry)
        n_bytes = _SIZES.get(kind, 0) * n_values
        if 0 < n_bytes <= _MAX_BYTES:
            found.setdefault(tag, entry[8 : 8 + n_bytes] if n_bytes <= _HELD else read(place, n_bytes))
    return found


def _number(value: bytes, order: str) -> int:
    """The first number in the bytes of a short or a long."""
    number: int = struct.unpack(f"{order}I", value[:4])[0] if len(value) >= 4 else 0
    return struct.unpack(f"{order}H", value[:2])[0] if len(value) == 2 else number


def _add_windows(found: ImageTexts, role: Role, text: str) -> None:
    """Add a text as Windows writes it, with semicolons between authors, and also commas between keywords."""
    for part in _SEPARATORS[role].split(text) if role in _SEPARATORS else [text]:
        found.add(role, part)


def _user_comment(value: bytes, order: str) -> str:
    """A comment, which begins with the name of its encoding. Not all programs use the byte order of the structure."""
    if value.startswith(b"UNICODE"):
        n_first, n_second = (value[8 + first :: 2].count(0) for first in (0, 1))
        is_little = order == "<" if n_first == n_second else n_first < n_second
        return value[8:].decode("utf-16-le" if is_little else "utf-16-be", "replace")
    return _decoded(value[8:]) if value.startswith((b"ASCII", bytes(8))) else ""


def _decoded(value: bytes) -> str:
    """A text that should be ASCII; programs write UTF-8, and old ones Latin letters."""
    value = value.partition(b"\0")[0]
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("cp1252", "replace")
