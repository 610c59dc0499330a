"""The project's own files agree with each other: README with Makefile, settings of tools with their reasons."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
# Test tools whose name says it all need no reason.
SELF_EVIDENT = {"coverage", "hypothesis", "mypy", "pytest", "pytest-asyncio", "ruff", "types-pyyaml"}
TOP_LEVEL = {
    *("pyproject.toml", "lsp_server", "search", "expansion", "tests", "vault_fixtures", "editor-client", "README.md"),
    *("ARCHITECTURE.md", "PROTOCOL.md", "CHANGELOG.md", "LICENSE", "NOTICE", "Makefile"),
    *("build", "dist"),
}


def list_in(table: str, key: str) -> list[str]:
    """The lines of the list `key = [` in `[table]` of pyproject.toml."""
    body = PYPROJECT.partition(f"\n[{table}]\n")[2].partition("\n[")[0]
    inner = re.search(rf"^(?:\"{re.escape(key)}\"|{re.escape(key)}) = \[\n(.*?)^\]", body, re.MULTILINE | re.DOTALL)
    assert inner, f"no {key} in {table}"
    return [line.strip() for line in inner[1].split("\n") if line.strip()]


def has_reason(line: str) -> bool:
    return bool(re.search(r"#\s*\w+", line))


@pytest.mark.parametrize("line", list_in("tool.ruff.lint", "ignore"))
def test_each_rule_that_is_off_says_why(line):
    assert has_reason(line)


@pytest.mark.parametrize("line", list_in("tool.ruff.lint.per-file-ignores", "tests/**"))
def test_each_rule_that_is_off_in_tests_says_why(line):
    assert has_reason(line)


@pytest.mark.parametrize("line", list_in("project", "dependencies"))
def test_each_dependency_says_why_it_is_worth_having(line):
    assert has_reason(line)


@pytest.mark.parametrize("line", list_in("dependency-groups", "test"))
def test_each_test_tool_says_why_unless_its_name_does(line):
    name = re.match(r'"([a-z0-9-]+)', line)
    assert name
    assert name[1] in SELF_EVIDENT or has_reason(line)


def test_what_readme_tells_to_make_can_be_made():
    prose = README.partition("<!-- demo -->")[0] + README.partition("<!-- /demo -->")[2]  # notes speak of other things
    told = set(re.findall(r"\bmake ([a-z-]+)", prose))
    assert {"demo", "test"} <= told
    assert told <= TARGETS


def test_every_target_is_explained_by_make_help():
    explained = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    assert explained == TARGETS


@pytest.mark.parametrize("name", ["demo", "settings"])
def test_generated_parts_of_readme_have_their_markers(name):
    assert README.count(f"<!-- {name} -->") == README.count(f"<!-- /{name} -->") == 1


def test_readme_names_only_documents_that_exist():
    """PROTOCOL.md may be missing while there is no server to describe."""
    named = set(re.findall(r"`([A-Z]+\.md)`", README))
    missing = {name for name in named if not (ROOT / name).is_file()}
    assert missing <= ({"PROTOCOL.md"} if not (ROOT / "lsp_server" / "server.py").is_file() else set())


def test_the_documents_have_one_sentence_a_line():
    """A line of prose that ends in the middle of a sentence, or holds two, makes diffs hard to read."""
    for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md"):
        prose = re.sub(r"```.*?```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
        for line in prose.split("\n"):
            if line and line[0].isalpha():
                assert line.endswith((".", ":")), f"{name}: {line}"
                assert not re.search(r"[a-z)]\. [A-Z]", line), f"{name}: {line}"


def test_the_top_level_holds_what_any_project_has():
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert visible - TOP_LEVEL == {name for name in visible if name.endswith(".egg-info")}


def test_every_supported_python_is_in_the_metadata():
    project = tomllib.loads(PYPROJECT)["project"]
    for minor in (11, 12, 13, 14):
        assert f"Programming Language :: Python :: 3.{minor}" in project["classifiers"]
    assert project["requires-python"] == ">=3.11"
    assert project["license"] == "MIT"
