# ruff: noqa: D102  the client has LSP's own words
"""Whatever a note contains, the server stays there for its client: it answers its status, cancels and ends at once."""

import contextlib
import json
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.kit.hostile_notes import hostile_notes, notes_in_places

N_BYTES = 1_000_000
FULL_BYTES = 10_000_000  # the largest notes that are read
# Notes for whose parts a single call of C code once took longer, with as many lines, letters or marks as fit.
LONGEST = ("\n", "\r", "x\n\n", "~~~\n", "é", "\u0301\u0323", "中", "[^1]: ")
# For each type of file, signs for which reading does most, with what they stand in: they are repeated up to 10 MB.
FILES = {
    "md": ["# a\n"],
    "txt": ["# a\n"],
    "org": ["* a\n", "[[a.b]]"],
    "rst": ["a\n===\n", "`a<b>`_ "],
    "adoc": ["= a\n", "link:"],
    "base": ["views:\n- name: a\n"],
    "csv": ["\n", "a,"],
    "html": ["<p>", "<h1>a", "<pre>\n", "&amp;"],
    "canvas": ['{"nodes": [|{},|{}]}', '{"nodes": [{"type": "text", "text": "|# a\\n|"}]}'],
    "ipynb": ['{"cells": [|[],|{}]}', '{"cells": [{"cell_type": "markdown", "source": "|a\\n|"}]}'],
}
STATUS_S = 0.2
EXIT_S = 2.0
LIMITS = {"cancel": STATUS_S, "shutdown": STATUS_S, "end": EXIT_S}
ONE_IN = 3  # of the kinds of notes of 1 MB, so many are tried by cancelling and ending
N_PER_SERVER = 4
CANCELLED = -32800
REQUEST_FAILED = -32803
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

    def write(self, path, text):
        path.write_text(text, encoding="utf-8")
        self.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": 2}]})

    def status_s(self):
        """Seconds until the status was answered."""
        return self.answered_s("vaultseek/status", {})

    def answered_s(self, method, params):
        """Seconds until a request was answered by a result."""
        begun = self.clocks()
        assert "result" in self.ask(method, params)
        return self.since_s(begun)

    def clocks(self):
        """What `since_s` counts from."""
        return self._used_s(), time.monotonic(), self._kept_s()

    def since_s(self, begun, now=None):
        """Seconds since then, without those that the server waited for other programs.

        On a busy computer the time on the clock says little. What stalls an answer is another thread of the server
        that computes, which takes processor time, or a lock or sleep, during which none of its threads waits for a
        processor.
        """
        used, took, kept = (end - start for start, end in zip(begun, now or self.clocks(), strict=True))
        return min(took, max(used, took - kept))

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
        ("textDocument/definition", at),
        ("textDocument/references", at | {"context": {"includeDeclaration": True}}),
        ("vaultseek/search", {"query": "oak"}),
        ("vaultseek/explain", {"query": "oak", "note": uri}),
        ("vaultseek/context", {"query": "oak"}),
        ("vaultseek/related", {"textDocument": {"uri": uri}}),
        ("vaultseek/text", {"textDocument": {"uri": uri}}),
        ("workspace/symbol", {"query": "oak"}),
    ]


