"""`vaultseek/related`: what has to do with a note, a section or a selection."""

from lsp_server.cursor import lines_of
from lsp_server.features.query import vantage_of
from lsp_server.from_wire import structure
from lsp_server.protocol import VaultseekServer
from lsp_server.to_wire import related_answer, to_json, wire_notices
from lsp_server.wire import METHOD_RELATED, RelatedAnswer, RelatedParams, WireRange
from search.budget import Budget
from search.errors import ConfigError


def register(server: VaultseekServer) -> None:
    """Add the handler."""
    server.feature(METHOD_RELATED)(related)


async def related(ls: VaultseekServer, params: object) -> object:
    """Related notes, at once where the vault was read."""
    asked = structure(RelatedParams, params, "params")
    with ls.work_done(asked.work_done_token, "Looking for related notes"):
        answer = await ls.patient.run(lambda budget: _related(ls, asked, budget))
    return to_json(answer)


def _related(ls: VaultseekServer, params: RelatedParams, budget: Budget) -> RelatedAnswer:
    if params.vault is not None:
        ls.session.choose(params.vault)  # names no folder: refused
    uri = params.text_document.uri
    held = ls.session.holding(uri, params.vault)
    if held is None:
        raise ConfigError("params.textDocument.uri", uri, "the URI of a Markdown file in an open folder")
    vault, note = held
    if vault.refusal():
        notices = wire_notices(ls.session.refusals())
        return RelatedAnswer(results=(), notices=notices, total=0, complete=True, generation=0)
    lines = None if params.range is None else _lines(params.range, len(lines_of(ls, uri, vault, note)))
    answer = vault.engine(ls.session.documents).related(
        note,
        heading=params.heading or "",
        lines=lines,
        limit=params.limit,
        budget=budget,
        patience_s=ls.session.options_of(vault).patience_s,
    )
    return related_answer(answer, vantage_of(ls, vault))


def _lines(selected: WireRange, n_lines: int) -> tuple[int, int] | None:
    """The lines that a selection touches; None for an empty one. `n_lines`: of the note, 0 where it is not there.

    Raises:
        ConfigError: it is reversed, or wholly beyond the note's end; one that goes beyond it ends there.
    """
    start, end = selected.start, selected.end
    if (end.line, end.character) < (start.line, start.character):
        place = f"{end.line}:{end.character}"
        raise ConfigError("params.range.end", place, f"{start.line}:{start.character}, where it starts, or after it")
    if n_lines and start.line >= n_lines:
        raise ConfigError("params.range.start.line", start.line, f"0..{n_lines - 1}, the lines of the note")
    if start == end:
        return None
    return start.line, max(start.line, end.line - (end.character == 0)) + 1
