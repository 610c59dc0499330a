"""`related_notes`: the notes related to a note or to a section of it, each with the reason."""

from typing import TYPE_CHECKING

from lsp_server.mcp.notices import sentences
from lsp_server.mcp.parameters import Arguments, Number, Parameter
from lsp_server.mcp.quoting import NOT_INSTRUCTIONS, cut, escaped_line, one_line
from lsp_server.mcp.sections import require_section
from lsp_server.mcp.token_budget import TOKENS_PER_RESULT, Size, first_within, n_tokens_of, sizes_of
from lsp_server.mcp.tool import Answer, Tool, list_schema, object_schema
from search.analysis.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from lsp_server.mcp.vaults import ServedVault
    from search.answer.result import FoundNote
    from search.budget import Budget
    from search.navigation.related import RelatedNotes

_WIDTHS = (160, 120, 80, 40)  # characters of a reason; the first that fits the budget is used


def related_notes(vault: "ServedVault", given: Arguments, budget: "Budget") -> Answer:
    """Find the notes related to a note, or to the section under `heading`."""
    note, heading, limit = vault.note(given.text("path"), budget), given.text("heading"), given.number("limit")
    if heading.strip():
        require_section(note, heading)
    related = vault.engine().related(note.id, heading=heading, limit=limit, budget=budget)
    return first_within(
        TOKENS_PER_RESULT * limit,
        sizes_of(len(related.notes), _WIDTHS),
        lambda size: _answer(escaped_line(note.id), related, size),
        lambda made: max(estimate_tokens(made.text), n_tokens_of(made.data)),
    )


def _answer(path: str, related: "RelatedNotes", size: Size) -> Answer:
    results = [_result(item.found, size.width) for item in related.notes[: size.n_results]]
    notices = sentences(related.notices)
    data: dict[str, object] = {"path": path, "results": results, "total": related.total}
    lines = [f"{len(results)} of {related.total:,} notes related to {path}. {NOT_INSTRUCTIONS}"]
    for number, found in enumerate(results, start=1):
        place = f"#{found['fragment']}" if "fragment" in found else ""
        lines.append(f"{number}. {found['path']}{place}: {found['reason']}")
    lines += [f"note: {notice}" for notice in notices]
    return Answer("\n".join(lines), data | {"notices": notices} if notices else data)


def _result(found: "FoundNote", width: int) -> dict[str, str]:
    result = {"path": escaped_line(found.hit.id), "reason": cut(one_line(found.sentence), width)}
    fragment = found.snippets[0].fragment if found.snippets else ""
    return result | {"fragment": escaped_line(fragment)} if fragment else result


RELATED_NOTES = Tool(
    name="related_notes",
    title="Related notes",
    description="Notes related to a note or a section by links, tags, words and meaning, with the reason.",
    parameters=(
        Parameter(name="path", is_required=True),
        Parameter(name="heading"),
        Number(name="limit", low=1, high=50, usual=10),
    ),
    output=object_schema(
        "results total",
        path="string",
        results=list_schema(object_schema("path reason", path="string", reason="string", fragment="string")),
        total="integer",
        notices=list_schema("string"),
    ),
    run=related_notes,
)
