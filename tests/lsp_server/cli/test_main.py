"""Exit codes, errors, standard streams and signals: what a script sees of any command."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from search.engine import Engine
from tests.lsp_server.cli.conftest import ROOT, process
from vaults import write

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["search", "oak"], 0),
        (["search", "nothing-of-the-kind"], 1),
        (["explain", "oak", "Home"], 0),
        (["explain", "oak", "x/Ash.md"], 1),
        (["explain", "oak", "nowhere"], 2),
        (["--help"], 0),
        (["search", "--help"], 0),
        (["search", "-h"], 0),
        (["--version"], 0),
    ],
)
def test_the_exit_code_says_whether_something_was_found(run, arguments, code):
    assert run(*arguments).code == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", ""], "query: '' is not allowed; allowed is a word, or a filter such as tag:recipe"),
        (["search", " ", "\t"], "query: ' "),
        (["search", "", "--json"], "query: ''"),
        (["search", "", "--tag", "tree"], "query: ''"),
        (["explain", " ", "Home"], "query: ' ' is not allowed"),
        (["rainfall", "gauge"], "'rainfall' is not allowed; allowed is one of search, explain"),
        (["rainfall", "gauge"], "; to search for words: vaultseek search WORDS"),
        (["search", "x", "--pipeline", '{"x": 1}'], "pipeline.x: there is no such setting; allowed is one of grep, "),
        (["find", "x"], "COMMAND: 'find' is not allowed; allowed is one of search, explain"),
        (["serach", "x"], "did you mean search?"),
        (["--verson"], "unknown option: --verson; did you mean --version?"),
        (["--limit", "3", "search", "x"], "unknown option: --limit; options come after a command"),
        (["search", "x", "--limt", "3"], "unknown option: --limt; did you mean --limit?"),
        (["search", "x", "--limt=3"], "unknown option: --limt=3; did you mean --limit?"),
        (["related", "Home", "--headign", "x"], "did you mean --heading?"),
        (["index", "--dry-run"], "unknown option: --dry-run; did you mean --plan?"),
        (["search", "x", "--dry-run"], "unknown option: --dry-run (see"),
        (["index", "--chat-model", "x"], "unknown option: --chat-model (see"),
        (["index", "--rerank-model", "x"], "unknown option: --rerank-model"),
        (["search", "x", "--color", "alwyas"], "did you mean always?"),
        (["search", "x", "--mode", "hybird"], "did you mean hybrid?"),
        (["search", "x", "--preset", ""], "preset: '' is not allowed; allowed is one of balanced"),
        (["search", "x", "--preset", "balancd"], "did you mean balanced?"),
        (["search", "x", "--pipeline", "[]"], "pipeline: [] is not allowed; allowed is an object"),
        (["search", "x", "--pipeline", ""], "pipeline: '' is not allowed; allowed is a JSON object"),
        (["search", "x", "--snippets", "11"], "--snippets: 11 is not allowed; allowed is a whole number from 0 to 10"),
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
        (["search", "x", "--vault", "missing"], "missing: no such folder. Name a vault with --vault DIR. Without it,"),
        (["search", "x", "--vault", "no\x1b[31m\x9b2J\u202e"], "no\\x1b[31m\\x9b2J\ufffd: no such folder"),
        (["search", "x", "--bo\x1b[31mgus"], "--bo\\x1b[31mgus"),
        (["fi\x1b[31mnd"], "'fi\\x1b[31mnd' is not allowed"),
        (["explain", "x", "no\x1b[31m"], "'no\\x1b[31m': no such note in the vault"),
        (["search", "x", "--vault", "Home.md"], "Home.md: a file, not a folder"),
        (["explain", "x", "Home", "--vault", "missing"], "missing: no such folder"),
        (["search", "x", "--vault", ""], "--vault: '' is not allowed; allowed is a folder"),
        (["explain", "x", "Home", "--vault", " "], "--vault: ' ' is not allowed"),
        (["index", "--plan", "--vault", ""], "--vault: ''"),
        (["search", "x", "--tag", ""], "--tag: '' is not allowed; allowed is a tag"),
        (["search", "x", "--tag", "#"], "--tag: '#'"),
        (["serve", "--tcp", "nowhere"], "--tcp: 'nowhere' is not allowed"),
        (["serve", "--tcp", "localhost:99999"], "--tcp"),
        (["serve", "--tcp", "0.0.0.0:1"], "--tcp: '0.0.0.0:1' is not allowed; allowed is an address of this computer"),
        (["serve", "--tcp", "[::]:1"], "--tcp: ':::1' is not allowed"),
        (["serve", "--allow-remote"], "--allow-remote is for --tcp"),
        (["serve", "--socket", "s", "--tcp", "127.0.0.1:1"], "not allowed with argument --socket"),
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


def test_a_system_without_unix_sockets_says_so(run, monkeypatch):
    monkeypatch.delattr("socket.AF_UNIX", raising=False)
    ran = run("serve", "--socket", "s")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "vaultseek: --socket is not available on this system, which has no Unix sockets; use --tcp here\n"


def test_no_command_prints_the_help_as_an_error(run):
    ran = run()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == run("--help").out


def test_a_deleted_current_folder_is_an_error(run, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = run("search", "oak")
    assert ran.code == 2
    assert "Traceback" not in ran.err


def test_an_interrupt_ends_without_a_traceback(run, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "search", interrupt)
    ran = run("search", "oak")
    assert (ran.code, ran.out, ran.err) == (130, "", "vaultseek: interrupted\n")


WAITS = """
import signal, sys, threading
from lsp_server.cli import exit_codes, main
from search.notice import Notice, NoticeKind
from search.engine import Engine
signal.signal(signal.SIGINT, signal.default_int_handler)
def search(self, *_, **__):
    self.indexer._sweep(__import__("search.budget").budget.UNLIMITED)
    print("waiting", flush=True)
    while not threading.Event().wait(0.05):  # `pause` would miss a signal that arrives just before it
        pass
