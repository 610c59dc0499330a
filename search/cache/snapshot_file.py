"""The file of a snapshot: named sections of bytes behind a line that says who wrote them, all with checksums.

A section is bytes, which the file compresses, or a list of byte strings, one for each note, which it keeps as they are.

A file is written under another name and then renamed, so readers see a whole file or none; of several writers the last
one wins. A file with any damage counts as absent.
"""

import contextlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import mkstemp

import numpy as np

_MAX_HEADER = 100_000  # bytes
_LEVEL = 1  # of zlib, the fastest
_TEMPORARY = ".tmp"

Section = bytes | Sequence[bytes]


def write_sections(path: Path, made_by: str, sections: Mapping[str, Section]) -> None:
    """Write a file that only the user can read, in place of an earlier one.

    Raises:
        OSError: it cannot be written; an earlier file is as it was.
    """
    written = {name: _bytes_of(section) for name, section in sections.items()}
    listed = [(name, len(data), zlib.crc32(data)) for name, data in written.items()]
    header = json.dumps([made_by, listed]).encode()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    remove_temporary(path)
    handle, name = mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=_TEMPORARY)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(b"%d %b\n" % (zlib.crc32(header), header))
            file.writelines(written.values())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def read_sections(path: Path, made_by: str) -> dict[str, bytes] | None:
    """The sections of a whole file that the same program wrote, decompressed; None if there is no such file.

    `split` cuts a section that is a list.
    """
    try:
        with path.open("rb") as file:
            checksum_of_header, _, header = file.readline(_MAX_HEADER).rstrip(b"\n").partition(b" ")
            if zlib.crc32(header) != int(checksum_of_header):
                return None
            made_by_whom, listed = json.loads(header)
            if made_by_whom != made_by:
                return None
            sections: dict[str, bytes] = {}
            for name, n_bytes, checksum in listed:
                data = file.read(n_bytes)
                if len(data) != n_bytes or zlib.crc32(data) != checksum:
                    return None
                sections[name] = data[1:] if data[:1] == _LIST else zlib.decompress(data[1:])
            return sections
    except (OSError, ValueError):
        return None


def remove_temporary(path: Path) -> None:
    """Remove what writers left that were killed; a writer at work loses its file, which is only a loss of time."""
    for left in path.parent.glob(f"{path.name}.*{_TEMPORARY}"):
        with contextlib.suppress(OSError):
            left.unlink()


_LIST, _COMPRESSED = b"L", b"Z"


def _bytes_of(section: Section) -> bytes:
    if isinstance(section, bytes):
        return _COMPRESSED + zlib.compress(section, _LEVEL)
    sizes = np.array([len(section), *map(len, section)], np.uint32)
    return b"".join((_LIST, sizes.tobytes(), *section))


def split(section: bytes) -> list[bytes]:
    """The byte strings of a section that is a list."""
    n_items = int(np.frombuffer(section, np.uint32, 1)[0])
    sizes = np.frombuffer(section, np.uint32, n_items, offset=4).tolist()
    ends = accumulate(sizes, initial=4 * (n_items + 1))
    return [section[start:end] for start, end in pairwise(ends)]
