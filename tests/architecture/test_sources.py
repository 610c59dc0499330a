"""Rules for the sources that import contracts cannot express, checked by reading the files."""

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("search", "expansion", "lsp_server")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MAY_READ_ENVIRONMENT = {
    "lsp_server/config/environment.py",
    *(f"lsp_server/cli/{module}.py" for module in ("arguments", "main", "request")),
}
NOT_ON_WINDOWS = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
OPENS_FILES = {  # all other code reads files by `search/vault/reader`
    "search/vault/reader.py": "regular files only, inside the vault, up to a limit",
    **dict.fromkeys(("search/vectors/lock.py", "search/vectors/partitions.py", "search/vectors/store.py"), "the store"),
    "search/vectors/concepts.py": "the store",
    "search/cache/snapshot_file.py": "the snapshot",
    "search/cache/private_files.py": "writes only",
    "search/vault/attachments/archive.py": "an archive in memory",
    "search/vault/watch.py": "the system's list of mounts",
    "search/execution/model_choice.py": "a file in the cache folder, next to the vectors",
    **dict.fromkeys(("search/providers/e5.py", "search/providers/minilm.py"), "a model that is installed"),
    "expansion/tables.py": "packaged data",
    "lsp_server/config/pipeline_json.py": "a file named on the command line, also a pipe",
    "lsp_server/transport.py": "standard input",
    "lsp_server/cli/installation.py": "metadata of the installed package",
    "lsp_server/cli/main.py": "the null device",
}
UNOWNED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~/:-])/(?:work|root|tmp)/(?=[\w.])")
BINARY_OR_FIXTURE = {".png", ".jpg", ".npz", ".zst", ".lock"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def project_files() -> list[Path]:
    """Every text file that belongs to the project: known to git, or all below the root where git is not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    names = listed.stdout.decode().split("\0") if listed.returncode == 0 else []
    files = [ROOT / name for name in names if name] or [path for path in ROOT.rglob("*") if ".venv" not in path.parts]
    return sorted(path for path in files if path.is_file() and path.suffix not in BINARY_OR_FIXTURE)


def check_each_module(find):
    """`find` gives the faults of one module; a failure names all faults of all modules."""
    faults = [f"{name_of(path)}: {fault}" for path in MODULES for fault in find(path)]
    assert not faults, "\n".join(faults)


def test_every_module_docstring_begins_with_a_sentence():
    def find(path):
        summary = (ast.get_docstring(tree_of(path)) or "").partition("\n")[0]
        if not summary.rstrip().endswith((".", ":")):
            yield "the first line of the docstring is not a sentence"
        if len(summary.split()) < 3:
            yield "the first line of the docstring needs at least three words"

    check_each_module(find)


def test_only_our_own_function_splits_lines():
    """`str.splitlines` also cuts at form feeds and U+2028, so that line numbers would differ from the editor's."""

    def find(path):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute) and node.attr == "splitlines":
                yield f"line {node.lineno}"

    check_each_module(find)


def test_files_of_a_vault_are_read_in_one_place():
    """A named pipe would block for ever, and a link may lead out of the vault: see `search/vault/reader`."""

    def opens(node):
        match node:
            case (
                ast.Call(func=ast.Name("open" | "ZipFile" | "mmap"))
                | ast.Call(func=ast.Attribute(_, "read_text" | "read_bytes" | "open_code" | "ZipFile" | "mmap"))
                | ast.Call(func=ast.Attribute(ast.Name("os"), "open" | "fdopen" | "read"))
                | ast.Call(func=ast.Attribute(ast.Name("io" | "codecs" | "gzip" | "bz2" | "lzma"), "open"))
                | ast.Call(func=ast.Attribute(_, "open"), args=[ast.Constant(), *_])  # `path.open("rb")`
                | ast.Call(func=ast.Attribute(_, "open"), keywords=[ast.keyword("mode" | "encoding"), *_])
                | ast.Call(func=ast.Attribute(ast.Name("path" | "file"), "open"))
            ):
                return True
        return False

    opening = {name_of(path) for path in MODULES if any(map(opens, ast.walk(tree_of(path))))}
    assert opening == set(OPENS_FILES)


def test_only_settings_and_the_command_line_read_the_environment():
    def find(path):
        if name_of(path) in MAY_READ_ENVIRONMENT:
            return
        for node in ast.walk(tree_of(path)):
            if (isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv"}) or (
                isinstance(node, ast.ImportFrom) and {"environ", "getenv"} & {alias.name for alias in node.names}
            ):
                yield f"line {node.lineno}"

    check_each_module(find)


def test_modules_that_windows_lacks_are_imported_only_on_other_systems():
    """Else nothing could be imported there."""

    def find(path):
        guarded = {
            id(inner)
            for branch in ast.walk(tree_of(path))
            if isinstance(branch, ast.If) and "sys.platform" in ast.unparse(branch.test)
            for inner in ast.walk(branch)
        }
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in guarded:
                names = {node.module} if isinstance(node, ast.ImportFrom) else {alias.name for alias in node.names}
                if names & NOT_ON_WINDOWS:
                    yield f"line {node.lineno}"

    check_each_module(find)


def test_no_module_has_a_note_of_open_work():
    """Open work belongs in the tracker, where it has an owner."""
    check_each_module(lambda path: UNOWNED.findall(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "manager", "base", "misc"])
def test_a_module_is_named_after_its_idea(name):
    assert name not in {path.stem for path in MODULES}


@pytest.mark.parametrize(
    ("text", "is_machine_path"),
    [
        ("/work/main", True),
        ("see /tmp/x.log", True),
        ("'/root/.cache'", True),
        ("file:///tmp/notes", False),
        ("https://example.org/work/x", False),
        ("notes/tmp/x", False),
        ("in/out", False),
    ],
)
def test_a_path_of_one_machine_is_recognised(text, is_machine_path):
    assert bool(MACHINE_PATH.search(text)) is is_machine_path


def test_no_file_contains_a_path_of_one_machine():
    """A path of one machine is wrong on every other. Example paths in URIs are allowed."""
    found = []
    for path in project_files():
        if path == Path(__file__):
            continue
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [f"{name_of(path)}: {match[0]}" for match in MACHINE_PATH.finditer(text)]
    assert not found
