r"""Lines and columns as the language server protocol counts them.

A line ends with `\r\n`, `\n` or `\r` only. `str.splitlines` also splits at U+2028, NEL and form feeds, which would
shift every later edit to a wrong line. Columns count UTF-8 bytes, UTF-16 units or characters, as client and server
agreed.
"""

import re
from enum import StrEnum

_PART = 1 << 18  # characters
_LINE_END = re.compile(r"\r\n|\n|\r")


class PositionEncoding(StrEnum):
    """The unit of a column."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


def split_lines(text: str) -> list[str]:
    r"""The lines of `text` with their ends; the last line has no end and is empty when the text ends with a line end.

    >>> split_lines("a\r\nb\u2028c\r")
    ['a\r\n', 'b\u2028c\r', '']
    """
    if "\r" not in text:
        return _split_at_line_feeds(text)
    lines: list[str] = []
    start = 0
    for found in _LINE_END.finditer(text):
        lines.append(text[start : found.end()])
        start = found.end()
    lines.append(text[start:])
    return lines


def _split_at_line_feeds(text: str) -> list[str]:
    """The lines of a text without carriage returns; split in parts, as no other thread runs during a split."""
    lines: list[str] = []
    at = 0
    while end := text.rfind("\n", at, at + _PART) + 1 or text.find("\n", at + _PART) + 1:
        lines += [line + "\n" for line in text[at : end - 1].split("\n")]
        at = end
    lines.append(text[at:])
    return lines


def without_end(line: str) -> str:
    """The line without its line end."""
    return line.rstrip("\r\n")


def units(text: str, encoding: PositionEncoding) -> int:
    """How many columns `text` takes; a lone surrogate counts like any other character."""
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return len(text)
    if encoding is PositionEncoding.UTF16:
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def to_index(text: str, column: int, encoding: PositionEncoding) -> int:
    """The index in `text` of a column. A column past the end gives the end, one inside a character that character.

    >>> [to_index("a😀b", column, PositionEncoding.UTF16) for column in (2, 3, 99)]
    [1, 2, 3]
    """
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return min(column, len(text))
    at = 0
    for index, char in enumerate(text):
        at += units(char, encoding)
        if at > column:
            return index
    return len(text)
