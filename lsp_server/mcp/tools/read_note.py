"""`read_note`: a note, a section or some lines, each line with its number, as many as fit a number of tokens.

Where a page, card or cell begins, a line in parentheses names it.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from lsp_server.mcp.parameters import Arguments, Number, Parameter
from lsp_server.mcp.quoting import LONGEST_NAME, NOT_INSTRUCTIONS, cut, escaped_line, one_line, part_name
from lsp_server.mcp.sections import require_section
from lsp_server.mcp.token_budget import n_tokens_of
from lsp_server.mcp.tool import Answer, Tool, object_schema
from search.analysis.token_estimate import estimate_tokens
from search.answer.context import visible
from search.errors import ConfigError, VaultseekError, shorten

if TYPE_CHECKING:
    from lsp_server.mcp.vaults import ServedVault
    from search.budget import Budget
    from search.navigation.file_parts import FilePart
    from search.vault.note import Note

MAX_TOKENS = Number(name="max_tokens", low=200, high=20_000, usual=4_000)
_LINES = re.compile(r"\s*+(\d{1,9})\s*+(?:(-|to)\s*+(\d{1,9})?+\s*+)?")
_LEAST = 20  # tokens for text
_RESERVED = 10  # tokens for what is known only at the end


@frozen(kw_only=True)
class _Lines:
    """The lines of a note from `start` to `end` (half-open, from 0), which fit."""

    lines: tuple[str, ...]  # numbered from 1, and between them the names of pages, cards or cells
    start: int
    end: int
    is_line_cut: bool  # the only line is too long and was cut


def read_note(vault: "ServedVault", given: Arguments, budget: "Budget") -> Answer:
    """Quote a note, or the part of it that `heading`, else `path`, and `lines` name: those lines of the part."""
    note, fragment = vault.place(given.text("path"), budget)
    library = vault.engine().library(budget=budget)
    lines, parts = library.text(note.id).removesuffix("\n").split("\n"), library.parts(note)
    whole = _part_range(note, parts, fragment, len(lines)) if fragment and parts else (0, len(lines))
    start, end = _range(note, lines, whole, given.text("heading"), given.text("lines"))
    marks = _marks(parts, start)
    path, title = escaped_line(note.id), cut(one_line(note.title), LONGEST_NAME)
    most, overhead = given.number("max_tokens"), _overhead(path, title)
    least = overhead + n_tokens_of(marks.get(start, "")) + _LEAST
    if most < least:
        raise ConfigError("max_tokens", most, f"{least} or more, since this note's path is so long")
    part = _fitting(lines, start, end, marks, most - overhead)
    is_truncated = part.end < end or part.is_line_cut
    data: dict[str, object] = {
        "path": path,
        "title": title,
        "text": "\n".join(part.lines),
        "total_lines": len(lines),
        "truncated": is_truncated,
    }
    if part.end < len(lines):
        data["next_line"] = part.end + 1
    head = f"{path}, lines {part.start + 1} to {part.end} of {len(lines)}. {NOT_INSTRUCTIONS}"
    foot = [f'(truncated; go on with lines "{part.end + 1}-")'] if part.end < end else []
    foot = ["(a line was cut; a larger max_tokens shows more)"] if part.is_line_cut and not foot else foot
    return Answer("\n".join([head, *part.lines, *foot]), data)


def _overhead(path: str, title: str) -> int:
    empty = {"path": path, "title": title, "text": "", "total_lines": 10**6, "truncated": False, "next_line": 10**6}
    foot = "\n(a line was cut; a larger max_tokens shows more)"
    return _RESERVED + max(n_tokens_of(empty), estimate_tokens(f"{path}, lines to of. {NOT_INSTRUCTIONS}{foot}"))


def _marks(parts: "Sequence[FilePart]", start: int) -> Mapping[int, str]:
    """The names of pages, cards or cells by their first line; that of the one which the line `start` is in, by it."""
    marks = {part.line: f"({part_name(part.fragment, part.label)})" for part in parts}
    at = bisect_right(parts, start, key=lambda part: part.line)
    return marks | {start: marks[parts[at - 1].line]} if at else marks


def _fitting(lines: Sequence[str], start: int, end: int, marks: Mapping[int, str], room: int) -> _Lines:
    """The first of the lines, as many as fit `room` tokens, after their marks; at least one, cut if it is too long."""
    kept: list[str] = []
    for number in range(start, end):
        mark = [marks[number]] if number in marks else []
        line = f"{number + 1}| {visible(lines[number])}"
        room -= sum(map(n_tokens_of, mark))  # quotes and escapes count in JSON
        cost = n_tokens_of(line)
        if cost > room and kept:
            return _Lines(lines=tuple(kept), start=start, end=number, is_line_cut=False)
        if cost > room:
            return _Lines(lines=(*mark, _cut_line(line, room)), start=start, end=number + 1, is_line_cut=True)
        kept += [*mark, line]
        room -= cost
    return _Lines(lines=tuple(kept), start=start, end=end, is_line_cut=False)


def _cut_line(line: str, room: int) -> str:
    low, high = 0, len(line)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if n_tokens_of(line[:middle] + "…") <= room else (low, middle - 1)
    return line[:low] + "…"


def _part_range(note: "Note", parts: "Sequence[FilePart]", fragment: str, n_lines: int) -> tuple[int, int]:
    """The lines of the page, card or cell that `fragment` names, half-open, from 0."""
    for name in (fragment, fragment.partition("&")[0]):  # Obsidian's links to a PDF go on with a selection
        for at, part in enumerate(parts, start=1):
            if name in (part.fragment, escaped_line(part.fragment)):
                return part.line, parts[at].line if at < len(parts) else n_lines
    first, last = (part_name(part.fragment) for part in (parts[0], parts[-1]))
    known = first if len(parts) == 1 else f"{len(parts):,} parts from {first} to {last}"
    raise VaultseekError(f"path: {escaped_line(note.id)} has no part {shorten('#' + fragment)}; it has {known}")


def _range(note: "Note", lines: Sequence[str], whole: tuple[int, int], heading: str, wanted: str) -> tuple[int, int]:
    """The lines of `whole`, or those of the section with the `heading`, that are `wanted`; half-open, from 0."""
    start, end = require_section(note, heading) if heading.strip() else whole
    if wanted.strip():
        match = _LINES.fullmatch(wanted)
        if match is None:
            raise ConfigError("lines", wanted, 'a range such as "10-40", "10-" or "10"')
        start = max(start, int(match[1]) - 1)
        end = min(end, int(match[3]) if match[3] else end if match[2] else start + 1)
        if not 0 <= start < end:
            raise ConfigError("lines", wanted, f"a range within the {len(lines):,} lines of {escaped_line(note.id)}")
    return start, min(end, len(lines))


READ_NOTE = Tool(
    name="read_note",
    title="Read a note",
    description=(
        "Read a note, a section of it, or some lines, with line numbers. Give a path from another tool, or a title or "
        "alias; path#page=3, or another fragment, is a part. If truncated, go on at next_line."
    ),
    parameters=(
        Parameter(name="path", is_required=True, description="path, title or alias"),
        Parameter(name="heading"),
        Parameter(name="lines", description='such as "10-40" or "10-"'),
        MAX_TOKENS,
    ),
    output=object_schema(
        "path text total_lines truncated",
        path="string",
        title="string",
        text="string",
        total_lines="integer",
        truncated="boolean",
        next_line="integer",
    ),
    run=read_note,
)
