"""README and docs/ against the program: commands, settings, names, links and generated tables are true."""

import ast
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from expansion.lexicon import lexicon
from expansion.tables import TomlTable
from lsp_server.cli import exit_codes
from lsp_server.cli.main import make_parser
from lsp_server.config.pipeline_json import pipeline_of
from lsp_server.config.settings import resolve
from search.ranking.pipeline import Pipeline
from search.ranking.presets import PRESETS, balanced
from search.ranking.stage_registry import STAGES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HANDBOOK = ROOT / "vault_fixtures/handbook"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (*sorted(DOCS.glob("*.md")), ROOT / "README.md", *sorted((ROOT / "editor-client").glob("*.md")))
}
FENCE = re.compile(r"^```(\S+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [(page, *found) for page, text in PAGES.items() for found in FENCE.findall(text)]
TEXT = "\n".join(PAGES.values())
DEMO = PAGES["README.md"].partition("<!-- demo -->\n")[2].partition("<!-- /demo -->")[0]


def commands():
    """Each `vaultseek` command of the documents, with its page."""
    for page, language, _, block in BLOCKS:
        if language == "console":
            for line in block.split("\n"):
                if line.startswith("$ vaultseek "):
                    yield page, line.removeprefix("$ ")


COMMANDS = list(dict.fromkeys(commands()))


def blocks(language, kind=""):
    """The code blocks of a language, and of a kind that stands behind it."""
    return [(page, block) for page, its, its_kind, block in BLOCKS if its == language and its_kind.strip() == kind]


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


# --- commands


@pytest.mark.parametrize(("page", "command"), COMMANDS)
def test_a_command_has_only_options_that_exist(page, command):
    options, more = make_parser().parse_known_args(shlex.split(command)[1:])
    assert callable(options.run)
    assert not [word for word in more if word.startswith("--") and word != "--"]


def test_the_documents_show_each_command():
    shown = {shlex.split(command)[1] for _, command in COMMANDS}
    assert shown == {"search", "context", "explain", "related", "doctor", "serve", "index", "mcp", "completion"}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home folder in which `notes` is the handbook, and its vectors."""
    home = tmp_path_factory.mktemp("home")
    (home / "notes").symlink_to(HANDBOOK)
    run("vaultseek index", home, HANDBOOK)
    return home


def run(command, home, folder=ROOT):
    """Run a command with another home folder, and vectors in it."""
    words = [word.replace("~", str(home)) for word in shlex.split(command)[1:]]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VAULTSEEK_")}
    return subprocess.run(
        [sys.executable, "-m", "lsp_server", *words],
        cwd=folder,
        env={**environment, "HOME": str(home), "VAULTSEEK_CACHE": str(home / "cache"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=100,
    )


RUNNABLE = [
    command
    for page, command in COMMANDS
    if page != "README.md"
    and command.split()[1] != "serve"
    and "--endpoint" not in command
    and "multilingual" not in command
]


@pytest.mark.slow
@pytest.mark.parametrize("command", RUNNABLE)
def test_a_command_finds_something(command, home):
    ran = run(command, home)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


@pytest.mark.parametrize(
    ("page", "name"), [(page, name) for page, text in PAGES.items() for name in re.findall(r"`(--[a-z][a-z-]*)", text)]
)
def test_an_option_in_the_text_exists(page, name):
    known = re.findall(r"--[a-z][a-z-]*", "".join(parser.format_help() for parser in parsers()))
    assert name in {*known, "--"} or name in FOREIGN, f"{page}: {name}"


def parsers():
    """The parser of every command."""
    yield make_parser()
    for action in make_parser()._subparsers._group_actions:
        yield from action.choices.values()


FOREIGN = {"--embeddings", "--pooling", "--force"}  # options of other programs, and an example of a word


# --- snippets


@pytest.mark.parametrize(("page", "block"), blocks("json"))
def test_settings_in_json_are_accepted(page, block):
    sent = json.loads(block)
    if "servers" in sent or "clients" in sent:  # the settings of an editor
        return
    assert resolve(sent.get("vaultseek", sent)).problems == ()


@pytest.mark.parametrize(("page", "block"), blocks("json", "pipeline"))
def test_a_pipeline_is_accepted(page, block):
    assert pipeline_of(json.loads(block), balanced()).name == "custom"


@pytest.mark.parametrize(("page", "block"), blocks("toml"))
def test_toml_is_valid(page, block):
    assert tomllib.loads(block)


@pytest.mark.parametrize(("page", "block"), blocks("toml", "words"))
def test_word_lists_are_accepted(page, block):
    assert lexicon([TomlTable(page, tomllib.loads(block))]).acronyms


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nvim"), reason="Neovim is not installed")
@pytest.mark.parametrize(("page", "block"), blocks("lua"))
def test_lua_can_be_parsed(page, block, tmp_path):
    file = tmp_path / "snippet.lua"
    file.write_text(f"return {block}" if block.startswith("{") else block, encoding="utf-8")
    check = f"lua local f, e = loadfile([[{file}]]); if not f then io.stderr:write(e); vim.cmd('cquit') end"
    ran = subprocess.run(["nvim", "--clean", "--headless", "-c", check, "-c", "qa!"], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("emacs"), reason="Emacs is not installed")
@pytest.mark.parametrize(("page", "block"), blocks("elisp"))
def test_elisp_can_be_parsed(page, block, tmp_path):
    file = tmp_path / "snippet.el"
    file.write_text(block, encoding="utf-8")
    check = f'(with-temp-buffer (insert-file-contents "{file}") (emacs-lisp-mode) (check-parens))'
    ran = subprocess.run(["emacs", "-Q", "--batch", "--eval", check], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr


# --- names


def test_the_tables_of_settings_are_current(monkeypatch):
    """If this fails, `make docs` updates them."""
    monkeypatch.syspath_prepend(ROOT / ".ci")
    monkeypatch.chdir(ROOT)
    for path, text in importlib.import_module("write_docs").documents().items():
        assert path.read_text(encoding="utf-8") == text


def rows(page, heading):
    """The names in the first column of the tables below a heading, up to the next heading."""
    section = PAGES[page].partition(f"\n## {heading}\n")[2].partition("\n## ")[0].partition("<!--")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def test_the_list_of_parts_is_complete():
    fields = {camel(field) for field in Pipeline.__annotations__} - {"name"}
    assert sorted(rows("docs/presets-and-pipelines.md", "Parts")) == sorted([*fields, *STAGES])


def test_the_list_of_presets_is_complete():
    table = PAGES["docs/presets-and-pipelines.md"].partition("\n## ")[0]
    assert re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE) == list(PRESETS)


KEBAB = re.compile(r"[a-z]+(?:-[a-z]+)*")
UNKNOWN = {f"unknown-{kind}" for kind in ("tag", "folder", "property", "note", "link-type")}


def notice_codes():
    """Every code that is given to a notice in the source."""
    for package in ("search", "expansion", "lsp_server"):
        for path in (ROOT / package).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            if "Notice(" not in source:
                continue
            tree = ast.parse(source)
            strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            for node in ast.walk(tree):
                if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Notice" and len(node.args) > 1):
                    continue
                match node.args[1]:
                    case ast.Constant(value=code):
                        yield code
                    case ast.JoinedStr():
                        yield from UNKNOWN
                    case _:  # a variable: one of the codes in the same file
                        prefixes = ("semantic-", "still-", "rerank-", "expansion-")
                        yield from (
                            text for text in strings if str(text).startswith(prefixes) and KEBAB.fullmatch(text)
                        )


def test_every_notice_is_explained():
    section = PAGES["docs/troubleshooting.md"].partition("\n## Notices\n")[2].partition("\n## ")[0]
    explained = [
        code for row in re.findall(r"^\| (`[^|]+`) \|", section, re.MULTILINE) for code in row.strip("`").split("`, `")
    ]
    assert len(explained) == len({*explained})
    assert {*explained} == {*notice_codes()} - {"rerank-model"}


def test_exit_codes_are_those_of_the_program():
    section = PAGES["docs/command-line.md"].partition("| exit code |")[2].partition("\n## ")[0]
    shown = [int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)]
    assert shown == [exit_codes.FOUND, exit_codes.NOTHING, exit_codes.ERROR, exit_codes.INTERRUPTED]


# --- links


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


LINKS = [
    (page, target)
    for page, text in PAGES.items()
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text))
    if not target.startswith(("http://", "https://"))
]


@pytest.mark.parametrize(("page", "target"), LINKS)
def test_a_link_leads_somewhere(page, target):
    path, _, anchor = target.partition("#")
    file = (ROOT / page).parent / path if path else ROOT / page
    assert file.exists()
    if anchor:
        assert anchor in anchors(file.read_text(encoding="utf-8"))


def test_every_page_is_linked_from_readme():
    assert {f"docs/{path.name}" for path in DOCS.glob("*.md")} <= {link for page, link in LINKS if page == "README.md"}


# --- the demo


def transcripts(block):
    """Each command of a console block with its output."""
    inner = "".join(re.findall(r"```console\n(.*?)```", block, re.DOTALL))
    parts = re.split(r"^\$ ", inner, flags=re.MULTILINE)[1:]
    whole = ((command, shown.strip("\n")) for command, _, shown in (part.partition("\n") for part in parts))
    return [(command, shown) for command, shown in whole if not command.startswith("cd ")]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), transcripts(DEMO))
def test_the_output_in_readme_is_current(command, shown, home):
    """If the output changed on purpose, `make readme` updates it."""
    ran = run(command, home, HANDBOOK)
    assert ran.stderr == ""
    assert ran.returncode == 0
    assert ran.stdout.strip("\n") == shown


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
def test_the_picture_shows_current_output():
    """If the output changed on purpose, `make readme` updates it."""
    ran = subprocess.run(
        [sys.executable, ".ci/write_picture.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_the_picture_is_readable_on_a_phone_and_never_empty():
    """At 400 pixels its letters are 11 pixels high or more; without animation, all of it is visible."""
    picture = (ROOT / "docs/pictures/terminal.svg").read_text(encoding="utf-8")
    width, size = (int(re.search(pattern, picture)[1]) for pattern in (r'width="(\d+)" role', r"font: (\d+)px"))
    assert size * 400 / width >= 11
    first, *others = re.findall(r"<g.*?>", picture)
    assert (first, len(others)) == ("<g>", 2)
    style = re.search(r"<style>(.*?)</style>", picture)[1]
    assert "opacity: 0" not in re.sub(r"@keyframes \w+ \{ from \{.*?\} \}", "", style)


def test_a_transcript_is_split_at_its_commands():
    block = "```console\n$ cd there\n$ one 'a b'\nx\n\ny\n$ two\n```\n"
    assert transcripts(block) == [("one 'a b'", "x\n\ny"), ("two", "")]


def test_figures_in_readme_are_those_of_the_ranking_table():
    table = (ROOT / "tests/ranking/TABLE.md").read_text(encoding="utf-8")
    head, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n") if line[:1] == "|"
    ]
    measured = {line[0].replace(" †", ""): dict(zip(head, line, strict=True)) for line in lines}
    stand_in: dict[str, dict[str, float]] = {}
    for path in sorted((ROOT / "tests/bench/runs").glob("*-minisearch*.json")):
        stand_in |= json.loads(path.read_text(encoding="utf-8"))["figures"]
    shown = re.findall(r"^\| (.+?) \(`(.+?)`\) \| ([\d,]+) \| ([\d,]+) \| (.+) \|$", PAGES["README.md"], re.MULTILINE)
    assert len(shown) >= 5
    for _, name, n_notes, n_queries, figures in shown:
        row = measured[name]
        assert (n_notes.replace(",", ""), n_queries.replace(",", "")) == (row["notes"], row["queries"])
        expected = [
            row[column].split(" ")[0].strip("*") for column in ("ours", "hybrid", "fts5-porter", "fts5-trigram")
        ]
        expected.append(f"{stand_in[name]['ndcg_share']:.3f}" if name in stand_in else "")
        assert [figure.strip() for figure in figures.split("|")] == [
            figure[:5].lstrip("0") or "–" for figure in expected
        ]


def test_readme_is_short():
    assert len(PAGES["README.md"].splitlines()) <= 180


def test_each_adversary_has_limits_and_tests_that_exist():
    _, *adversaries = PAGES["docs/privacy-and-security.md"].partition("## Who may be hostile")[2].split("\n### ")
    assert len(adversaries) == 5
    for adversary in adversaries:
        name, _, text = adversary.partition("\n")
        assert re.search(r"^- Can\b", text, re.MULTILINE), name
        assert re.search(r"^- Cannot\b", text, re.MULTILINE), name
        named = re.findall(r"`([^`]+)`", text.partition("\nTest")[2])
        assert named, name
        assert not [path for path in named if not (ROOT / path).is_file()], name


def test_the_table_of_speed_is_that_of_the_newest_run():
    written = subprocess.run(
        [sys.executable, "-c", "import write_readme; print(write_readme.speed(), end='')"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / '.ci'}"},
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout
    assert PAGES["README.md"].partition("<!-- speed -->\n")[2].partition("<!-- /speed -->")[0] == written
