"""The file of a snapshot: named sections, after a line that says what wrote the file.

A section is bytes, which are compressed, or a list of byte strings, which are kept as they are. A line before each has
its name, its size and its checksum. Each line begins with a checksum of all lines so far, so sections of two files
never mix, and the last line says that nothing is missing. Sections are made and compressed one after the other, so that
only one is in memory uncompressed.

A file with any damage counts as absent.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from search.cache.private_files import replace_file

_MAX_LINE = 100_000  # bytes
_LEVEL = 1  # of zlib, the fastest
_LIST, _COMPRESSED = b"L", b"Z"  # the first byte of a section
_END = None  # the value in the last line, where others have a section's name, size and checksum

Section = bytes | Sequence[bytes]


def write_sections(path: Path, made_by: str, sections: Iterable[tuple[str, Section]]) -> None:
    """Write a file that only the user can read, in place of an earlier one; creates its folder.

    `made_by` identifies what can read the sections; `read_sections` must get the same.

    Raises:
        OSError: the file cannot be written; an earlier one is as it was.
    """
    parts = list(_parts(made_by, sections))  # first, since a second writer removes a file that is begun
    replace_file(path, parts)


def read_sections(path: Path, made_by: str) -> dict[str, bytes] | None:
    """The sections of an undamaged file with the same `made_by`, decompressed; None if there is no such file.

    Pass a section that was a list to `split_list`.
    """
    try:
        with path.open("rb") as file:
            written_by, seen = _read_line(file, 0)
            if written_by != made_by:
                return None
            sections: dict[str, bytes] = {}
            line, seen = _read_line(file, seen)
            while line is not _END:
                name, n_bytes, checksum = line
                kind, data = file.read(1), file.read(n_bytes - 1)
                if len(data) != n_bytes - 1 or zlib.crc32(data, zlib.crc32(kind)) != checksum:
                    return None
                sections[name] = data if kind == _LIST else zlib.decompress(data)
                line, seen = _read_line(file, seen)
            return sections
    except (OSError, ValueError):
        return None


def _parts(made_by: str, sections: Iterable[tuple[str, Section]]) -> Iterator[bytes]:
    line, seen = _line(made_by, 0)
    yield line
    for name, section in sections:
        parts = _bytes_of(section)
        del section  # before the next one is made
        checksum = 0
        for part in parts:
            checksum = zlib.crc32(part, checksum)
        line, seen = _line([name, sum(map(len, parts)), checksum], seen)
        yield line
        yield from parts
        del parts
    yield _line(_END, seen)[0]


def _line(value: object, seen: int) -> tuple[bytes, int]:
    """The line of a value, and the checksum of all lines with it; `seen` is that of the lines before."""
    text = json.dumps(value).encode()
    seen = zlib.crc32(text, seen)
    return b"%08x %b\n" % (seen, text), seen


def _read_line(file: BinaryIO, seen: int) -> tuple[Any, int]:
    """The value of the next line, and the checksum of all lines with it.

    Raises:
        ValueError: there is no whole and undamaged line.
    """
    line = file.readline(_MAX_LINE)
    checksum, _, text = line[:-1].partition(b" ")
    seen = zlib.crc32(text, seen)
    if line[-1:] != b"\n" or checksum != b"%08x" % seen:
        raise ValueError("damaged")
    return json.loads(text), seen


def _bytes_of(section: Section) -> Sequence[bytes]:
    if isinstance(section, bytes):
        return _COMPRESSED, zlib.compress(section, _LEVEL)
    sizes = np.array([len(section), *map(len, section)], np.uint32)
    return _LIST, sizes.tobytes(), *section


def split_list(section: bytes) -> list[memoryview]:
    """The byte strings of a section that was written as a list; they share its memory."""
    n_items = int(np.frombuffer(section, np.uint32, 1)[0])
    sizes = np.frombuffer(section, np.uint32, n_items, offset=4).tolist()
    ends = accumulate(sizes, initial=4 * (n_items + 1))
    shared = memoryview(section)
    return [shared[start:end] for start, end in pairwise(ends)]
