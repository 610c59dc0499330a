"""Output on terminals of different widths and abilities, in real pseudo-terminals."""

import contextlib
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from lsp_server.cli.main import main
from lsp_server.cli.printable import n_cells
from vaults import write

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals of this kind", allow_module_level=True)

import fcntl
import pty
import struct
import termios

VAULT = """
--- folder with a long name/another folder/Telescope maintenance.md
# Telescope maintenance of every spring

We begin with the dome, then the mount, and only then do we come to the mirror, which is washed with water — never
wiped. 望远镜的镜子每年春天清洗一次, mirror, 望远镜的镜子每年春天清洗一次.
--- Mirror.md
# Mirror

A mirror.
"""
CONTROL = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m")


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """What a command writes to a terminal of some width, encoding and environment."""
    write(tmp_path, VAULT)
    monkeypatch.chdir(tmp_path)

    def run(*arguments, columns=80, encoding="utf-8", **environment):
        primary, secondary = pty.openpty()
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        for name, value in {"NO_COLOR": "", "TERM": "xterm-256color", **environment}.items():
            monkeypatch.setenv(name, value)
        with ThreadPoolExecutor() as reader, open(secondary, "w", encoding=encoding) as terminal:  # noqa: PTH123 a number
            written = reader.submit(_all, primary)
            monkeypatch.setattr(sys, "stdout", terminal)
            assert main([*arguments, "--mode", "keyword"]) == 0
            terminal.close()
        return written.result().decode(encoding).replace("\r\n", "\n")

    return run


def _all(terminal) -> bytes:
    """What is written until the other end is closed."""
    read = b""
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(terminal, 65_536):
            read += part
    os.close(terminal)
    return read


@pytest.mark.parametrize("columns", [40, 60, 200])
@pytest.mark.parametrize("environment", [{}, {"encoding": "ascii"}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_every_line_fits_and_shows_the_match(shown, columns, environment):
    out = shown("search", "mirror water", columns=columns, **environment)
    is_plain = bool({"NO_COLOR", "TERM"} & environment.keys())
    assert ("\x1b" not in out) == is_plain
    lines = CONTROL.sub("", out).splitlines()
    assert max(map(n_cells, lines)) <= columns
    assert any(line.startswith("    ") and "to the mirror" in line and '"' not in line for line in lines)
    assert any("Telescope maintenance.md:3" in line for line in lines)
    if "encoding" in environment:
        assert out.isascii()
    assert ("…" in out or "..." in out) == (columns < 200)


def test_narrow_terminals_show_the_path_on_a_line_of_its_own(shown):
    assert shown("search", "mirror", columns=40, NO_COLOR="1") == (
        " 1. Mirror  Mirror.md:3  exact\n"
        "    A mirror.\n"
        '    Title is exactly "Mirror".\n'
        " 2. Telescope maintenance of…  good\n"
        "    …r folder/Telescope maintenance.md:3\n"
        "    … to the mirror, which is washed …\n"
        '    "mirror" in the text.\n'
    )


def test_a_terminal_s_path_is_a_link_even_where_it_is_cut(shown, tmp_path):
    out = shown("search", "mirror", columns=40)
    assert f"{tmp_path.as_uri()}/folder%20with%20a%20long%20name/another%20folder/Telescope%20maintenance.md" in out
    assert "\x1b[1mTelescope maintenance" in out
    assert "\x1b[1;33mmirror" in out


@pytest.mark.parametrize("columns", [40, 80, 300])
def test_messages_of_doctor_and_explain_are_wrapped_between_words(shown, tmp_path, columns):
    write(tmp_path, "--- Bad.md\n---\ntags: [a, b\n---\nmirror\n")
    text = CONTROL.sub("", shown("doctor", columns=columns))
    assert "the front matter is not valid YAML" in " ".join(text.split())
    words = set(" ".join(text.split()).split(" "))
    for line in text.splitlines():
        assert n_cells(line) <= columns or max(map(n_cells, line.split())) > columns - 18  # a path is not cut
    assert {"distinct", "keyword", "searched"} <= words


def test_arithmetic_is_shown_whole(shown):
    lines = shown("search", "mirror", "--explain", columns=40).splitlines()
    assert any("+ " in line and "lexical" in line and "weight" in line for line in lines)


@pytest.mark.parametrize("columns", [0, 1, 5])
def test_a_terminal_without_a_sensible_width_gets_a_usable_one(shown, columns):
    lines = shown("search", "mirror", columns=columns, NO_COLOR="1").splitlines()
    assert all(len(line) <= (20 if columns else 80) for line in lines)
    assert any("mirror" in line.lower() for line in lines)


def test_colours_can_be_asked_for_in_spite_of_the_environment(shown):
    assert "\x1b[1;33mmirror" in shown("search", "mirror", "--color", "always", NO_COLOR="1")
