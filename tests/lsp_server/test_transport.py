"""Standard streams and sockets: how a server starts and ends."""

import asyncio
import contextlib
import gc
import json
import os
import re
import runpy
import socket
import stat
import sys
import threading
import weakref

import pytest
from attrs import evolve

from lsp_server import transport
from lsp_server.protocol import VaultseekProtocol
from search.errors import ConfigError
from tests.kit.platforms import needs_unix_sockets

EXIT = b'{"jsonrpc":"2.0","method":"exit"}'


BEGIN = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'


STOP = b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}'


def framed(*bodies):
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


@pytest.fixture
def pipes(monkeypatch):
    """Replace the process's standard streams by pipes; gives the client's ends."""
    (their_in, my_out), (my_in, their_out) = os.pipe(), os.pipe()
    stdin, stdout = os.fdopen(their_in, "rb"), os.fdopen(their_out, "wb")
    monkeypatch.setattr(sys, "stdin", stdin)
    yield my_out, my_in, stdout
    os.close(my_out)
    for thread in threading.enumerate():
        if thread.name == "vaultseek-input":
            thread.join(10)  # else it could read from a file that the next test opens under the same number
    stdin.close()
    stdout.close()


@pytest.mark.parametrize(("messages", "code"), [((BEGIN, STOP, EXIT), 0), ((BEGIN, EXIT), 1), ((EXIT,), 1)])
def test_the_exit_code_depends_on_a_shutdown_request(pipes, monkeypatch, messages, code):
    monkeypatch.setattr(sys, "stdout", pipes[2])  # not in the fixture: pytest replaces it before each test
    os.write(pipes[0], framed(*messages))
    assert transport.serve_stdio() == code
    os.close(pipes[1])


@pytest.mark.parametrize(
    "header", [b"content-length: %d\r\n\r\n", b"Content-Length:%d\r\n\r\n", b"CONTENT-LENGTH : %d \n\n"]
)
def test_header_names_can_vary_in_case_and_spaces(pipes, monkeypatch, header):
    monkeypatch.setattr(sys, "stdout", pipes[2])
    os.write(pipes[0], b"".join(header % len(body) + body for body in (BEGIN, STOP, EXIT)))
    assert transport.serve_stdio() == 0
    os.close(pipes[1])


def test_a_closed_output_ends_the_server(pipes, monkeypatch):
    monkeypatch.setattr(sys, "stdout", pipes[2])
    os.close(pipes[1])
    os.write(pipes[0], framed(BEGIN))
    assert transport.serve_stdio() == 1


def test_an_interrupt_is_130_on_pipes_and_0_on_tcp(monkeypatch):
    def interrupted(work):
        work.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(asyncio, "run", interrupted)
    assert transport.serve_stdio() == 130
    assert transport.serve_tcp("127.0.0.1", 0) == 0


def test_a_port_in_use_gives_2(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert transport.serve_tcp("127.0.0.1", port) == 2
    assert f"127.0.0.1:{port}: " in capsys.readouterr().err


class Listening:
    """A server on a port or a socket in this process: what it printed, and connections to it."""

    def __init__(self, capsys, serving):
        self.capsys = capsys
        self.task = asyncio.ensure_future(serving)
        self.printed = ""

    async def __aenter__(self):
        while "token " not in self.printed and "listening on /" not in self.printed and not self.task.done():
            await asyncio.sleep(0)
            self.printed += self.capsys.readouterr().err
        return self

    async def __aexit__(self, *_):
        self.task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.task
        await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()}, return_exceptions=True)
        await asyncio.sleep(0)  # transports close a step after their tasks

    @property
    def token(self):
        """The token that the server printed."""
        return self.printed.split("token ")[-1].strip()

    async def connected(self, leaving=None):
        """A connection to the port, closed with `leaving`."""
        port = int(re.search(r"listening on \S+:(\d+)", self.printed)[1])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        if leaving is not None:
            leaving.callback(writer.close)
        return reader, writer

    async def said_to(self, *data, connect=None):
        """Everything that the server sends to a client that sends `data` and does not close its end."""
        reader, writer = await (connect or self.connected())
        writer.write(b"".join(data))
        said = await reader.read()
        writer.close()
        await writer.wait_closed()
        return said


async def frame(reader):
    """The next message from a server."""
    header = await reader.readuntil(b"\r\n\r\n")
    return await reader.readexactly(int(re.search(rb"Content-Length: (\d+)", header)[1]))


def tcp(capsys, host="127.0.0.1", *, allow_remote=False):
    return Listening(capsys, transport._serve_tcp(host, 0, allow_remote=allow_remote))


def begin(**options):
    params = {"capabilities": {}, "initializationOptions": options}
    return framed(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode())


