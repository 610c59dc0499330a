"""The command line: the same engine, asked from a terminal or a script.

Coloured with links on a terminal, plain in a pipe. Answers go to standard output, everything else to standard error.
Exit codes: 0 found, 1 nothing found, 2 error, 130 interrupted.
"""

import argparse
import gc
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from lsp_server.folders import vault_around
from search.errors import ConfigError, VaultseekError
from search.providers.threads import limit_blas_to_one_thread

if TYPE_CHECKING:
    from lsp_server.terminal import Terminal
    from search.answer.result import SearchResult
    from search.engine import Engine
    from search.query import Mode, Query
    from search.settings import Settings

FOUND, NOTHING, ERROR, INTERRUPTED = 0, 1, 2, 130
_VAULT_HELP = "the vault (default: the one that the current folder is in)"
_EXCLUDED = re.compile(r"-(?!-)(?!h$)(?!\d+$).+")  # -word, but neither -h nor a number
DEFAULT_LIMIT = 10  # what fits on a screen with excerpts; an editor asks for its own number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; never raises, never prints a traceback for what a user did."""
    _open_closed_streams()
    options = _read_options(sys.argv[1:] if arguments is None else arguments)
    limit_blas_to_one_thread(os.environ)
    # A vault is a hundred thousand values that stay: looking for garbage among them is in vain.
    gc.set_threshold(50_000, 20, 50)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file name may be no text at all
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except VaultseekError as error:
        sys.stderr.write(f"vaultseek: {error}\n")
        return ERROR
    except KeyboardInterrupt:
        sys.stderr.write("vaultseek: interrupted\n")
        return INTERRUPTED
    except OSError as error:
        if sys.stdout is not None:  # nothing may be written there at exit either
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader (`head`, a pager) has seen enough
            return FOUND
        sys.stderr.write(f"vaultseek: {error}\n")
        return ERROR
    except Exception as error:  # noqa: BLE001 - a mistake of ours: one line for the user, and never "nothing found"
        sys.stderr.write(f"vaultseek: this should not have happened: {type(error).__name__}: {error}\n")
        return ERROR
    return code


def _open_closed_streams() -> None:
    """What was started with its output closed (`>&-`) writes to nowhere, and not into a file that is opened next."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end


def _read_options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options; words of the query may stand between them, and `-word` is one of them.

    All our options are long, so a single dash can only be the query's. Behind a blank argparse takes it for a word.
    """
    parser = _parser()
    options, more = parser.parse_known_args([f" {word}" if _EXCLUDED.fullmatch(word) else word for word in arguments])
    unknown = more if options.run is not _search else [word for word in more if word.startswith("--") and word != "--"]
    if unknown:
        parser.error(f"unknown option or one argument too many: {unknown[0].strip()}")
    if options.run is _search:
        options.query += [word for word in more if word != "--"]
    return options


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="vaultseek", description="Search a vault of Markdown notes.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    search = commands.add_parser(
        "search", help="find notes", description="Find notes, the best first.", allow_abbrev=False
    )
    search.add_argument("query", nargs="+", help="words, or Obsidian's query language; quote it for your shell")
    _add_scope(search)
    search.add_argument(
        "--limit", type=_limit, default=DEFAULT_LIMIT, help="how many notes, 1 to 100 (default: %(default)s)"
    )
    _add_mode(search)
    _add_design(search)
    search.add_argument("--files", action="store_true", help="look at names and folders alone, not at texts")
    search.add_argument("--include-linked", action="store_true", help="with each note those that it is linked to")
    search.add_argument("--json", action="store_true", help="print the whole answer as one JSON object")
    search.add_argument("--explain", action="store_true", help="show how each score came about")
    search.set_defaults(run=_search)

    explain = commands.add_parser(
        "explain",
        help="say why a note is found, or why not",
        description="Say where a note stands, and why.",
        allow_abbrev=False,
    )
    explain.add_argument("query")
    explain.add_argument("note", help="path of the note, in the vault or from here, or its name")
    _add_scope(explain)
    explain.add_argument("--limit", type=_limit, default=DEFAULT_LIMIT, help="as in search (default: %(default)s)")
    _add_mode(explain)
    _add_design(explain)
    explain.set_defaults(run=_explain, include_linked=False, files=False)

    related = commands.add_parser(
        "related",
        help="find what has to do with a note",
        description="Find notes that have to do with a note, the best first, each with the reason.",
        allow_abbrev=False,
    )
    related.add_argument("note", help="path of the note, in the vault or from here, or its name")
    related.add_argument("--heading", default="", help="only what stands below this heading of it")
    related.add_argument("--vault", metavar="DIR", help=_VAULT_HELP)
    related.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours and links")
    related.add_argument(
        "--limit", type=_limit, default=DEFAULT_LIMIT, help="how many notes, 1 to 100 (default: %(default)s)"
    )
    _add_mode(related)
    related.add_argument("--json", action="store_true", help="print the whole answer as one JSON object")
    related.add_argument("--explain", action="store_true", help="show how each score came about")
    related.set_defaults(run=_related, preset="", pipeline="")

    doctor = commands.add_parser(
        "doctor",
        help="say how a vault and its set-up stand",
        description="Look at the vault, what is passed over, vectors, endpoints and speed. Sends nothing.",
        allow_abbrev=False,
    )
    doctor.add_argument("--vault", metavar="DIR", help=_VAULT_HELP)
    doctor.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours")
    _add_mode(doctor)
    doctor.set_defaults(run=_doctor, preset="", pipeline="")

    index = commands.add_parser(
        "index",
        help="embed all notes now",
        description="Make the vectors that searching would make by and by.",
        allow_abbrev=False,
    )
    index.add_argument("--vault", metavar="DIR", help=_VAULT_HELP)
    _add_endpoint(index)
    what = index.add_mutually_exclusive_group()
    what.add_argument("--plan", action="store_true", help="only say what would be done")
    what.add_argument("--rebuild", action="store_true", help="make all vectors anew")
    what.add_argument("--clear", action="store_true", help="drop all vectors")
    what.add_argument("--collect-garbage", action="store_true", help="drop vectors of notes that are gone")
    index.add_argument("--preset", metavar="NAME", default="", help="the preset that vectors are made for")
    index.set_defaults(run=_index, color="auto", mode=None, pipeline="")

    serve = commands.add_parser(
        "serve", help="run the language server", description="Serve editors on stdio.", allow_abbrev=False
    )
    serve.add_argument(
        "--tcp", metavar="HOST:PORT", help="listen there instead; for debugging: whoever connects may ask"
    )
    serve.set_defaults(run=_serve)
    return parser


