"""The part of a picture that is read: its beginning and its end, as programs put text before or after the pixels.

So a picture of any size costs the reading of `HEAD + TAIL` bytes. A sample begins with the size of the file.
"""

from search.vault.reader import part_of

HEAD, TAIL = 256 * 1024, 64 * 1024  # bytes; all texts of a photo from Photoshop take up to 200 kB
_N_SIZE = 8


def sample_of(descriptor: int, size: int) -> bytes:
    """The sample of an open file of this size.

    Raises:
        OSError: the file is shorter, or cannot be read.
    """
    head = part_of(descriptor, 0, min(size, HEAD))
    start = max(HEAD, size - TAIL)
    return size.to_bytes(_N_SIZE, "big") + head + (part_of(descriptor, start, size - start) if start < size else b"")


class Sample:
    """A sample that was read. `data` is the beginning of the file, then its end without what lies between."""

    def __init__(self, sample: bytes) -> None:
        """Read it."""
        self._size = int.from_bytes(sample[:_N_SIZE], "big")
        self.data = sample[_N_SIZE:]

    def at(self, offset: int, n_bytes: int) -> bytes:
        """These bytes of the file; b"" if not all of them are in the sample."""
        n_skipped = max(0, self._size - len(self.data))
        if n_skipped and offset >= HEAD:
            if offset < HEAD + n_skipped:
                return b""
            offset -= n_skipped
        elif n_skipped and offset + n_bytes > HEAD:
            return b""
        found = self.data[offset : offset + n_bytes] if offset >= 0 else b""
        return found if len(found) == n_bytes else b""
