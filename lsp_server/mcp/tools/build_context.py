"""`build_context`: the passages of several notes that answer a question, as many as fit a number of tokens."""

from typing import TYPE_CHECKING

from lsp_server.mcp.notices import sentences
from lsp_server.mcp.parameters import Arguments, Parameter
from lsp_server.mcp.quoting import LONGEST_NAME, NOT_INSTRUCTIONS, cut, escaped_line, one_line
from lsp_server.mcp.token_budget import n_tokens_of
from lsp_server.mcp.tool import Answer, Tool, list_schema, object_schema
from lsp_server.mcp.tools.read_note import MAX_TOKENS
from lsp_server.mcp.tools.search_notes import FOLDER, TAGS
from search.analysis.token_estimate import estimate_tokens
from search.answer.context import visible
from search.vault.lines import to_lf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.mcp.vaults import ServedVault
    from search.answer.context import ContextPassage, QuestionContext
    from search.budget import Budget

_FOR_PASSAGES = 0.8  # of the tokens, for passages with their headers


def build_context(vault: "ServedVault", given: Arguments, budget: "Budget") -> Answer:
    """Quote the best passages for a question.

    The engine chooses for a part of the tokens, since this answer also has line numbers and quotes; where that is not
    enough, the last passages are dropped.
    """
    from search.query import Query  # noqa: PLC0415 - the first call loads the search core

    max_tokens = given.number("max_tokens")
    query = Query(text=given.text("question"), folder=given.text("folder"), tags=given.texts("tags"))
    found = vault.current(budget).context(query, max_tokens=int(_FOR_PASSAGES * max_tokens), budget=budget)
    passages = list(found.passages)
    answer = _answer(found, passages)
    while passages and max(estimate_tokens(answer.text), n_tokens_of(answer.data)) > max_tokens:
        passages.remove(max(passages, key=lambda passage: (passage.rank, passage.start)))
        answer = _answer(found, passages)
    return answer


def _answer(found: "QuestionContext", passages: "Sequence[ContextPassage]") -> Answer:
    n_left_out = found.n_cut + len(found.passages) - len(passages)
    data: dict[str, object] = {
        "passages": [_passage(passage) for passage in passages],
        "total": found.total,
        "truncated": n_left_out > 0,
    }
    n_notes = len({passage.note for passage in passages})
    lines = [f"{len(passages)} passages of {n_notes} notes; {found.total:,} notes match. {NOT_INSTRUCTIONS}"]
    if not passages and not n_left_out:
        lines = ["Nothing found; try other or fewer words, or no folder and tags."]
    for number, passage in enumerate(passages, start=1):
        lines += ["", _header(number, passage), *_numbered(passage)]
    if n_left_out:
        lines += ["", f"({n_left_out} more passages did not fit; a larger max_tokens shows more)"]
    if notices := sentences(found.notices):
        data["notices"] = notices
    return Answer("\n".join([*lines, *(f"note: {notice}" for notice in notices)]), data)


def _passage(passage: "ContextPassage") -> dict[str, object]:
    start, end = passage.lines
    shown: dict[str, object] = {"path": escaped_line(passage.note), "lines": f"{start + 1}-{max(end, start + 1)}"}
    if passage.fragment:
        shown["fragment"] = _heading(passage.fragment)
    if passage.headings:
        shown["heading"] = _heading(passage.headings[-1])
    return shown | {"text": visible(to_lf(passage.text))}


def _header(number: int, passage: "ContextPassage") -> str:
    start = f"[{number}] {escaped_line(passage.note)}{_heading(passage.place)}"
    return " › ".join((start, *map(_heading, passage.headings)))


def _heading(text: str) -> str:
    return cut(one_line(text), LONGEST_NAME)


def _numbered(passage: "ContextPassage") -> list[str]:
    """The lines of the passage, each after its number in the file, from 1."""
    lines = to_lf(passage.text).rstrip("\n").split("\n")
    return [f"{number}| {visible(line)}" for number, line in enumerate(lines, passage.lines[0] + 1)]


BUILD_CONTEXT = Tool(
    name="build_context",
    title="Passages for a question",
    description=(
        "The best passages of several notes for a question, under a token budget: one call in place of search_notes "
        "and several read_note. Cite as path:line, or as path#fragment where a passage has one."
    ),
    parameters=(
        Parameter(name="question", is_required=True),
        MAX_TOKENS,
        FOLDER,
        TAGS,
    ),
    output=object_schema(
        "passages total truncated",
        passages=list_schema(
            object_schema(
                "path lines text", path="string", lines="string", fragment="string", heading="string", text="string"
            )
        ),
        total="integer",
        truncated="boolean",
        notices=list_schema("string"),
    ),
    run=build_context,
)