@pytest.mark.asyncio
async def test_each_tcp_connection_has_its_own_session(capsys):
    async with tcp(capsys) as server:
        for options in ({"token": server.token}, {"vaultseek": {"token": server.token}}):
            assert b"serverInfo" in await server.said_to(begin(**options), framed(EXIT))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "sent",
    [
        begin(),
        begin(token=""),
        begin(token="x" * 43),
        begin(token=["x"]),
        begin(token="\ud800"),  # noqa: S106
        begin(keys={"token": "x"}),
        framed(b'{"jsonrpc":"2.0","id":1,"method":"vaultseek/search","params":{"query":"x"}}'),
        framed(b'{"jsonrpc":"2.0","method":"initialized","params":{}}'),
        framed(b"[]"),
        framed(b'"initialize"'),
    ],
)
async def test_a_client_without_the_token_is_refused_and_nothing_it_sent_is_used(capsys, monkeypatch, sent):
    monkeypatch.setattr(VaultseekProtocol, "handle_message", lambda *_: pytest.fail("handled"))
    async with tcp(capsys) as server:
        said = await server.said_to(sent, framed(EXIT))
    assert transport.NOT_ADMITTED in said.decode()
    assert b"serverInfo" not in said


@pytest.mark.asyncio
async def test_few_clients_at_once_can_be_connected_without_the_token(capsys, caplog):
    async with tcp(capsys) as server, contextlib.AsyncExitStack() as leaving:
        own = begin(token=server.token)
        waiting = [await server.connected(leaving) for _ in range(transport.N_WAITING)]
        for sent in (b"", own):
            said = await server.said_to(sent)
            assert json.loads(said.split(b"\r\n\r\n")[-1])["error"]["message"] == transport.FULL
        assert f"Closed a connection: {transport.FULL}" in caplog.text
        waiting[0][1].write(own)  # from now on it does not count
        assert b"serverInfo" in await frame(waiting[0][0])
        assert b"serverInfo" in await server.said_to(own, framed(EXIT))
        await server.connected(leaving)
        assert transport.FULL.encode() in await server.said_to(own)
        waiting[1][1].close()  # neither does one that has left
        while transport.FULL.encode() in (said := await server.said_to(own, framed(EXIT))):
            pass
        assert b"serverInfo" in said


@pytest.mark.asyncio
async def test_a_crowd_without_the_token_is_refused_without_a_word(capsys):
    async with tcp(capsys) as server, contextlib.AsyncExitStack() as leaving:
        crowd = [await server.connected(leaving) for _ in range(2 * transport.N_WAITING)]
        assert transport.FULL.encode() in await frame(crowd[-1][0])  # it may take a second to read this
        assert await server.said_to() == b""


@pytest.mark.asyncio
async def test_the_token_is_new_for_each_server_and_reaches_no_setting(capsys, monkeypatch):
    tokens, seen = set(), []
    real = VaultseekProtocol.handle_message
    monkeypatch.setattr(VaultseekProtocol, "handle_message", lambda *both: seen.append(both[1]) or real(*both))
    for _ in range(2):
        async with tcp(capsys) as server:
            tokens.add(server.token)
            await server.said_to(begin(token=server.token, mode="keyword"), framed(EXIT))
    assert [message["params"]["initializationOptions"] for message in seen[::2]] == [{"mode": "keyword"}] * 2
    assert len(tokens) == 2
    assert all(len(token) >= 43 for token in tokens)


@pytest.fixture
def patience(monkeypatch):
    """A function that sets how long a server on a socket waits for a client."""

    def set_to(patience_s):
        monkeypatch.setattr(transport, "OF_SOCKETS", evolve(transport.OF_SOCKETS, patience_s=patience_s))

    return set_to


HTTP = b"POST /%s HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n"


