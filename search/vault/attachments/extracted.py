"""What a parser finds in an attachment: its text with pages and headings, and why it could not be read.

These limits are counts, not a clock, so that the same file is read the same way on every computer.
"""

import json
import re
from typing import Any

from attrs import asdict, define, field, frozen

from search.vault.limits import Full

MAX_CHARS = 4_000_000  # of the text of one file; a book of two thousand pages has as many
MAX_PAGES = 10_000
MAX_HEADINGS = 20_000
MAX_LOST = 5  # reasons
MAX_CAPTION = 300  # characters of a title, a heading or a label
MAX_CAPTIONS = 1_000_000  # characters of all headings and labels
MAX_JSON = 4 * (MAX_CHARS + MAX_CAPTIONS) + 32 * (MAX_PAGES + MAX_HEADINGS) + 2**16
"""Bytes of what `to_json` returns: characters of up to four bytes, the numbers and signs of each page and heading, and
the short texts."""

_UNSEEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\xad\ufdd0-\ufdef\ufeff\ufffe\uffff\ud800-\udfff]")
_LEVELS = range(1, 7)

_STRING = r'"[^"\\\0-\x1f]*+(?:\\(?:["\\bfnrt]|u00[01][0-9a-f])[^"\\\0-\x1f]*+)*+"'
_HEADING = rf"\[\d{{1,9}}, {_STRING}, \d{{1,9}}\]"
_SIZE = r"\[(?:\d{1,9}, \d{1,9})?\]"
_PAGE = rf"\[\d{{1,9}}, {_STRING}\]"


def _rows(row: str, limit: int) -> str:
    """A list of up to `limit` rows."""
    return rf"\[(?:{row}(?:, {row}){{0,{limit - 1}}}+)?+\]"


_JSON = re.compile(
    rf'\{{"text": {_STRING}, "title": {_STRING}, "author": {_STRING}, "headings": {_rows(_HEADING, MAX_HEADINGS)}, '
    rf'"pages": {_rows(_PAGE, MAX_PAGES)}, "size": {_SIZE}, "lost": {_rows(_STRING, MAX_LOST)}, '
    rf'"problem": {_STRING}\}}',
    re.ASCII,
)


class Unreadable(Exception):  # noqa: N818 - the message is the reason
    """The file cannot be read; the message is the reason, to be shown after the name of the file."""


@frozen(kw_only=True)
class Extracted:
    """The text of one file. Lines count from 0."""

    text: str = ""
    title: str = ""  # from the metadata; "" if there is none, or only one that a program made
    author: str = ""
    headings: tuple[tuple[int, str, int], ...] = ()  # level, text, line
    pages: tuple[tuple[int, str], ...] = ()  # first line; label, or "" if it is the page's number from 1
    size: tuple[int, ...] = ()  # width and height of a picture, in pixels
    lost: tuple[str, ...] = ()  # what was left out because of a limit
    problem: str = ""  # why the file has no text


def to_json(found: Extracted) -> str:
    """The JSON that the child process sends and the cache keeps; it has no lone surrogates."""
    return json.dumps(asdict(found), ensure_ascii=False)


def is_from_json(text: str) -> bool:
    """Whether a text could come from `to_json`: the same fields, types and spaces, and no more values than allowed.

    To be asked before the text is decoded, which could take a hundred times its memory otherwise.
    """
    return len(text) <= MAX_JSON and _JSON.fullmatch(text) is not None


def failed(problem: str) -> Extracted:
    """The result for a file that cannot be read."""
    return Extracted(problem=problem)


def one_line(text: str, limit: int = MAX_CAPTION) -> str:
    r"""A text without line breaks and control characters, cut to `limit` characters.

    >>> one_line(" a\0\n b ")
    'a b'
    """
    return " ".join(_UNSEEN.sub("", text[: 4 * limit]).split())[:limit]


@define
class TextBuilder:
    """A text that is put together from its beginning. Each method raises `Full` at a limit."""

    _lines: list[str] = field(factory=list, init=False)
    _headings: list[tuple[int, str, int]] = field(factory=list, init=False)
    _pages: list[tuple[int, str]] = field(factory=list, init=False)
    _n_chars: int = field(default=0, init=False)
    _n_in_captions: int = field(default=0, init=False)

    @property
    def n_lines(self) -> int:
        """How many lines there are so far; the next one gets this number."""
        return len(self._lines)

    @property
    def has_words(self) -> bool:
        """Whether any line has text."""
        return any(self._lines)

    @property
    def page_starts(self) -> list[int]:
        """The first line of each page."""
        return [line for line, _ in self._pages]

    def add(self, text: str) -> None:
        """Add a text of one or more lines."""
        left = MAX_CHARS - self._n_chars
        self._n_chars += len(text) + 1
        lines = _UNSEEN.sub("", text[: max(0, left)].replace("\r\n", "\n").replace("\r", "\n")).split("\n")
        self._lines.extend(" ".join(line.split()) for line in lines)
        if len(text) > left:
            raise Full(f"{MAX_CHARS:,} characters of text")

    def add_heading(self, level: int, text: str, line: int | None = None) -> None:
        """Add a heading at an existing line, or as a new line if `line` is None. A blank one is left out."""
        caption = one_line(text)
        if not caption:
            return
        if len(self._headings) >= MAX_HEADINGS:
            raise Full(f"{MAX_HEADINGS:,} headings")
        if line is None:
            line = len(self._lines)
            self.add(caption)
        self._count(caption)
        self._headings.append((min(max(level, _LEVELS[0]), _LEVELS[-1]), caption, line))

    def add_page(self, label: str = "") -> None:
        """Begin a page at the next line."""
        if len(self._pages) >= MAX_PAGES:
            raise Full(f"{MAX_PAGES:,} pages")
        label = one_line(label, 40)
        self._count(label)
        self._pages.append((len(self._lines), label))

    def _count(self, caption: str) -> None:
        """Count the characters of a heading or a label."""
        if self._n_in_captions + len(caption) > MAX_CAPTIONS:
            raise Full(f"{MAX_CAPTIONS:,} characters of headings")
        self._n_in_captions += len(caption)

    def lines_from(self, start: int, end: int) -> list[str]:
        """The lines from `start` to before `end`."""
        return self._lines[start:end]

    def extracted(self, **more: Any) -> Extracted:  # noqa: ANN401 - the other fields of `Extracted`
        """The text so far, with the other fields of the result."""
        headings = sorted(self._headings, key=lambda heading: heading[2])
        pages = tuple((line, "" if label == str(at) else label) for at, (line, label) in enumerate(self._pages, 1))
        return Extracted(text="\n".join(self._lines), headings=tuple(headings), pages=pages, **more)