Engine.search = search
sys.exit(main.main(["search", "oak"]))
"""


def test_control_c_during_reading_ends_the_process_at_once(run, tmp_path):
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
def test_a_reader_that_closes_the_pipe_early_is_no_error(run, tmp_path, colour):
    """The output is larger than a pipe's buffer, so that the command notices the closed end."""
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


# What takes long to import, and the commands that need it.
_HEAVY = {"lsprotocol", "pygls", "openai", "httpx", "importlib.metadata", "rich", "numpy", "cattrs", "attr"}
_HEAVY |= {"socket", "email.utils", "lsp_server.wire.types"}
_SEMANTIC = {"search.semantic.search", "search.vectors.store", "search.providers.minilm"}


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["--help"], set()),
        (["search", "--help"], set()),
        (["completion", "bash"], set()),
        (["search", "limit switch", "--mode", "keyword"], {"attr", "numpy"}),
        (
            ["search", "limit switch", "--mode", "keyword", "--json"],
            {"attr", "cattrs", "numpy", "lsp_server.wire.types"},
        ),
        (["explain", "limit switch", "Home", "--mode", "keyword"], {"attr", "numpy"}),
    ],
)
def test_a_command_imports_only_what_it_needs(command, needed):
    """A script waits for each command, and a shell for each completion."""
    code = (
        "import sys; from lsp_server.cli import main\n"
        f"try: main.main({command!r})\n"
        "except SystemExit: pass\n"
        f"print(sorted({_HEAVY | _SEMANTIC!r} & sys.modules.keys()), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=ROOT / "vault_fixtures/handbook",
    )
    assert ran.stderr.splitlines()[-1] == str(sorted(needed))


def test_a_short_search_is_not_delayed_by_garbage_collection():
    """Neither while it runs nor as it ends: then frozen objects are not searched for garbage."""
    code = (
        "import gc, sys; from lsp_server.__main__ import main\n"
        "sys.argv[1:] = ['search', 'limit switch', '--mode', 'keyword']\n"
        "n_before = sum(generation['collections'] for generation in gc.get_stats())\n"
        "main()\n"
        "n_after = sum(generation['collections'] for generation in gc.get_stats())\n"
        "print(n_after - n_before, gc.get_freeze_count() > 0, file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=ROOT / "vault_fixtures/handbook",
    )
    assert ran.stderr.splitlines()[-1] == "0 True"


def test_the_version_is_an_answer_and_no_complaint(run):
    printed = run("--version")
    assert printed.out.startswith("vaultseek ")
    assert printed.err == ""
