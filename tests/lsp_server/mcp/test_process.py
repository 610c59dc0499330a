"""The server as a process: what it does with broken input, with a client that leaves, and with one that dies."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from vaults import write

ROOT = Path(__file__).parents[3]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search_notes", "arguments": {"query": "apple", "mode": "keyword"}},
}
# A vault that never opens, as on a drive that does not answer.
STUCK = """
import sys, threading
from pathlib import Path
from lsp_server.mcp.server import serve_stdio
from lsp_server.mcp.vaults import ServedVault, Vaults

def never(_root):
    sys.stderr.write("opening\\n")
    sys.stderr.flush()
    threading.Event().wait()

serve_stdio(Vaults((ServedVault("notes", Path("."), never),)), version="1")
"""


@pytest.fixture
def start(tmp_path):
    started = []

    def run(*command: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "VAULTSEEK_CACHE": str(tmp_path / "cache")}
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [sys.executable, *command], stdin=pipe, stdout=pipe, stderr=pipe, env=environment, encoding="utf-8"
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(BrokenPipeError):  # what was not yet written is for no one
                stream.close()


def send(process, *messages) -> None:
    for message in messages:
        process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    process.stdin.flush()


def test_a_process_ends_with_its_input_whatever_it_is_doing(start):
    process = start("-c", STUCK)
    send(process, HELLO)
    assert json.loads(process.stdout.readline())["id"] == 1
    send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"}, SEARCH)
    assert process.stderr.readline() == "opening\n"
    process.stdin.close()
    assert process.wait(timeout=60) == 0


def test_a_process_ends_quietly_when_its_client_has_died(start):
    process = start("-c", STUCK)
    process.stdout.close()
    send(process, HELLO)
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert "Traceback" not in process.stderr.read()


def test_broken_messages_stop_nothing(start, tmp_path):
    vault = write(tmp_path / "vault", "--- Apple.md\nAn apple a day.\n")
    process = start("-m", "lsp_server", "mcp", "--vault", str(vault))
    send(process, "{", "[]", "\x00\x01", '{"jsonrpc": "2.0", "id": 7, "method": "tools/cook"}', HELLO)
    while json.loads(process.stdout.readline()).get("id") != 1:
        pass
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    send(process, initialized, SEARCH | {"id": 3, "params": {"name": 5}}, SEARCH | {"params": []}, SEARCH)
    answer = json.loads(process.stdout.readline())
    while "result" not in answer:
        answer = json.loads(process.stdout.readline())
    assert "An apple a day." in answer["result"]["content"][0]["text"]


def test_only_messages_go_to_standard_output(start, tmp_path):
    vault = write(tmp_path / "vault", "--- Apple.md\nAn apple a day.\n")
    process = start("-m", "lsp_server", "mcp", "--vault", str(vault))
    output, _ = process.communicate(json.dumps(HELLO) + "\n", timeout=60)
    assert [json.loads(line)["jsonrpc"] for line in output.splitlines()] == ["2.0"]
    assert process.returncode == 0
