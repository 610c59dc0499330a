"""`vaultseek completion`: prints a script with which bash, zsh or fish completes commands, options and values.

At each Tab the script calls `vaultseek` with `_ARGCOMPLETE` in the environment, and `complete` answers from the parser.
Completing imports neither the search core nor numpy.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.cli.exit_codes import FOUND
from lsp_server.cli.request import root_of

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Commands

SHELLS = ("bash", "zsh", "fish")
# Copies of the names in `search`, whose import takes longer than a person waits for Tab.
PRESET_NAMES = ("balanced", "tiered-lexical", "graph-linear", "graph-spread", "intent-hybrid", "neighbour-recency")
MODEL_NAMES = ("auto", "minilm-l6-v2", "multilingual-e5-small")

# argcomplete's own script for zsh sends the whole line, and so completes nothing after `cd notes &&` or `A=1`.
# -f keeps a tilde unquoted; -S '' puts no blank after a folder, whose path can go on.
_ZSH = r"""#compdef vaultseek
_vaultseek() {
    local line="${(j: :)words[1,CURRENT-1]} $PREFIX"
    local -a offers=(${(f)"$(
        _ARGCOMPLETE=1 _ARGCOMPLETE_IFS=$'\n' _ARGCOMPLETE_SHELL=zsh _ARGCOMPLETE_SUPPRESS_SPACE=1 \
            COMP_LINE=$line COMP_POINT=${#line} ${~words[1]} 8>&1 9>&2 >/dev/null 2>&1 </dev/null
    )"})
    local -a how
    [[ $PREFIX == \~* ]] && how+=(-f)
    [[ -n ${(M)offers:#*/:} ]] && how+=(-S '')
    _describe vaultseek offers "${how[@]}"
}
compdef _vaultseek vaultseek
"""


def add_command(commands: "Commands") -> None:
    """Add the command."""
    completion = commands.add_parser(
        "completion",
        help="print a script that completes commands in your shell",
        description="Print a script that completes commands, options and values in your shell.",
        epilog='Add to ~/.bashrc: eval "$(vaultseek completion bash)"; to ~/.zshrc, after compinit: '
        'eval "$(vaultseek completion zsh)"; to ~/.config/fish/config.fish: vaultseek completion fish | source',
        allow_abbrev=False,
    )
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(run=run_completion)


def run_completion(options: argparse.Namespace) -> int:
    """Print the script."""
    from argcomplete.shell_integration import shellcode  # noqa: PLC0415 only completion needs it

    is_zsh = options.shell == "zsh"
    sys.stdout.write(_ZSH if is_zsh else shellcode(["vaultseek"], use_defaults=False, shell=options.shell))
    return FOUND


def complete(parser: argparse.ArgumentParser) -> None:
    """Write what can follow the line that the environment holds, and exit."""
    import argcomplete  # noqa: PLC0415 only completion needs it
    from argcomplete.completers import SuppressCompleter  # noqa: PLC0415 likewise

    for action in _actions(parser):
        for name in action.option_strings:
            if name in _COMPLETERS:
                action.completer = _COMPLETERS[name]  # type: ignore[attr-defined]  # argcomplete reads it
    argcomplete.autocomplete(
        parser, always_complete_options=False, exit_method=sys.exit, default_completer=SuppressCompleter()
    )


def _presets(**_: object) -> Iterable[str]:
    return PRESET_NAMES


def _models(**_: object) -> Iterable[str]:
    return MODEL_NAMES


def _files(prefix: str, **_: object) -> Iterable[str]:
    return _paths(Path(), prefix, with_files=True)


def _folders(prefix: str, **_: object) -> Iterable[str]:
    return _paths(Path(), prefix, with_files=False)


def _folders_of_vault(prefix: str, parsed_args: argparse.Namespace, **_: object) -> Iterable[str]:
    return _paths(root_of(parsed_args), prefix, with_files=False)


_COMPLETERS = {
    "--preset": _presets,
    "--embedding-model": _models,
    "--pipeline": _files,
    "--vault": _folders,
    "--folder": _folders_of_vault,
}


def _paths(root: Path, prefix: str, *, with_files: bool) -> Iterator[str]:
    """The paths that start with `prefix`, as typed; hidden ones only if their dot is typed."""
    folder, slash, start = prefix.rpartition("/")
    try:
        entries = sorted((root / Path(folder + slash).expanduser()).iterdir())
    except (OSError, RuntimeError):  # no such folder or user
        return
    for entry in entries:
        is_hidden = entry.name.startswith(".") and not start
        if entry.name.startswith(start) and not is_hidden and (with_files or entry.is_dir()):
            yield f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The options and arguments of all commands."""
    for action in parser._actions:  # noqa: SLF001 argparse has no public way to list them
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 likewise
            for command in action.choices.values():
                yield from _actions(command)
