# ruff: noqa: D102  a double of an editor
"""An editor's traffic with a real server: requests of every kind in random order, and the outcome of each."""

import contextlib
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
N_OPEN = 12  # requests that wait for their answers at a time
CANCELLED = -32800

MALFORMED = (
    {"method": "vaultseek/search", "params": {"query": 5}},
    {"method": "vaultseek/search", "params": None},
    {"method": "vaultseek/search", "params": [{"query": "x"}, None]},
    {"method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///x.md"}}},
    {"method": "textDocument/hover", "params": {"textDocument": {}, "position": {"line": -1, "character": "x"}}},
    {"method": "vaultseek/related", "params": {"textDocument": {"uri": "untitled:1"}}},
    {"method": "vaultseek/text", "params": {"textDocument": {"uri": "untitled:1"}}},
    {"method": "workspace/symbol", "params": {}},
    {"method": "workspace/executeCommand", "params": {"command": "nothing"}},
    {"method": "no/such", "params": {"jsonrpc": {"class": "x"}}},
    {"method": 5, "params": {}},
    {"method": "initialize", "params": {"capabilities": {}}},
)
BROKEN = (b"{", b"[]", b"nonsense", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "2.0", "method": "no/such"}', b"\xff\xfe")


class Client:
    """A client of a server; a thread reads the answers. Counts how often each request was answered."""

    def __init__(self, vault, source, sink, **options):
        """`source` and `sink` are binary files: from the server, and to it."""
        self.vault = vault
        self.source, self.sink = source, sink
        self.last_id = 0
        self.asked = {}  # id -> kind and when
        self.answers = Counter()  # id -> how often
        self.errors = Counter()  # code -> how often
        self.without_id = 0
        self.times = defaultdict(list)  # kind -> milliseconds of those that were not cancelled
        self.result = None  # of the last answer that had one
        self.shown = []  # messages that an editor would show
        self.progress = defaultdict(list)
        self.heard = threading.Condition()
        self.reading = threading.Thread(target=self._read, args=(source,), daemon=True)
        self.reading.start()
        folder = {"uri": vault.as_uri(), "name": "vault"}
        params = {"capabilities": {}, "workspaceFolders": [folder], "initializationOptions": options}
        self.wait_for(self.ask("initialize", params, kind="initialize"))
        self.tell("initialized", {})

    def _read(self, stream):
        with contextlib.suppress(OSError):
            self._read_frames(stream)
        with self.heard:
            self.heard.notify_all()

    def _read_frames(self, stream):
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            body = stream.read(length)
            if len(body) < length:
                return  # the connection ended within a message
            self._take(json.loads(body))

    def _take(self, message):
        with self.heard:
            if "method" in message:
                if message["method"] == "$/progress":
                    self.progress[message["params"]["token"]].append(message["params"]["value"])
                if message["method"].startswith("window/show"):
                    self.shown.append(message)
            elif message["id"] is None:
                self.without_id += 1
            else:
                self.answers[message["id"]] += 1
                kind, since = self.asked[message["id"]]
                code = message.get("error", {}).get("code")
                self.errors[code] += 1
                self.result = message.get("result", self.result)
                if code != CANCELLED:
                    self.times[kind].append((time.perf_counter() - since) * 1000.0)
            self.heard.notify_all()

    def send_bytes(self, body):
        self.sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.sink.flush()

    def tell(self, method, params=None):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method, params=None, *, kind=None):
        self.last_id += 1
        self.asked[self.last_id] = (kind or str(method), time.perf_counter())
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.send_bytes(json.dumps(message).encode())
        return self.last_id

    def wait_for(self, msg_id, timeout=60):
        with self.heard:
            assert self.heard.wait_for(lambda: self.answers[msg_id], timeout), self.asked[msg_id]

    def wait_until_few(self, n_open, timeout=60):
        """Wait until at most `n_open` requests are unanswered."""
        with self.heard:
            assert self.heard.wait_for(lambda: len(self.asked) - len(+self.answers) <= n_open, timeout), self.open()

    def open(self):
        """The requests without an answer."""
        return {msg_id: kind for msg_id, (kind, _) in self.asked.items() if not self.answers[msg_id]}


class Server(Client):
    """A server process on pipes, and its client."""

    def __init__(self, vault, **options):
        self.process = _serve(stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.said = []
        self.draining = threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True)
        self.draining.start()
        super().__init__(vault, self.process.stdout, self.process.stdin, **options)

    def leave(self, *messages, timeout=30):
        """Send the last messages, or close the pipe if there are none; returns the exit code."""
        for method in messages:
            self.tell(method)
        if not messages:
            self.process.stdin.close()
        return self.process.wait(timeout)

    def kill(self):
        self.process.kill()
        self.process.wait()
        for thread in (self.reading, self.draining):
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class SocketServer:
    """A server process that listens on a Unix socket."""

    def __init__(self, path):
        self.path = path
        self.process = _serve("--socket", str(path))
        self.process.stderr.readline()  # it says where it listens
        self.said = []
        self.draining = threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True)
        self.draining.start()

    def stop(self):
        """Interrupt the server; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            self.process.wait()
            self.draining.join()
            self.process.stderr.close()


def _serve(*arguments, **pipes):
    """Start a server, as users start it."""
    code = f"import sys; from lsp_server.cli.main import main; sys.exit(main({['serve', *arguments]!r}))"
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, **pipes)


def connected(path):
    """A connection to a Unix socket."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    return connection


