"""Cuts a note's lines into blocks: headings, paragraphs, list items, tables, code and the rest.

The trick: most lines begin with a letter and are told apart by that one character; only the others meet a pattern.
Quotes are unwrapped in place (the caller's list of lines is the scanner's to change), so that what stands in a quote
is scanned by the same rules. `scan_blocks` looks at a line only when it gets there, so a caller may blank out lines
further down between two blocks.

Indented code is code, as in CommonMark and in Obsidian: four columns deeper than the text around it, after a blank
line, where "around" is the list item it stands in. Headings in quotes and in list items are text: Obsidian's outline
leaves them out, and a section could not begin there. An unclosed fence reaches to the end, as in CommonMark; an
unclosed comment or formula hides nothing, since a stray `%%` must not hide the rest of a note from its reader.
"""

import re
from collections.abc import Generator, Iterator
from enum import IntEnum
from typing import NamedTuple


class BlockKind(IntEnum):
    """What a block is."""

    PARAGRAPH = 0
    ITEM = 1  # the first paragraph of a list item; what follows it in the item is blocks of its own
    HEADING = 2  # `# heading`
    SETEXT = 3  # a paragraph underlined with = or -
    TABLE = 4
    HTML = 5  # from a line that begins with a block-level tag to the next blank line
    CODE = 6  # fenced, indented, or <pre>, <script>, <style>, <textarea>
    MATH = 7
    COMMENT = 8
    RULE = 9


