"""A vault, and two ways to run commands over it: in this process or in a new one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_server.cli import main
from vaults import write

ROOT = Path(__file__).parents[3]


VAULT = """
--- Home.md
# Welcome
The oak stands by [[x/Elm]].
--- x/Elm.md
An elm, not an oak. #tree
--- x/Ash.md
---
aliases: Rowan
---
Ash and ash. #tree/old
--- Evil.md
oak \x1b[31m red\x1b[0m \x07bell \x9b2J and\ttab \u202eright
"""


class Ran:
    """The exit code, the output and the notes of a command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
        self.notes = re.findall(r"^ *\d+\. .+?  (\S.*?):\d+(?:  \w+)?$", out, re.MULTILINE)


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in the vault's folder."""
    write(tmp_path, VAULT)
    (tmp_path / ".obsidian").mkdir()
    monkeypatch.chdir(tmp_path)

    def command(name="", *arguments):
        mode = ("--mode", "keyword") if name in ("search", "explain") and "--mode" not in arguments else ()
        try:
            code = main.main([name, *mode, *arguments] if name else [])
        except SystemExit as left:
            code = left.code
        return Ran(code, *capfd.readouterr())

    return command


def process(*arguments, **options):
    """Run a command in a new process with pipes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **options.pop("env", {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([sys.executable, "-m", "lsp_server", *arguments], env=environment, **pipes)
