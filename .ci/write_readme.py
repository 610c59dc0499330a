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
    f"search 'rainfall gauge' --vault {VAULT} --limit 1",
    f"search 'insurance lightning -tag:#daily' --vault {VAULT} --limit 2",
    f"related 'Mirror washing' --vault {VAULT} --limit 2",
)


def demo() -> str:
    """The commands with their output as a fenced block, over a vault whose notes all have vectors."""
    with tempfile.TemporaryDirectory() as cache:
        run(f"index --vault {VAULT}", cache)
        shown = [f"$ vaultseek {command}\n{run(command, cache)}" for command in COMMANDS]
    return "```console\n" + "\n".join(shown) + "```\n"


def run(command: str, cache: str) -> str:
    """What a command prints, with vectors in the folder `cache`."""
    ran = subprocess.run(
        [sys.executable, "-m", "lsp_server", *shlex.split(command)],
        env={**os.environ, "VAULTSEEK_CACHE": cache},
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return ran.stdout


if __name__ == "__main__":
    README.write_text(replace_parts(README, {"demo": demo()}), encoding="utf-8")
