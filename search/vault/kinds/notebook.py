"""Jupyter notebooks: the text and the code of the cells, without outputs, which programs make again."""

import re

from search.vault.kinds.json_text import clean, objects_in, read_object
from search.vault.kinds.reading import MarkdownPart, Reading, unread
from search.vault.limits import left_out
from search.vault.lines import split_lines

MAX_CELLS = 20_000
MAX_CHARS = 1_000_000  # of all cells
_FENCE = re.compile("`{3,}")
_LANGUAGE = re.compile(r"[\w+#-]{1,20}")


def read_notebook(text: str) -> Reading:
    """The cells of a notebook of any format; code is fenced. An empty file is an empty notebook."""
    value, problem = read_object(text, "notebook")
    if problem:
        return unread(problem)
    sheets = objects_in(value, "worksheets")  # until format 3
    cells = [*objects_in(value, "cells"), *(cell for sheet in sheets for cell in objects_in(sheet, "cells"))]
    lost = left_out(len(cells), MAX_CELLS, "cells")
    cells = cells[:MAX_CELLS]
    language = _language(value)
    lines: list[str] = []
    parts: list[MarkdownPart] = []
    keys: list[tuple[int, str]] = []
    n_chars = 0
    for number, cell in enumerate(cells):
        if n_chars > MAX_CHARS:
            lost += left_out(len(cells), number, "cells")
            break
        source = _source(cell)
        if not source.strip():
            continue
        n_chars += len(source)
        lines += [""] if lines else []
        start = len(lines)
        keys.append((start, str(number + 1)))
        lines += _fenced(source, language) if cell.get("cell_type") == "code" else _shown(cell, source)
        parts.append(MarkdownPart(start, len(lines)))
    return Reading(text="\n".join(lines), markdown=tuple(parts), keys=tuple(keys), lost=tuple(lost))


def _source(cell: dict[str, object]) -> str:
    """The text of a cell: one text, or a list of lines."""
    found = cell.get("source", cell.get("input"))
    pieces = found if isinstance(found, list) else [found]
    text = "".join(piece for piece in pieces if isinstance(piece, str))
    return clean(text).strip("\n")


def _shown(cell: dict[str, object], source: str) -> list[str]:
    """The lines of a cell with text; in formats up to 3 a heading is a cell of its own."""
    level = cell.get("level")
    if cell.get("cell_type") == "heading" and isinstance(level, int) and 1 <= level <= 6:
        return ["#" * level + " " + " ".join(source.split())]
    return split_lines(source)


def _fenced(source: str, language: str) -> list[str]:
    longest = max(map(len, _FENCE.findall(source)), default=2)
    fence = "`" * (longest + 1)
    return [fence + language, *split_lines(source), fence]


def _language(value: dict[str, object]) -> str:
    """The language of the code, if the notebook names it."""
    metadata = value.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name if isinstance(name, str) and _LANGUAGE.fullmatch(name) else ""
