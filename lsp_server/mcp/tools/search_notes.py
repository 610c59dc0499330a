"""`search_notes`: the notes for a query, best first, each in a few lines."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lsp_server.mcp.cursor import cursor_at, page_start
from lsp_server.mcp.notices import sentences
from lsp_server.mcp.parameters import Arguments, Number, Parameter, TextList
from lsp_server.mcp.quoting import LONGEST_NAME, NOT_INSTRUCTIONS, cut, escaped_line, one_line, part_name
from lsp_server.mcp.token_budget import TOKENS_PER_RESULT, Size, first_within, n_tokens_of, sizes_of
from lsp_server.mcp.tool import Answer, Tool, list_schema, object_schema
from search.analysis.token_estimate import estimate_tokens
from search.errors import ConfigError

if TYPE_CHECKING:
    from lsp_server.mcp.vaults import ServedVault
    from search.answer.result import FoundNote, Snippet
    from search.budget import Budget

QUERY = Parameter(name="query", is_required=True, description="words or a question")
FOLDER = Parameter(name="folder")
TAGS = TextList(name="tags")
MODES = ("hybrid", "keyword", "vector")
_N_EXCERPTS = 2  # of each note
_WIDTHS = (160, 130, 110, 90, 75, 60, 45, 30, 0)  # characters of an excerpt; the first that fits the budget is used
_LAST = 100  # results that all pages have together: the highest limit of a query


def search_notes(vault: "ServedVault", given: Arguments, budget: "Budget") -> Answer:
    """Find the notes for a query, one page of them."""
    from search.query import Mode, Query  # noqa: PLC0415 - the first call loads the search core

    text, folder, tags, mode = given.text("query"), given.text("folder"), given.texts("tags"), given.text("mode")
    same_query = (vault.name, text, folder, tags, mode)
    first, limit = page_start(given.text("cursor"), *same_query), given.number("limit")
    if first >= _LAST:
        raise ConfigError("cursor", given.text("cursor"), f"one of the first {_LAST} results; use a narrower query")
    end = min(first + limit, _LAST)
    query = Query(text=text, limit=end, folder=folder, tags=tags, mode=Mode(mode) if mode else None)
    result = vault.current(budget).search(query, budget=budget)
    hits, notices = result.hits[first:end], sentences(result.notices)
    goes_on = end < min(result.total, _LAST) and len(result.hits) == end

    def page(size: Size) -> dict[str, object]:
        shown = [_result(hit, size.width) for hit in hits[: size.n_results]]
        data: dict[str, object] = {"results": shown, "total": result.total}
        if goes_on or len(shown) < len(hits):
            data["next_cursor"] = cursor_at(first + len(shown), *same_query)
        return data | {"notices": notices} if notices else data

    found = first_within(
        TOKENS_PER_RESULT * limit,
        sizes_of(len(hits), _WIDTHS),
        page,
        lambda made: max(n_tokens_of(made), estimate_tokens(_text(made, first))),
    )
    return Answer(_text(found, first), found)


def _result(hit: "FoundNote", width: int) -> dict[str, object]:
    shown = [snippet for snippet in hit.snippets if snippet.text != hit.title][:_N_EXCERPTS]
    heading = one_line(hit.sections[0].heading_path[-1]) if hit.sections and hit.sections[0].heading_path else ""
    result: dict[str, object] = {"path": escaped_line(hit.hit.id), "title": cut(one_line(hit.title), LONGEST_NAME)}
    if heading and heading != result["title"]:
        result["heading"] = cut(heading, LONGEST_NAME)
    first = next(iter(shown or hit.snippets), None)
    result["line"] = first.line + 1 if first else 1
    if first and first.fragment:
        result["fragment"] = escaped_line(first.fragment)
    if hit.strength_level:
        result["strength"] = hit.strength_level
    excerpts = [_excerpt(snippet, width) for snippet in shown] if width else []
    return result | {"excerpts": excerpts} if excerpts else result


def _excerpt(snippet: "Snippet", width: int) -> str:
    """The excerpt; where files have pages, cards or cells, after the name of its own, so no text can pass for one."""
    text = cut(one_line(snippet.shown[0]), width)
    return f"{part_name(snippet.fragment, snippet.page_label)}: {text}" if snippet.fragment else text


def _text(data: Mapping[str, object], first: int) -> str:
    results: Sequence[Mapping[str, object]] = data["results"]  # type: ignore[assignment]  # made above
    notices: Sequence[str] = data.get("notices", ())  # type: ignore[assignment]  # made above
    lines = [_head(len(results), int(str(data["total"])), first)]
    for number, result in enumerate(results, start=first + 1):
        title = f"{result['title']} › {result['heading']}" if "heading" in result else result["title"]
        strength = f" ({result['strength']})" if "strength" in result else ""
        place = f"#{result['fragment']}" if "fragment" in result else f":{result['line']}"
        lines.append(f"{number}. {result['path']}{place} {title}{strength}")
        lines += [f"> {excerpt}" for excerpt in result.get("excerpts", ())]  # type: ignore[attr-defined]  # a list
    if "next_cursor" in data:
        lines.append(f"next cursor: {data['next_cursor']}")
    return "\n".join([*lines, *(f"note: {notice}" for notice in notices)])


def _head(n_shown: int, total: int, first: int) -> str:
    if not n_shown:
        return "Nothing found; try other or fewer words, or no folder and tags."
    return f"{first + 1} to {first + n_shown} of {total:,} notes. {NOT_INSTRUCTIONS}"


SEARCH_NOTES = Tool(
    name="search_notes",
    title="Search notes",
    description=(
        "Find notes by words and meaning; start here. Name the subject in 2-6 words, or ask in a sentence. "
        'Obsidian syntax filters: "exact phrase", -word, tag:#x, path:x, [property:value], OR. '
        "Read the best with read_note before you answer. strength tells how well a note answers: exact, strong, good, "
        "fair, weak. Cite as path:line, or as path#fragment where a result has one."
    ),
    parameters=(
        QUERY,
        FOLDER,
        TAGS,
        Parameter(name="mode", choices=MODES),
        Number(name="limit", low=1, high=50, usual=10),
        Parameter(name="cursor", description="next_cursor of the same query"),
    ),
    output=object_schema(
        "results total",
        results=list_schema(
            object_schema(
                "path title line",
                path="string",
                title="string",
                heading="string",
                line="integer",
                fragment="string",
                strength="string",
                excerpts=list_schema("string"),
            )
        ),
        total="integer",
        next_cursor="string",
        notices=list_schema("string"),
    ),
    run=search_notes,
)
