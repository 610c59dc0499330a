"""`vaultseek mcp`: serves an assistant over standard input and output, or prints the settings that start it."""

import argparse
import gc
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.cli.arguments import Parser, add_endpoint, add_no_snapshot, set_defaults
from lsp_server.cli.exit_codes import FOUND
from lsp_server.cli.mcp_config import CLIENTS, config_for, settings_place
from lsp_server.cli.request import settings_of
from lsp_server.config.vault_discovery import refusal, vault_around
from search.errors import ConfigError, VaultError, VaultseekError

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Commands
    from lsp_server.mcp.vaults import Vaults
    from search.engine import Engine
    from search.settings import Settings

_MODEL_OPTIONS = ("endpoint", "embedding_model", "chat_model", "rerank_model", "key_variable")
_ACCESS = (
    ("allow", "FOLDER", "show the assistant only notes in this folder of the vault"),
    ("deny", "FOLDER|#TAG", "treat notes in this folder or with this tag as if they did not exist"),
    ("include", "PATTERN", "search only notes that match, as the setting vaultseek.include"),
    ("exclude", "PATTERN", "do not search notes that match, as the setting vaultseek.exclude"),
)
_N_SNIPPETS = 3  # two are shown, and one more may only repeat the title


def add_command(commands: "Commands") -> None:
    """Add the command."""
    mcp: Parser = commands.add_parser(
        "mcp",
        help="serve an assistant (Model Context Protocol)",
        description="Serve an assistant over stdin and stdout by the Model Context Protocol, with read-only tools.",
        allow_abbrev=False,
    )
    mcp.add_argument(
        "--vault",
        metavar="DIR",
        action="append",
        default=[],
        help="a vault's folder; can be repeated (default: the vault around the current folder)",
    )
    add_no_snapshot(mcp)
    set_defaults(mcp)
    for name, metavar, help_text in _ACCESS:
        mcp.add_argument(
            f"--{name}", metavar=metavar, action="append", default=[], help=f"{help_text}; can be repeated"
        )
    mcp.add_argument(
        "--print-config",
        metavar="CLIENT",
        choices=CLIENTS,
        help=f"print what to paste into the settings of {', '.join(CLIENTS[:-1])} or {CLIENTS[-1]}, and exit",
    )
    add_endpoint(mcp)
    mcp.set_defaults(run=run_mcp)


def run_mcp(options: argparse.Namespace) -> int:
    """Serve until the client leaves, or print a client's settings.

    Raises:
        VaultseekError: a folder cannot be searched, an option is not allowed, or the extra is not installed.
    """
    from lsp_server.mcp.access import check_access  # noqa: PLC0415 building the parser must import no other package

    roots = _roots(options.vault)
    check_access(roots, options.allow, options.deny)
    if any(vars(options)[name] for name in _MODEL_OPTIONS):
        _settings(options)  # raises if an option cannot be used; without these options it would only delay the start
    if find_spec("mcp_types") is None:  # the SDK's old versions lack this package
        raise VaultseekError("the command mcp needs an extra: pip install 'vaultseek[mcp]'")
    if options.print_config:
        sys.stderr.write(f"Add this to {settings_place(options.print_config)}:\n")
        sys.stdout.write(config_for(options.print_config, _arguments(roots, options)))
        return FOUND
    from lsp_server.mcp.server import serve_stdio  # noqa: PLC0415 takes a second, and only serving needs it
    from lsp_server.version import installed_version  # noqa: PLC0415 likewise

    if sys.stdin.isatty():
        sys.stderr.write(
            "Waiting for an assistant's program on standard input; --print-config shows how one starts this.\n"
        )
    gc.set_threshold(50_000, 20, 50)  # with a vault in memory each garbage collection is long, and delays an answer
    serve_stdio(_vaults(roots, options), version=installed_version())
    return FOUND


def _roots(named: list[str]) -> list[Path]:
    """The folders to search, each once.

    Raises:
        ConfigError: an empty path.
        VaultError: a folder cannot be searched; without a named one, also if it is no vault.
    """
    if not all(name.strip() for name in named):
        raise ConfigError("--vault", "", "a folder")
    roots = [Path(name).expanduser().absolute() for name in named] or [vault_around(Path.cwd())]
    for root in roots:
        if reason := refusal(root, is_consented=bool(named)):
            raise VaultError(str(root), reason)
    return list(dict.fromkeys(roots))


def _arguments(roots: list[Path], options: argparse.Namespace) -> list[str]:
    """The arguments that start the same server from any folder."""
    named = {"--vault": list(map(str, roots)), **{f"--{name}": vars(options)[name] for name, _, _ in _ACCESS}}
    models = {f"--{name.replace('_', '-')}": [vars(options)[name]] for name in _MODEL_OPTIONS if vars(options)[name]}
    switches = ["--no-snapshot"] if options.no_snapshot else []
    return [
        "mcp",
        *switches,
        *(word for name, values in (named | models).items() for value in values for word in (name, value)),
    ]


def _vaults(roots: list[Path], options: argparse.Namespace) -> "Vaults":
    from attrs import evolve  # noqa: PLC0415 building the parser must import no other package

    from lsp_server.config.engine_factory import engine_of  # noqa: PLC0415 likewise
    from lsp_server.mcp.access import access_settings  # noqa: PLC0415 likewise
    from lsp_server.mcp.vaults import ServedVault, Vaults, names_of  # noqa: PLC0415 likewise

    def open_engine(root: Path) -> "Engine":
        settings = _settings(options)
        access = access_settings(options.allow, options.deny)
        access = evolve(access, include=tuple(options.include), exclude=tuple(options.exclude))
        indexing = evolve(settings.indexing, in_background=True)
        return engine_of(root, evolve(settings, vault=access, indexing=indexing, n_snippets=_N_SNIPPETS))

    names = names_of(roots)
    return Vaults(tuple(ServedVault(name, root, open_engine) for name, root in zip(names, roots, strict=True)))


def _settings(options: argparse.Namespace) -> "Settings":
    """The settings for models.

    Raises:
        VaultseekError: an endpoint cannot be used.
    """
    settings, problems = settings_of(options)
    if problems:
        raise VaultseekError(problems[0])
    return settings
