# ruff: noqa: INP001 - a script, not a module of any package
"""Writes what three commands print into README.md, between the markers of the demo.

`make readme` runs it from the project's folder. It never changes a line outside the markers.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from markers import replace_parts

README = Path("README.md")
VAULT = "vault_fixtures/handbook"
COMMANDS = (
    "search 'rainfall gauge' --limit 1",
    "search 'insurance lightning -tag:#daily' --limit 2",
    "related 'Mirror washing' --limit 2",
)


def demo() -> str:
    """The commands with their output as a fenced block, over a vault whose notes all have vectors."""
    with tempfile.TemporaryDirectory() as cache:
        run("index", cache)
        shown = [f"$ vaultseek {command} --vault {VAULT}\n{run(command, cache)}" for command in COMMANDS]
    return "```console\n" + "\n".join(shown) + "```\n"


def run(command: str, cache: str, *, folder: str = ".", columns: int | None = None) -> str:
    """What a command prints over the handbook, started in `folder`, with vectors in the folder `cache`.

    With a number of columns it prints as to a terminal of that width.
    """
    vault = Path(VAULT).absolute() if folder != "." else VAULT
    color = () if columns is None or command == "index" else ("--color", "always")
    ran = subprocess.run(  # noqa: S603 our own program
        [sys.executable, "-m", "lsp_server", *shlex.split(command), "--vault", str(vault), *color],
        cwd=folder,
        env={**os.environ, "VAULTSEEK_CACHE": cache, "COLUMNS": str(columns or 80), "PYTHONPATH": str(Path.cwd())},
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return ran.stdout


if __name__ == "__main__":
    README.write_text(replace_parts(README, {"demo": demo()}), encoding="utf-8")
