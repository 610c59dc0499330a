"""Standard streams and sockets: how a server starts and ends."""

import asyncio
import os
import runpy
import socket
import sys
import threading

import pytest

from lsp_server import transport

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


@pytest.mark.asyncio
async def test_each_tcp_connection_has_its_own_session(capsys):
    serving = asyncio.ensure_future(transport._serve_tcp("127.0.0.1", 0))
    said = ""
    while ":" not in said.removeprefix("vaultseek:"):
        await asyncio.sleep(0)
        said += capsys.readouterr().err
    port = int(said.rsplit(":", 1)[1])
    for _ in range(2):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(framed(BEGIN, EXIT))
        assert b"serverInfo" in await reader.read()
        writer.close()
        await writer.wait_closed()
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


def test_the_command_runs_the_command_line(monkeypatch):
    monkeypatch.setattr("lsp_server.cli.main.main", lambda: 7)
    with pytest.raises(SystemExit, match="7"):
        runpy.run_module("lsp_server", run_name="__main__")
