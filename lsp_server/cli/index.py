"""`vaultseek index`: plans, computes or deletes vectors."""

import argparse
from typing import TYPE_CHECKING

from lsp_server.cli import arguments
from lsp_server.cli.arguments import HOW_FOUND
from lsp_server.cli.exit_codes import FOUND
from lsp_server.cli.request import open_engine, root_of

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Commands
    from search.engine import Engine


def add_command(commands: "Commands") -> None:
    """Add the command."""
    index = arguments.add_command(
        commands,
        "index",
        "compute the vectors of all notes now",
        "Compute all vectors now instead of during later searches.",
    )
    arguments.add_endpoint(index, only_embedding=True)
    actions = index.add_mutually_exclusive_group()
    actions.add_argument("--plan", action="store_true", help="only show what would be done")
    actions.add_argument("--rebuild", action="store_true", help="compute all vectors again")
    actions.add_argument("--clear", action="store_true", help="delete all vectors and the snapshot")
    actions.add_argument("--collect-garbage", action="store_true", help="delete the vectors of removed notes")
    index.add_argument("--preset", metavar="NAME", help="the preset to compute vectors for")
    index.set_defaults(run=run_index)


def run_index(options: argparse.Namespace) -> int:
    """Plan, compute or delete vectors, and print for how many notes."""
    root = root_of(options)
    with open_engine(root, options) as (engine, terminal):
        maintenance = engine.maintenance(progress=terminal.progress)
        if not engine.library().notes:
            terminal.warn(f"There are no Markdown notes in {root.absolute()}. {HOW_FOUND}")
        terminal.start("counting passages" if options.plan else "computing vectors")
        if options.plan:
            terminal.show_plan(maintenance.plan(progress=terminal.progress))
        elif options.clear:
            maintenance.clear()
            engine.clear_snapshot()
            terminal.say("all vectors deleted")
        elif options.collect_garbage:
            terminal.say(f"vectors of {_notes(maintenance.collect_garbage())} deleted")
        else:
            run = maintenance.rebuild if options.rebuild else maintenance.update
            terminal.say(f"vectors of {_notes(run(progress=terminal.progress))} computed{_without_foreign(engine)}")
        terminal.show_notices(maintenance.notices)
    return FOUND


def _without_foreign(engine: "Engine") -> str:
    """How many notes need no vectors because of their language; empty for none."""
    status = engine.status().semantic
    return f"; {status.foreign_notes}" if status is not None and status.n_foreign else ""


def _notes(n_notes: int) -> str:
    return "1 note" if n_notes == 1 else f"{n_notes:,} notes"
