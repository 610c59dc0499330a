"""A context: the best passages for a question as one text within a budget of tokens, for a model or a person to read.

`render` writes the text. A passage's own text stays as it is in the note; only in the rendered text are control
characters made visible, since a note or a file name must not control whatever shows it.
"""

import re
from collections.abc import Sequence

from attrs import field, frozen

from search.ids import NoteId
from search.notice import Notice

SEPARATOR = " › "
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_LINE_END = re.compile("\r\n?")


@frozen(kw_only=True)
class ContextPassage:
    """A verbatim part of a note: `text == note[start:end]`, in characters of the whole file.

    `lines` is the half-open range of lines that the passage touches, from 0 in the file. `headings` are those above and
    of the passage's first line, the outermost first.
    """

    note: NoteId
    title: str
    start: int
    end: int
    lines: tuple[int, int]
    headings: tuple[str, ...]
    text: str
    rank: int  # of the note in the search, from 1


@frozen(kw_only=True)
class QuestionContext:
    """The passages for one question, in the order of the search, and in each note in the order of its text."""

    text: str  # all passages with their headers and a closing line: what `n_tokens` counts
    passages: tuple[ContextPassage, ...] = ()
    n_tokens: int = 0  # estimated, never more than `max_tokens`
    max_tokens: int
    n_notes: int = 0  # of which passages are shown
    total: int = 0  # notes that the search found
    n_without_vectors: int = 0  # notes of the vault that are not searched by meaning
    n_cut: int = 0  # passages of the best notes that did not fit
    n_repeated: int = 0  # passages whose text is shown already
    notices: tuple[Notice, ...] = ()
    mode: str = "keyword"
    is_complete: bool = True
    generation: int = 0
    terms: tuple[str, ...] = field(default=())


def header(number: int, passage: ContextPassage, *, with_headings: bool = True) -> str:
    """The line above a passage: its number, its note and line from 1, and the headings that it stands under."""
    names = passage.headings if with_headings else ()
    parts = (f"[{number}] {passage.note}:{passage.lines[0] + 1}", *names)
    return SEPARATOR.join(" ".join(visible(part).split("\n")).replace("\t", " ") for part in parts)


def visible(text: str) -> str:
    r"""The text with LF as its line breaks and all other control characters escaped.

    >>> visible("a\r\nb\x1b[31m")
    'a\nb\\x1b[31m'
    """
    return _INVISIBLE.sub(_escape, _LINE_END.sub("\n", text))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def closing(context: QuestionContext) -> str:
    """What the context covers: shown of found, what was cut, notes without vectors."""
    n_passages = len(context.passages)
    if not context.total:
        shown = "Nothing found."
    else:
        shown = (
            f"Shown: {_n(n_passages, 'passage')} of {_n(context.n_notes, 'note')}; found: {_n(context.total, 'note')}."
        )
    cut = f" {_n(context.n_cut, 'passage')} cut." if context.n_cut else ""
    repeated = f" {_n(context.n_repeated, 'passage')} repeated." if context.n_repeated else ""
    missing = f" {_n(context.n_without_vectors, 'note')} without vectors." if context.n_without_vectors else ""
    return f"{shown}{cut}{repeated}{missing}"


def _n(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def render(passages: Sequence[ContextPassage], end: str, *, with_headings: bool = True) -> str:
    """The passages as one text, each under its header, and the closing line at the end."""
    blocks = [
        f"{header(number, passage, with_headings=with_headings)}\n{visible(passage.text)}\n"
        for number, passage in enumerate(passages, 1)
    ]
    return "\n".join([*blocks, end]) + "\n"
