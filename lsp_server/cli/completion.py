"""`vaultseek completion`: prints a script with which bash, zsh or fish completes commands, options and values.

The script is made from the parser of the command line, so it has the options of the version that printed it.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lsp_server.cli.exit_codes import FOUND

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Commands

SHELLS = ("bash", "zsh", "fish")
_FOLDERS, _FILES = ("--vault", "--folder"), ("--pipeline",)  # options whose values are paths


def add_command(commands: "Commands", make_parser: Callable[[], argparse.ArgumentParser]) -> None:
    """Add the command; it completes what `make_parser` makes."""
    completion = commands.add_parser(
        "completion",
        help="print a script that completes commands in your shell",
        description="Print a script that completes commands, options and values in your shell.",
        epilog='Add to ~/.bashrc: eval "$(vaultseek completion bash)"; to ~/.zshrc, after compinit: '
        'eval "$(vaultseek completion zsh)"; to ~/.config/fish/config.fish: vaultseek completion fish | source',
        allow_abbrev=False,
    )
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(run=run_completion, make_parser=make_parser)


def run_completion(options: argparse.Namespace) -> int:
    """Print the script."""
    import shtab  # noqa: PLC0415 only this command needs it

    from search.ranking.presets import PRESETS  # noqa: PLC0415 building the parser must import no other package
    from search.settings import MODELS  # noqa: PLC0415 likewise

    parser = options.make_parser()
    for action in _actions(parser):
        for name in action.option_strings:
            if name in _FOLDERS or name in _FILES:
                action.complete = shtab.DIRECTORY if name in _FOLDERS else shtab.FILE  # type: ignore[attr-defined]  # shtab reads it
            elif name in ("--preset", "--embedding-model"):
                action.choices = list(PRESETS if name == "--preset" else MODELS)
    sys.stdout.write(shtab.complete(parser, options.shell))
    return FOUND


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The options and arguments of all commands."""
    for action in parser._actions:  # noqa: SLF001 argparse has no public way to list them
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 likewise
            for command in action.choices.values():
                yield from _actions(command)
