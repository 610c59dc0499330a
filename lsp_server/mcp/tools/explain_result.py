"""`explain_result`: why a note has its rank for a query, or which step left it out, with the arithmetic."""

from typing import TYPE_CHECKING

from lsp_server.mcp.notices import sentences
from lsp_server.mcp.parameters import Arguments, Parameter
from lsp_server.mcp.quoting import NOT_INSTRUCTIONS, cut, escaped_line, one_line
from lsp_server.mcp.token_budget import n_tokens_of
from lsp_server.mcp.tool import Answer, Tool, list_schema, object_schema
from lsp_server.mcp.tools.search_notes import QUERY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsp_server.mcp.vaults import ServedVault
    from search.answer.result import Reason
    from search.budget import Budget

_MAX_TOKENS = 2_000  # of all steps
_MAX_STEP = 400  # characters


def explain_result(vault: "ServedVault", given: Arguments, budget: "Budget") -> Answer:
    """Explain a note's rank."""
    from search.query import Query  # noqa: PLC0415 - the first call loads the search core

    note = vault.find(given.text("path"), budget)
    reason = vault.engine().explain(Query(text=given.text("query"), limit=10), note, budget=budget)
    steps = _fitting(_steps(reason))
    data: dict[str, object] = {"path": escaped_line(note), "sentence": one_line(reason.sentence), "trail": steps}
    if reason.rank is not None:
        data["rank"] = reason.rank
    data["total"] = reason.total
    if notices := sentences(reason.notices):
        data["notices"] = notices
    rank = "not found" if reason.rank is None else f"rank {reason.rank:,} of {reason.total:,}"
    lines = [f"{data['path']}: {rank}. {data['sentence']} {NOT_INSTRUCTIONS}", *(f"> {step}" for step in steps)]
    return Answer("\n".join([*lines, *(f"note: {notice}" for notice in notices)]), data)


def _steps(reason: "Reason") -> "Iterable[str]":
    from search.answer.explain import render_strength, render_trail  # noqa: PLC0415 - the first call loads the core

    if reason.found is not None:
        yield from render_trail(reason.found.hit.trail)
        yield from () if reason.found.derivation is None else render_strength(reason.found.derivation)


def _fitting(steps: "Iterable[str]") -> list[str]:
    kept: list[str] = []
    room = _MAX_TOKENS
    for step in steps:
        line = cut(step.rstrip(), _MAX_STEP)
        line = line[: len(line) - len(line.lstrip())] + one_line(line)  # the indent shows what a step is part of
        room -= n_tokens_of(line)
        if room < 0:
            return [*kept, "… (further steps are left out)"]
        kept.append(line)
    return kept


EXPLAIN_RESULT = Tool(
    name="explain_result",
    title="Explain a result",
    description="Why a note has its rank for a query or is missing: a sentence and the arithmetic of its score.",
    parameters=(QUERY, Parameter(name="path", is_required=True)),
    output=object_schema(
        "path sentence trail",
        path="string",
        rank="integer",
        total="integer",
        sentence="string",
        trail=list_schema("string"),
        notices=list_schema("string"),
    ),
    run=explain_result,
)