class SocketClient(Client):
    """A client of the server that listens on a Unix socket."""

    def __init__(self, path, vault, **options):
        self.connection = connected(path)
        super().__init__(vault, self.connection.makefile("rb"), self.connection.makefile("wb"), **options)

    def close(self):
        """Leave without a word."""
        self.connection.shutdown(socket.SHUT_RDWR)
        self.reading.join()
        for file in (self.source, self.sink, self.connection):
            file.close()


class Traffic:
    """An editor's actions over the notes of a vault, drawn from a seeded random source."""

    def __init__(self, server, words, seed=5):
        self.server, self.words = server, words
        self.source = random.Random(seed)  # noqa: S311 - the same traffic on every run
        self.notes = sorted(server.vault.rglob("*.md"))
        self.texts = {}  # open documents: path -> version
        kinds = {
            self.search: 32,
            self.burst: 2,
            self.cancel: 8,
            self.hover: 16,
            self.define: 6,
            self.refer: 2,
            self.symbol: 10,
            self.relate: 5,
            self.edit: 8,
            self.touch: 3,
            self.rewrite: 1,
            self.malform: 6,
            self.status: 2,
            self.explain: 1,
        }
        self.kinds, self.weights = list(kinds), list(kinds.values())

    def run(self, n_requests, *, seconds=0.0):
        """Act `n_requests` times, spread over `seconds`, with at most `N_OPEN` requests unanswered at a time."""
        begun = time.monotonic()
        for n in range(n_requests):
            time.sleep(max(0.0, begun + seconds * n / n_requests - time.monotonic()))
            self.source.choices(self.kinds, self.weights)[0]()
            self.server.wait_until_few(N_OPEN)
        self.server.wait_until_few(0)

    def _query(self):
        return " ".join(self.source.choices(self.words[:3000], k=self.source.randint(1, 3)))

    def _document(self):
        return {"textDocument": {"uri": self.source.choice(self.notes).as_uri()}}

    def _position(self):
        return {
            **self._document(),
            "position": {"line": self.source.randint(0, 12), "character": self.source.randint(0, 90)},
        }

    def search(self):
        params = {"query": self._query()}
        if self.source.random() < 0.5:
            token = self.server.last_id + 1
            params |= {"partialResultToken": f"p{token}", "workDoneToken": f"w{token}"}
        return self.server.ask("vaultseek/search", params, kind="search")

    def burst(self):
        text = self._query()
        for end in range(1, len(text)):
            self.server.ask("vaultseek/search", {"query": text[:end]}, kind="prefix")
        self.server.ask("textDocument/hover", self._position(), kind="hover in a burst")

    def cancel(self):
        msg_id = self.search()
        self.server.tell("$/cancelRequest", {"id": msg_id})

    def hover(self):
        self.server.ask("textDocument/hover", self._position(), kind="hover")

    def define(self):
        self.server.ask("textDocument/definition", self._position(), kind="definition")

    def refer(self):
        params = {**self._position(), "context": {"includeDeclaration": True}}
        self.server.ask("textDocument/references", params, kind="references")

    def symbol(self):
        self.server.ask("workspace/symbol", {"query": self._query()[: self.source.randint(0, 9)]}, kind="symbol")

    def relate(self):
        self.server.ask("vaultseek/related", self._document(), kind="related")

    def status(self):
        self.server.ask("vaultseek/status", {}, kind="status")

    def explain(self):
        note = self.source.choice(self.notes).relative_to(self.server.vault).as_posix()
        self.server.ask("vaultseek/explain", {"query": self._query(), "note": note}, kind="explain")

    def edit(self):
        path = self.source.choice(self.notes[:20])
        uri, version = path.as_uri(), self.texts.get(path, 0) + 1
        if version == 1:
            item = {"uri": uri, "languageId": "markdown", "version": 1, "text": path.read_text(encoding="utf-8")}
            self.server.tell("textDocument/didOpen", {"textDocument": item})
        elif version > 12:
            self.server.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
            version = 0
        else:
            place = {"line": 6, "character": 3}
            change = {
                "range": {"start": place, "end": place},
                "text": self.source.choice(["x", "😀", "\n", "[[" + "a"]),
            }
            params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
            self.server.tell("textDocument/didChange", params)
        self.texts[path] = version

    def touch(self):
        path = self.server.vault / f"outside {self.source.randint(0, 9)}.md"
        kind = 1
        if path.exists() and self.source.random() < 0.4:
            path.unlink()
            kind = 3
        else:
            path.write_text(f"# Outside\n{self._query()}\n", encoding="utf-8")
        changes = [{"uri": path.as_uri(), "type": kind}] * 2  # some editors report each change twice
        self.server.tell("workspace/didChangeWatchedFiles", {"changes": changes})

    def rewrite(self):
        """Another program writes a note and tells no one."""
        path = self.source.choice(self.notes[20:60])
        path.write_text(
            f"# {path.stem}\n{self._query()}\n[[{self.source.choice(self.notes).stem}]]\n", encoding="utf-8"
        )

    def malform(self):
        if self.source.random() < 0.3:
            self.server.send_bytes(self.source.choice(BROKEN))
        else:
            message = self.source.choice(MALFORMED)
            self.server.ask(message["method"], message["params"], kind="malformed")


def quantile(values, share):
    """The value below which this share of the values lies; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def table(times):
    """Lines with the count, p50 and p95 of each kind."""
    return [
        f"{kind:18} {len(found):6} {quantile(found, 0.5):8.1f} {quantile(found, 0.95):8.1f} ms"
        for kind, found in sorted(times.items())
    ]
