"""The file of a snapshot: a header line that says what wrote the file, then named sections; all have checksums.

A section is bytes, which are compressed, or a list of byte strings, which are kept as they are.

A file with any damage counts as absent.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from search.cache.private_files import replace_file

_MAX_HEADER = 100_000  # bytes
_LEVEL = 1  # of zlib, the fastest
_LIST, _COMPRESSED = b"L", b"Z"  # the first byte of a section

Section = bytes | Sequence[bytes]


def write_sections(path: Path, made_by: str, sections: Mapping[str, Section]) -> None:
    """Write a file that only the user can read, in place of an earlier one; creates its folder.

    `made_by` identifies what can read the sections; `read_sections` must get the same.

    Raises:
        OSError: the file cannot be written; an earlier one is as it was.
    """
    written = {name: _bytes_of(section) for name, section in sections.items()}
    listed = [(name, len(data), zlib.crc32(data)) for name, data in written.items()]
    header = json.dumps([made_by, listed]).encode()
    replace_file(path, (b"%d %b\n" % (zlib.crc32(header), header), *written.values()))


def read_sections(path: Path, made_by: str) -> dict[str, bytes] | None:
    """The sections of an undamaged file with the same `made_by`, decompressed; None if there is no such file.

    Pass a section that was a list to `split_list`.
    """
    try:
        with path.open("rb") as file:
            checksum_of_header, _, header = file.readline(_MAX_HEADER).rstrip(b"\n").partition(b" ")
            if zlib.crc32(header) != int(checksum_of_header):
                return None
            written_by, listed = json.loads(header)
            if written_by != made_by:
                return None
            sections: dict[str, bytes] = {}
            for name, n_bytes, checksum in listed:
                kind, data = file.read(1), file.read(n_bytes - 1)
                if len(data) != n_bytes - 1 or zlib.crc32(data, zlib.crc32(kind)) != checksum:
                    return None
                sections[name] = data if kind == _LIST else zlib.decompress(data)
            return sections
    except (OSError, ValueError):
        return None


def _bytes_of(section: Section) -> bytes:
    if isinstance(section, bytes):
        return _COMPRESSED + zlib.compress(section, _LEVEL)
    sizes = np.array([len(section), *map(len, section)], np.uint32)
    return b"".join((_LIST, sizes.tobytes(), *section))


def split_list(section: bytes) -> list[memoryview]:
    """The byte strings of a section that was written as a list; they share its memory."""
    n_items = int(np.frombuffer(section, np.uint32, 1)[0])
    sizes = np.frombuffer(section, np.uint32, n_items, offset=4).tolist()
    ends = accumulate(sizes, initial=4 * (n_items + 1))
    shared = memoryview(section)
    return [shared[start:end] for start, end in pairwise(ends)]
