# ruff: noqa: INP001 - a script, not a module of any package
"""Writes the list of layers in ARCHITECTURE.md from the import contract in pyproject.toml.

Run by `make architecture` from the project's folder; `--check` writes nothing and fails if the list is stale.
"""

import re
import sys
import tomllib
from pathlib import Path

from markers import replace_parts

ARCHITECTURE = Path("ARCHITECTURE.md")
CONTRACT = "layers inside search"


def layers() -> str:
    """A numbered list of the layers, the highest first.

    In the contract, `|` separates modules that must not import each other and `:` modules that may; a module in
    parentheses may be absent.
    """
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (one for one in settings["tool"]["importlinter"]["contracts"] if one["name"] == CONTRACT)
    return "".join(f"{number}. {_as_markdown(layer)}\n" for number, layer in enumerate(contract["layers"], start=1))


def _as_markdown(layer: str) -> str:
    separator = ", " if ":" in layer else " | "
    return separator.join(f"`{name}`" for name in re.findall(r"\w+", layer))


if __name__ == "__main__":
    text = replace_parts(ARCHITECTURE, {"layers": layers()})
    if "--check" not in sys.argv:
        ARCHITECTURE.write_text(text, encoding="utf-8")
    elif text != ARCHITECTURE.read_text(encoding="utf-8"):
        raise SystemExit("ARCHITECTURE.md is stale, run `make architecture`")
