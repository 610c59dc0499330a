"""Completion in real shells: what Tab offers after a typed line."""

import os
import select
import shutil
import subprocess
import sys

import pytest

from lsp_server.cli.main import main, make_parser
from search.ranking.presets import PRESETS
from tests.lsp_server.cli.conftest import ROOT

pytestmark = pytest.mark.slow

CASES = [
    ("vaultseek sea", ["search"]),
    ("vaultseek completion ", ["bash", "fish", "zsh"]),
    ("vaultseek search --col", ["--color"]),
    ("vaultseek search mirror --color ", ["always", "auto", "never"]),
    ("vaultseek search --preset ", sorted(PRESETS)),
    ("vaultseek index --embedding-model mini", ["minilm-l6-v2"]),
    ("vaultseek search --vault no", ["notes"]),
    ("vaultseek index --pl", ["--plan"]),
]
IN_BASH = """
source "$1"
read -ra COMP_WORDS <<<"$2"
[[ $2 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
$(complete -p vaultseek | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def script(tmp_path, capsys, monkeypatch):
    """The path of a shell's script, in a folder that contains a folder and a file."""

    def make(shell):
        assert main(["completion", shell]) == 0
        path = tmp_path / f"script.{shell}"
        path.write_text(capsys.readouterr().out, encoding="utf-8")
        return path

    (tmp_path / "notes").mkdir()
    (tmp_path / "none.txt").touch()
    monkeypatch.chdir(tmp_path)
    return make


@pytest.mark.parametrize(("line", "offered"), CASES)
def test_bash_offers_commands_options_and_values(script, line, offered):
    command = ["bash", "--norc", "-c", IN_BASH, "bash", str(script("bash")), line]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (sorted(ran.stdout.split()), ran.stderr) == (offered, "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("line", "offered"), CASES)
def test_fish_offers_commands_options_and_values(script, line, offered):
    command = ["fish", "--no-config", "-c", f"source {script('fish')}; complete -C '{line}'"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    words = {row.partition("\t")[0].rstrip("/") for row in ran.stdout.splitlines()}
    assert (sorted(words), ran.stderr) == (offered, "")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_commands_options_and_values(script):
    import pty  # noqa: PLC0415 Windows has no such module

    terminal, other_end = pty.openpty()
    streams = {"stdin": other_end, "stdout": other_end, "stderr": other_end}
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], env={**os.environ, "TERM": "xterm"}, start_new_session=True, **streams
    )
    os.close(other_end)
    start = f'autoload -Uz compinit; compinit -u -D; eval "$(<{script("zsh")})"; vaultseek() {{ print -r got:$* }}'
    try:
        _type(terminal, f"{start}; print rea''dy", "ready")
        _type(terminal, "vaultseek sea\t", "got:search")
        _type(terminal, "vaultseek search mirror --col\talw\t", "got:search mirror --color always")
        _type(terminal, "vaultseek search --preset graph-l\t", "got:search --preset graph-linear")
    finally:
        shell.kill()
        shell.wait(20)
        os.close(terminal)


def _type(terminal, line, answer) -> None:
    """Type a line and Enter, and read until the answer comes."""
    os.write(terminal, f"{line}\n".encode())
    read = ""
    while answer not in read:
        assert select.select([terminal], [], [], 20.0)[0], read
        read += os.read(terminal, 65_536).decode(errors="replace")


def test_completion_knows_every_command_and_option(script):
    text = script("bash").read_text(encoding="utf-8")
    commands = next(action for action in make_parser()._actions if action.dest == "run" or action.choices).choices
    for name, command in commands.items():
        assert name in text
        for action in command._actions:
            assert all(option in text for option in action.option_strings)


def test_another_shell_is_refused_with_those_that_there_are(capsys):
    with pytest.raises(SystemExit) as left:
        main(["completion", "tcsh"])
    assert left.value.code == 2
    assert "one of bash, zsh, fish" in capsys.readouterr().err


def test_a_search_does_not_import_what_makes_the_script(run):
    code = "import sys; from lsp_server.cli import main; main.main(['search', 'oak', '--mode', 'keyword']); "
    command = [sys.executable, "-c", f"{code}print('shtab' in sys.modules)"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout.endswith("False\n")
