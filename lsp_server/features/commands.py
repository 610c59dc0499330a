"""`workspace/executeCommand`: updates, rebuilds or deletes the vectors, or collects garbage among them.

Each command has its own progress and can be cancelled; work done before that is kept.
"""

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from lsp_server.features.query import not_searched
from lsp_server.server import VaultseekServer
from lsp_server.wire.decode import structure
from lsp_server.wire.encode import to_json
from lsp_server.wire.types import (
    COMMAND_CLEAR,
    COMMAND_COLLECT,
    COMMAND_REBUILD,
    COMMAND_UPDATE,
    CommandAnswer,
    VaultParams,
)
from search.budget import Budget
from search.errors import ConfigError
from search.ports import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

TITLES = {
    COMMAND_UPDATE: "Embedding notes",
    COMMAND_REBUILD: "Embedding all notes again",
    COMMAND_CLEAR: "Deleting vectors",
    COMMAND_COLLECT: "Deleting vectors of removed notes",
}


def never_called(*_arguments: object) -> None:
    """Register a command's name only: pygls would not pass the progress token to a command's own handler."""


async def execute(ls: VaultseekServer, params: lsp.ExecuteCommandParams) -> object:
    """Run one command and say how many notes it affected."""
    if params.command not in TITLES:
        raise ConfigError("params.command", params.command, "one of " + ", ".join(TITLES))
    argument = params.arguments[0] if params.arguments else None
    options = structure(VaultParams, {} if argument is None else argument, "params.arguments[0]")
    with ls.work_done(params.work_done_token, TITLES[params.command]) as progress:
        answer = await ls.search_workers.run(lambda budget: _run(ls, params.command, options, budget, progress))
    return to_json(answer)


def _run(ls: VaultseekServer, command: str, options: VaultParams, budget: Budget, progress: Progress) -> CommandAnswer:
    vault = ls.session.choose(options.vault)
    if vault is None:
        raise not_searched(ls)
    maintenance = vault.engine(ls.session.documents).maintenance(budget=budget)

    def clear() -> int:
        maintenance.clear()
        return 0

    runs: dict[str, tuple[Callable[[], int], str]] = {
        COMMAND_UPDATE: (lambda: maintenance.update(budget=budget, progress=progress), "{} embedded."),
        COMMAND_REBUILD: (lambda: maintenance.rebuild(budget=budget, progress=progress), "{} embedded."),
        COMMAND_CLEAR: (clear, "All vectors deleted."),
        COMMAND_COLLECT: (maintenance.collect_garbage, "Vectors of {} deleted."),
    }
    run, message = runs[command]
    n_notes = run()
    noun = "1 note" if n_notes == 1 else f"{n_notes} notes"
    return CommandAnswer(command=command, notes=n_notes, message=message.format(noun))
