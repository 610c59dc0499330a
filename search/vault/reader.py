"""Reads a file and decodes it to text, whatever its encoding. Decoding never fails.

A byte order mark decides. Without one, valid UTF-8 is UTF-8, and text that is mostly valid UTF-8 is damaged UTF-8. Only
otherwise is the encoding guessed from a bounded sample: a code page of Latin letters by the languages that use them,
some pages of Japanese, Russian, Ukrainian and Hebrew by their commonest letters, any other encoding by its statistics.
"""

import codecs
import contextlib
import os
import stat
from collections.abc import Iterator
from functools import lru_cache

from attrs import frozen

from search.vault.code_page import PAGES, latin_page
from search.vault.other_page import other_page

_MARKS = (  # UTF-32's little-endian mark begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FIRST_OF_MARKS = frozenset(mark[:1] for mark, _ in _MARKS)
_FEWEST_PAIRS = 4  # with fewer pairs of bytes, a NUL is not a sign of UTF-16
_SAMPLE_BYTES = 32 * 1024
_PIECE_BYTES = 1024 * 1024
_O_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


@frozen
class Decoded:
    """A decoded text; `problem` says what was guessed or damaged, or is ""."""

    text: str
    problem: str = ""


def read_bytes(path: str, *, limit: int, root: str | None) -> tuple[bytes, os.stat_result]:
    """At most `limit` bytes of a regular file, and its stat at that moment.

    With a `root`, the file must be in that folder: neither the file nor a folder on its path may be a link that leads
    out of it. This is checked on the open file, so a folder that is replaced by a link meanwhile does not help.
    Without a `root`, links are followed: for files of the user, never for files of a vault.

    Raises:
        OSError: it cannot be read, is not a regular file (a pipe would block forever), or is outside of `root`.
    """
    with open_regular(path, root) as (descriptor, info):
        data = os.read(descriptor, min(limit, info.st_size + 1))
        if 0 < len(data) < min(limit, info.st_size):  # a single read may return less than requested
            pieces = [data]
            n_bytes = len(data)
            while n_bytes < limit and (data := os.read(descriptor, limit - n_bytes)):
                pieces.append(data)
                n_bytes += len(data)
            data = b"".join(pieces)
        return data, info


def bytes_of(descriptor: int, size: int) -> Iterator[bytes]:
    """The bytes of an open file from its beginning, in pieces.

    Raises:
        OSError: the file has fewer than `size` bytes, or cannot be read.
    """
    os.lseek(descriptor, 0, os.SEEK_SET)
    while size > 0:
        piece = os.read(descriptor, min(size, _PIECE_BYTES))
        if not piece:
            raise OSError(0, "it changes while it is read")
        size -= len(piece)
        yield piece


def part_of(descriptor: int, start: int, n_bytes: int) -> bytes:
    """A part of an open file.

    Raises:
        OSError: the file ends before, or cannot be read.
    """
    os.lseek(descriptor, start, os.SEEK_SET)
    data = os.read(descriptor, n_bytes)
    while len(data) < n_bytes:  # a single read may return less than requested
        piece = os.read(descriptor, n_bytes - len(data))
        if not piece:
            raise OSError(0, "it changes while it is read")
        data += piece
    return data


@contextlib.contextmanager
def open_regular(path: str, root: str | None) -> Iterator[tuple[int, os.stat_result]]:
    """An open file as a descriptor, and its stat; checks `path` and raises as `read_bytes` does."""
    descriptor = os.open(path, _O_FLAGS if root is None else _O_FLAGS | _O_NOFOLLOW)
    try:
        yield descriptor, _checked(descriptor, path, root)
    finally:
        os.close(descriptor)


def _checked(descriptor: int, path: str, root: str | None) -> os.stat_result:
    """The stat of an open file that is regular and inside of `root`; raises as `read_bytes`."""
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode):
        raise OSError(f"{path!r} is not a regular file")
    if root is not None and not _is_inside(root, path, descriptor, info):
        raise OSError(f"{path!r} is outside of the vault")
    return info


