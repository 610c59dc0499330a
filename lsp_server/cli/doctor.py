"""`vaultseek doctor`: runs all checks and prints one line for each finding."""

import argparse
from typing import TYPE_CHECKING

from lsp_server.cli import arguments
from lsp_server.cli.exit_codes import FOUND, NOTHING
from lsp_server.cli.request import open_terminal, root_of, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lsp_server.cli.arguments import Commands
    from lsp_server.cli.checks import Finding
    from lsp_server.cli.terminal import Terminal


def add_command(commands: "Commands") -> None:
    """Add the command."""
    doctor = arguments.add_command(
        commands,
        "doctor",
        "check a vault and its settings",
        "Check the vault, skipped files, vectors, endpoints and speed. Sends no data.",
    )
    arguments.add_color(doctor)
    arguments.add_mode(doctor)
    doctor.set_defaults(run=run_doctor)


def run_doctor(options: argparse.Namespace) -> int:
    """Print all findings; the exit code is 1 if one of them is bad."""
    root = root_of(options)
    is_bad = False
    with open_terminal(options) as terminal:
        for finding in _findings(root, options, terminal):
            style = "match" if finding.is_bad else "why"
            terminal.show_line((f"{finding.verdict:<5}", style), (f"{finding.what:<12} ", "path"), (finding.text, ""))
            is_bad = is_bad or finding.is_bad
    return NOTHING if is_bad else FOUND


def _findings(root: "Path", options: argparse.Namespace, terminal: "Terminal") -> "Iterator[Finding]":
    from lsp_server.cli import checks  # noqa: PLC0415 only this command needs it
    from lsp_server.config.engine_factory import engine_of  # noqa: PLC0415 `serve` starts without the search core

    folder = checks.check_folder(root)
    yield folder
    if folder.is_bad:
        return
    settings, problems = settings_of(options)
    yield from checks.check_settings(settings, problems)
    engine = engine_of(root, settings)
    try:
        yield from checks.check_engine(engine, terminal.progress)
    finally:
        engine.close()
