"""Text made safe and fit for a terminal: no control characters, characters of its encoding only, cut to its width.

Nothing that stands in a note, a file name or an argument can control the terminal or make printing fail.
"""

import codecs
import unicodedata

VISIBLE = "visible"
"""The name of an error handler for encoding: typographic characters become ASCII, others are escaped."""

_JOINERS = frozenset("\u200c\u200d")  # not printable in Python's eyes, but needed for Persian words and many emoji
_IN_ASCII = str.maketrans(
    {
        "…": "...",
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": "-",
        "•": "*",
        "\N{NO-BREAK SPACE}": " ",
        "\N{REPLACEMENT CHARACTER}": "?",
    }
)
_WORD_CELLS = 12  # a cut looks this far for the end of a word
_LEAD_SHARE = 3  # a third of the width stands before a match that is far from the line's beginning


def printable(text: str) -> str:
    r"""The text with control characters made visible.

    >>> printable("no\x1b[31m red")
    'no\\x1b[31m red'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _JOINERS else _visible(char) for char in text)


def in_encoding(text: str, encoding: str) -> str:
    r"""The text in characters that the encoding has.

    >>> in_encoding("Café…", "ascii")
    'Caf\\xe9...'
    """
    return text if text.isascii() else text.encode(encoding, VISIBLE).decode(encoding)


def n_cells(text: str) -> int:
    r"""How many cells of a terminal the text takes: two for wide characters, none for combining ones.

    >>> n_cells("望远镜 e\u0301")
    8
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def window(text: str, focus: tuple[int, int], width: int) -> tuple[int, int]:
    """The part of a text of at most `width` cells that shows the characters of `focus`, as far as they fit.

    It starts at the text's beginning if the focus is visible then, and it starts and ends between words if it can.
    """
    cells = [_cells(char) for char in text]
    if sum(cells) <= width:
        return 0, len(text)
    start, stop = focus
    begin = 0
    if sum(cells[:stop]) > width:
        room = max(0, min(width // _LEAD_SHARE, width - sum(cells[start:stop])), width - sum(cells[start:]))
        begin = start
        while begin > 0 and sum(cells[begin - 1 : start]) <= room:
            begin -= 1
        if text[begin - 1 : begin] not in ("", " "):
            blank = text.find(" ", begin, min(start, begin + _WORD_CELLS))
            begin = blank + 1 if blank >= 0 else begin
    end, n_used = begin, 0
    while end < len(text) and n_used + cells[end] <= width:
        n_used += cells[end]
        end += 1
    if end < len(text) and text[end] != " ":
        blank = text.rfind(" ", max(stop, end - _WORD_CELLS, begin + 1), end)
        end = blank if blank >= 0 else end
    return begin, end


def cut(text: str, width: int, ellipsis: str) -> str:
    """The beginning of the text, with an ellipsis if it does not fit."""
    if n_cells(text) <= width:
        return text
    begin, end = window(text, (0, 0), max(0, width - n_cells(ellipsis)))
    return text[begin:end].rstrip() + ellipsis


def cut_start(text: str, width: int, ellipsis: str) -> str:
    """The end of the text, with an ellipsis if it does not fit; of a path the end tells most."""
    if n_cells(text) <= width:
        return text
    begin, room = len(text), max(0, width - n_cells(ellipsis))
    while begin > 0 and n_cells(text[begin - 1 :]) <= room:
        begin -= 1
    return ellipsis + text[begin:]


def wrapped(text: str, width: int | None) -> list[str]:
    """The text in lines of at most `width` cells, broken between words; a longer word has a line of its own.

    >>> wrapped("one two three", 7), wrapped("one two three", None)
    (['one two', 'three'], ['one two three'])
    """
    if width is None or n_cells(text) <= width:
        return [text]
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if n_cells(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line for line in lines if line]


def _cells(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _visible(char: str) -> str:
    return " " if char in "\t\n\r" else f"\\x{ord(char):02x}" if ord(char) < 0x100 else "\N{REPLACEMENT CHARACTER}"


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_IN_ASCII)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


codecs.register_error(VISIBLE, _escape)
