"""`vault_status`: how many notes are searched, what is skipped and why, and how far search by meaning has come."""

from collections import Counter
from typing import TYPE_CHECKING

from lsp_server.mcp.notices import sentences
from lsp_server.mcp.parameters import Arguments
from lsp_server.mcp.quoting import cut, one_line
from lsp_server.mcp.tool import Answer, Tool, list_schema, object_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lsp_server.mcp.vaults import ServedVault
    from search.budget import Budget
    from search.semantic.status import SemanticStatus

_N_REASONS = 8
_MAX_SENTENCE = 200  # characters


def vault_status(vault: "ServedVault", _given: Arguments, budget: "Budget") -> Answer:
    """Describe the vault."""
    engine = vault.current(budget)
    status = engine.status()
    notes = engine.library(budget=budget).notes
    reasons, notices = _reasons(status.skipped), sentences(status.notices)
    data = {
        "vault": one_line(vault.name),
        "notes": len(notes),
        "folders": len({note.folder for note in notes.values()}),
        "tags": len({tag.casefold() for note in notes.values() for tag in note.tags}),
        "skipped": len(status.skipped),
        "skipped_because": reasons,
        "vectors": _vectors(status.semantic),
        "notices": notices,
    }
    lines = [
        f"vault {data['vault']}: {data['notes']:,} notes in {data['folders']:,} folders, {data['tags']:,} tags",
        f"skipped: {data['skipped']:,}",
        *(f"- {reason}" for reason in reasons),
        f"search by meaning: {data['vectors']}",
        *(f"note: {notice}" for notice in notices),
    ]
    return Answer("\n".join(lines), data)


def _reasons(skipped: "Mapping[str, str]") -> list[str]:
    """The most frequent reasons to skip a file, each with the number of files and the first path."""
    first = {reason: path for path, reason in sorted(skipped.items(), reverse=True)}
    counted = Counter(skipped.values()).most_common(_N_REASONS)
    return [cut(one_line(f"{reason}: {count}, such as {first[reason]}"), _MAX_SENTENCE) for reason, count in counted]


def _vectors(status: "SemanticStatus | None") -> str:
    """How far search by meaning has come; counts only notes that the assistant may see."""
    if status is None:
        return "off; words alone are searched"
    if status.problem:
        return cut(one_line(status.problem), _MAX_SENTENCE)
    foreign = f"; {status.foreign_notes}" if status.n_foreign else ""
    return f"{status.model}; {status.n_missing:,} notes have no vectors yet{foreign}"


VAULT_STATUS = Tool(
    name="vault_status",
    title="State of the vault",
    description="How many notes are searched, which are skipped and why, and whether search by meaning is ready.",
    parameters=(),
    output=object_schema(
        "notes skipped vectors",
        vault="string",
        notes="integer",
        folders="integer",
        tags="integer",
        skipped="integer",
        skipped_because=list_schema("string"),
        vectors="string",
        notices=list_schema("string"),
    ),
    run=vault_status,
)