def _add_scope(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--vault", metavar="DIR", help=_VAULT_HELP)
    parser.add_argument("--folder", default="", help="only notes in this folder of the vault, or below it")
    parser.add_argument("--tag", action="append", default=[], help="only notes with this tag; may be repeated")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours and links")


def _add_design(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--doc-type", metavar="KIND", action="append", default=[], help="only notes of this kind")
    parser.add_argument(
        "--depth", type=_depth, help="links that are followed from a note, 0 to 5 (default: the preset's)"
    )
    parser.add_argument(
        "--link-type",
        metavar="TYPE",
        action="append",
        default=[],
        help="follow only such links (embed, up, ...)",
    )
    parser.add_argument("--preset", metavar="NAME", default="", help="how notes are ranked (default: balanced)")
    parser.add_argument(
        "--pipeline",
        metavar="JSON",
        default="",
        help="parts of it that are different, as an object or a file with one",
    )


def _add_mode(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mode", choices=("hybrid", "keyword", "vector"), help="words and meaning (the default), or one of them"
    )
    _add_endpoint(parser)


def _add_endpoint(parser: argparse.ArgumentParser) -> None:
    for name, metavar, told in (
        ("endpoint", "URL", "an OpenAI-compatible server that notes may be sent to"),
        (
            "embedding-model",
            "NAME",
            "its model for vectors, in place of the one that comes along; without a server multilingual-e5-small",
        ),
        ("chat-model", "NAME", "its model for chat, asked about queries that are questions"),
        ("rerank-model", "NAME", "its model for reranking, which puts the best notes in order"),
        ("key-variable", "NAME", "the environment variable that holds its key"),
    ):
        variable = f"VAULTSEEK_{name.upper().replace('-', '_')}"
        default = os.environ.get(variable, "")
        parser.add_argument(f"--{name}", metavar=metavar, default=default, help=f"{told} (or set {variable})")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line; exit code 2."""
        self.exit(ERROR, f"vaultseek: {message} (see {self.prog} --help)\n")


def _depth(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text[:4]) <= 5:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:40]} is not allowed; allowed is a whole number from 0 to 5")


def _limit(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= 100:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text[:40]} is not allowed; allowed is a whole number from 1 to 100")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - costs 30 ms, seldom needed

    try:
        return version("vaultseek")
    except PackageNotFoundError:
        return "unknown"


def _search(options: argparse.Namespace) -> int:
    root = _root(options)
    query = _query(" ".join(options.query), options, root)
    with _terminal(options) as terminal:
        engine = _engine(root, options)
        try:
            result = engine.search(query, progress=terminal.progress)
        finally:
            engine.close()
        if options.json:
            _print_json(result, root, query.text)
        else:
            terminal.show_result(result, root, is_explained=options.explain)
    return FOUND if result.hits else NOTHING


def _explain(options: argparse.Namespace) -> int:
    root = _root(options)
    query = _query(options.query, options, root)
    with _terminal(options) as terminal:
        engine = _engine(root, options)
        try:
            engine.refresh(progress=terminal.progress)
            reason = engine.explain(query, engine.find_note(_as_in_vault(options.note, root)))
        finally:
            engine.close()
        terminal.show_reason(reason, root)
    return FOUND if reason.rank is not None and reason.rank <= query.limit else NOTHING


def _related(options: argparse.Namespace) -> int:
    root = _root(options)
    with _terminal(options) as terminal:
        engine = _engine(root, options)
        try:
            engine.refresh(progress=terminal.progress)
            note = engine.find_note(_as_in_vault(options.note, root))
            answer = engine.related(note, heading=options.heading, limit=options.limit, mode=_mode(options))
        finally:
            engine.close()
        if options.json:
            from lsp_server.to_wire import related_answer_json  # noqa: PLC0415 - as above

            sys.stdout.buffer.write(related_answer_json(answer, root) + b"\n")
        else:
            terminal.show_related(answer, root, is_explained=options.explain)
    return FOUND if answer.notes else NOTHING


def _doctor(options: argparse.Namespace) -> int:
    from lsp_server import doctor  # noqa: PLC0415 - as above
    from lsp_server.models import engine_of  # noqa: PLC0415 - as above

    root = _root(options)
    findings = [doctor.examine_folder(root)]
    with _terminal(options) as terminal:
        terminal.show_finding(findings[0])
        if findings[0].verdict is not doctor.Verdict.BAD:
            settings, problems = _settings(options)
            findings += [doctor.Finding(doctor.Verdict.BAD, "settings", problem) for problem in problems]
            findings += doctor.examine_settings(settings)
            engine = engine_of(root, settings)
            try:
                for finding in (*findings[1:], *doctor.examine(engine, terminal.progress)):
                    terminal.show_finding(finding)
                    findings.append(finding)
            finally:
                engine.close()
    return NOTHING if any(finding.verdict is doctor.Verdict.BAD for finding in findings) else FOUND


def _index(options: argparse.Namespace) -> int:
    with _terminal(options) as terminal:
        engine = _engine(_root(options), options)
        try:
            upkeep = engine.indexed(progress=terminal.progress)
            terminal.doing("embedding notes")
            if options.plan:
                terminal.show_plan(upkeep.plan(progress=terminal.progress))
            elif options.clear:
                upkeep.clear()
                terminal.say("all vectors dropped")
            elif options.collect_garbage:
                terminal.say(f"{_notes(upkeep.collect_garbage())} dropped: gone from the vault")
            else:
                run = upkeep.rebuild if options.rebuild else upkeep.update
                terminal.say(f"{_notes(run(progress=terminal.progress))} embedded")
            terminal.show_notices(upkeep.notices)
        finally:
            engine.close()
    return FOUND


def _notes(n_notes: int) -> str:
    return "1 note" if n_notes == 1 else f"{n_notes} notes"


def _serve(options: argparse.Namespace) -> int:
    from lsp_server.server import serve_stdio, serve_tcp  # noqa: PLC0415 - half a second that a search need not wait

    if options.tcp is None:
        return serve_stdio()
    host, _, port = options.tcp.rpartition(":")
    if not port.isdigit() or not 0 <= int(port) <= 65535:
        raise ConfigError("--tcp", options.tcp, "HOST:PORT with a port from 0 to 65535")
    return serve_tcp(host or "127.0.0.1", int(port))


def _query(text: str, options: argparse.Namespace, root: Path) -> "Query":
    from search.query import Level, Query  # noqa: PLC0415 - `serve` starts without it

    folder = _folder_in_vault(options.folder, root)
    for tag in options.tag:
        if not tag.strip(" #/"):
            raise ConfigError("--tag", tag, "a tag, with or without #")
    for name, values in (("--doc-type", options.doc_type), ("--link-type", options.link_type)):
        for value in values:
            if not value.strip():
                raise ConfigError(name, value, "a name")
    return Query(
        text=text,
        limit=options.limit,
        folder=folder,
        tags=tuple(options.tag),
        mode=_mode(options),
        doc_types=tuple(options.doc_type),
        depth=options.depth,
        include_linked=options.include_linked,
        level=Level.FILE if options.files else Level.NOTE,
        link_types=tuple(options.link_type),
    )


def _mode(options: argparse.Namespace) -> "Mode | None":
    from search.query import Mode  # noqa: PLC0415 - as above

    return None if options.mode is None else Mode(options.mode)


def _engine(root: Path, options: argparse.Namespace) -> "Engine":
    from lsp_server.models import engine_of  # noqa: PLC0415 - as above

    settings, _ = _settings(options)
    if problem := settings.embedding_problem or settings.chat_problem or settings.rerank_problem:
        raise VaultseekError(problem.removeprefix("vaultseek."))
    return engine_of(root, settings)


def _settings(options: argparse.Namespace) -> "tuple[Settings, tuple[str, ...]]":
    """What the options say, and what of the endpoints cannot be used."""
    from lsp_server.designs import design_named  # noqa: PLC0415 - as above
    from lsp_server.settings import resolve_endpoints  # noqa: PLC0415 - as above
    from search.providers.guarded_reranker import Reranking  # noqa: PLC0415 - as above
    from search.semantic.settings import Indexing  # noqa: PLC0415 - as above
    from search.settings import MODELS, Settings  # noqa: PLC0415 - as above

    problems: list[str] = []
    model = options.embedding_model if _is_local(options) else MODELS[0]
    design = design_named(options.preset, options.pipeline)
    settings = Settings(
        embedding_model=model,
        indexing=Indexing(is_filling=False),
        pipeline=design,
        reranking=Reranking(timeout_s=10.0),
    )
    settings = resolve_endpoints(_endpoints(options), settings, problems)
    return settings, tuple(problem.removeprefix("vaultseek.") for problem in problems)


def _endpoints(options: argparse.Namespace) -> dict[str, object]:
    """The endpoints that options or the environment name, as a client would send them.

    Raises:
        ConfigError: a model or a key without an address, or an address for nothing.
    """
    base_url, key = options.endpoint, options.key_variable
    embedding = "" if _is_local(options) else options.embedding_model
    models = {"embedding": embedding, "chat": options.chat_model, "rerank": options.rerank_model}
    if not base_url and (any(models.values()) or key):
        raise ConfigError("--endpoint", base_url, "the address that the model is at, such as http://127.0.0.1:11434/v1")
    if base_url and not any(models.values()):
        raise ConfigError("--embedding-model", "", "a model of the endpoint, here or as --chat-model or --rerank-model")
    return {
        name: {"baseUrl": base_url, "model": model, "keyVariable": key or None}
        for name, model in models.items()
        if model
    }


def _is_local(options: argparse.Namespace) -> bool:
    """Whether the model for vectors that is named is one that computes here: an endpoint may call its own the same."""
    from search.settings import MODELS  # noqa: PLC0415 - as above

    return not options.endpoint and options.embedding_model in MODELS


def _root(options: argparse.Namespace) -> Path:
    """The vault's folder; a shell does not expand the ~ of `--vault=~/notes`.

    Raises:
        ConfigError: an empty path, which an unset variable of a script leaves: not any folder is meant.
    """
    if options.vault is not None and not options.vault.strip():
        raise ConfigError("--vault", options.vault, "a folder")
    return Path(options.vault).expanduser() if options.vault else vault_around(Path.cwd())


def _as_in_vault(path: str, root: Path) -> str:
    """A note or folder as typed, seen from the vault: paths from the current folder are understood as well."""
    try:
        return Path(path).resolve(strict=True).relative_to(root.resolve()).as_posix()
    except (OSError, ValueError):
        return path


def _folder_in_vault(folder: str, root: Path) -> str:
    """A folder as typed, seen from the vault: the vault's own comes before one of the current folder."""
    if not folder or (folder[0] != "." and (root / folder.strip("/")).is_dir()):
        return folder
    found = _as_in_vault(folder, root)
    return "" if found == "." else found


def _terminal(options: argparse.Namespace) -> "Terminal":
    from lsp_server.terminal import Terminal  # noqa: PLC0415 - as above

    wants_none = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    is_coloured = options.color == "always" or (options.color == "auto" and sys.stdout.isatty() and not wants_none)
    return Terminal(sys.stdout, sys.stderr, is_coloured=is_coloured)


def _print_json(result: "SearchResult", root: Path, query: str) -> None:
    from lsp_server.to_wire import search_answer_json  # noqa: PLC0415 - as above

    sys.stdout.buffer.write(search_answer_json(result, root, query=query) + b"\n")
