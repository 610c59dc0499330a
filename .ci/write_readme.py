# ruff: noqa: INP001 - a script, not a module of any package
"""Writes the generated parts of README.md: the output of the demo, between its markers.

Run by `make readme` from the project's folder. Never touches a line outside the markers.
"""

import subprocess
from pathlib import Path

README = Path("README.md")


def replace_between(text: str, name: str, inner: str) -> str:
    """`text` with `inner` between the lines `<!-- name -->` and `<!-- /name -->`."""
    start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    head, found_start, rest = text.partition(start)
    _, found_end, tail = rest.partition(end)
    if not (found_start and found_end):
        raise SystemExit(f"README.md has no place for {name}")
    return f"{head}{start}{inner}{end}{tail}"


def demo() -> str:
    """What `make demo` prints, as a fenced block."""
    shown = subprocess.run(
        [".ci/demo", ".venv/bin/vaultseek", "vault_fixtures/handbook"],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return f"```console\n{shown.stdout.rstrip()}\n```\n"


if __name__ == "__main__":
    README.write_text(replace_between(README.read_text(encoding="utf-8"), "demo", demo()), encoding="utf-8")
