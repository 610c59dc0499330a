"""README against the program: its commands are valid, and the demo's output is current."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_server.cli.main import make_parser

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEMO = README.partition("<!-- demo -->\n")[2].partition("<!-- /demo -->")[0]
BLOCKS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [line[2:] for block in BLOCKS for line in block.split("\n") if line.startswith("$ vaultseek ")]


def transcripts(block: str) -> list[tuple[str, str]]:
    """Each command of a console block with its output."""
    inner = "".join(re.findall(r"```console\n(.*?)```", block, re.DOTALL))
    parts = re.split(r"^\$ ", inner, flags=re.MULTILINE)[1:]
    return [(command, shown.strip("\n")) for command, _, shown in (part.partition("\n") for part in parts)]


@pytest.mark.parametrize("command", dict.fromkeys(COMMANDS))
def test_a_command_in_readme_is_valid(command):
    """The parser would exit at options that were renamed or removed."""
    options = make_parser().parse_args(shlex.split(command)[1:])
    assert callable(options.run)


def test_readme_shows_each_command():
    commands = {"search", "explain", "related", "doctor", "serve", "index"}
    assert {command.split()[1] for command in COMMANDS} == commands


def run(command, cache):
    """Run the program with vectors in `cache`."""
    return subprocess.run(
        [sys.executable, "-m", "lsp_server", *shlex.split(command)[1:]],
        cwd=ROOT,
        env={**os.environ, "VAULTSEEK_CACHE": str(cache)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """A cache after the first command of the demo, which computes the vectors."""
    cache = tmp_path_factory.mktemp("cache")
    for command, _ in transcripts(DEMO)[:1]:
        run(command, cache)
    return cache


@pytest.mark.parametrize(("command", "shown"), transcripts(DEMO))
def test_the_demo_in_readme_is_the_program_s_current_output(command, shown, indexed, tmp_path):
    """If the output changed on purpose, `make readme` updates it."""
    ran = run(command, tmp_path if command.startswith("vaultseek index") else indexed)
    assert ran.stderr == "" or ran.stderr.startswith("degraded: Only keyword search was used: ")
    assert ran.returncode == 0
    assert ran.stdout.strip("\n") == shown


def test_a_transcript_is_split_at_its_commands():
    block = "```console\n$ one 'a b'\nx\n\ny\n$ two\n```\n"
    assert transcripts(block) == [("one 'a b'", "x\n\ny"), ("two", "")]
