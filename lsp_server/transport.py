"""Serves one client over standard input and output, or several over a socket, each in a session of its own.

A Unix socket can be opened by its user only. A port can be reached by all users of a computer and by web pages in a
browser: there, a client must send a token that the server printed when it started.

A daemon thread of its own reads the input: neither running work nor a client that never closes its end can block it,
and the process does not wait for it at exit.
"""

import asyncio
import contextlib
import errno
import gc
import json
import logging
import os
import secrets
import socket
import stat
import sys
from collections.abc import Awaitable, Callable, Coroutine
from ipaddress import ip_address
from threading import Thread
from typing import TYPE_CHECKING

from lsprotocol.types import INITIALIZE, ErrorCodes
from pygls.exceptions import JsonRpcException

from lsp_server.config.environment import take_token
from lsp_server.frames import HEADER_BYTES, BrokenFrame, FrameLimits, Frames
from lsp_server.handlers import make_server
from lsp_server.server import VaultseekServer
from lsp_server.wire.plain_text import plain
from search.errors import ConfigError

if TYPE_CHECKING:
    from pygls.io_ import Writer

logger = logging.getLogger(__name__)

INTERRUPTED = 130
CLOSE_S = 1.0  # how long the end waits for vaults to be closed; vectors that were written are safe in any case
LINGER_S = 1.0  # how long a client may take to read why its connection is closed
UNREAD_BYTES = 16 * 2**20
"""How many bytes of answers may wait for a client on a socket; then it must read them before its next message is read.
So one that stops reading costs bounded memory, while one that first sends a hundred requests is not held up."""
NOT_ADMITTED = "Send initialize first, with the token that the server printed as `token` in the initializationOptions."
N_WAITING = 16
"""How many connections to a port may be open whose client has not sent the token; real clients send it at once.

As many more are told so; any further one is closed without a word, so that their number has a limit too.
"""

FULL = f"{N_WAITING} clients are connected that have not sent the token; try again in a few seconds."
SWITCH_S = 0.001
"""How long a thread may compute while others wait; Python's default is 5 ms. Answering a message takes some twenty
turns, and each waits that long while a note is read, so the status is answered in a fifth of the time."""
OF_STDIO = FrameLimits()
OF_SOCKETS = FrameLimits(first_bytes=2**20, frame_bytes=64 * 2**20, patience_s=10.0)


def serve_stdio() -> int:
    """Serve one client until it leaves; the exit code is 0 after a shutdown request, 1 without one."""
    sys.setswitchinterval(SWITCH_S)
    try:
        return asyncio.run(_serve_stdio())
    except KeyboardInterrupt:
        return INTERRUPTED


def serve_tcp(host: str, port: int, *, allow_remote: bool = False) -> int:
    """Serve any number of clients until interrupted; the exit code is 2 if the port is not available.

    The token that clients must send is printed to standard error.

    Raises:
        ConfigError: other computers can reach the address, and this is not allowed.
    """
    return _serve_many(_serve_tcp(host, port, allow_remote=allow_remote), f"{host}:{port}")


def serve_socket(path: str) -> int:
    """Serve any number of clients of this user over a Unix socket; as `serve_tcp`, without a token.

    Raises:
        ConfigError: the path is empty.
    """
    if not path:
        raise ConfigError("--socket", path, "the path of a file that does not exist")
    return _serve_many(_serve_socket(path), path)


def _serve_many(serving: Coroutine[None, None, None], name: str) -> int:
    sys.setswitchinterval(SWITCH_S)
    try:
        asyncio.run(serving)
    except OSError as error:
        _say(f"{plain(name)}: {error.strerror or error}")
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
    reader = asyncio.StreamReader(HEADER_BYTES, loop)
    Thread(target=_feed, args=(sys.stdin.fileno(), reader, loop), name="vaultseek-input", daemon=True).start()
    return await serve(server, reader, PipeWriter(server))


