r"""Lines and columns as the language server protocol counts them.

A line ends with `\r\n`, `\n` or `\r` and with nothing else: not with U+2028, NEL or a form feed, at which
`str.splitlines` would cut too and so corrupt every edit below. Columns count UTF-8 bytes, UTF-16 units or characters,
as client and server agreed.
"""

import re
from enum import StrEnum
from itertools import pairwise

_LINE_END = re.compile(r"\r\n|\n|\r")


class Encoding(StrEnum):
    """The unit of a column."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


def split_lines(text: str) -> list[str]:
    r"""The lines of `text` with their ends; the last one has none, and is empty when the text ends with a line end.

    >>> split_lines("a\r\nb\u2028c\r")
    ['a\r\n', 'b\u2028c\r', '']
    """
    ends = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def without_end(line: str) -> str:
    """The line's text alone."""
    return line.rstrip("\r\n")


def units(text: str, encoding: Encoding) -> int:
    """How many columns `text` takes; a lone surrogate counts as the character it stands for."""
    if encoding is Encoding.UTF32 or text.isascii():
        return len(text)
    if encoding is Encoding.UTF16:
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def to_index(text: str, column: int, encoding: Encoding) -> int:
    """The index in `text` of a column: past the end is the end, inside a character is the character's begin.

    >>> to_index("a😀b", 2, Encoding.UTF16), to_index("a😀b", 3, Encoding.UTF16), to_index("a😀b", 99, Encoding.UTF16)
    (1, 2, 3)
    """
    if encoding is Encoding.UTF32 or text.isascii():
        return min(column, len(text))
    at = 0
    for index, char in enumerate(text):
        at += units(char, encoding)
        if at > column:
            return index
    return len(text)
