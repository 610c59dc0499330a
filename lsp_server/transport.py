"""Serves clients over standard input and output, or over TCP with a separate session for each connection.

A daemon thread of its own reads the input: neither running work nor a client that never closes its end can block it,
and the process does not wait for it at exit.
"""

import asyncio
import contextlib
import logging
import os
import re
import sys
from threading import Thread
from typing import TYPE_CHECKING

from pygls.io_ import run_async

from lsp_server.handlers import make_server
from lsp_server.server import VaultseekServer

if TYPE_CHECKING:
    from pygls.io_ import Writer

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)

logger = logging.getLogger(__name__)

INTERRUPTED = 130


def serve_stdio() -> int:
    """Serve one client until it leaves; the exit code is 0 after a shutdown request, 1 without one."""
    try:
        return asyncio.run(_serve_stdio())
    except KeyboardInterrupt:
        return INTERRUPTED


def serve_tcp(host: str, port: int) -> int:
    """Serve any number of clients, each in its own session, until interrupted; 2 if the port is not available."""
    try:
        asyncio.run(_serve_tcp(host, port))
    except OSError as error:
        sys.stderr.write(f"vaultseek: {host}:{port}: {error.strerror or error}\n")
        return 2
    except KeyboardInterrupt:
        return 0
    return 0


class PipeWriter:
    """Standard output for pygls; a closed pipe means that the client has left and is no error."""

    def __init__(self, server: VaultseekServer) -> None:
        self._server = server
        self._fd = sys.stdout.fileno()

    def write(self, data: bytes) -> None:
        """Send all of it."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            self._server.closed.set()

    def close(self) -> None:
        """Do nothing: there is no buffer."""


async def _serve_stdio() -> int:
    server = make_server()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(loop=loop)
    Thread(target=_feed, args=(sys.stdin.fileno(), reader, loop), name="vaultseek-input", daemon=True).start()
    return await serve(server, reader, PipeWriter(server))


def _feed(fd: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended
        with contextlib.suppress(OSError):
            while data := os.read(fd, 1 << 16):
                loop.call_soon_threadsafe(reader.feed_data, data)
        loop.call_soon_threadsafe(reader.feed_eof)


async def _serve_tcp(host: str, port: int) -> None:
    async def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await serve(make_server(), reader, writer)
        writer.close()

    listener = await asyncio.start_server(on_connection, host, port)
    for socket in listener.sockets:
        address = socket.getsockname()
        sys.stderr.write(f"vaultseek: listening on {address[0]}:{address[1]}\n")
        sys.stderr.flush()
    async with listener:
        await listener.serve_forever()


class _Headers:
    """Normalizes message headers for pygls, which requires one spelling: clients may vary case and spaces."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def readline(self) -> bytes:
        line = await self._reader.readline()
        length = _LENGTH.fullmatch(line)
        return line if length is None else b"Content-Length: %s\r\n" % length[1]

    async def readexactly(self, n: int) -> bytes:
        return await self._reader.readexactly(n)


async def serve(server: VaultseekServer, reader: asyncio.StreamReader, writer: "Writer") -> int:
    """Serve one client until it sends exit, closes its end or sends a broken frame; the exit code as `serve_stdio`."""
    server.protocol.set_writer(writer)
    source = _Headers(reader)
    reading = asyncio.ensure_future(run_async(server.stop, source, server.protocol, logger, server.report_server_error))
    leaving = asyncio.ensure_future(server.closed.wait())
    try:
        await asyncio.wait((reading, leaving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (reading, leaving):
            task.cancel()
        server.close()
    with contextlib.suppress(asyncio.CancelledError, asyncio.IncompleteReadError, ValueError, ConnectionError):
        await reading  # a truncated message, an endless header or a lost connection: the client is gone
    return server.exit_code
