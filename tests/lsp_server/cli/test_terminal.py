"""What people see on a terminal or in a pipe."""

import io
import json
import os
import re

import pytest

from lsp_server.cli.printable import n_cells
from lsp_server.cli.terminal import Terminal
from search.notice import Notice, NoticeKind
from search.semantic.status import Plan
from tests.lsp_server.cli.conftest import process
from vaults import write

ESCAPE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_a_hit_in_a_pipe_is_its_title_and_place_then_excerpt_and_reason(run):
    ran = run("search", "stands")
    assert ran.out == ' 1. Welcome  Home.md:2  good\n    The oak stands by [[x/Elm]].\n    "stands" in the text.\n'
    assert ran.err == ""


def test_the_number_of_all_matching_notes_is_shown(run):
    assert run("search", "oak", "--limit", "1").out.endswith("\n1 shown of 3 matches\n")


OAKS = "--- Oak.md\n# Oak\n\nan oak and an elm\n\nan oak and a yew\n\nan oak and an ash\n"


@pytest.mark.parametrize(
    ("arguments", "n_shown"), [([], 1), (["--snippets", "0"], 0), (["--snippets", "2"], 2), (["--snippets", "10"], 3)]
)
def test_as_many_excerpts_are_shown_as_wanted_and_none_that_is_only_the_title(run, tmp_path, arguments, n_shown):
    write(tmp_path, OAKS)
    shown = run("search", "oak elm yew ash", "--limit", "1", *arguments).out.splitlines()
    assert shown[0].startswith(" 1. Oak  Oak.md:")
    assert sum(line.startswith("    an oak") for line in shown) == n_shown
    assert "    Oak" not in shown


@pytest.mark.parametrize(
    ("arguments", "n_shown"),
    [
        (["search", "oak elm yew ash"], 3),
        (["search", "oak elm yew ash", "--snippets", "0"], 0),
        (["search", "oak elm yew ash", "--snippets", "2"], 2),
        (["related", "Elms", "--mode", "keyword", "--snippets", "0"], 0),
        (["related", "Elms", "--mode", "keyword", "--snippets", "1"], 1),
    ],
)
def test_json_has_three_excerpts_unless_another_number_is_given(run, tmp_path, arguments, n_shown):
    write(tmp_path, OAKS + "--- Elms.md\n" + "oak elm yew ash\n" * 3)
    answer = json.loads(run(*arguments, "--json").out)
    found = next(result for result in answer["results"] if result["id"] == "Oak.md")
    assert len(found["snippets"]) == n_shown


def test_a_pipe_gets_no_colours(run):
    assert not ESCAPE.search(run("search", "stands").out)


