# ruff: noqa: D102  the client has LSP's own words
"""Whatever a note contains, the server stays there for its client: it answers its status, cancels and ends at once."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.kit.hostile_notes import hostile_notes

N_BYTES = 1_000_000
FULL_BYTES = 10_000_000  # the largest notes that are read
# Notes for whose parts a single call of C code once took longer, with as many lines, letters or marks as fit.
LONGEST = ("\n", "\r", "x\n\n", "~~~\n", "é", "\u0301\u0323", "中", "[^1]: ")
STATUS_S = 0.2
EXIT_S = 2.0
CANCELLED = -32800
N_TRIES = 3
IS_LINUX = sys.platform == "linux"
ROOT = Path(__file__).parents[2]


class Client:
    """An editor that talks to a server process."""

    def __init__(self, vault):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lsp_server", "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=vault,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        self.n_sent = 0
        self.answers = {}
        self.arrived = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        options = {"enableSemantic": False}
        root = {"rootUri": vault.as_uri(), "capabilities": {}, "processId": None, "initializationOptions": options}
        self.ask("initialize", root)
        self.tell("initialized", {})
        self.uri = (vault / "note.md").as_uri()
        item = {"uri": self.uri, "languageId": "markdown", "version": 1, "text": ""}
        self.tell("textDocument/didOpen", {"textDocument": item})
        self.ask("workspace/symbol", {"query": "oak"})  # everything is imported

    def _read(self):
        while header := self.process.stdout.readline():
            n_bytes = int(header.split(b":")[1])
            while self.process.stdout.readline().strip():  # other headers
                pass
            message = json.loads(self.process.stdout.read(n_bytes))
            with self.arrived:
                self.answers[message.get("id")] = message
                self.arrived.notify_all()

    def _write(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message, ensure_ascii=False).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()

    def tell(self, method, params):
        self._write({"method": method, "params": params})

    def send(self, method, params):
        self.n_sent += 1
        self._write({"id": self.n_sent, "method": method, "params": params})
        return self.n_sent

    def wait(self, number):
        with self.arrived:
            assert self.arrived.wait_for(lambda: number in self.answers, timeout=30)
        return self.answers[number]

    def ask(self, method, params):
        return self.wait(self.send(method, params))

    def change(self, text):
        self.n_sent += 1
        document = {"uri": self.uri, "version": self.n_sent}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def status_s(self):
        """Seconds until the status was answered, without those that the server waited for other programs.

        On a busy computer the time on the clock says little. What stalls the status is another thread of the server
        that computes, which takes processor time, or a lock or sleep, during which none of its threads waits for a
        processor.
        """
        used, kept, begun = self._used_s(), self._kept_s(), time.monotonic()
        assert "result" in self.ask("vaultseek/status", {})
        took = time.monotonic() - begun
        return min(took, max(self._used_s() - used, took - (self._kept_s() - kept)))

    def _used_s(self):
        """Processor seconds of the server; elsewhere than on Linux none, so that the clock counts."""
        return time.clock_gettime((~self.process.pid << 3) | 2) if IS_LINUX else 0.0

    def _kept_s(self):
        """Seconds that threads of the server could have run while other programs had the processor."""
        total_ns = 0
        for schedule in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # the thread has ended
                total_ns += int(schedule.read_text().split()[1])
        return total_ns / 1e9


def requests(uri):
    at = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 3}}
    return [
        ("textDocument/hover", at),
        ("textDocument/references", at | {"context": {"includeDeclaration": True}}),
        ("vaultseek/search", {"query": "oak"}),
        ("vaultseek/related", {"textDocument": {"uri": uri}}),
        ("vaultseek/text", {"textDocument": {"uri": uri}}),
        ("workspace/symbol", {"query": "oak"}),
    ]


@pytest.fixture
def vault(tmp_path):
    """A vault with a note that the hostile one links to."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "oak.md").write_text("# Oak\n[[note]]", encoding="utf-8")
    return tmp_path


def longest_status_s(client, text):
    """The longest time until a status was answered, while each request was answered after a change of the note."""
    longest = 0.0
    for method, params in requests(client.uri):
        client.change(text)
        longest = max(longest, client.status_s())
        number = client.send(method, params)
        while number not in client.answers:
            longest = max(longest, client.status_s())
        assert "result" in client.answers[number], (method, client.answers[number])
        text += " "
    return longest


def slow_units(vault, notes):
    """The units of notes during which each try had a status that took too long, with the longest of each try."""
    slow = {}
    with Client(vault) as client:
        for unit, text in notes:
            took = [longest_status_s(client, text)]
            while took[-1] > STATUS_S and len(took) < N_TRIES:
                took.append(longest_status_s(client, text))
            if min(took) > STATUS_S:
                slow[unit] = took
    return slow


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_status_is_answered_while_a_hostile_note_is_read(vault):
    assert slow_units(vault, hostile_notes(N_BYTES)) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("unit", LONGEST)
def test_status_is_answered_while_a_note_of_the_largest_size_is_read(vault, unit):
    assert slow_units(vault, [(unit, "[[oak]]\n\n" + unit * (FULL_BYTES // len(unit.encode())))]) == {}


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", ["[[x]],", "\n", "- ", "a ", "<a ", "- a\n  - b\n"])
def test_a_hostile_note_delays_no_cancelling_and_no_end(vault, unit):
    text = "[[oak]]\n\n" + unit * (FULL_BYTES // len(unit))
    took = [end_s(vault, text)]
    while took[-1] > EXIT_S and len(took) < N_TRIES:  # other programs may take the processor
        took.append(end_s(vault, text))
    assert min(took) <= EXIT_S


def end_s(vault, text):
    """Seconds for a request to be cancelled and the server to end, while it reads a note for several requests."""
    with Client(vault) as client:
        client.change(text)
        running = [client.send(method, params) for method, params in requests(client.uri)]
        begun = time.monotonic()
        client.tell("$/cancelRequest", {"id": running[0]})
        assert client.wait(running[0])["error"]["code"] == CANCELLED
        assert client.ask("shutdown", None)["result"] is None
        client.tell("exit", None)
        assert client.process.wait(30) == 0
        return time.monotonic() - begun
