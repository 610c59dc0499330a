"""Cuts a note's lines into blocks: headings, paragraphs, list items, tables, code and others.

The trick: the first character of most lines is a letter, which is enough to see that the line is plain text; only the
other lines are matched against a pattern. Quote marks are removed from the caller's list of lines, so that the text of
a quote is scanned by the same rules. `scan_blocks` reads a line only when it gets there, so between two blocks the
caller may blank out lines further down.

Indented code is code, as in CommonMark and in Obsidian: after a blank line, and four columns deeper than the text
around it, which inside a list item is the item's text. Headings in quotes and in list items are text: Obsidian's
outline leaves them out, and a section could not begin there. An unclosed fence reaches to the end of the note, as in
CommonMark. An unclosed comment or formula hides nothing, so that a stray `%%` does not hide the rest of a note.
"""

import re
from collections.abc import Generator, Iterator
from enum import IntEnum


class BlockKind(IntEnum):
    """The kind of a block. From CODE on, nothing in a block is a tag or a link."""

    PARAGRAPH = 0
    ITEM = 1  # the first paragraph of a list item; the rest of the item is in blocks of its own
    HEADING = 2  # `# heading`
    SETEXT = 3  # a paragraph underlined with = or -
    TABLE = 4
    HTML = 5  # from a line that begins with a block-level tag to the next blank line
    CODE = 6  # fenced, indented, or in <pre>, <script>, <style>, <textarea>
    MATH = 7
    COMMENT = 8
    RULE = 9


# A block is (kind, start, end, level): lines `start` to `end`, half-open; `level` is 1..6 for headings and 0 for all
# other blocks. A plain tuple, for speed: every second line of a vault makes a block.
Block = tuple[BlockKind, int, int, int]


_HTML_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu"
    "|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr"
    "|track|ul"
)
# The named group that matched last is the line's kind; if that is `indent`, the line is plain text.
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
_HASHES = re.compile(r"\#{1,6}(?=[ \t]|$)")
_BULLETS = frozenset(("- ", "* ", "+ "))
_MARKED = frozenset("#-*_`~+>|$%<= \t0123456789")
_MARKED_OR_EMPTY = _MARKED | {""}
_VERBATIM_END = re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE)
_BARE_ITEM = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]*+)++$")
_UNDERLINE = re.compile(r"[ \t]*(?:(=)=*|-+)[ \t]*$")
_QUOTE = re.compile(r"[ \t]*> ?")
_CODE_INDENT = 4
_LONGEST = 10_000  # characters of a line that are looked at to tell its kind
_MAX_QUOTE_DEPTH = 16
_PARAGRAPH, _ITEM, _HEADING, _CODE = BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.HEADING, BlockKind.CODE
_CLOSERS = {"%%": "%%", "<!--": "-->"}


def scan_blocks(lines: list[str], start: int = 0) -> Iterator[Block]:
    """The blocks from line `start` on, in order; blank lines are in no block. Removes quote marks from `lines`."""
    return _scan(lines, start, len(lines), 0, set())


def _scan(lines: list[str], at: int, end: int, depth: int, unclosed: set[tuple[str, int]]) -> Iterator[Block]:
    """The blocks of lines `at` to `end`, inside `depth` quotes.

    `unclosed` has each pair (closing sign, end) that a search of the lines up to `end` did not find, so that no line is
    searched twice.
    """
    text_end = -1  # the line after the last paragraph, where indented text continues the paragraph and is not code
    columns: list[int] = []  # the column where the text of each open list item begins
    while at < end:
        line = lines[at]
        if line[:1] not in _MARKED:  # also the empty line, whose first character is ""
            at += 1
            if line:
                columns.clear()
                goes_on = at < end and lines[at]
                alone = _PARAGRAPH, at - 1, at, 0
                block = _paragraph(lines, at - 1, end, _PARAGRAPH, nested=depth > 0) if goes_on else alone
                yield block
                at = block[2]
            continue
        if line[0] == "#" and (hashes := _HASHES.match(line)):
            at += 1
            columns.clear()
            text_end = at if depth else -1
            yield (_PARAGRAPH, at - 1, at, 0) if depth else (_HEADING, at - 1, at, hashes.end())
            continue
        match = _LINE.match(line if len(line) < _LONGEST else _head(line))
        assert match is not None  # noqa: S101 - every part of the pattern may be empty
        kind = match.lastgroup
        if kind == "blank":
            at += 1
            continue
        indent = _column(line, match.end("indent"))
        while columns and indent < columns[-1]:
            columns.pop()
        base = columns[-1] if columns else 0
        if indent - base >= _CODE_INDENT and at != text_end:
            block = _CODE, at, _indented_end(lines, at, end, base + _CODE_INDENT), 0
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
        at = block[2]
        text_end = at if block[0] <= _ITEM and not (block[0] == _ITEM and _BARE_ITEM.match(line[:_LONGEST])) else -1