def read_whole(path: str, *, limit: int, root: str | None) -> bytes:
    """The content of a small file, such as one with settings. As `read_bytes`, and raises if it exceeds `limit`."""
    data, _ = read_bytes(path, limit=limit + 1, root=root)
    if len(data) > limit:
        raise OSError(f"{path!r} is larger than {limit:,} bytes")
    return data


def _is_inside(root: str, path: str, descriptor: int, info: os.stat_result) -> bool:
    """Whether the open file is in `root` by its real path.

    Linux tells the path of an open file, in a fifth of the time. Elsewhere, the file that `path` leads to now must be
    in `root` and the same as the open one.
    """
    with contextlib.suppress(OSError):
        if os.readlink(f"/proc/self/fd/{descriptor}").startswith(_real_folder(root)):
            return True
    _real_folder.cache_clear()  # `root` may be a link that was changed
    real = os.path.realpath(path)
    return real.startswith(_real_folder(root)) and os.path.samestat(os.lstat(real), info)


@lru_cache(maxsize=16)
def _real_folder(path: str) -> str:
    return os.path.realpath(path).rstrip(os.sep) + os.sep


def decode(data: bytes) -> Decoded:
    r"""The text of `data`, without a byte order mark.

    >>> decode(b"\xef\xbb\xbfcaf\xc3\xa9")
    Decoded(text='café', problem='')
    """
    for mark, encoding in _MARKS if data[:1] in _FIRST_OF_MARKS else ():
        if data.startswith(mark):
            marked = _marked(data[len(mark) :], encoding)
            if marked:
                return marked
    if b"\0" in data[:4096] and (encoding := _unmarked_utf16(data[:4096])):
        return Decoded(data.decode(encoding, "replace"), f"read as {encoding}")
    try:
        return Decoded(data.decode())
    except UnicodeDecodeError:
        return _decode_damaged(data)


def _marked(data: bytes, encoding: str) -> Decoded | None:
    """The text after a byte order mark; None if it is not UTF-32, so that the mark is read as that of UTF-16."""
    try:
        return Decoded(data.decode(encoding, "surrogatepass"))
    except UnicodeDecodeError:
        return (
            None if encoding.startswith("utf-32") else Decoded(data.decode(encoding, "replace"), f"damaged {encoding}")
        )


def _unmarked_utf16(sample: bytes) -> str:
    """The encoding of UTF-16 without a byte order mark, or "": every other byte of Latin letters is a NUL."""
    n_pairs = len(sample) // 2
    if n_pairs >= _FEWEST_PAIRS and sample[1::2].count(0) > 0.7 * n_pairs and sample[::2].count(0) < 0.1 * n_pairs:
        return "utf-16-le"
    if n_pairs >= _FEWEST_PAIRS and sample[::2].count(0) > 0.7 * n_pairs and sample[1::2].count(0) < 0.1 * n_pairs:
        return "utf-16-be"
    return ""


def _decode_damaged(data: bytes) -> Decoded:
    try:
        return Decoded(data.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        pass
    escaped = data[:_SAMPLE_BYTES].decode("utf-8", "surrogateescape")
    n_bad = sum("\udc80" <= char <= "\udcff" for char in escaped)
    n_good = sum(char > "\x7f" for char in escaped) - n_bad
    if n_good > n_bad or not n_bad:
        return Decoded(data.decode("utf-8", "replace"), "damaged utf-8")
    encoding = _guess(data[:_SAMPLE_BYTES])
    return Decoded(data.decode(encoding, "replace"), f"read as {encoding}")


def _guess(sample: bytes) -> str:
    page, is_plain = latin_page(sample)
    if is_plain:
        return page
    if other := other_page(sample):
        return other
    from charset_normalizer import from_bytes  # noqa: PLC0415 - 20 ms, for rare notes

    best = from_bytes(sample).best()
    return best.encoding if best and best.encoding not in PAGES else page
