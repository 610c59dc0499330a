"""What Tab offers after a typed line: from the parser, and in real shells."""

import functools
import io
import os
import select
import shutil
import subprocess
import sys

import argcomplete
import pytest

from lsp_server.cli.completion import MODEL_NAMES, PRESET_NAMES
from lsp_server.cli.main import main, make_parser
from search.ranking.presets import PRESETS
from search.settings import MODELS
from tests.lsp_server.cli.conftest import ROOT

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
MORE_CASES = [
    ("vaultseek ", ["completion", "context", "doctor", "explain", "index", "mcp", "related", "search", "serve"]),
    ("vaultseek search ", []),
    ("vaultseek search no", []),
    ("vaultseek search -draft oak --limit 5 'red oak' --col", ["--color"]),
    ("vaultseek search --limit many --col", ["--color"]),
    ("vaultseek search --vault ", ["notes"]),
    ("vaultseek search --vault .", [".hidden"]),
    ("vaultseek search --vault=no", ["--vault=notes"]),
    ("vaultseek search --vault notes/o", ["notes/oaks"]),
    ("vaultseek search --vault ~/no", ["~/notes"]),
    ("vaultseek search --vault missing/", []),
    ("vaultseek search --vault ~no-such-user/", []),
    ("vaultseek search --folder ", ["notes"]),
    ("vaultseek search --vault notes --folder ", ["oaks"]),
    ("vaultseek search --vault ~/notes --folder o", ["oaks"]),
    ("vaultseek search --pipeline no", ["none.json", "notes"]),
]
IN_BASH = """
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9
$(complete -p vaultseek | sed 's/.* -F \\([^ ]*\\) .*/\\1/') vaultseek
printf '%s\\n' "${COMPREPLY[@]}"
"""
PROGRAM = f"""#!/bin/sh
[ -n "$_ARGCOMPLETE" ] || {{ echo "got:$*"; exit; }}
PYTHONPATH='{ROOT}' exec '{sys.executable}' -m lsp_server
"""
PROMPTS = {
    "bash": (["bash", "--norc", "-i"], "eval"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -u -D; eval"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder and home, which contains folders and files."""
    (tmp_path / "notes" / "oaks").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "none.json").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def offered(folder, monkeypatch):
    """Ask what can follow a line, as a shell's script does."""
    # Else argcomplete takes over file descriptor 9, which can be one of pytest's.
    monkeypatch.setattr(argcomplete.CompletionFinder, "_init_debug_stream", lambda _: None)

    complete = argcomplete.autocomplete

    def ask(line):
        variables = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
        for name, value in (variables | {"COMP_LINE": line, "COMP_POINT": str(len(line))}).items():
            monkeypatch.setenv(name, value)
        answer = io.StringIO()
        monkeypatch.setattr(argcomplete, "autocomplete", functools.partial(complete, output_stream=answer))
        with pytest.raises(SystemExit) as left:
            main([])
        assert left.value.code == 0
        return answer.getvalue().splitlines()

    return ask


@pytest.fixture
def script(folder, tmp_path_factory, capsys, monkeypatch):
    """The path of a shell's script, with a program `vaultseek` that prints its arguments."""
    elsewhere = tmp_path_factory.mktemp("bin")
    (elsewhere / "vaultseek").write_text(PROGRAM, encoding="utf-8")
    (elsewhere / "vaultseek").chmod(0o755)
    monkeypatch.setenv("PATH", str(elsewhere), prepend=os.pathsep)

    def make(shell):
        assert main(["completion", shell]) == 0
        path = elsewhere / f"script.{shell}"
        path.write_text(capsys.readouterr().out, encoding="utf-8")
        return path

    return make


@pytest.mark.parametrize(("line", "expected"), CASES + MORE_CASES)
def test_what_can_follow_is_offered(offered, line, expected):
    assert sorted(word.rstrip("/") for word in offered(line)) == expected


def test_folder_goes_on_with_a_slash(offered):
    assert offered("vaultseek search --pipeline no") == ["none.json", "notes/"]


def test_folders_of_the_vault_around_are_offered(offered, folder, monkeypatch):
    vault = folder / "notes"
    (vault / ".obsidian").mkdir()
    (vault / "pines").mkdir()
    monkeypatch.chdir(vault / "oaks")
    assert offered("vaultseek search --folder ") == ["oaks/", "pines/"]


def test_every_command_and_option_is_offered(offered):
    commands = next(action for action in make_parser()._actions if action.dest == "run" or action.choices).choices
    assert sorted(offered("vaultseek ")) == sorted(commands)
    for name, command in commands.items():
        options = {word for action in command._actions for word in action.option_strings if word.startswith("--")}
        assert set(offered(f"vaultseek {name} --")) == options


def test_names_of_presets_and_models_are_those_of_the_search_core():
    assert tuple(PRESETS) == PRESET_NAMES
    assert MODELS == MODEL_NAMES


@pytest.mark.slow
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_bash_offers_commands_options_and_values(script, line, expected):
    command = ["bash", "--norc", "-c", IN_BASH, "bash", str(script("bash")), line]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (sorted(word.rstrip("/") for word in ran.stdout.split()), ran.stderr) == (expected, "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish_offers_commands_options_and_values(script, line, expected):
    command = ["fish", "--no-config", "-c", f"source {script('fish')}; complete -C '{line}'"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    words = {row.partition("\t")[0].rstrip("/") for row in ran.stdout.splitlines()}
    assert (sorted(words), ran.stderr) == (expected, "")


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_typed_line_is_completed(script, folder, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    import pty  # noqa: PLC0415 Windows has no such module

    (folder / "my notes").mkdir()
    terminal, other_end = pty.openpty()
    streams = {"stdin": other_end, "stdout": other_end, "stderr": other_end}
    command, start = PROMPTS[shell]
    process = subprocess.Popen(command, env={**os.environ, "TERM": "xterm"}, start_new_session=True, **streams)
    os.close(other_end)
    try:
        _type(terminal, f"{start} \"$(<{script(shell)})\"; echo rea''dy", "ready")
        _type(terminal, "vaultseek sea\t", "got:search")
        _type(terminal, "vaultseek search mirror --col\talw\t", "got:search mirror --color always")
        _type(terminal, "vaultseek search --preset graph-l\toak", "got:search --preset graph-linear oak")
        _type(terminal, "true && A=1 vaultseek search 'red oak' --inc\t", "got:search red oak --include-linked")
        _type(terminal, "vaultseek search --vault no\toa\t", "got:search --vault notes/oaks/")
        _type(terminal, "vaultseek search --vault ~/no\toa\t", f"got:search --vault {folder}/notes/oaks/")
        _type(terminal, "vaultseek search --vault my\t", "got:search --vault my notes/")
        _type(terminal, "vaultseek search --pipeline non\toak", "got:search --pipeline none.json oak")
    finally:
        process.kill()
        process.wait(20)
        os.close(terminal)


def _type(terminal, line, answer) -> None:
    """Type a line and Enter, and read until the answer comes."""
    os.write(terminal, f"{line}\n".encode())
    read = ""
    while f"{answer}\r\n" not in read:
        assert select.select([terminal], [], [], 20.0)[0], read
        read += os.read(terminal, 65_536).decode(errors="replace")


def test_another_shell_is_refused_with_those_that_there_are(capsys):
    with pytest.raises(SystemExit) as left:
        main(["completion", "tcsh"])
    assert left.value.code == 2
    assert "one of bash, zsh, fish" in capsys.readouterr().err


@pytest.mark.slow
def test_a_search_does_not_import_what_completes(run):
    code = "import sys; from lsp_server.cli import main; main.main(['search', 'oak', '--mode', 'keyword']); "
    command = [sys.executable, "-c", f"{code}print('argcomplete' in sys.modules)"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout.endswith("False\n")


@pytest.mark.slow
@pytest.mark.parametrize("line", ["vaultseek search --preset ", "vaultseek index --embedding-model ", "vaultseek "])
def test_completing_imports_no_heavy_package(folder, line):
    """A person waits for Tab."""
    code = (
        "import atexit, sys; from lsp_server.cli import main; heavy = {'attr', 'numpy', 'pygls', 'rich', 'expansion', "
        "'search.engine', 'search.ranking', 'search.settings'}; "
        "atexit.register(lambda: print(heavy & sys.modules.keys())); main.main([])"
    )
    variables = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": "answer"}
    variables |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **variables})
    assert ran.stdout == "set()\n"
    assert (folder / "answer").read_text(encoding="utf-8")
