"""The command line: what a person types, what they see, and the code that a script sees."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_server.cli import main
from lsp_server.cli.terminal import Terminal
from search.answer.notice import Notice, NoticeKind
from search.engine import Engine
from vaults import write

ROOT = Path(__file__).parents[2]
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
ESCAPE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Ran:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
        self.notes = re.findall(r"^ *\d+\. (.+?):\d+  \d", out, re.MULTILINE)


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in the vault's folder."""
    write(tmp_path, VAULT)
    (tmp_path / ".obsidian").mkdir()
    monkeypatch.chdir(tmp_path)

    def command(name="", *arguments):
        mode = ("--mode", "keyword") if name in ("search", "explain") and "--mode" not in arguments else ()
        try:
            code = cli.main([name, *mode, *arguments] if name else [])
        except SystemExit as left:
            code = left.code
        return Ran(code, *capfd.readouterr())

    return command


def process(*arguments, **options):
    """The command as a process of its own, with pipes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **options.pop("env", {})}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([sys.executable, "-m", "lsp_server", *arguments], env=environment, **pipes)


# Exit codes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "oak"], 0),
        (["search", "nothing-of-the-kind"], 1),
        (["search", ""], 1),
        (["explain", "oak", "Home"], 0),
        (["explain", "oak", "x/Ash.md"], 1),
        (["explain", "oak", "nowhere"], 1),
        (["--help"], 0),
        (["search", "--help"], 0),
        (["search", "-h"], 0),
        (["--version"], 0),
    ],
)
def test_the_code_says_whether_something_was_found(run, arguments, code):
    assert run(*arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["find", "x"], "invalid choice: 'find'"),
        (["search"], "required: query"),
        (["search", "x", "--bogus"], "--bogus"),
        (["search", "x", "--lim", "3"], "--lim"),
        (["explain", "x", "Home", "Ash"], "Ash"),
        (["explain", "x", "Home", "-y"], "-y"),
        (["search", "x", "--limit", "0"], "--limit: 0 is not allowed; allowed is a whole number from 1 to 100"),
        (["search", "x", "--limit", "1000000000"], "--limit: 1000000000"),
        (["search", "x", "--limit", "-3"], "--limit: -3"),
        (["search", "x", "--limit", "abc"], "--limit: abc is not allowed; allowed is a whole number from 1 to 100"),
        (["search", "x", "--limit"], "--limit: expected one argument"),
        (["search", "x", "--color", "red"], "--color"),
        (["search", "x", "--vault", "missing"], "missing: no such folder"),
        (["search", "x", "--vault", "Home.md"], "Home.md: a file, not a folder"),
        (["explain", "x", "Home", "--vault", "missing"], "missing: no such folder"),
        (["search", "x", "--vault", ""], "--vault: '' is not allowed; allowed is a folder"),
        (["explain", "x", "Home", "--vault", " "], "--vault: ' ' is not allowed"),
        (["index", "--plan", "--vault", ""], "--vault: ''"),
        (["search", "x", "--tag", ""], "--tag: '' is not allowed; allowed is a tag"),
        (["search", "x", "--tag", "#"], "--tag: '#'"),
        (["serve", "--tcp", "nowhere"], "--tcp: 'nowhere' is not allowed"),
        (["serve", "--tcp", "localhost:99999"], "--tcp"),
    ],
)
def test_an_error_is_one_line_that_names_it(run, arguments, message):
    if arguments[:1] == ["serve"]:
        pytest.importorskip("lsp_server.transport")
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("vaultseek: ")
    assert ran.err.count("\n") == 1
    assert message in ran.err


def test_a_folder_that_was_deleted_below_ones_feet_is_an_error(run, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = run("search", "oak")
    assert ran.code == 2
    assert "Traceback" not in ran.err


# Queries


@pytest.mark.parametrize(
    ("arguments", "notes"),
    [
        (["oak", "stands"], ["Home.md", "x/Elm.md", "Evil.md"]),
        (["oak stands"], ["Home.md", "x/Elm.md", "Evil.md"]),
        (["oak", "-elm", "-red"], []),
        (["oak", "-red", "-welcome"], ["x/Elm.md"]),
        (["oak", "-hello", "-red", "-welcome"], ["x/Elm.md"]),
        (["-oak"], ["x/Ash.md"]),
        (["--", "-oak"], ["x/Ash.md"]),
        (["--", "oak", "-red", "-welcome"], ["x/Elm.md"]),
        (["elm", "--limit", "1", "not"], ["x/Elm.md"]),
        (["oak", "--limit", "1", "--", "-red", "-welcome"], ["x/Elm.md"]),
        (["oak", "-2024", "-red", "-welcome"], ["x/Elm.md"]),
        (['"not an oak"'], ["x/Elm.md"]),
        (["rowan"], ["x/Ash.md"]),
        (["oak", "--folder", "x"], ["x/Elm.md"]),
        (["oak", "--folder", "./x/"], ["x/Elm.md"]),
        (["--tag", "tree", "ash"], ["x/Ash.md"]),
        (["ash", "--tag", "tree", "--tag", "#tree/old"], ["x/Ash.md"]),
        (["oak", "--tag", "tree"], ["x/Elm.md"]),
    ],
)
def test_a_query_as_typed_finds_these_notes(run, arguments, notes):
    assert sorted(run("search", *arguments).notes) == sorted(notes)


def test_the_vault_is_the_folder_around_the_current_one_that_obsidian_knows(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "x")
    ran = run("search", "welcome")
    assert (ran.code, ran.notes) == (0, [f"{tmp_path}/Home.md"])
    assert run("search", "oak", "--folder", ".").notes == ["Elm.md"]


def test_a_home_folder_in_the_vaults_path_is_expanded(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("search", "elm", "--vault=~/x").notes == ["x/Elm.md"]


def test_an_unknown_folder_or_tag_is_named_with_near_ones(run):
    assert "tree" in run("search", "oak", "--tag", "tre").err
    assert "no folder ‘y’" in run("search", "oak", "--folder", "y").err


def test_a_mended_query_says_so_on_standard_error(run):
    ran = run("search", '"oak')
    assert ran.notes
    assert ran.err.startswith("corrected: ")
    assert "The query is empty." in run("search", " ").err


# What is shown


def test_a_hit_is_its_path_and_line_its_score_its_lines_and_why(run):
    ran = run("search", "stands")
    assert ran.out == (
        ' 1. Home.md:2  0.50\n    Welcome\n    The oak stands by [[x/Elm]].\n    "stands" in the text.\n'
    )
    assert ran.err == ""


def test_more_notes_than_are_shown_are_counted(run):
    assert run("search", "oak", "--limit", "1").out.endswith("\n1 of 3 notes\n")


def test_explained_scores_show_their_arithmetic(run):
    plain, explained = run("search", "stands").out, run("search", "stands", "--explain").out
    assert "lexical found it with" not in plain
    assert re.search(r"^ {6}\+ [\d.]+ for rank 1 in lexical, weight 1 = [\d.]+$", explained, re.MULTILINE)


@pytest.mark.parametrize("note", ["Home", "Home.md", "welcome", "./Home.md", "x/../Home.md"])
def test_a_note_is_explained_by_its_path_or_name(run, note):
    ran = run("explain", "stands", note)
    assert ran.out.startswith("Home.md  It stands at 1 of 1.\n 1. Home.md:2  0.50\n")


def test_a_note_that_is_not_found_is_explained_beside_the_last_that_is(run):
    ran = run("explain", "stands", "x/Ash")
    assert ran.out.startswith("x/Ash.md  None of the query's words stands in it.\nthe last note that is shown:\n")
    assert "Home.md:2" in ran.out
    assert run("explain", "stands", "nowhere").out.startswith("nowhere  There is no such note.\n")


def test_a_note_that_a_stage_left_out_is_explained_as_not_shown(run):
    parts = json.dumps({"stages": [{"stage": "cut", "minScore": 0, "maxResults": 1}]})
    told = [run("explain", "oak", note, "--pipeline", parts) for note in ("Home", "x/Elm", "Evil")]
    assert sorted(ran.code for ran in told) == [0, 1, 1]
    assert all("cut left it out" in ran.out for ran in told if ran.code)


@pytest.mark.parametrize(
    ("option", "value"), [("--depth", "6"), ("--depth", "x"), ("--doc-type", " "), ("--link-type", "")]
)
def test_an_option_of_a_design_that_is_not_allowed_is_told(run, option, value):
    ran = run("search", "oak", option, value)
    assert ran.code == 2
    assert re.search(rf"{option}: .*; allowed is ", ran.err)


def test_parts_of_a_design_that_are_nested_without_end_are_told(run):
    ran = run("search", "oak", "--pipeline", '{"stages":' + "[" * 100_000)
    assert ran.code == 2
    assert ran.err.startswith("vaultseek: pipeline: ")


def test_an_explanation_tells_what_was_mended(run):
    assert run("explain", '"oak', "Home").err.startswith("corrected: ")


def test_json_is_one_object(run):
    pytest.importorskip("lsp_server.wire.encode")
    ran = run("search", "stands", "--json")
    answer = json.loads(ran.out)
    assert ran.out.count("\n") == 1
    assert [result["id"] for result in answer["results"]] == ["Home.md"]
    assert answer["total"] == 1
    nothing = run("search", "zzz", "--json")
    assert (nothing.code, json.loads(nothing.out)["results"]) == (1, [])


def test_a_pipe_gets_no_colours(run):
    assert not ESCAPE.search(run("search", "stands").out)


def test_a_terminal_gets_colours_and_links(run, monkeypatch, tmp_path):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = run("search", "stands", "--color", "always").out
    assert f"{tmp_path.as_uri()}/Home.md" in out
    assert "\x1b[1;33mstands" in out


@pytest.mark.parametrize("colour", ["always", "never"])
def test_a_terminal_does_not_obey_a_note(run, monkeypatch, colour):
    monkeypatch.setenv("TERM", "xterm-256color")
    out = run("search", "red", "--color", colour, "--explain").out
    assert "oak \\x1b" in re.sub(r"\x1b\[[0-9;]*m", "", out)
    for sent in ("\x1b[31m red", "\x07", "\x9b", "\u202e"):
        assert sent not in out


def test_joiners_inside_words_and_emoji_are_sent_as_they_are():
    errors = io.StringIO()
    notice = Notice(NoticeKind.SKIPPED, "unreadable", "می\u200cخواهم 👩\u200d💻.md: it cannot be read")
    Terminal(io.StringIO(), errors, is_coloured=False).show_notices([notice])
    assert errors.getvalue() == "skipped: می\u200cخواهم 👩\u200d💻.md: it cannot be read\n"


def test_a_terminal_does_not_obey_a_notice_either():
    errors = io.StringIO()
    notice = Notice(NoticeKind.SKIPPED, "unreadable", "\x1b[31m\nred\u202e.md: it cannot be read")
    Terminal(io.StringIO(), errors, is_coloured=False).show_notices([notice])
    assert errors.getvalue() == "skipped: \\x1b[31m red\ufffd.md: it cannot be read\n"


def test_a_notice_says_what_can_be_done_here():
    errors = io.StringIO()
    notice = Notice(NoticeKind.PARTIAL, "still-embedding", "3 notes are not embedded yet.")
    Terminal(io.StringIO(), errors, is_coloured=False).show_notices([notice])
    assert errors.getvalue() == "partial: 3 notes are not embedded yet. `vaultseek index` embeds them all.\n"


def test_a_title_is_not_said_twice(run, tmp_path):
    write(tmp_path, "--- y.md\n# Larch and pine\n")
    assert run("search", "larch").out.count("Larch and pine") == 1


@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_may_refuse_colours(run, monkeypatch, environment, is_coloured):
    for name, value in {"TERM": "xterm-256color", "NO_COLOR": "", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert ("\x1b[" in run("search", "stands").out) == is_coloured


def test_a_file_name_that_is_no_text_is_shown(run, tmp_path):
    try:
        (tmp_path / os.fsdecode(b"bad\xff name.md")).write_text("unreadable name", encoding="utf-8")
    except OSError:
        pytest.skip("this file system refuses such names")
    ran = run("search", "unreadable", "--color", "never")
    assert ran.code == 0
    assert "name.md:1" in ran.out


# Progress


class Screen(io.StringIO):
    """Standard error as a terminal, or not."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Whether anybody looks."""
        return self._is_terminal


