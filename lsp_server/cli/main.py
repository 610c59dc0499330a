"""The entry point of the command line.

Output has colours and links on a terminal and is plain in a pipe. Answers go to standard output, everything else to
standard error.
"""

import argparse
import gc
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from lsp_server.cli import completion, context, doctor, index, mcp, search
from lsp_server.cli.arguments import COMMAND, HOW_FOUND, Parser
from lsp_server.cli.exit_codes import ERROR, FOUND, INTERRUPTED
from lsp_server.cli.printable import VISIBLE, printable
from search.errors import ConfigError, VaultError, VaultseekError
from search.providers.threads import limit_blas_to_one_thread

_EXCLUDED = re.compile(r"-(?!-)(?!h$)(?!\d+$).+")  # -word, which excludes notes; neither -h nor a number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; never raises, and prints no traceback for a user's mistake."""
    # Classes, functions and notes stay alive: frequent garbage collection would find nothing among them.
    gc.set_threshold(200_000, 20, 50)
    _open_closed_streams()
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    limit_blas_to_one_thread(os.environ)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=VISIBLE)  # a file name can contain bytes that are not text
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except VaultseekError as error:
        _complain(f"{error}. {HOW_FOUND}" if isinstance(error, VaultError) else str(error))
        return ERROR
    except KeyboardInterrupt:
        sys.stderr.write("vaultseek: interrupted\n")
        return INTERRUPTED
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it again at exit
        if isinstance(error, BrokenPipeError):  # the reader (`head`, a pager) has seen enough
            return FOUND
        _complain(str(error))
        return ERROR
    except Exception as error:  # noqa: BLE001 a bug must not look like "nothing found", and one line is enough for a user
        _complain(f"internal error: {type(error).__name__}: {error}")
        return ERROR
    return code


def _complain(message: str) -> None:
    """Print an error on one line; what it quotes cannot control the terminal."""
    sys.stderr.write(f"vaultseek: {printable(message)}\n")


def _open_closed_streams() -> None:
    """Point standard streams that are closed (`>&-`) to the null device: else the next opened file would take them."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 open until the process ends


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options. Words of the query can stand between options, and `-word` is a word of the query.

    All options are long, so a single dash belongs to the query. With a blank before it, argparse accepts `-word`.
    """
    parser = make_parser()
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what can follow the typed line
        completion.complete(parser)
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(ERROR)
    if arguments and arguments[0].startswith("--") and arguments[0] not in ("--", "--help", "--version"):
        parser.refuse(arguments, hint="; options come after a command")  # argparse would only miss the command
    options, more = parser.parse_known_args([f" {word}" if _EXCLUDED.fullmatch(word) else word for word in arguments])
    is_search = options.run in (search.run_search, context.run_context)
    unknown = [word for word in more if word.startswith("--") and word != "--"] if is_search else more
    if unknown:
        options.parser.refuse(unknown)
    if is_search:
        options.query += [word for word in more if word != "--"]
    return options


def make_parser() -> Parser:
    """The parser of all commands; each sets `run` to the function that executes it."""
    parser = Parser(prog="vaultseek", description="Search a vault of Markdown notes.", allow_abbrev=False)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the program's version number and exit")
    commands = parser.add_subparsers(required=True, metavar=COMMAND)
    search.add_commands(commands)
    context.add_command(commands)
    doctor.add_command(commands)
    index.add_command(commands)
    mcp.add_command(commands)
    completion.add_command(commands)
    serve = commands.add_parser(
        "serve",
        help="run the language server",
        description="Serve an editor over stdin and stdout.",
        allow_abbrev=False,
    )
    door = serve.add_mutually_exclusive_group()
    door.add_argument("--socket", metavar="PATH", help="listen on a Unix socket that only you can open")
    door.add_argument("--tcp", metavar="HOST:PORT", help="listen on a port; clients must send the token it prints")
    serve.add_argument(
        "--allow-remote", action="store_true", help="with --tcp: other computers may connect; nothing is encrypted"
    )
    serve.set_defaults(run=_serve)
    for command in commands.choices.values():
        command.set_defaults(parser=command)
    return parser


class _Version(argparse.Action):
    """Prints the version; argparse's own action would need it, and so 30 ms, for each command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,  # noqa: ARG002 argparse passes it
        values: object,  # noqa: ARG002 argparse passes it
        option_string: str | None = None,  # noqa: ARG002 argparse passes it
    ) -> None:
        from lsp_server.version import installed_version  # noqa: PLC0415 see above

        sys.stdout.write(f"{parser.prog} {installed_version()}\n")  # `exit` would write it to standard error
        parser.exit()


def _serve(options: argparse.Namespace) -> int:
    import socket  # noqa: PLC0415 no other command needs it

    from lsp_server import transport  # noqa: PLC0415 half a second that a search does not need

    gc.set_threshold(50_000, 20, 50)  # a collection among more objects delays an answer

    if options.allow_remote and options.tcp is None:
        options.parser.error("--allow-remote is for --tcp")
    if options.socket is not None:
        if not hasattr(socket, "AF_UNIX"):
            raise VaultseekError("--socket is not available on this system, which has no Unix sockets; use --tcp here")
        return transport.serve_socket(options.socket)
    if options.tcp is None:
        return transport.serve_stdio()
    host, _, port = options.tcp.rpartition(":")
    if not port.isdigit() or not 0 <= int(port) <= 65535:
        raise ConfigError("--tcp", options.tcp, "HOST:PORT with a port from 0 to 65535")
    return transport.serve_tcp(host.strip("[]") or "127.0.0.1", int(port), allow_remote=options.allow_remote)