@pytest.mark.slow
@pytest.mark.asyncio
@pytest.mark.parametrize("is_admitted", [False, True])
@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (HTTP % b"", "'POST / HTTP/1.1' is no header of LSP"),
        (HTTP % b"a:b", "is no header of LSP"),
        (b"GET / HTTP/1.1\r\n", "'GET / HTTP/1.1' is no header of LSP"),
        (b"Host: evil.example\r\nContent-Length: 2\r\n\r\n[]", "'Host: evil.example' is no header of LSP"),
        (b"Content-Length: 2\r\nOrigin: https://evil.example\r\n\r\n[]", "is no header of LSP"),
        (b"\x16\x03\x01\x02\n", "is no header of LSP"),
        (b"Content-Length: 200000000000\r\n\r\n", "message of 200,000,000,000 bytes is too large"),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n", "must occur once and be a whole number"),
        (b"Content-Length: -1\r\n\r\n", "must occur once and be a whole number"),
        (b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n", "must occur once and be a whole number"),
        (b"Content-Type: " + b"x" * 8192, "more than 8,192 bytes"),
        (b"Content-Type: " + b"x" * 8192 + b"\r\n", "more than 8,192 bytes"),
        (b"Content-Type: x\r\n" * 600, "more than 8,192 bytes"),
        (b"\r\n" * 5000, "more than 8,192 bytes"),
        (b"Content-Length: 2\r\n", "did not arrive within"),
        (b"C", "did not arrive within"),
    ],
)
async def test_what_is_no_frame_of_lsp_closes_the_connection_with_a_reason(capsys, patience, is_admitted, sent, reason):
    patience(0.2 if "arrive" in reason else 30.0)
    async with tcp(capsys) as server:
        before = begin(token=server.token) if is_admitted else b""
        said = await server.said_to(before, sent)
    assert reason in json.loads(said.split(b"\r\n\r\n")[-1])["error"]["message"]
    assert (b"serverInfo" in said) is is_admitted


@pytest.mark.asyncio
@pytest.mark.parametrize("is_admitted", [False, True])
async def test_a_client_without_the_token_can_make_the_server_keep_less(capsys, is_admitted):
    limit = 64 * 2**20 if is_admitted else 2**20
    async with tcp(capsys) as server:
        before = begin(token=server.token) if is_admitted else b""
        said = await server.said_to(before, b"Content-Length: %d\r\n\r\n" % (limit + 1))
    what = "A message" if is_admitted else "A first message"
    message = json.loads(said.split(b"\r\n\r\n")[-1])["error"]["message"]
    assert message == f"{what} of {limit + 1:,} bytes is too large; at most {limit:,} are allowed."


@pytest.mark.asyncio
async def test_the_first_message_must_arrive_as_a_whole_in_time(capsys, patience):
    patience(0.2)
    async with tcp(capsys) as server:
        assert b"The first message did not arrive within 0.2 s." in await server.said_to()
        assert b"The first message" in await server.said_to(begin(token=server.token)[:-1])


@pytest.mark.asyncio
async def test_the_reason_is_also_printed_where_the_server_runs(capsys, caplog):
    async with tcp(capsys) as server:
        await server.said_to(HTTP % b"")
        await server.said_to(begin(token="wrong"))  # noqa: S106
    assert "Closed a connection: 'POST / HTTP/1.1' is no header of LSP." in caplog.text
    assert f"Closed a connection: {transport.NOT_ADMITTED}" in caplog.text


@pytest.mark.asyncio
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "8.8.8.8"])  # noqa: S104 no port is opened
async def test_other_computers_can_connect_only_if_this_is_allowed(capsys, host):
    with pytest.raises(ConfigError, match=r"allowed is an address of this computer, .*--allow-remote"):
        await transport._serve_tcp(host, 0, allow_remote=False)
    assert capsys.readouterr().err == ""


@pytest.mark.asyncio
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.2"])
async def test_addresses_of_this_computer_need_no_permission(capsys, host):
    async with tcp(capsys, host) as server:
        assert "listening on" in server.printed
        assert "warning" not in server.printed


@pytest.mark.asyncio
async def test_a_port_for_other_computers_has_a_warning_and_needs_the_token_too(capsys):
    async with tcp(capsys, "0.0.0.0", allow_remote=True) as server:  # noqa: S104 the port is closed again at once
        assert "warning: other computers can connect, and everything, the token included, is sent unencrypted" in (
            server.printed
        )
        assert transport.NOT_ADMITTED.encode() in await server.said_to(begin())


@needs_unix_sockets
@pytest.mark.asyncio
async def test_a_unix_socket_is_its_user_s_alone_and_serves_several_clients(capsys, tmp_path):
    path = tmp_path / "s"
    async with Listening(capsys, transport._serve_socket(str(path))) as server:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for _ in range(2):
            said = await server.said_to(begin(), framed(EXIT), connect=asyncio.open_unix_connection(path))
            assert b"serverInfo" in said
        assert b"is no header" in await server.said_to(HTTP % b"", connect=asyncio.open_unix_connection(path))
        with pytest.raises(OSError, match="another process listens here"):
            await transport._serve_socket(str(path))
    assert not path.exists()


