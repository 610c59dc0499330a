"""Reads the frames of LSP's base protocol: header lines, an empty line, and a JSON text of the announced length.

Only LSP's two headers are accepted. A web page can make a browser send an HTTP request with a whole frame in its body,
but such a request begins with a line that is no header of LSP, and that ends the connection.
"""

import asyncio
import re

from attrs import frozen

from search.errors import shorten

HEADER_BYTES = 8 * 1024
"""How many bytes the header lines of a frame have together, at most; real ones have about 25."""

_LENGTH = re.compile(rb"\d{1,18}")


@frozen(kw_only=True)
class FrameLimits:
    """What a client may send, None without a limit: an editor that started the server owns it anyway."""

    first_bytes: int | None = None  # of the first JSON text, perhaps a stranger's; an editor's has about 10 kB
    frame_bytes: int | None = None  # of any other one
    patience_s: float | None = None  # for the first frame as a whole, later for the header lines of a frame


class BrokenFrame(Exception):  # noqa: N818 not an error of this program
    """The client does not speak the base protocol or exceeds a limit; the message is a sentence that says how."""


class Frames:
    """The frames that a client sends, one after the other."""

    def __init__(self, reader: asyncio.StreamReader, limits: FrameLimits) -> None:
        self._reader = reader
        self._limits = limits
        self._is_first = True

    async def next(self) -> bytes | None:
        """The JSON text of the next frame; None if the client has closed its end.

        Raises:
            BrokenFrame: see there.
            IncompleteReadError: the client has closed its end in the middle of a text.
        """
        patience_s = self._limits.patience_s
        try:
            if self._is_first:
                async with asyncio.timeout(patience_s):
                    length = await self._length(b"")
                    body = None if length is None else await self._reader.readexactly(length)
                self._is_first = False
                return body
            if not (begin := await self._reader.read(1)):
                return None
            async with asyncio.timeout(patience_s):
                length = await self._length(begin)
        except TimeoutError:
            what = "The first message" if self._is_first else "The header of a message"
            raise BrokenFrame(f"{what} did not arrive within {patience_s:g} s.") from None
        return None if length is None else await self._reader.readexactly(length)

    async def _length(self, begin: bytes) -> int | None:
        """The length in the header lines, of which `begin` has been read; None if the client closes its end first."""
        length, n_left = None, HEADER_BYTES
        while True:
            line = begin + await self._line()
            begin = b""
            n_left -= len(line)
            if n_left < 0:
                raise BrokenFrame(_TOO_LONG)
            if not line.endswith(b"\n"):
                return None
            if not line.strip():
                if length is not None:
                    return length
                continue  # an empty line between two frames
            name, colon, value = line.partition(b":")
            name = name.rstrip(b" \t").lower()
            if not colon or name not in (b"content-length", b"content-type"):
                raise BrokenFrame(f"{shorten(line.decode('latin-1').strip())} is no header of LSP.")
            if name == b"content-length":
                length = self._checked(value.strip(), length)

    async def _line(self) -> bytes:
        try:
            return await self._reader.readline()
        except ValueError:  # longer than the reader's own limit
            raise BrokenFrame(_TOO_LONG) from None

    def _checked(self, text: bytes, earlier: int | None) -> int:
        if earlier is not None or not _LENGTH.fullmatch(text):
            raise BrokenFrame("Content-Length must occur once and be a whole number.")
        length, limit = int(text), self._limits.first_bytes if self._is_first else self._limits.frame_bytes
        if limit is not None and length > limit:
            what = "A first message" if self._is_first else "A message"
            raise BrokenFrame(f"{what} of {length:,} bytes is too large; at most {limit:,} are allowed.")
        return length


_TOO_LONG = f"The header lines have more than {HEADER_BYTES:,} bytes."
