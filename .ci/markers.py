# ruff: noqa: INP001 - a script, not a module of any package
"""Replaces the generated parts of a document, each between the lines `<!-- NAME -->` and `<!-- /NAME -->`.

Never touches a line outside the markers.
"""

from pathlib import Path


def replace_parts(path: Path, parts: dict[str, str]) -> str:
    """The text of the document at `path` with each named part replaced.

    Raises:
        SystemExit: A part's markers are missing.
    """
    text = path.read_text(encoding="utf-8")
    for name, inner in parts.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        head, found_start, rest = text.partition(start)
        _, found_end, tail = rest.partition(end)
        if not (found_start and found_end):
            raise SystemExit(f"{path.name} has no markers for {name}")
        text = f"{head}{start}{inner}{end}{tail}"
    return text