def _quote(
    lines: list[str], at: int, end: int, depth: int, unclosed: set[tuple[str, int]]
) -> Generator[Block, None, int]:
    """The blocks of the quote at `at`; returns the line after it."""
    stop = _unquote(lines, at, end)
    last = None
    for block in _scan(lines, at, stop, depth + 1, unclosed):
        yield block
        last = block
    if last is None or last[2] != stop or last[0] > _ITEM or _BARE_ITEM.match(lines[stop - 1][:_LONGEST]):
        return stop
    if not _continues(lines, stop, end):
        return stop
    # The paragraph continues on lines without a quote mark; these cannot be the text of an underlined heading.
    beyond = stop
    while _continues(lines, beyond, end):
        beyond, _ = _paragraph_end(lines, beyond, end, in_list=False)
    yield _PARAGRAPH, stop, beyond, 0
    return beyond


def _block(lines: list[str], at: int, end: int, match: re.Match[str], base: int, *, nested: bool) -> Block:
    """The block that begins at line `at`, which is not blank, a quote or a list item."""
    kind = match.lastgroup
    if kind == "atx":
        level = len(match["atx"])
        return (_PARAGRAPH, at, at + 1, 0) if nested else (_HEADING, at, at + 1, level)
    if kind == "rule":
        return BlockKind.RULE, at, at + 1, 0
    if kind == "fence":
        return _CODE, at, _fence_end(lines, at, end, match["fence"], base), 0
    if kind in {"table", "verbatim", "html", "tag"}:
        return _until(lines, at, end, kind)
    return _paragraph(lines, at, end, _PARAGRAPH, nested=nested)


def _until(lines: list[str], at: int, end: int, kind: str) -> Block:
    """The table, verbatim block or HTML block that begins at line `at`."""
    if kind == "table":
        stop = next((n for n in range(at, end) if lines[n].lstrip(" \t")[:1] != "|"), end)
        return BlockKind.TABLE, at, stop, 0
    if kind == "verbatim":
        stop = next((n + 1 for n in range(at, end) if _VERBATIM_END.search(lines[n])), end)
        return _CODE, at, stop, 0
    stop = next((n for n in range(at, end) if not lines[n].strip(" \t")), end)
    return BlockKind.HTML, at, stop, 0


def _item(lines: list[str], at: int, end: int, match: re.Match[str], columns: list[int]) -> Block:
    """A list item's first paragraph or fence; appends the column where the item's text begins to `columns`."""
    line = lines[at] if len(lines[at]) < _LONGEST else _head(lines[at])
    inner: re.Match[str] | None = match
    text = line[match.end("item") :].lstrip(" \t")
    while inner and inner.lastgroup == "item" and len(columns) <= _MAX_QUOTE_DEPTH:
        marker = inner.end("item")
        text = line[marker:].lstrip(" \t")
        start = len(line) - len(text)
        gap = _column(line, start) - _column(line, marker)
        columns.append(_column(line, marker) + (gap if text and gap <= _CODE_INDENT else 1))
        inner = _LINE.match(line, start) if text[:1] in _MARKED else None
    if inner and inner.lastgroup == "fence":
        return _CODE, at, _fence_end(lines, at, end, inner["fence"], columns[-1]), 0
    if not text:
        return _ITEM, at, at + 1, 0
    return _paragraph(lines, at, end, _ITEM, nested=True)


def _head(line: str) -> str:
    """The beginning of a long line, which tells what the line is; it goes on as text."""
    return line[:_LONGEST] + "x"


