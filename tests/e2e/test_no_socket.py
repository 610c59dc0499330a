"""Without configuration no socket is opened: checked by the system calls of the running program.

strace sees every call of every thread and library. Where it cannot trace (no strace, no ptrace) its tests are skipped
with the reason. Python's audit events, which cover what Python itself opens, are checked everywhere.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import frozen

from tests.e2e.conftest import ROOT
from tests.kit.fake_endpoint import serve

QUESTION = "what kind of water does an orchid like?"
PROGRAM = [sys.executable, "-m", "lsp_server"]
# Only calls that create or connect a socket show where it leads; reads and writes do not. asyncio uses a socket pair
# to wake itself up.
PAIR = re.compile(r"socketpair\((?:AF_UNIX|AF_LOCAL),")
HARMLESS = re.compile(r"(?:sendto|recvfrom|sendmsg|recvmsg|shutdown|getsockname|getpeername|[gs]etsockopt)\(")
AUDIT = """
import os, sys
def hook(event, arguments, out=open(os.environ["AUDIT_LOG"], "a", buffering=1)):
    if event.startswith("socket."):
        what = tuple(map(int, arguments[1:])) if event == "socket.__new__" else arguments[1:]
        out.write(f"{event}{what}\\n")
sys.addaudithook(hook)
"""


@frozen
class Traced:
    """Runs a program under a monitor, and reads what the monitor saw."""

    log: Path
    under: tuple[str, ...] = ()
    env: dict[str, str] | None = None

    def run(self, *arguments: str) -> str:
        """Run a program to its end and return its output."""
        ran = subprocess.run(
            [*self.under, *arguments], cwd=ROOT, env=self.env, capture_output=True, encoding="utf-8", check=False
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    @property
    def seen(self) -> list[str]:
        """The calls that created or connected a socket, except for asyncio's own pair."""
        lines = [re.sub(r"^\d+\s+", "", line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        calls = [line for line in lines if not re.match(r"\+\+\+|---|<\.\.\.", line)]
        return [call for call in calls if not PAIR.match(call) and not HARMLESS.match(call) and not is_own_pair(call)]


def is_own_pair(event: str) -> bool:
    """Python reports both ends of a socket pair as new AF_UNIX sockets, without connecting them."""
    return event.startswith(f"socket.__new__({int(socket.AF_UNIX)},")


@pytest.fixture(scope="module")
def can_trace():
    """Skip the test if strace does not work here."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("NOT TRACED: strace is not installed")
    tried = subprocess.run(
        [strace, "-f", "--seccomp-bpf", "-o", os.devnull, "true"], capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        pytest.skip(f"NOT TRACED: strace may not trace here: {tried.stderr.strip()[:100]}")


@pytest.fixture(params=["strace", "audit"])
def traced(request, tmp_path, monkeypatch):
    """A monitor for programs with their own cache and nothing configured."""
    for name in [name for name in os.environ if name.startswith(("VAULTSEEK_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))
    log = tmp_path / "log"
    if request.param == "strace":
        request.getfixturevalue("can_trace")
        return Traced(log, ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=network", "-o", str(log)))
    log.touch()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(AUDIT, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT)])
    return Traced(log, env={**os.environ, "AUDIT_LOG": str(log), "PYTHONPATH": path})


def test_the_monitor_detects_a_socket(traced):
    traced.run(sys.executable, "-c", "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()")
    assert len(traced.seen) == 1
    assert re.match(r"socket\(AF_INET|socket\.__new__\(2,", traced.seen[0])


def test_the_command_line_opens_no_socket(traced, garden):
    traced.run(*PROGRAM, "index", "--plan", "--vault", str(garden))
    assert "vectors of 3 notes computed" in traced.run(*PROGRAM, "index", "--vault", str(garden))
    answer = json.loads(traced.run(*PROGRAM, "search", QUESTION, "--vault", str(garden), "--json"))
    assert (answer["mode"], answer["notices"]) == ("hybrid", [])
    assert answer["results"][0]["explanation"]["semanticScore"]
    traced.run(*PROGRAM, "explain", QUESTION, "plants/orchid.md", "--vault", str(garden))
    traced.run(*PROGRAM, "context", QUESTION, "--vault", str(garden))
    traced.run(*PROGRAM, "related", "plants/orchid.md", "--vault", str(garden))
    traced.run(*PROGRAM, "doctor", "--vault", str(garden))
    assert traced.seen == []


def test_the_server_opens_no_socket(traced, start, garden):
    pipes = start(under=traced.under, env=traced.env)
    pipes.initialize(garden)
    answer = pipes.ask("vaultseek/search", {"query": QUESTION})["result"]
    assert answer["mode"] == "hybrid"
    pipes.ask("vaultseek/explain", {"query": QUESTION, "note": "watering.md"})
    for command in ("updateIndex", "rebuildIndex", "collectGarbage"):
        assert "result" in pipes.ask("workspace/executeCommand", {"command": f"vaultseek.{command}"})
    pipes.ask("vaultseek/status")
    assert pipes.leave()[0] == 0
    assert traced.seen == []


def test_the_server_connects_only_to_the_configured_endpoint(traced, garden):
    pytest.importorskip("openai", reason="the extra `remote` is not installed")
    with serve() as fake:
        port = fake.base_url.rpartition(":")[2].removesuffix("/v1")
        options = ("--endpoint", fake.base_url, "--embedding-model", "vectors", "--chat-model", "talk")
        traced.run(*PROGRAM, "search", QUESTION, "--vault", str(garden), *options)
        assert fake.asked
    connected = [call for call in traced.seen if call.startswith(("connect(", "socket.connect", "bind(", "sendto"))]
    assert connected
    assert all(f"({port})" in call or f", {port})" in call for call in connected), connected
