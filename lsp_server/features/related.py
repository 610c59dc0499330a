"""`vaultseek/related`: notes related to a note, a section or a selection."""

from lsp_server.features.cursor import lines_of
from lsp_server.features.query import find_file, render_context
from lsp_server.server import VaultseekServer
from lsp_server.wire.decode import structure
from lsp_server.wire.encode import related_answer, to_json
from lsp_server.wire.types import RelatedAnswer, RelatedParams, WireRange
from search.budget import Budget
from search.errors import ConfigError
from search.ids import has_lines_of_file


async def related(ls: VaultseekServer, params: object) -> object:
    """Answer with related notes; waits only while the vault is read for the first time."""
    typed = structure(RelatedParams, params, "params")
    with ls.work_done(typed.work_done_token, "Finding related notes"):
        return await ls.patient_workers.run(lambda budget: to_json(_related(ls, typed, budget)))


def _related(ls: VaultseekServer, params: RelatedParams, budget: Budget) -> RelatedAnswer:
    uri = params.text_document.uri
    vault, note = find_file(ls, uri, params.vault)
    if vault.refusal():
        return RelatedAnswer(notices=ls.session.refusals())
    lines = (
        None
        if params.range is None or not has_lines_of_file(note)
        else _lines(params.range, len(lines_of(ls, uri, vault, note)))
    )
    answer = vault.engine(ls.session.documents).related(
        note,
        heading=params.heading or "",
        lines=lines,
        linked=params.linked,
        limit=params.limit,
        budget=budget,
        patience_s=ls.session.options_of(vault).patience_s,
    )
    return related_answer(answer, render_context(ls, vault))


def _lines(selected: WireRange, n_lines: int) -> tuple[int, int] | None:
    """The lines that a selection touches; None for an empty one. `n_lines` is the note's length, 0 if it is missing.

    A selection that ends beyond the note's end is cut there.

    Raises:
        ConfigError: the selection is reversed or starts beyond the note's end.
    """
    start, end = selected.start, selected.end
    if (end.line, end.character) < (start.line, start.character):
        place = f"{end.line}:{end.character}"
        raise ConfigError(
            "params.range.end", place, f"{start.line}:{start.character}, the start of the range, or later"
        )
    if n_lines and start.line >= n_lines:
        raise ConfigError("params.range.start.line", start.line, f"0..{n_lines - 1}, the lines of the note")
    if start == end:
        return None
    return start.line, max(start.line, end.line - (end.character == 0)) + 1