def test_a_terminal_gets_colours_and_links(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = run("search", "stands", "--color", "always").out
    assert f"{tmp_path.as_uri()}/Home.md" in out
    assert "\x1b[1;33mstands" in out


@pytest.mark.parametrize("colour", ["always", "never"])
def test_a_note_cannot_control_the_terminal(run, monkeypatch, colour):
    monkeypatch.setenv("TERM", "xterm-256color")
    out = run("search", "red", "--color", colour, "--explain").out
    assert "oak \\x1b" in re.sub(r"\x1b\[[0-9;]*m", "", out)
    for sent in ("\x1b[31m red", "\x07", "\x9b", "\u202e"):
        assert sent not in out


def test_joiners_inside_words_and_emoji_are_printed_unchanged():
    errors = io.StringIO()
    notice = Notice(NoticeKind.SKIPPED, "unreadable", "می\u200cخواهم 👩\u200d💻.md: it cannot be read")
    Terminal(io.StringIO(), errors, is_coloured=False).show_notices([notice])
    assert errors.getvalue() == "skipped: می\u200cخواهم 👩\u200d💻.md: it cannot be read\n"


def test_a_notice_cannot_control_the_terminal():
    errors = io.StringIO()
    notice = Notice(NoticeKind.SKIPPED, "unreadable", "\x1b[31m\nred\u202e.md: it cannot be read")
    Terminal(io.StringIO(), errors, is_coloured=False).show_notices([notice])
    assert errors.getvalue() == "skipped: \\x1b[31m red\ufffd.md: it cannot be read\n"


def test_a_notice_comes_with_advice_for_the_command_line():
    errors = io.StringIO()
    notice = Notice(NoticeKind.PARTIAL, "still-embedding", "3 notes have no vectors yet.")
    Terminal(io.StringIO(), errors, is_coloured=False).show_notices([notice])
    assert errors.getvalue() == "partial: 3 notes have no vectors yet. `vaultseek index` computes them now.\n"


def test_a_title_is_not_printed_twice_and_is_one_line_of_words(run, tmp_path):
    write(tmp_path, "--- y.md\n---\ntitle: 'Larch   and \n\n  pine'\n---\n")
    out = run("search", "larch").out
    assert out.splitlines()[0] == " 1. Larch and pine  y.md:1  strong"
    assert out.count("Larch") == 1


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_the_environment_can_switch_colours_off(run, monkeypatch, environment, is_coloured):
    for name, value in {"TERM": "xterm-256color", "NO_COLOR": "", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert ("\x1b[" in run("search", "stands").out) == is_coloured


def test_a_file_name_that_is_not_valid_text_is_shown(run, tmp_path):
    try:
        (tmp_path / os.fsdecode(b"bad\xff name.md")).write_text("unreadable name", encoding="utf-8")
    except OSError:
        pytest.skip("this file system refuses such names")
    ran = run("search", "unreadable", "--color", "never")
    assert ran.code == 0
    assert "name.md:1" in ran.out


class Screen(io.StringIO):
    """Standard error, as a terminal or not."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Whether this is a terminal."""
        return self._is_terminal


@pytest.mark.parametrize(
    ("is_terminal", "seconds", "is_shown"), [(True, 1.5, True), (True, 0.5, False), (False, 60.0, False)]
)
def test_progress_is_shown_on_a_terminal_after_one_second(monkeypatch, is_terminal, seconds, is_shown):
    monkeypatch.setenv("TERM", "xterm-256color")
    screen, now = Screen(is_terminal=is_terminal), [100.0]
    with Terminal(io.StringIO(), screen, is_coloured=False, clock=lambda: now[0]) as terminal:
        terminal.progress(0, 10)
        assert screen.getvalue() == ""
        now[0] += seconds
        terminal.progress(5, 10)
        terminal.progress(6, 10)
        terminal.progress(10, 10)
    assert terminal._bar is None
    assert ("reading notes" in screen.getvalue()) == is_shown


def test_all_progress_of_a_search_is_one_line_that_names_the_work(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    screen, now = Screen(is_terminal=True), [0.0]
    with Terminal(io.StringIO(), screen, is_coloured=False, clock=lambda: now[0]) as terminal:
        terminal.progress(0, 10)
        now[0] = 2.0
        terminal.progress(5, 10)
        bar = terminal._bar
        terminal.progress(10, 10)
        terminal.progress(1, 60)
        assert (terminal._bar, bar.tasks[0].description, bar.tasks[0].total) == (bar, "comparing meaning", 60)
        terminal.say("found")
        assert terminal._bar is None
    assert screen.getvalue().count("\x1b[?25l") == 1  # the cursor is hidden once: there was one bar


def test_progress_of_reading_that_needed_no_time_is_followed_by_that_of_meaning(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    screen, now = Screen(is_terminal=True), [0.0]
    with Terminal(io.StringIO(), screen, is_coloured=False, clock=lambda: now[0]) as terminal:
        terminal.progress(1000, 1000)
        now[0] = 2.0
        terminal.progress(1, 60)
        assert "comparing meaning" in screen.getvalue()


@pytest.mark.parametrize(("width", "lines"), [(20, 4), (40, 2), (None, 1)])
def test_a_notice_is_wrapped_between_words(width, lines):
    errors = io.StringIO()
    notice = Notice(NoticeKind.PARTIAL, "x", "3 notes have no vectors yet, 望远镜镜子 and more words.")
    Terminal(io.StringIO(), errors, is_coloured=False, errors_width=width).show_notices([notice])
    shown = errors.getvalue().splitlines()
    assert " ".join(shown) == f"partial: {notice.message}"
    assert len(shown) == lines
    assert all(n_cells(line) <= (width or 99) for line in shown)


def test_a_progress_bar_ends_even_if_the_command_fails():
    screen, times = Screen(is_terminal=True), iter([0.0, 5.0])
    terminal = Terminal(io.StringIO(), screen, is_coloured=False, clock=times.__next__)

    def fail():
        with terminal:
            terminal.progress(1, 10)
            raise OSError

    with pytest.raises(OSError):  # noqa: PT011 the test raises it itself
        fail()
    assert terminal._bar is None


def test_an_ascii_terminal_shows_other_characters_escaped(run, tmp_path):
    write(tmp_path, "--- Café.md\n知識 cafe")
    searching = process("search", "cafe", "--mode", "keyword", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    out, err = searching.communicate(timeout=20)
    assert (searching.returncode, err) == (0, b"")
    assert rb"Caf\xe9.md:1" in out


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_typographic_characters_become_ascii_where_the_encoding_lacks_them(run, tmp_path, encoding):
    write(tmp_path, f"--- Long.md\n{'word ' * 60} oak’s — oak {'word ' * 60}\n")
    arguments = ["search", "oak’s nowhere-at-all", "--folder", "y", "--mode", "keyword"]
    environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    found = process("search", "oak", "--mode", "keyword", env=environment).communicate(timeout=20)[0].decode(encoding)
    assert "    ... word" in found
    assert "oak's - oak" in found
    assert "There is no folder 'y'" in process(*arguments, env=environment).communicate(timeout=20)[1].decode(encoding)


def test_a_plan_for_a_large_vault_separates_thousands():
    output = io.StringIO()
    plan = Plan(
        n_notes=12345,
        n_missing=1234,
        n_missing_gists=1000,
        n_chunks=5678,
        n_tokens=901234,
        seconds=None,
        model="m",
        where="here",
    )
    Terminal(output, io.StringIO(), is_coloured=False).show_plan(plan)
    assert output.getvalue().splitlines() == [
        "names and openings: 11,345 of 12,345; whole text: 11,111 of 12,345",
        "to compute: 5,678 chunks, 901,234 tokens",
        "model m, on here",
        "for an unknown time, as an endpoint's speed shows only while it works",
    ]


@pytest.mark.parametrize(("n_chunks", "shown"), [(7, "for about 3 min"), (0, "model m, on here")])
def test_a_plan_ends_with_the_time_if_there_is_work(n_chunks, shown):
    output = io.StringIO()
    plan = Plan(n_notes=9, n_missing=n_chunks, n_chunks=n_chunks, n_tokens=0, seconds=180.0, model="m", where="here")
    Terminal(output, io.StringIO(), is_coloured=False).show_plan(plan)
    assert output.getvalue().splitlines()[-1] == shown
