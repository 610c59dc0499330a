"""Standard streams and sockets: how a server begins and ends."""

import asyncio
import os
import runpy
import socket
import sys
import threading

import pytest

from lsp_server import server
from lsp_server.features.lifecycle import initialize
from lsp_server.wire.decode import first_problem, structure_field
from lsp_server.config.settings import allowed_by, folder_named, resolve
from lsp_server.wire.encode import search_answer_json
from search.answer.ranking import Hit
from search.answer.result import FoundNote, SearchResult, Snippet
from search.answer.trail import Found
from search.errors import ConfigError

EXIT = b'{"jsonrpc":"2.0","method":"exit"}'
BEGIN = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
STOP = b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}'


def framed(*bodies):
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)


@pytest.fixture
def pipes(monkeypatch):
    """The process's standard streams are pipes; the ends of the client."""
    (their_in, my_out), (my_in, their_out) = os.pipe(), os.pipe()
    stdin, stdout = os.fdopen(their_in, "rb"), os.fdopen(their_out, "wb")
    monkeypatch.setattr(sys, "stdin", stdin)
    yield my_out, my_in, stdout
    os.close(my_out)
    for thread in threading.enumerate():
        if thread.name == "vaultseek-input":
            thread.join(10)  # else it may read from what the next test opens under the same number
    stdin.close()
    stdout.close()


@pytest.mark.parametrize(("messages", "code"), [((BEGIN, STOP, EXIT), 0), ((BEGIN, EXIT), 1), ((EXIT,), 1)])
def test_the_exit_code_says_whether_there_was_a_shutdown(pipes, monkeypatch, messages, code):
    monkeypatch.setattr(sys, "stdout", pipes[2])  # not in the fixture: pytest sets it anew before a test
    os.write(pipes[0], framed(*messages))
    assert server.serve_stdio() == code
    os.close(pipes[1])


@pytest.mark.parametrize(
    "header", [b"content-length: %d\r\n\r\n", b"Content-Length:%d\r\n\r\n", b"CONTENT-LENGTH : %d \n\n"]
)
def test_a_header_is_understood_however_it_is_written(pipes, monkeypatch, header):
    monkeypatch.setattr(sys, "stdout", pipes[2])
    os.write(pipes[0], b"".join(header % len(body) + body for body in (BEGIN, STOP, EXIT)))
    assert server.serve_stdio() == 0
    os.close(pipes[1])


def test_a_closed_output_ends_the_server(pipes, monkeypatch):
    monkeypatch.setattr(sys, "stdout", pipes[2])
    os.close(pipes[1])
    os.write(pipes[0], framed(BEGIN))
    assert server.serve_stdio() == 1


def test_an_interrupt_is_130_on_pipes_and_0_on_tcp(monkeypatch):
    def interrupted(work):
        work.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(asyncio, "run", interrupted)
    assert server.serve_stdio() == 130
    assert server.serve_tcp("127.0.0.1", 0) == 0


def test_a_port_that_is_taken_gives_2(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert server.serve_tcp("127.0.0.1", port) == 2
    assert f"127.0.0.1:{port}: " in capsys.readouterr().err


@pytest.mark.asyncio
async def test_each_tcp_connection_is_a_session_of_its_own(capsys):
    serving = asyncio.ensure_future(server._serve_tcp("127.0.0.1", 0))
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


def test_the_answer_for_scripts_is_the_wire_s_with_columns_in_characters(tmp_path):
    def answer(name):
        note = FoundNote(
            hit=Hit.found(name, Found("lexical", 1.0)), title="T", sentence="S", snippets=(Snippet("x", 0, 4),)
        )
        return search_answer_json(SearchResult(hits=(note,)), tmp_path, query="q")

    assert b'"start":{"line":0,"character":4}' in answer("a.md")
    assert '"id":"\N{REPLACEMENT CHARACTER}.md"'.encode() in answer("\udcff.md")
    assert b"/%FF.md" in answer("\udcff.md")


def test_settings_that_are_no_object_give_the_defaults():
    assert resolve(5).problems == ("vaultseek: 5 is no object",)
    assert resolve(None).problems == ()
    assert resolve({"snippets": None}) == resolve({})


@pytest.mark.parametrize("name", ["~nobody-of-that-name/notes", "relative", "http://x/y", "/nul\0"])
def test_a_vault_s_name_must_be_a_path_or_a_uri(name):
    assert folder_named(name) is None


def test_ranges_are_read_from_validators():
    from attrs import validators as v  # noqa: PLC0415 a letter is enough here

    assert allowed_by(v.and_(v.ge(1), v.le(100))) == "1..100"
    assert allowed_by(v.gt(0)) == "0.."
    assert allowed_by(v.in_(["a", "b"])) == "one of a, b"
    assert allowed_by(None) == "another value"


def test_a_field_of_a_type_that_no_json_has_is_refused():
    with pytest.raises(ConfigError, match="cannot be set"):
        structure_field(socket.socket, 5)


def test_the_way_to_an_unforeseen_problem_is_kept_and_its_words_are_not():
    assert str(first_problem(RuntimeError("for loop"), "params")) == (
        "params: null is not allowed; allowed is what the protocol says"
    )


@pytest.mark.asyncio
async def test_options_of_an_odd_shape_are_kept_for_later(client):
    await client.initialize(initializationOptions=[1])
    assert client.server.session.initial_options == [1]
    assert initialize.__name__ == "initialize"