def _column(line: str, at: int) -> int:
    """The column of the character at index `at`; a tab reaches to the next multiple of four."""
    return len(line[:at].expandtabs(_CODE_INDENT)) if "\t" in line else at


def _paragraph(lines: list[str], at: int, end: int, kind: BlockKind, *, nested: bool) -> Block:
    stop, underline = _paragraph_end(lines, at, end, in_list=nested)
    if not underline:
        return kind, at, stop, 0
    if nested:
        return kind, at, stop + 1 if kind is _PARAGRAPH else stop, 0
    return BlockKind.SETEXT, at, stop + 1, 1 if underline == "=" else 2


def _paragraph_end(lines: list[str], at: int, end: int, *, in_list: bool) -> tuple[int, str]:
    """The line after the paragraph that begins at `at`, and the sign of its underline: "=", "-", or "" for none."""
    for n in range(at + 1, end):
        first = lines[n][:1]
        if first not in _MARKED_OR_EMPTY:
            continue
        line = lines[n]
        if not line or (in_list and line[:2] in _BULLETS and line[2:3].isalpha()):
            return n, ""
        if (stop := _interrupts(line, in_list=in_list)) is not None:
            return n, stop
    return end, ""


def _interrupts(line: str, *, in_list: bool) -> str | None:
    """None if the line continues the paragraph before it, the sign if it underlines that paragraph, else ""."""
    line = line if len(line) < _LONGEST else _head(line)
    match = _LINE.match(line)
    assert match is not None  # noqa: S101 - every part of the pattern may be empty
    kind = match.lastgroup
    if kind == "indent" or kind is None:
        return None
    if kind == "blank":
        return ""
    is_deep = _column(line, match.end("indent")) >= _CODE_INDENT
    can_underline = kind in {"underline", "rule"} or (kind == "item" and not in_list)  # a lone dash may be both
    if can_underline and not is_deep and (underline := _UNDERLINE.match(line)):
        sign = underline[1] or "-"
        return None if in_list and sign == "=" else sign  # in a list, === is text
    if kind == "item":
        # Outside a list, an empty item or a number other than 1 is text: "The year was\n1984. A cold year."
        starts = line[match.end() :].strip(" \t") and (match["item"] in {"-", "*", "+", "1.", "1)"})
        return "" if in_list or (starts and not is_deep) else None
    return None if (is_deep and not in_list) or kind in {"tag", "underline"} else ""


def _continues(lines: list[str], at: int, end: int) -> bool:
    line = lines[at] if at < end else ""
    return line != "" and (line[0] not in _MARKED or _interrupts(line, in_list=False) in {None, "="})


def _indented_end(lines: list[str], at: int, end: int, column: int) -> int:
    last = at
    for n in range(at + 1, end):
        line = lines[n]
        text = line.lstrip(" \t")
        if text and _column(line, len(line) - len(text)) < column:
            break
        if text:
            last = n
    return last + 1


def _fence_end(lines: list[str], at: int, end: int, fence: str, column: int) -> int:
    """The line after the fence's closing line, or the end of the list item that contains the fence."""
    for n in range(at + 1, end):
        line = lines[n]
        text = line.strip(" \t")
        if text.startswith(fence) and not text.strip(fence[0]):
            return n + 1
        if column and text and _column(line, line.index(text[0])) < column:
            return n
    return end


def _unquote(lines: list[str], at: int, end: int) -> int:
    """Remove one quote mark from each line of the quote at `at`; return the line after the quote."""
    while at < end and (mark := _QUOTE.match(lines[at])):
        lines[at] = lines[at][mark.end() :]
        at += 1
    return at


def _hidden(lines: list[str], at: int, end: int, match: re.Match[str], unclosed: set[tuple[str, int]]) -> Block | None:
    """The comment or formula that begins line `at`; None if it is not closed, or closed on that line before other text.

    Text after it on its last line stays there and is scanned as a line of its own.
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
            return BlockKind.MATH if opener == "$$" else BlockKind.COMMENT, at, n + 1, 0
        if n == at:
            return None
        lines[n] = rest
        return BlockKind.MATH if opener == "$$" else BlockKind.COMMENT, at, n, 0
    unclosed.add((closer, end))
    return None
