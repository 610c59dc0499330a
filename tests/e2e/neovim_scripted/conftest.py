# ruff: noqa: D102  a double of a user
"""A Neovim whose server follows a script, and a vault of five notes."""

import json

import pytest

from tests.e2e.nvim_process import SCRIPTED_SERVER, Nvim, each_nvim, make_vault, needs, write_command

NAMES = ("Here", "There", "Cousin", "Nephew", "alone")
SAY = "require('vaultseek.launch').call(require('vaultseek.server').running(), 'notify', 'test/say', ...)"


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    notes = {f"{name}.md": f"# {name}\n\ntext of {name}\n\n## Below\n\nend\n" for name in NAMES}
    return make_vault(tmp_path_factory.mktemp("scripted") / "notes", {".obsidian/app.json": "{}", **notes})


class Scripted(Nvim):
    """A Neovim whose server follows a script."""

    def __init__(self, binary, folder, **more):
        self.log = folder / "log.jsonl"
        super().__init__(binary, folder, path=write_command(folder / "bin", SCRIPTED_SERVER, self.log), **more)

    def received(self, method):
        """The parameters of all messages of a method that the server received."""
        whole, _, _ = self.log.read_text(encoding="utf-8").rpartition("\n")  # the server may be writing the last line
        lines = [json.loads(line) for line in whole.splitlines()]
        return [line.get("params") for line in lines if line.get("method") == method]

    def wait_received(self, method, count):
        while len(found := self.received(method)) < count:
            self.wait("true")
            self._listen(0.02)
        return found

    def say(self, query, *titles, generation=1, partial=False):
        words = {"query": query, "titles": list(titles), "generation": generation, "partial": partial}
        self.lua(SAY, words)

    def search(self, vault, query=""):
        self.edit(vault / "Here.md")
        self.command(f"VaultSearch {query}")


@each_nvim
def running(request, tmp_path_factory):
    binary = needs(request.param)
    editor = Scripted(binary, tmp_path_factory.mktemp("nvim") / "here")
    yield editor
    editor.leave()


@pytest.fixture
def nvim(running):
    running.tidy()
    running.log.touch()
    running.log.write_text("", encoding="utf-8")
    running.lua("require('vaultseek').setup()")
    yield running
    running.check_no_error()


@pytest.fixture
def fresh(running, request, tmp_path):
    """A factory of Neovims of the same version, each with its own script and options."""
    started = []

    def start(**more):
        binary = running.process.args[0]
        started.append(Scripted(binary, tmp_path / f"nvim{len(started)}", **more))
        return started[-1]

    yield start
    for editor in started:
        editor.leave()