@pytest.mark.parametrize(
    ("is_terminal", "seconds", "is_shown"), [(True, 1.5, True), (True, 0.5, False), (False, 60.0, False)]
)
def test_progress_is_shown_on_a_terminal_once_reading_takes_longer_than_a_second(
    monkeypatch, is_terminal, seconds, is_shown
):
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


def test_a_progress_bar_ends_with_the_command_also_in_an_error():
    screen, times = Screen(is_terminal=True), iter([0.0, 5.0])
    terminal = Terminal(io.StringIO(), screen, is_coloured=False, clock=times.__next__)

    def fail():
        with terminal:
            terminal.progress(1, 10)
            raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - it is ours
        fail()
    assert terminal._bar is None


# Ends


def test_an_interrupt_ends_without_a_traceback(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "search", interrupt)
    ran = run("search", "oak")
    assert (ran.code, ran.out, ran.err) == (130, "", "vaultseek: interrupted\n")


WAITS = """
import signal, sys, threading
from lsp_server.cli import main
from search.answer.notice import Notice, NoticeKind
from search.engine import Engine
signal.signal(signal.SIGINT, signal.default_int_handler)
def search(self, *_, **__):
    self._reading._sweep(__import__("search.budget").budget.UNLIMITED)
    print("waiting", flush=True)
    while not threading.Event().wait(0.05):  # a pause would sleep through a signal that came just before it
        pass
Engine.search = search
sys.exit(cli.main(["search", "oak"]))
"""


