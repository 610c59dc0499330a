"""The project's files agree: README matches the Makefile, and each tool setting and dependency has a reason."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
# Well-known test tools, which need no reason.
SELF_EVIDENT = {"coverage", "hypothesis", "mypy", "pytest", "pytest-asyncio", "ruff", "types-pyyaml"}
TOP_LEVEL = {
    *(
        "pyproject.toml",
        "hatch_build.py",
        "lsp_server",
        "search",
        "expansion",
        "tests",
        "vault_fixtures",
        "editor-client",
        "README.md",
    ),
    *("ARCHITECTURE.md", "PROTOCOL.md", "CHANGELOG.md", "LICENSE", "NOTICE", "Makefile"),
    *("CONTRIBUTING.md", "SECURITY.md", "docs", "hatch_build.py"),
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
def test_each_disabled_rule_has_a_reason(line):
    assert has_reason(line)


@pytest.mark.parametrize("line", list_in("tool.ruff.lint.per-file-ignores", "tests/**"))
def test_each_rule_disabled_in_tests_has_a_reason(line):
    assert has_reason(line)


@pytest.mark.parametrize("line", list_in("project", "dependencies"))
def test_each_dependency_has_a_reason(line):
    assert has_reason(line)


@pytest.mark.parametrize("line", list_in("dependency-groups", "test"))
def test_each_test_tool_has_a_reason_unless_it_is_well_known(line):
    name = re.match(r'"([a-z0-9-]+)', line)
    assert name
    assert name[1] in SELF_EVIDENT or has_reason(line)


def test_every_make_target_in_readme_exists():
    prose = README.partition("<!-- demo -->")[0] + README.partition("<!-- /demo -->")[2]  # the demo shows text of notes
    told = set(re.findall(r"\bmake ([a-z-]+)", prose))
    assert {"demo", "test"} <= told
    assert told <= TARGETS


def test_make_help_explains_every_target():
    explained = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE))
    assert explained == TARGETS


def test_the_generated_part_of_readme_has_its_markers():
    assert README.count("<!-- demo -->") == README.count("<!-- /demo -->") == 1


def test_readme_names_only_documents_that_exist():
    """PROTOCOL.md may be missing while there is no server to describe."""
    named = set(re.findall(r"`([A-Z]+\.md)`", README))
    missing = {name for name in named if not (ROOT / name).is_file()}
    assert missing <= ({"PROTOCOL.md"} if not (ROOT / "lsp_server" / "server.py").is_file() else set())


def test_documents_have_one_sentence_per_line():
    """A line of prose that ends in the middle of a sentence, or holds two, makes diffs hard to read."""
    pages = (path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))
    for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", *pages):
        prose = re.sub(r"```.*?```", "", (ROOT / name).read_text(encoding="utf-8"), flags=re.DOTALL)
        for line in prose.split("\n"):
            if line and line[0].isalpha():
                assert line.endswith((".", ":")), f"{name}: {line}"
                assert not re.search(r"[a-z)]\. [A-Z]", line), f"{name}: {line}"


def test_the_top_level_has_only_the_expected_files():
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    visible.discard("__pycache__")  # of the build hook
    assert visible - TOP_LEVEL == {name for name in visible if name.endswith(".egg-info")}


def test_every_supported_python_is_in_the_metadata():
    project = tomllib.loads(PYPROJECT)["project"]
    for minor in (11, 12, 13, 14):
        assert f"Programming Language :: Python :: 3.{minor}" in project["classifiers"]
    assert project["requires-python"] == ">=3.11"
    assert project["license"] == "MIT"
