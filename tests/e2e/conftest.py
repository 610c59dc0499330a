# ruff: noqa: D102  a double of an editor
"""The server as a separate process, and a client that talks to it over pipes."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVE = "import sys; from lsp_server.transport import serve_stdio; sys.exit(serve_stdio())"


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items):
    """Each test of this folder is slow: it starts a server or an editor."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)


class Pipes:
    """One server process."""

    def __init__(self, code=SERVE, *, command=None, under=(), env=None, cwd=None):
        """`command` starts a server in place of this Python's; `under` is a program that runs it, with its options.

        `env` is its environment, else this one.

        In a `cwd`, the environment must say where the project is: like the installed command, Python does not look
        there for modules.
        """
        python = [sys.executable] if cwd is None else [sys.executable, "-P"]
        self.process = subprocess.Popen(
            command or [*under, *python, "-c", code],
            env=env,
            cwd=cwd or ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.last_id = 0
        self.notes = []

    def send_bytes(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read(self):
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def answer(self):
        while "method" in (message := self.read()):
            self.notes.append(message)
        return message

    def ask(self, method, params=None):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        answer = self.answer()
        assert answer["id"] == self.last_id
        return answer

    def initialize(self, *folders, **more):
        folders = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        answer = self.ask("initialize", {"capabilities": {}, "workspaceFolders": folders, **more})
        self.send({"method": "initialized", "params": {}})
        return answer["result"]

    def leave(self):
        self.ask("shutdown")
        self.send({"method": "exit"})
        return self.finished()

    def finished(self):
        """The exit code, and what the process wrote to standard error."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors.decode()


@pytest.fixture
def start():
    """Start servers; all of them have ended after the test."""
    started = []

    def starter(*code, **options):
        started.append(Pipes(*code, **options))
        return started[-1]

    yield starter
    for pipes in started:
        pipes.process.kill()
        pipes.process.wait()
        for pipe in (pipes.process.stdin, pipes.process.stdout, pipes.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


@pytest.fixture(scope="session")
def garden(tmp_path_factory):
    """A vault of a few notes."""
    root = tmp_path_factory.mktemp("vaults") / "garden 50% $x"
    notes = {
        ".obsidian/app.json": "{}",
        "plants/orchid.md": "---\naliases: [Phalaenopsis]\n---\n# Orchid\n\n😀 Water the orchid, see [[watering]].\n",
        "plants/fern.md": "# Fern\r\n\r\nFerns want shade; an orchid does too.\r\n",
        "watering.md": "# Watering\n\nRain water is best. #care\n",
        "日記/今日.md": "# 今日\n\n今日は蘭に水をやる。\n",
    }
    for name, text in notes.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return root