def test_control_c_while_reading_ends_the_process_at_once(run, tmp_path):
    write(tmp_path, "".join(f"--- n{n}.md\noak\n" for n in range(300)))
    waiting = subprocess.Popen(
        [sys.executable, "-c", WAITS],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert waiting.stdout.readline() == b"waiting\n"
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=20)
    assert (waiting.returncode, err) == (130, b"vaultseek: interrupted\n")


@pytest.mark.parametrize("colour", ["never", "always"])
def test_a_reader_that_has_seen_enough_is_no_error(run, tmp_path, colour):
    """More is written than a pipe holds, so that the writer meets the closed end."""
    write(tmp_path, "".join(f"--- n{n:03}.md\n{'oak ' * 40}\n" * 3 for n in range(100)))
    with process("search", "oak", "--limit", "100", "--explain", "--color", colour) as searching:
        assert b"n0" in searching.stdout.readline()
        searching.stdout.close()
        assert (searching.stderr.read(), searching.wait(20)) == (b"", 0)


def test_a_full_disk_is_an_error_in_one_line(run):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("wb") as full:
        searching = process("search", "oak", stdout=full)
        _, err = searching.communicate(timeout=20)
    assert searching.returncode == 2
    assert err.startswith(b"vaultseek: ")
    assert err.count(b"\n") == 1


