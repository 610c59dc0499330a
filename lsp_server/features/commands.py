"""`workspace/executeCommand`: the index of vectors, brought up to date, made anew, dropped, or rid of what is gone.

Each command has its own progress and can be cancelled; what was done by then stays done.
"""

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from lsp_server.features.query import not_searched
from lsp_server.from_wire import structure
from lsp_server.protocol import VaultseekServer
from lsp_server.to_wire import to_json
from lsp_server.wire import (
    COMMAND_CLEAR,
    COMMAND_COLLECT,
    COMMAND_REBUILD,
    COMMAND_UPDATE,
    CommandAnswer,
    CommandParams,
)
from search.budget import Budget
from search.errors import ConfigError
from search.ports import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

TITLES = {
    COMMAND_UPDATE: "Embedding notes",
    COMMAND_REBUILD: "Embedding all notes anew",
    COMMAND_CLEAR: "Dropping vectors",
    COMMAND_COLLECT: "Dropping vectors of notes that are gone",
}


def register(server: VaultseekServer) -> None:
    """Add the handler; the framework tells the client of commands by their names here."""
    server.feature(lsp.WORKSPACE_EXECUTE_COMMAND)(execute)
    for command in TITLES:
        server.command(command)(_never_called)


def _never_called(*_arguments: object) -> None:
    """A command's own handler would not be told the progress token."""


async def execute(ls: VaultseekServer, params: lsp.ExecuteCommandParams) -> object:
    """Run one command."""
    if params.command not in TITLES:
        raise ConfigError("params.command", params.command, "one of " + ", ".join(TITLES))
    argument = params.arguments[0] if params.arguments else None
    asked = structure(CommandParams, {} if argument is None else argument, "params.arguments[0]")
    with ls.work_done(params.work_done_token, TITLES[params.command]) as progress:
        answer = await ls.work.run(lambda budget: _run(ls, params.command, asked, budget, progress))
    return to_json(answer)


def _run(ls: VaultseekServer, command: str, asked: CommandParams, budget: Budget, progress: Progress) -> CommandAnswer:
    vault = ls.session.choose(asked.vault)
    if vault is None:
        raise not_searched(ls)
    upkeep = vault.engine(ls.session.documents).indexed(budget=budget)

    def clear() -> int:
        upkeep.clear()
        return 0

    runs: dict[str, tuple[Callable[[], int], str]] = {
        COMMAND_UPDATE: (lambda: upkeep.update(budget=budget, progress=progress), "{} embedded."),
        COMMAND_REBUILD: (lambda: upkeep.rebuild(budget=budget, progress=progress), "{} embedded."),
        COMMAND_CLEAR: (clear, "All vectors were dropped."),
        COMMAND_COLLECT: (upkeep.collect_garbage, "{} dropped: gone from the vault."),
    }
    run, message = runs[command]
    n_notes = run()
    noun = "1 note" if n_notes == 1 else f"{n_notes} notes"
    return CommandAnswer(command=command, notes=n_notes, message=message.format(noun))
