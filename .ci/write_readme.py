# ruff: noqa: INP001 - a script, not a module of any package
"""Generates the parts of README.md between markers: the output of the demo and the table of settings.

`make readme` runs it from the project's folder. It never changes a line outside the markers.
"""

import subprocess
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from known_settings import known_settings
from markers import replace_parts

from lsp_server.config.fields import allowed_by

if TYPE_CHECKING:
    import attrs

README = Path("README.md")


def demo() -> str:
    """The output of `make demo` as a fenced block."""
    shown = subprocess.run(
        [".ci/demo", ".venv/bin/vaultseek", "vault_fixtures/handbook"],
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return f"```console\n{shown.stdout.rstrip()}\n```\n"


def settings() -> str:
    """A table of all settings: name, allowed values and default, read from the classes."""
    lines = [
        f"| `vaultseek.{name}` | {allowed(field, value)} | {shown(value)} |" for name, field, value in known_settings()
    ]
    return "\n".join(["| setting | allowed | default |", "| --- | --- | --- |", *lines]) + "\n"


def allowed(attribute: "attrs.Attribute[object]", value: object) -> str:
    """The allowed values of a setting in words."""
    if isinstance(value, bool) or attribute.type == bool | None:
        return "true or false"
    if isinstance(value, StrEnum):
        return ", ".join(f"`{member}`" for member in type(value))
    if isinstance(value, tuple):
        return "some of these" if value else "a list of strings"
    words = allowed_by(attribute.validator)
    if words != "another value":
        return words
    if attribute.name.endswith("_bytes"):
        return "a number of bytes"
    return "text" if isinstance(value, str) else "0..1" if attribute.name == "weight" else "a number"


def shown(value: object) -> str:
    """A default value in a readable form."""
    if value in ((), "", None):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value)
    return f"{value:,}" if isinstance(value, int) else f"{value}" if isinstance(value, float) else f"`{value}`"


if __name__ == "__main__":
    README.write_text(replace_parts(README, {"settings": settings(), "demo": demo()}), encoding="utf-8")