@pytest.mark.parametrize(
    ("closed", "query", "code"), [(">&-", "oak", 0), (">&-", "absent", 1), ("2>&-", "oak", 0), (">&- 2>&-", "oak", 0)]
)
@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_closed_output_is_no_error(run, closed, query, code, extra):
    command = ["search", query, "--mode", "keyword", *extra]
    shell = ["sh", "-c", f'"$@" {closed}', "sh", sys.executable, "-m", "lsp_server", *command]
    ran = subprocess.run(
        shell, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=30, check=False
    )
    assert ran.returncode == code
    assert b"should not have happened" not in ran.stderr


def test_an_ascii_terminal_shows_what_it_can(run, tmp_path):
    write(tmp_path, "--- Café.md\n知識 cafe")
    searching = process("search", "cafe", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    out, err = searching.communicate(timeout=20)
    assert (searching.returncode, err) == (0, b"")
    assert rb"Caf\xe9.md:1" in out


def test_starting_the_server_imports_no_search(run):
    """An editor waits for the server; what a search needs comes with the first one."""
    code = "import sys; from lsp_server import cli; cli._parser(); print({'numpy', 'rich'} & sys.modules.keys())"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout == "set()\n"


# Related notes

PAIR = """
--- Oak.md
acorns and galls, see [[Elm]]
--- Elm.md
samaras
--- Gall.md
galls on acorns
--- Tax.md
form
"""


def test_related_notes_come_with_their_reasons(run, tmp_path):
    write(tmp_path, PAIR)
    ran = run("related", "Oak", "--mode", "keyword")
    assert (ran.code, ran.err) == (0, "")
    assert "Gall.md:1" in ran.out
    assert 'Shares "acorns" and "galls"' in ran.out
    assert "It is linked from here" in ran.out
    assert "Tax.md" not in ran.out


def test_related_notes_are_one_json_object_for_scripts(run, tmp_path):
    write(tmp_path, PAIR)
    answer = json.loads(run("related", "Oak.md", "--mode", "keyword", "--json", "--limit", "1").out)
    assert (len(answer["results"]), answer["total"]) == (1, 2)
    assert set(answer["results"][0]) >= {"id", "uri", "score", "reason", "isLinked", "explanation"}


def test_a_note_without_related_ones_gives_1_and_one_that_is_not_there_is_told(run, tmp_path):
    write(tmp_path, PAIR)
    assert run("related", "Tax", "--mode", "keyword").code == 1
    ran = run("related", "Nowhere", "--mode", "keyword")
    assert (ran.code, ran.err) == (1, "nothing found\nskipped: There is no note Nowhere.\n")


def test_linked_notes_are_told_with_a_result_that_is_asked_for_them(run, tmp_path):
    (tmp_path / "Up.md").write_text("---\nup: '[[x/Elm]]'\n---\nbirch ![[Home]]\n")
    assert "links to" not in run("search", "birch").out
    assert "    links to x/Elm.md (up), Home.md (embed)\n" in run("search", "birch", "--include-linked").out
    assert "    links to x/Elm.md; linked from Up.md (embed)\n" in run("search", "Welcome", "--include-linked").out
    assert "links to" not in run("search", "Ash", "--include-linked").out
    answer = json.loads(run("search", "birch", "--include-linked", "--json").out)
    assert [page["types"] for page in answer["results"][0]["linkedPages"]] == [["up"], ["embed"]]


def test_files_are_searched_by_name_alone(run):
    assert set(run("search", "elm").notes) == {"x/Elm.md", "Home.md"}
    assert run("search", "elm", "--files").notes == ["x/Elm.md"]


def test_explain_tells_what_a_misspelt_word_was_taken_for(run, tmp_path):
    (tmp_path / "Weather.md").write_text("A thunderstorm came.\n")
    ran = run("explain", "thunderstrom", "Weather")
    assert ran.code == 0
    assert 'corrected: Did you mean "thunderstorm"?' in ran.err