def _feed(fd: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended
        with contextlib.suppress(OSError):
            while data := os.read(fd, 1 << 16):
                loop.call_soon_threadsafe(reader.feed_data, data)
        loop.call_soon_threadsafe(reader.feed_eof)


async def _serve_tcp(host: str, port: int, *, allow_remote: bool) -> None:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
    is_local = all(ip_address(address.partition("%")[0]).is_loopback for address in addresses)
    if not is_local and not allow_remote:
        raise ConfigError(
            "--tcp",
            f"{host}:{port}",
            f"an address of this computer, such as 127.0.0.1:{port}, or any with --allow-remote",
        )
    token = secrets.token_urlsafe(32)
    listener = await asyncio.start_server(_greeter(token), addresses, port, limit=HEADER_BYTES)
    for listening in listener.sockets:
        address = listening.getsockname()
        _say(f"listening on {address[0]}:{address[1]}")
    if not is_local:
        _say("warning: other computers can connect, and everything, the token included, is sent unencrypted")
    _say(f"token {token}")
    async with listener:
        await listener.serve_forever()


async def _serve_socket(path: str) -> None:
    _remove_abandoned(path)
    mask = os.umask(0o177)  # only this user may connect, from the first moment on
    try:
        listener = await asyncio.start_unix_server(_greeter(""), path, limit=HEADER_BYTES)
    finally:
        os.umask(mask)
    _say(f"listening on {plain(path)}")
    try:
        async with listener:
            await listener.serve_forever()
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108 `path` may be longer than a name on disk


def _remove_abandoned(path: str) -> None:
    """Remove a socket that no process listens on any more.

    Raises:
        OSError: something else has this name, or a process listens there.
    """
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise FileExistsError(errno.EEXIST, "this file exists and is no socket")
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(path)
            except ConnectionRefusedError:
                os.unlink(path)  # noqa: PTH108 as above
            else:
                raise OSError(errno.EADDRINUSE, "another process listens here")


def _greeter(token: str) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    """A function that serves one connection to a socket."""
    served: set[VaultseekServer] = set()

    async def serve_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        n_waiting = sum(not other.is_admitted for other in served)
        if n_waiting >= 2 * N_WAITING:
            writer.close()
            return
        writer.transport.set_write_buffer_limits(high=UNREAD_BYTES)
        server = make_server(token=token)
        served.add(server)
        try:
            if n_waiting < N_WAITING:
                await serve(server, reader, writer, OF_SOCKETS, until_read=writer.drain)
            else:
                server.protocol.set_writer(writer)
                _hang_up(server, FULL)
            with contextlib.suppress(
                OSError, TimeoutError
            ):  # if bytes were left unread, the last message would be lost
                writer.write_eof()
                async with asyncio.timeout(LINGER_S):
                    while await reader.read(HEADER_BYTES):
                        pass
        except asyncio.CancelledError:
            return  # the process ends; Python 3.11 would print a traceback for each connection that is cancelled
        finally:
            served.discard(server)
            writer.close()
        had_vaults = bool(server.session.vaults)
        del server  # so that its memory can be given back
        if had_vaults:
            await asyncio.to_thread(_free_memory)

    return serve_connection


def _free_memory() -> None:
    """Give back what a closed connection's vaults took: its objects refer to each other, and other clients go on."""
    from search.index.memory import trim_heap  # noqa: PLC0415 a server that is about to answer need not load it

    gc.collect()
    trim_heap()


def _say(text: str) -> None:
    sys.stderr.write(f"vaultseek: {text}\n")
    sys.stderr.flush()


async def _at_once() -> None:
    """Wait for nothing: a pipe that is full blocks the writer."""


async def serve(
    server: VaultseekServer,
    reader: asyncio.StreamReader,
    writer: "Writer",
    limits: FrameLimits = OF_STDIO,
    *,
    until_read: Callable[[], Awaitable[None]] = _at_once,
) -> int:
    """Serve one client until it sends exit, closes its end or sends a broken frame; the exit code as `serve_stdio`.

    `until_read` waits until the client has read most of what was written, and comes before each message.
    """
    server.protocol.set_writer(writer)
    reading = asyncio.ensure_future(_handle_messages(server, Frames(reader, limits), until_read))
    leaving = asyncio.ensure_future(server.closed.wait())
    try:
        await asyncio.wait((reading, leaving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (reading, leaving):
            task.cancel()
        closing = server.close()
    await asyncio.to_thread(closing.join, CLOSE_S)
    with contextlib.suppress(asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError):
        await reading  # a truncated message or a lost connection: the client is gone
    return server.exit_code


async def _handle_messages(server: VaultseekServer, frames: Frames, until_read: Callable[[], Awaitable[None]]) -> None:
    while not server.stop.is_set():
        await until_read()
        try:
            text = await frames.next()
        except BrokenFrame as broken:
            _hang_up(server, str(broken))
            return
        if text is None:
            return
        try:
            message = json.loads(text)
            if not (server.is_admitted or _has_token(message, server.token)):
                _hang_up(server, NOT_ADMITTED)
                return
            server.is_admitted = True
            server.protocol.handle_message(message)
        except Exception as error:
            logger.exception("Unable to handle message")
            server.report_server_error(error, JsonRpcException)


def _has_token(message: object, required: str) -> bool:
    """Whether a message is `initialize` with the required token; takes the token out of it."""
    if not isinstance(message, dict) or message.get("method") != INITIALIZE:
        return False
    token = take_token(message.get("params"))
    return secrets.compare_digest(token.encode(errors="surrogatepass"), required.encode())


def _hang_up(server: VaultseekServer, reason: str) -> None:
    """End the connection because of what the client sent, and tell both sides why."""
    server.protocol.refuse(None, ErrorCodes.InvalidRequest, reason)
    logger.warning("Closed a connection: %s", reason)
    server.closed.set()