@pytest.fixture
def vault(tmp_path):
    """A vault with a note that the hostile one links to."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "oak.md").write_text("# Oak\n[[note]]", encoding="utf-8")
    (tmp_path / "oaks.md").write_text("".join(f"[[big.{kind}]]" for kind in FILES), encoding="utf-8")
    return tmp_path


def longest_status_s(client, text, path, first):
    """The longest time until a status was answered, while a changed note was read and each request was answered.

    The note is the one that is open in the editor, or else the file. It is read for the request with the number
    `first`; the others follow it.
    """
    asked = requests(path.as_uri() if path else client.uri)
    if path:
        client.write(path, text)
    else:
        client.change(text)
    longest = client.status_s()
    for number in range(first, first + len(asked)):
        method, params = asked[number % len(asked)]
        sent = client.send(method, params)
        while sent not in client.answers:
            longest = max(longest, client.status_s())
        answer = client.answers[sent]
        is_refused = method == "vaultseek/text" and answer.get("error", {}).get("code") == REQUEST_FAILED
        assert "result" in answer or is_refused, (method, answer)  # of some files there is no text
    return longest


def slow_units(vault, notes, path=None):
    """The units of notes during which each try had a status that took too long, with the longest of each try.

    One server reads all notes, each for the next of the requests: reading is what takes long, and a note that is read
    again for each request would take three times as long.
    """
    slow = {}
    with Client(vault) as client:
        for first, (unit, text) in enumerate(notes):
            took = []
            while not took or (took[-1] > STATUS_S and len(took) < N_TRIES):
                took.append(longest_status_s(client, text + " " * len(took), path, first))
            if min(took) > STATUS_S:
                slow[unit] = took
    return slow


def full_text(made_of):
    """A text of the largest size: of one sign, or of what stands before, of the sign, and of what stands behind."""
    before, unit, after = made_of.split("|") if made_of.count("|") > 1 else ("", made_of, "")
    return before + unit * ((FULL_BYTES - len(before) - len(after)) // len(unit.encode())) + after


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("notes", [hostile_notes, notes_in_places])
def test_status_is_answered_while_a_hostile_note_is_read(vault, notes):
    assert slow_units(vault, notes(N_BYTES)) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_status_is_answered_while_a_note_of_the_largest_size_is_read(vault):
    notes = ((unit, "[[oak]]\n\n" + unit * (FULL_BYTES // len(unit.encode()))) for unit in LONGEST)
    assert slow_units(vault, notes) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", FILES)
def test_status_is_answered_while_a_file_of_the_largest_size_is_read(vault, kind):
    assert slow_units(vault, ((one, full_text(one)) for one in FILES[kind]), vault / f"big.{kind}") == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_status_is_answered_while_an_object_of_many_keys_is_read(vault):
    """No other thread runs while JSON is parsed."""
    keys = {n: "".join(f'"{key:x}":1,' for key in range(n)) for n in (140_000, 800_000)}
    texts = {n: "{" + found + '"nodes": []}' for n, found in keys.items()}
    assert slow_units(vault, texts.items(), vault / "big.canvas") == {}


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", ["[[x]],", "- ", "a ", "<a ", "- a\n  - b\n", "---\na: [[x]],", *LONGEST])
def test_a_hostile_note_delays_no_cancelling_and_no_end(vault, unit):
    assert late_parts(vault, ["[[oak]]\n\n" + unit * (FULL_BYTES // len(unit.encode()))]) == {}


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", FILES)
def test_a_hostile_file_delays_no_cancelling_and_no_end(vault, kind):
    assert late_parts(vault, [full_text(FILES[kind][0])], vault / f"big.{kind}") == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("notes", [hostile_notes, notes_in_places])
def test_cancelling_and_ending_are_not_delayed_by_any_part_of_a_note(vault, notes):
    """Every third kind of note, each time other requests are first; a server ends while it reads the last of four."""
    rotation = [text for _, text in notes(N_BYTES)][::ONE_IN]
    for first in range(0, len(rotation), N_PER_SERVER):
        assert late_parts(vault, rotation[first : first + N_PER_SERVER], first=first) == {}, first


def late_parts(vault, texts, path=None, first=0):
    """The parts of cancelling and ending that took too long in each try, with their shortest time."""
    shortest = dict.fromkeys(LIMITS, math.inf)
    for _ in range(N_TRIES):
        took = end_s(vault, texts, path, first)
        shortest = {part: min(took[part], best) for part, best in shortest.items()}
        late = {part: best for part, best in shortest.items() if best > LIMITS[part]}
        if not late:
            break
    return late


def end_s(vault, texts, path=None, first=0):
    """Seconds for a request to be cancelled, for `shutdown` and for the end of a server that reads notes meanwhile.

    Several requests wait for each note. The end is counted from the last cancelling.
    """
    with Client(vault) as client:
        took = dict.fromkeys(LIMITS, 0.0)
        for number, text in enumerate(texts):
            if path:
                client.write(path, text)
            else:
                client.change(text)
            asked = requests(client.uri)
            start = (first + number) % len(asked)
            running = [client.send(method, params) for method, params in asked[start:] + asked[:start]]
            begun = client.clocks()
            took["cancel"] = max(took["cancel"], cancelled_s(client, running))
        took["shutdown"] = client.answered_s("shutdown", None)
        client.tell("exit", None)
        used, _, kept = begun
        while client.process.poll() is None:
            with contextlib.suppress(OSError):  # it has ended
                used, kept = client._used_s(), max(kept, client._kept_s())
            time.sleep(0.01)
        assert client.process.returncode == 0
        took["end"] = client.since_s(begun, (used, time.monotonic(), kept))
        return took


def cancelled_s(client, running):
    """Seconds until the first request without an answer was answered by the error of cancelling.

    Its answer may already have been on the way; then the next request is cancelled. The longest wait counts.
    """
    longest = 0.0
    left = [sent for sent in running if sent not in client.answers]
    for sent in left:
        if sent in client.answers:
            continue
        begun = client.clocks()
        client.tell("$/cancelRequest", {"id": sent})
        answer = client.wait(sent)
        longest = max(longest, client.since_s(begun))
        if "error" in answer and answer["error"]["code"] == CANCELLED:
            return longest
    assert not left, "no request was cancelled"
    return longest