@needs_unix_sockets
@pytest.mark.asyncio
async def test_a_client_that_stops_reading_is_not_read_until_it_reads_again(capsys, tmp_path, monkeypatch):
    """Otherwise its answers would fill the memory."""
    n_requests, answered = 20_000, []
    refuse = VaultseekProtocol.refuse
    monkeypatch.setattr(transport, "UNREAD_BYTES", 10_000)
    monkeypatch.setattr(VaultseekProtocol, "refuse", lambda *sent: answered.append(sent) or refuse(*sent))
    async with Listening(capsys, transport._serve_socket(str(tmp_path / "s"))):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "s", limit=1000)
        writer.write(begin())
        writer.write(framed(*[b'{"jsonrpc":"2.0","id":%d,"method":"no/such"}' % n for n in range(n_requests)]))
        n_before = -1
        while n_before < len(answered) or not answered:
            n_before = len(answered)
            for _ in range(100):
                await asyncio.sleep(0)
        assert len(answered) < n_requests / 2
        writer.write(framed(EXIT))
        said = await reader.read()
        assert len(answered) == said.count(b"Unknown request") == n_requests
        writer.close()
        await writer.wait_closed()


@needs_unix_sockets
@pytest.mark.asyncio
async def test_the_end_of_the_server_ends_open_connections_without_a_traceback(capsys, tmp_path):
    problems = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: problems.append(context))
    async with Listening(capsys, transport._serve_socket(str(tmp_path / "s"))):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "s")
        writer.write(begin())
        assert await reader.readline()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
    writer.close()
    assert problems == []


@needs_unix_sockets
@pytest.mark.asyncio
async def test_a_closed_connection_leaves_no_memory_behind(capsys, tmp_path, monkeypatch):
    """Even if Python does not search for garbage by itself for a long time."""
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    servers, make_server = [], transport.make_server

    def make(**options):
        server = make_server(**options)
        servers.append(weakref.ref(server))
        return server

    monkeypatch.setattr(transport, "make_server", make)
    folders = [{"uri": (tmp_path / "vault").as_uri(), "name": "vault"}]
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    opening["params"] = {"capabilities": {}, "workspaceFolders": folders}
    gc.disable()
    try:
        async with Listening(capsys, transport._serve_socket(str(tmp_path / "s"))) as server:
            sent = framed(json.dumps(opening).encode(), EXIT)
            await server.said_to(sent, connect=asyncio.open_unix_connection(tmp_path / "s"))
            while servers[0]() is not None:  # noqa: ASYNC110 - nothing tells that an object is gone
                await asyncio.sleep(0)
    finally:
        gc.enable()


@needs_unix_sockets
@pytest.mark.asyncio
async def test_an_abandoned_socket_is_replaced(capsys, tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as abandoned:
        abandoned.bind(str(path))
    async with Listening(capsys, transport._serve_socket(str(path))) as server:
        said = await server.said_to(begin(), framed(EXIT), connect=asyncio.open_unix_connection(path))
        assert b"serverInfo" in said


@needs_unix_sockets
def test_a_socket_that_cannot_be_made_gives_2_and_any_other_file_is_kept(capsys, tmp_path):
    file = tmp_path / "notes.md"
    file.write_text("oak")
    assert transport.serve_socket(str(file)) == 2
    assert "this file exists and is no socket" in capsys.readouterr().err
    assert file.read_text() == "oak"
    assert transport.serve_socket(str(tmp_path / ("x" * 200))) == 2
    assert transport.serve_socket(str(tmp_path / "no folder" / "s")) == 2
    assert transport.serve_socket(str(file / "s")) == 2
    with pytest.raises(ConfigError, match=r"--socket.*the path of a file"):
        transport.serve_socket("")


@needs_unix_sockets
@pytest.mark.parametrize("make", ["mkdir", "fifo", "link", "dangling", "looping", "link to a socket"])
def test_nothing_that_is_no_socket_is_replaced_by_one(capsys, tmp_path, make):
    path, target = tmp_path / "s", tmp_path / "target"
    match make:
        case "mkdir":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
        case "link":
            target.write_text("oak", encoding="utf-8")
        case "looping":
            target = path
        case "link to a socket":
            with socket.socket(socket.AF_UNIX) as abandoned:
                abandoned.bind(str(target))
    if not os.path.lexists(path):
        path.symlink_to(target)
    before = path.lstat()
    assert transport.serve_socket(str(path)) == 2
    assert "this file exists and is no socket" in capsys.readouterr().err
    assert path.lstat() == before


@needs_unix_sockets
@pytest.mark.asyncio
async def test_the_name_of_a_socket_cannot_control_a_terminal(capsys, tmp_path):
    async with Listening(capsys, transport._serve_socket(str(tmp_path / "a\x1bb"))) as server:
        assert "\x1b" not in server.printed


def test_the_command_runs_the_command_line(monkeypatch):
    monkeypatch.setattr("lsp_server.cli.main.main", lambda: 7)
    with pytest.raises(SystemExit, match="7"):
        runpy.run_module("lsp_server", run_name="__main__")
