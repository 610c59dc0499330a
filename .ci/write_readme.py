# ruff: noqa: INP001 - a script, not a module of any package
"""Writes what three commands print, and the speed of other engines, into README.md, between their markers.

`make readme` runs it from the project's folder. It never changes a line outside the markers.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path.cwd()))

from markers import replace_parts

README = Path("README.md")
VAULT = "vault_fixtures/handbook"
SPEED_VAULT = "cpp-docs"
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


def speed() -> str:
    """The newest committed run of `bench_peers` over a real vault, as a table."""
    from tests.bench.bench_peers import NAMES  # noqa: PLC0415 - the path of the project is set by then

    newest = max(Path("tests/bench/runs").glob("*-peers*.json"))
    run = json.loads(newest.read_text(encoding="utf-8"))
    figures = run["figures"][SPEED_VAULT]
    lines = [
        f"| {SPEED_VAULT}, {figures['vault_notes']:,.0f} notes | first answer | query p50 | p95 | memory |",
        "| --- | --: | --: | --: | --: |",
    ]
    for engine, name in NAMES.items():
        if f"{engine}_p50_ms" in figures:
            cold, memory = figures.get(f"{engine}_cold_s"), figures.get(f"{engine}_mb")
            first = f"{cold:.1f} s" if cold else "–"
            resident = f"{memory:.0f} MB" if memory else "–"
            p50, p95 = figures[f"{engine}_p50_ms"], figures[f"{engine}_p95_ms"]
            lines.append(f"| {name} | {first} | {p50:.0f} ms | {p95:.0f} ms | {resident} |")
    link = f"\nCPU time, measured on {run['date']} by `make bench`, all in one run ([figures]({newest.as_posix()}))."
    return "\n".join([*lines, link]) + "\n"


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
    README.write_text(replace_parts(README, {"demo": demo(), "speed": speed()}), encoding="utf-8")
