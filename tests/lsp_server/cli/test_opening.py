"""`--open`: the system's program gets one absolute path, and no file that could be a program."""

import os
import sys
from pathlib import Path

import pytest

from lsp_server.cli import opening
from lsp_server.cli.exit_codes import ERROR, FOUND, NOTHING
from search.errors import VaultseekError

ODD_NAMES = [
    "-rf.md",
    "--help.pdf",
    "https:⁄⁄evil.example.pdf",
    "$(touch x); & `id`.txt",
    "a\nfile:b.txt",
    "x%2f..%20.png",
]


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """The arguments that an opener in place of the system's gets, one list for each call."""
    log = tmp_path / "opened"
    program = tmp_path / "bin/xdg-open"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\0" "$#" "$@" >>"{log}"\nexit ${{FAILS:-0}}\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sys, "platform", "linux")
    return lambda: log.read_text(encoding="utf-8").split("\0")[:-1] if log.exists() else []


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.mark.skipif(os.name == "nt", reason="the opener is a shell script")
@pytest.mark.parametrize("name", ODD_NAMES)
def test_whatever_its_name_a_file_is_one_absolute_path(root, opened, name):
    (root / name).write_bytes(b"")
    opening.open_with_system(root, name)
    assert opened() == ["1", str(root.resolve() / name)]


@pytest.mark.skipif(os.name == "nt", reason="the opener is a shell script")
@pytest.mark.parametrize("name", ["run.sh", "a.exe", "a.desktop", "a.command", "Makefile", "a.docm", "a.zip"])
def test_what_could_be_a_program_is_refused_also_behind_a_link(root, opened, name):
    (root / name).write_bytes(b"")
    (root / "paper.pdf").symlink_to(root / name)
    for note in (name, "paper.pdf"):
        with pytest.raises(VaultseekError, match="could be a program"):
            opening.open_with_system(root, note)
    assert opened() == []


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_file_outside_the_vault_or_none_is_refused(root, opened, tmp_path):
    (tmp_path / "outside.pdf").write_bytes(b"")
    (root / "link.pdf").symlink_to(tmp_path / "outside.pdf")
    (root / "folder.pdf").mkdir()
    for note in ("link.pdf", "folder.pdf", "../outside.pdf", "gone.pdf"):
        with pytest.raises(VaultseekError, match=note):
            opening.open_with_system(root, note)
    assert opened() == []


@pytest.mark.skipif(os.name == "nt", reason="the opener is a shell script")
def test_a_failure_of_the_opener_is_told(root, opened, monkeypatch):
    (root / "a.pdf").write_bytes(b"")
    monkeypatch.setenv("FAILS", "3")
    with pytest.raises(VaultseekError, match=r"a\.pdf: xdg-open cannot open it \(exit code 3\)"):
        opening.open_with_system(root, "a.pdf")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(VaultseekError, match="xdg-open, which opens files on this system, is not installed"):
        opening.open_with_system(root, "a.pdf")


@pytest.mark.skipif(os.name == "nt", reason="the opener is a shell script")
@pytest.mark.parametrize(
    ("arguments", "code", "note"),
    [
        (("search", "welcome", "--open"), FOUND, "Home.md"),
        (("search", "elm", "--open", "1", "--json"), FOUND, "x/Elm.md"),
        (("search", "elm", "--open", "9"), ERROR, None),
        (("search", "oak"), FOUND, None),
        (("search", "nothingness", "--open"), NOTHING, None),
        (("related", "Home", "--open"), FOUND, "x/Elm.md"),
    ],
)
def test_a_result_is_opened_by_its_number(run, opened, arguments, code, note):
    ran = run(*arguments)
    assert ran.code == code, ran.err
    assert opened() == ([] if note is None else ["1", str(Path.cwd() / note)])
    assert "--open: 9 is not allowed; allowed is a number up to" in ran.err or code != ERROR