class Block(NamedTuple):
    """Lines `start` to `end`, half-open; `level` is a heading's, 1..6, and 0 for all else."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


_HTML_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu"
    "|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr"
    "|track|ul"
)
# The named group that matched last is the line's kind; no group beyond `indent`: plain text.
_LINE = re.compile(
    r"(?P<indent>[ \t]*+)(?:"
    r"(?P<blank>$)"
    r"|(?P<atx>\#{1,6})(?=[ \t]|$)"
    r"|(?P<rule>(?:-[ \t]*+){3,}$|(?:\*[ \t]*+){3,}$|(?:_[ \t]*+){3,}$)"
    r"|(?P<fence>`{3,}+(?=[^`]*$)|~{3,}+)"
    r"|(?P<item>[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)"
    r"|(?P<quote>>)"
    r"|(?P<table>\|)"
    r"|(?P<math>\$\$)"
    r"|(?P<comment>%%|<!--)"
    r"|(?P<verbatim><(?:pre|script|style|textarea)(?=[\s>]|$))"
    rf"|(?P<html></?(?:{_HTML_BLOCKS})(?=[\s/>]|$))"
    r"|(?P<tag></?[a-z][a-z0-9-]*+(?:[^<>\"']|\"[^\"]*\"|'[^']*')*+>[ \t]*$)"
    r"|(?P<underline>=+[ \t]*$|-+[ \t]*$)"
    r")?",
    re.IGNORECASE,
)
_MARKED = frozenset("#-*_`~+>|$%<= \t0123456789")
_VERBATIM_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_UNDERLINE = re.compile(r"[ \t]*(?:(=)=*|-+)[ \t]*$")
_QUOTE = re.compile(r"[ \t]*> ?")
_CODE_INDENT = 4
_MAX_QUOTE_DEPTH = 16
_CLOSERS = {"%%": "%%", "<!--": "-->"}


def scan_blocks(lines: list[str], start: int = 0) -> Iterator[Block]:
    """The blocks from line `start` on, in order; blank lines belong to none. Changes `lines`: quote marks go."""
    return _scan(lines, start, len(lines), 0, set())


def _scan(lines: list[str], at: int, end: int, depth: int, unclosed: set[tuple[str, int]]) -> Iterator[Block]:
    """`unclosed` remembers which closers do not occur before which line, so that no text is searched for them twice."""
    columns: list[int] = []  # where the text of each open list item begins
    while at < end:
        line = lines[at]
        if line[:1] not in _MARKED:  # also the empty line, whose first character is ""
            if line:
                columns.clear()
                block = _paragraph(lines, at, end, BlockKind.PARAGRAPH, nested=depth > 0)
                yield block
                at = block.end
            else:
                at += 1
            continue
        match = _LINE.match(line)
        assert match is not None  # noqa: S101 - every part of the pattern may be empty
        kind = match.lastgroup
        if kind == "blank":
            at += 1
            continue
        indent = len(match["indent"].expandtabs(_CODE_INDENT)) if match["indent"] else 0
        while columns and indent < columns[-1]:
            columns.pop()
        base = columns[-1] if columns else 0
        if indent - base >= _CODE_INDENT:
            block = Block(BlockKind.CODE, at, _indented_end(lines, at, end, base + _CODE_INDENT))
        elif kind == "quote" and depth < _MAX_QUOTE_DEPTH:
            at = yield from _quote(lines, at, end, depth, unclosed)
            continue
        elif kind == "item":
            block = _item(lines, at, end, match, columns)
        else:
            nested = depth > 0 or bool(columns)
            hidden = _hidden(lines, at, end, match, unclosed) if kind in {"math", "comment"} else None
            block = hidden or _block(lines, at, end, match, base, nested=nested)
        yield block
        at = block.end


def _quote(
    lines: list[str], at: int, end: int, depth: int, unclosed: set[tuple[str, int]]
) -> Generator[Block, None, int]:
    """The blocks of the quote at `at`; returns the line after it."""
    stop = _unquote(lines, at, end)
    last = None
    for block in _scan(lines, at, stop, depth + 1, unclosed):
        yield block
        last = block
    if last is None or last.end != stop or last.kind > BlockKind.ITEM or not _continues(lines, stop, end):
        return stop
    # The paragraph goes on in lines without the mark; these cannot be underlined.
    beyond, _ = _paragraph_end(lines, stop, end, in_list=False)
    yield Block(BlockKind.PARAGRAPH, stop, beyond)
    return beyond


def _block(lines: list[str], at: int, end: int, match: re.Match[str], base: int, *, nested: bool) -> Block:
    """The block that begins at line `at`, which is neither blank nor a quote or list item."""
    kind = match.lastgroup
    if kind == "atx":
        level = len(match["atx"])
        return Block(BlockKind.PARAGRAPH, at, at + 1) if nested else Block(BlockKind.HEADING, at, at + 1, level)
    if kind == "rule":
        return Block(BlockKind.RULE, at, at + 1)
    if kind == "fence":
        return Block(BlockKind.CODE, at, _fence_end(lines, at, end, match["fence"], base))
    if kind in {"table", "verbatim", "html", "tag"}:
        return _until(lines, at, end, kind)
    return _paragraph(lines, at, end, BlockKind.PARAGRAPH, nested=nested)


def _until(lines: list[str], at: int, end: int, kind: str) -> Block:
    """A table or a block of HTML; each ends in its own way."""
    if kind == "table":
        stop = next((n for n in range(at, end) if lines[n].lstrip(" \t")[:1] != "|"), end)
        return Block(BlockKind.TABLE, at, stop)
    if kind == "verbatim":
        stop = next((n + 1 for n in range(at, end) if _VERBATIM_END.search(lines[n])), end)
        return Block(BlockKind.CODE, at, stop)
    stop = next((n for n in range(at, end) if not lines[n].strip(" \t")), end)
    return Block(BlockKind.HTML, at, stop)


def _item(lines: list[str], at: int, end: int, match: re.Match[str], columns: list[int]) -> Block:
    """A list item's first paragraph or fence; `columns` learns where the item's text begins."""
    line = lines[at]
    while True:
        after = match.end("item")
        rest = line[after:]
        gap = len(rest) - len(rest.lstrip(" \t"))
        width = len(line[: after + gap].expandtabs(_CODE_INDENT))
        marker = len(line[:after].expandtabs(_CODE_INDENT))
        columns.append(width if gap and width - marker <= _CODE_INDENT else marker + 1)
        inner = _LINE.match(line, after + gap)
        if inner is None or inner.lastgroup != "item" or len(columns) > _MAX_QUOTE_DEPTH:
            break
        match = inner
    if inner is not None and inner.lastgroup == "fence":
        return Block(BlockKind.CODE, at, _fence_end(lines, at, end, inner["fence"], columns[-1]))
    if gap == len(rest):
        return Block(BlockKind.ITEM, at, at + 1)
    return _paragraph(lines, at, end, BlockKind.ITEM, nested=True)


def _paragraph(lines: list[str], at: int, end: int, kind: BlockKind, *, nested: bool) -> Block:
    stop, underline = _paragraph_end(lines, at, end, in_list=nested)
    if not underline:
        return Block(kind, at, stop)
    if nested:
        return Block(kind, at, stop + 1 if kind is BlockKind.PARAGRAPH else stop)
    return Block(BlockKind.SETEXT, at, stop + 1, 1 if underline == "=" else 2)


def _paragraph_end(lines: list[str], at: int, end: int, *, in_list: bool) -> tuple[int, str]:
    """The line after a paragraph that begins at `at`, and the sign it is underlined with ("" for none)."""
    at += 1
    while at < end:
        line = lines[at]
        first = line[:1]
        if not first:
            return at, ""
        if first in _MARKED and (stop := _interrupts(line, in_list=in_list)) is not None:
            return at, stop
        at += 1
    return at, ""


def _interrupts(line: str, *, in_list: bool) -> str | None:
    """None when the line goes on with the paragraph before it; else "", or the sign that underlines the paragraph."""
    match = _LINE.match(line)
    assert match is not None  # noqa: S101 - every part of the pattern may be empty
    kind = match.lastgroup
    if kind == "indent" or kind is None:
        return None
    if kind == "blank":
        return ""
    is_deep = len(match["indent"].expandtabs(_CODE_INDENT)) >= _CODE_INDENT
    if kind in {"underline", "rule"} and not is_deep and (underline := _UNDERLINE.match(line)):
        return underline[1] or "-"
    if kind == "item":
        # Outside a list an empty item or a number other than 1 is text: "The year was\n1984. A cold year."
        starts = line[match.end() :].strip(" \t") and (match["item"] in {"-", "*", "+", "1.", "1)"})
        return "" if in_list or (starts and not is_deep) else None
    return None if (is_deep and not in_list) or kind in {"tag", "underline"} else ""


def _continues(lines: list[str], at: int, end: int) -> bool:
    return (
        at < end and bool(lines[at]) and (lines[at][0] not in _MARKED or _interrupts(lines[at], in_list=False) is None)
    )


def _indented_end(lines: list[str], at: int, end: int, column: int) -> int:
    last = at
    for n in range(at + 1, end):
        line = lines[n]
        text = line.lstrip(" \t")
        if text and len(line[: len(line) - len(text)].expandtabs(_CODE_INDENT)) < column:
            break
        if text:
            last = n
    return last + 1


def _fence_end(lines: list[str], at: int, end: int, fence: str, column: int) -> int:
    """The line after the fence's closing line, or after the list item that it stands in."""
    for n in range(at + 1, end):
        line = lines[n]
        text = line.strip(" \t")
        if text.startswith(fence) and not text.strip(fence[0]):
            return n + 1
        if column and text and len(line[: line.index(text[0])].expandtabs(_CODE_INDENT)) < column:
            return n
    return end


def _unquote(lines: list[str], at: int, end: int) -> int:
    """Takes one quote mark off each line of the quote at `at`; the line after the quote."""
    while at < end and (mark := _QUOTE.match(lines[at])):
        lines[at] = lines[at][mark.end() :]
        at += 1
    return at


def _hidden(lines: list[str], at: int, end: int, match: re.Match[str], unclosed: set[tuple[str, int]]) -> Block | None:
    """The comment or formula that opens line `at`; None when it is not closed or is closed within a line of text.

    What follows it in its last line stays there, to be scanned as a line of its own.
    """
    opener = match.group().lstrip(" \t")
    closer = _CLOSERS.get(opener, opener)
    if (closer, end) in unclosed:
        return None
    after = match.end()
    for n in range(at, end):
        where = lines[n].find(closer, after if n == at else 0)
        if where < 0:
            continue
        rest = lines[n][where + len(closer) :]
        if not rest.strip(" \t"):
            return Block(BlockKind.MATH if opener == "$$" else BlockKind.COMMENT, at, n + 1)
        if n == at:
            return None
        lines[n] = rest
        return Block(BlockKind.MATH if opener == "$$" else BlockKind.COMMENT, at, n)
    unclosed.add((closer, end))
    return None
