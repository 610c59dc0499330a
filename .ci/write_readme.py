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
        shown = [f"$ vaultseek {command}\n{run(command, cache)}" for command in COMMANDS]
    return f"```console\n$ cd {VAULT}\n" + "\n".join(shown) + "```\n"


def run(command: str, cache: str) -> str:
    """What a command prints in the folder of the handbook, with vectors in the folder `cache`."""
    ran = subprocess.run(  # noqa: S603 our own program
        [sys.executable, "-m", "lsp_server", *shlex.split(command)],
        cwd=VAULT,
        env={**os.environ, "VAULTSEEK_CACHE": cache, "PYTHONPATH": str(Path.cwd())},
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return ran.stdout


if __name__ == "__main__":
    README.write_text(replace_parts(README, {"demo": demo()}), encoding="utf-8")
