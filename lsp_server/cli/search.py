"""`vaultseek search`, `explain` and `related`."""

import argparse
import sys
from typing import TYPE_CHECKING

from lsp_server.cli.arguments import add_color, add_command, add_limit, add_mode, add_output, add_ranking
from lsp_server.cli.exit_codes import FOUND, NOTHING
from lsp_server.cli.request import mode_of, note_of, open_engine, query_of, require_heading, root_of
from search.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lsp_server.cli.arguments import Commands
    from lsp_server.wire.types import RelatedAnswer, SearchAnswer
    from search.ids import NoteId

_NOTE_HELP = "the note: its name, or its path relative to the vault or to the current folder"


def add_commands(commands: "Commands") -> None:
    """Add the three commands."""
    search = add_command(commands, "search", "find notes", "Find notes, best first.")
    search.add_argument("query", nargs="+", help="words, or a query in Obsidian's syntax; quote it for your shell")
    search.add_argument("--files", action="store_true", help="search file names and folders only, not the text")
    search.add_argument("--include-linked", action="store_true", help="show which notes each result is linked with")
    search.add_argument(
        "--weak", action="store_true", help="exit with 0 also if all results are weak, that is, hardly answer the query"
    )
    add_output(search)
    search.set_defaults(run=run_search)

    explain = add_command(
        commands, "explain", "explain why a note is found or not", "Show a note's rank for a query, and why."
    )
    explain.add_argument("query", help="the words that were searched for")
    explain.add_argument("note", help=_NOTE_HELP)
    explain.set_defaults(run=run_explain)

    related = add_command(
        commands, "related", "find notes related to a note", "Find notes related to a note, best first, with reasons."
    )
    related.add_argument("note", help=_NOTE_HELP)
    related.add_argument(
        "--heading", metavar="NAME", default="", help="only the section of the note below this heading"
    )
    related.add_argument(
        "--linked",
        default="include",
        choices=("include", "last", "exclude"),
        help="notes that are linked with it already: among the others (default), after them, or left out",
    )
    add_output(related)
    related.set_defaults(run=run_related)

    for parser in (search, explain):
        add_ranking(parser)
    for parser in (search, explain, related):
        add_limit(parser)
        add_mode(parser)
        add_color(parser)


def run_search(options: argparse.Namespace) -> int:
    """Print the notes for a query."""
    from search.answer.strength import WEAK  # noqa: PLC0415 building the parser must import no other package

    root = root_of(options)
    query = query_of(" ".join(options.query), options, root)
    with open_engine(root, options) as (engine, terminal):
        result = engine.search(query, progress=terminal.progress)
        if options.json:
            from lsp_server.wire.encode import script_context, search_answer  # noqa: PLC0415 only --json needs it

            _write(search_answer(query.text, result, script_context(root), ()), options)
        else:
            terminal.show_result(result, root, is_explained=options.explain)
    _open(options, root, [hit.hit.id for hit in result.hits])
    return FOUND if any(options.weak or hit.strength_level != WEAK for hit in result.hits) else NOTHING


def run_explain(options: argparse.Namespace) -> int:
    """Print why a note is found or not."""
    root = root_of(options)
    query = query_of(options.query, options, root)
    with open_engine(root, options) as (engine, terminal):
        engine.refresh(progress=terminal.progress)
        reason = engine.explain(query, note_of(options.note, root, engine, is_skipped_known=True))
        terminal.show_reason(reason, root)
    return FOUND if reason.rank is not None and reason.rank <= query.limit else NOTHING


def run_related(options: argparse.Namespace) -> int:
    """Print the notes related to a note."""
    from search.query import Linked  # noqa: PLC0415 building the parser must import no other package

    root = root_of(options)
    with open_engine(root, options) as (engine, terminal):
        engine.refresh(progress=terminal.progress)
        note = note_of(options.note, root, engine)
        if options.heading:
            require_heading(options.heading, note, engine)
        answer = engine.related(
            note,
            heading=options.heading,
            linked=Linked(options.linked),
            limit=options.limit,
            mode=mode_of(options),
        )
        if options.json:
            from lsp_server.wire.encode import related_answer, script_context  # noqa: PLC0415 only --json needs it

            _write(related_answer(answer, script_context(root)), options)
        else:
            terminal.show_related(answer, root, is_explained=options.explain)
    _open(options, root, [item.found.hit.id for item in answer.notes])
    return FOUND if answer.notes else NOTHING


def _open(options: argparse.Namespace, root: "Path", notes: "Sequence[NoteId]") -> None:
    """Open the note that `--open` names by its number in the answer."""
    if options.open is None or not notes:
        return
    if options.open > len(notes):
        raise ConfigError("--open", options.open, f"a number up to {len(notes)}, as so many notes are shown")
    from lsp_server.cli.opening import open_with_system  # noqa: PLC0415 only --open needs it

    sys.stdout.flush()
    open_with_system(root, notes[options.open - 1])


def _write(answer: "SearchAnswer | RelatedAnswer", options: argparse.Namespace) -> None:
    """Print the same JSON object as on the wire, on one line."""
    import orjson  # noqa: PLC0415 only --json needs it
    from attrs import evolve  # noqa: PLC0415 building the parser must import no other package

    from lsp_server.wire.encode import to_json  # noqa: PLC0415 only --json needs it

    if options.snippets == 0:
        results = tuple(evolve(result, snippets=()) for result in answer.results)
        answer = evolve(answer, results=results)  # type: ignore[arg-type]  # of the same class as before
    sys.stdout.buffer.write(orjson.dumps(to_json(answer)) + b"\n")
