"""A context: the best passages for a question as one text within a budget of tokens, for a model or a person to read.

`render` writes the text. A passage's own text stays as it is in the note; only in the rendered text are control and
invisible characters escaped, so that neither a note nor a file name controls the display that shows it.
"""

import re
import unicodedata
from collections.abc import Sequence

from attrs import frozen

from search.ids import NoteId, has_lines_of_file
from search.notice import Notice

MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS = 100, 1_000_000, 4_000  # limits and default of a context's budget
SEPARATOR = " › "
_KEPT = frozenset("\t\n\u200c\u200d")  # joiners are not printable in Python's eyes, but Persian and emoji need them
_TAB_OR_LF = re.compile("[\t\n]")  # a text keeps them, a header is one line
_MAX_HEADING = 80  # characters; a longer heading is cut in a header
_LINE_END = re.compile("\r\n?")


@frozen(kw_only=True)
class ContextPassage:
    """A verbatim part of a note: `text == note[start:end]`, in characters of the whole file.

    `lines` is the half-open range of lines that the passage touches, from 0 in the file. `headings` are those above the
    passage's first line, its own included, the outermost first. In a file whose own lines no reader sees, `fragment`
    names the page, card or cell of the first line, without `#`, and `lines` are those of the text that is searched.
    """

    note: NoteId
    title: str
    start: int
    end: int
    lines: tuple[int, int]
    headings: tuple[str, ...]
    text: str
    rank: int  # of the note in the search, from 1
    fragment: str = ""
    page: int = 0  # from 1; 0 in a note without pages

    @property
    def place(self) -> str:
        """What follows the path to name the place: `:12` for the first line, `#page=12`, or "" if there is none."""
        if self.fragment:
            return f"#{self.fragment}"
        return f":{self.lines[0] + 1}" if has_lines_of_file(self.note) else ""


@frozen(kw_only=True)
class QuestionContext:
    """The passages for one question, in the order of the search, and in each note in the order of its text.

    If nothing was found, `passages` is empty and `text` is only the closing line.
    """

    text: str  # all passages with their headers, and the closing line
    passages: tuple[ContextPassage, ...] = ()
    n_tokens: int = 0  # of `text`, estimated; never more than `max_tokens`
    max_tokens: int
    n_notes: int = 0  # notes with passages in `text`
    total: int = 0  # notes that the search found
    n_without_vectors: int = 0  # notes of the vault that are not searched by meaning
    n_cut: int = 0  # passages of the best notes that did not fit
    n_repeated: int = 0  # passages left out because another one has the same text
    notices: tuple[Notice, ...] = ()
    mode: str = "keyword"  # this and the next two as in `SearchResult`
    is_complete: bool = True
    generation: int = 0


def header(number: int, passage: ContextPassage) -> str:
    """The line above a passage: its number, its note, its first line (from 1 too) or its page, and its headings.

    A heading of more than 80 characters is cut. Tabs and line breaks, as in the name of a file, are escaped.
    """
    headings = (name if len(name) <= _MAX_HEADING else name[: _MAX_HEADING - 1] + "…" for name in passage.headings)
    parts = (f"[{number}] {passage.note}{passage.place}", *headings)
    return SEPARATOR.join(_TAB_OR_LF.sub(lambda found: escaped(found[0]), visible(part)) for part in parts)


def lines_visible(text: str) -> str:
    r"""The text with LF as its line breaks, and as `visible` otherwise.

    >>> lines_visible("a\r\nb\x1b[31m")
    'a\nb\\x1b[31m'
    """
    return visible(_LINE_END.sub("\n", text))


def visible(text: str) -> str:
    r"""The text with control, invisible and direction-changing characters escaped as in Python's strings.

    Tabs, line feeds, joiners and spaces of all kinds stay as they are.

    >>> visible("no\x1b[31m red\u202e")
    'no\\x1b[31m red\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or _is_kept(char) else escaped(char) for char in text)


def _is_kept(char: str) -> bool:
    return char in _KEPT or unicodedata.category(char) == "Zs"


def escaped(char: str) -> str:
    r"""The character as an escape of Python's strings.

    >>> escaped("\x1b"), escaped("\u202e")
    ('\\x1b', '\\u202e')
    """
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def closing_line(context: QuestionContext, n_passages: int) -> str:
    """The last line, which says what the context covers: shown and found, left out, and notes without vectors.

    `n_passages` counts the passages before those that touch each other were joined.

    >>> closing_line(QuestionContext(text="", max_tokens=100, n_notes=1, total=20, n_cut=3), 2)
    'Shown: 2 passages of 1 note; found: 20 notes. Left out: 3 passages that did not fit.'
    """
    if not context.total:
        shown = "Nothing was found."
    else:
        passages, notes = _n(n_passages, "passage"), _n(context.n_notes, "note")
        shown = f"Shown: {passages} of {notes}; found: {_n(context.total, 'note')}."
    left_out = [
        f"{_n(count, 'passage')} {why}"
        for count, why in ((context.n_cut, "that did not fit"), (context.n_repeated, "with the same text"))
        if count
    ]
    cut = f" Left out: {', '.join(left_out)}." if left_out else ""
    missing = f" Not searched by meaning: {_n(context.n_without_vectors, 'note')}." if context.n_without_vectors else ""
    return f"{shown}{cut}{missing}"


def _n(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def render(passages: Sequence[ContextPassage], last_line: str) -> str:
    """The passages as one text, each under its header, with the closing line at the end."""
    blocks = [
        f"{header(number, passage)}\n{lines_visible(passage.text)}\n" for number, passage in enumerate(passages, 1)
    ]
    return "\n".join([*blocks, last_line]) + "\n"
