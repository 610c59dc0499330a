"""No file of a vault sets an endpoint, a command, a key or a file outside it: each attempt of `hostile_vault`.

The command line, the server and Neovim run with the vault as their current folder. VS Code is tested likewise by
`editor-client/vscode/test/e2e/checks/safety.mjs`.

Python's audit events tell which files a process opens, which programs it starts and what it connects to.
"""

import json
import os
import subprocess
import sys

import pytest
from attrs import frozen

from tests.e2e.conftest import ROOT
from tests.e2e.nvim_process import Nvim, binaries, needs, version_of
from tests.kit.fake_endpoint import serve
from tests.kit.hostile_vault import NOTES, PROGRAMS, QUESTION, READ, UNREAD, make_hostile_vault, tree

AUDIT = """
import os, sys
LOG = os.open(os.environ["AUDIT_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
WATCHED = ("open", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork", "socket.connect",
           "socket.bind", "socket.getaddrinfo")
def hook(event, arguments):
    if event in WATCHED:
        name = arguments[0] if event == "open" else arguments[1:]
        where = os.path.join(os.getcwd(), os.fsdecode(name)) if isinstance(name, (str, bytes)) else repr(name)
        os.write(LOG, f"{event}\\t{where}\\n".encode(errors="replace"))
sys.addaudithook(hook)
"""
PROGRAM = "import sys; from lsp_server.__main__ import main; main()"


@frozen
class World:
    """A hostile vault, what is outside it, and a process's environment."""

    root: object
    outside: object
    trace: object
    endpoint: object
    env: dict
    log: object

    def check(self, before):
        """Nothing was started, asked, read outside or written."""
        assert not self.trace.exists()
        assert self.endpoint.asked == []
        assert tree(self.root, self.outside) == before
        seen = [line.split("\t", 1) for line in self.log.read_text(encoding="utf-8").splitlines()]
        assert {event for event, _ in seen} == {"open"}
        opened = {name for _, name in seen}
        assert not [name for name in opened if str(self.outside) in name]
        in_vault = {os.path.relpath(name, self.root) for name in opened if name.startswith(f"{self.root}{os.sep}")}
        assert "heron.md" in in_vault
        assert in_vault <= {*NOTES, *READ}


@pytest.fixture
def world(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith(("VAULTSEEK_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(AUDIT, encoding="utf-8")
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "vaultseek.py"  # like the installed command: its own folder is on Python's path
    script.write_text(PROGRAM, encoding="utf-8")
    log = tmp_path / "log"
    own = {
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(ROOT)]),
        "VAULTSEEK_CACHE": str(tmp_path / "cache"),
        "AUDIT_LOG": str(log),
        "OWN_KEY": "mine",
    }
    root, outside = tmp_path / "vault", tmp_path / "outside"
    with serve() as endpoint:
        trace = make_hostile_vault(root, outside, endpoint.base_url)
        yield World(root, outside, trace, endpoint, {**os.environ, **own}, log)


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", QUESTION, "--json"),
        ("search", QUESTION, "--mode", "vector"),
        ("context", QUESTION),
        ("explain", QUESTION, "heron.md"),
        ("related", "pond.md"),
        ("index",),
        ("index", "--plan"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_a_command_in_the_vault_follows_no_file_of_it(world, arguments):
    before = tree(world.root, world.outside)
    script = world.root.parent / "bin" / "vaultseek.py"
    ran = subprocess.run(
        [sys.executable, script, *arguments], cwd=world.root, env=world.env, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, "Secret" in ran.stdout) == (0, False), ran.stderr
    world.check(before)


def test_the_server_in_the_vault_follows_no_file_of_it(world, start):
    before = tree(world.root, world.outside)
    pipes = start(env=world.env, cwd=world.root)
    pipes.initialize(world.root)
    answer = pipes.ask("vaultseek/search", {"query": QUESTION})["result"]
    assert (answer["mode"], answer["results"][0]["id"]) == ("hybrid", "heron.md")
    pipes.ask("vaultseek/context", {"query": QUESTION})
    pipes.ask("vaultseek/related", {"note": "pond.md"})
    assert "result" in pipes.ask("workspace/executeCommand", {"command": "vaultseek.updateIndex"})
    status = pipes.ask("vaultseek/status")["result"]
    assert [vault["uri"] for vault in status["vaults"]] == [world.root.as_uri()]
    assert "theirs" not in json.dumps(status)
    assert pipes.leave()[0] == 0
    world.check(before)


@pytest.mark.parametrize("binary", binaries(), ids=version_of)
def test_neovim_in_the_vault_follows_no_file_of_it(world, tmp_path, binary):
    before = tree(world.root, world.outside)
    env = [f"{name}={world.env[name]}" for name in world.env if os.environ.get(name) != world.env[name]]
    # With -m, Python looks for the module in the current folder first. The path is relative to the current folder, too.
    command = [os.path.relpath("/usr/bin/env", world.root), *env, sys.executable, "-m", "lsp_server", "serve"]
    setup = f"require('vaultseek').setup({{cmd = vim.json.decode([=[{json.dumps(command)}]=])}})"
    nvim = Nvim(needs(binary), tmp_path / "nvim", before=setup, cwd=world.root)
    try:
        nvim.edit(world.root / "pond.md")
        nvim.command(f"VaultSearch {QUESTION}")
        assert nvim.picker()["ids"][0] == "heron.md"
        nvim.keys("<C-c>")
        nvim.command("checkhealth vaultseek")
    finally:
        nvim.leave()
    world.check(before)


def test_the_attempts_are_many_and_each_is_about_one_place():
    assert len(UNREAD) + len(READ) + len(PROGRAMS) > 50
