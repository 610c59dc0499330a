"""Bounds that keep the sources easy to navigate: few loose files, few layers, one class for each name."""

import ast
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("search", "expansion", "lsp_server")
MOST_LOOSE_FILES = 10
MOST_LAYERS = 12


def layers():
    """The layers inside `search`, the highest first."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    (found,) = (one["layers"] for one in tools["importlinter"]["contracts"] if one["name"] == "layers inside search")
    return found


def test_few_modules_of_search_lie_outside_a_folder():
    loose = sorted(path.name for path in (ROOT / "search").glob("*.py"))
    assert len(loose) <= MOST_LOOSE_FILES, loose


def test_search_has_few_layers():
    assert len(layers()) <= MOST_LAYERS


def test_no_two_classes_share_a_name():
    places = defaultdict(list)
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}")
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_architecture_lists_the_layers_of_the_contract():
    """If this fails, run `make architecture`."""
    command = [sys.executable, ".ci/write_architecture.py", "--check"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
