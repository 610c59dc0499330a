"""Excerpts from where excerpts else do not look: beyond the first `MAX_SCANNED` characters of a giant note.

The trick: the rest is looked through in pieces of that size, each as a text of its own, and only until one has
something; what is found is told in the lines and columns of the whole. Pieces overlap, so that no word is parted.

Never costs a note anything that is no longer than one piece, and never looks further than `MAX_REACH` characters.
"""

from collections.abc import Iterator, Sequence

from attrs import evolve

from search.answer.result import Snippet
from search.snippets.excerpts import MAX_SCANNED, excerpts, lines_of
from search.snippets.spots import Wanted
from search.vault.note import Note

MAX_REACH = 10 * 1024 * 1024  # what a note may be long by default
_OVERLAP = 1_000  # characters; a longer phrase may be missed where two pieces meet


def excerpts_beyond(note: Note, text: str, wanted: Sequence[Wanted], *, n_snippets: int) -> tuple[Snippet, ...]:
    """The best excerpts of the first piece beyond that has any, best first; none where nothing matches."""
    for begin, line, column in _pieces(text) if wanted else ():
        lines = lines_of(text[begin : min(begin + MAX_SCANNED, MAX_REACH)])
        piece = evolve(note, body_line=max(0, note.body_line - line))
        if found := excerpts(piece, lines, wanted, n_snippets=n_snippets):
            return tuple(_placed(snippet, line, column) for snippet in found)
    return ()


def _pieces(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each piece begins: in the text, and as line and column."""
    line = counted = 0
    for end in range(MAX_SCANNED, min(len(text), MAX_REACH), MAX_SCANNED - _OVERLAP):
        begin = end - _OVERLAP
        begin -= text[begin - 1 : begin + 1] == "\r\n"
        line += text.count("\n", counted, begin)
        if "\r" in text:
            line += text.count("\r", counted, begin) - text.count("\r\n", counted, begin)
        counted = begin
        yield begin, line, begin - 1 - max(text.rfind("\n", 0, begin), text.rfind("\r", 0, begin))


def _placed(snippet: Snippet, line: int, column: int) -> Snippet:
    """A snippet of a piece that begins at `column` of `line`, in the whole."""
    if snippet.line:
        return evolve(snippet, line=snippet.line + line)
    return evolve(snippet, line=line, start_char=snippet.start_char + column)
