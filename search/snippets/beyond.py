"""Excerpts from the rest of a giant note, after the first `MAX_SCANNED` characters that other excerpts come from.

The trick: the rest is searched in pieces of that size, each as a text of its own, until one piece has a match. Lines
and columns are then converted to those of the whole note. Pieces overlap, so that no word is cut in two.

Never costs anything for a note that fits into one piece, and never searches beyond `MAX_REACH` characters.
"""

from collections.abc import Iterator, Sequence

from attrs import evolve

from search.answer.result import Snippet
from search.snippets.excerpts import MAX_SCANNED, excerpts, lines_of
from search.snippets.spots import HighlightTerm
from search.vault.note import Note

MAX_REACH = 10 * 1024 * 1024  # characters, the default limit of a note's size
_OVERLAP = 1_000  # characters; a longer phrase may be missed at the border of two pieces


def excerpts_beyond(note: Note, text: str, terms: Sequence[HighlightTerm], *, n_snippets: int) -> tuple[Snippet, ...]:
    """The best excerpts of the first piece that has a match, best first; none if nothing matches."""
    for begin, line, column in _pieces(text) if terms else ():
        lines = lines_of(text[begin : min(begin + MAX_SCANNED, MAX_REACH)])
        piece = evolve(note, body_line=max(0, note.body_line - line))
        if found := excerpts(piece, lines, terms, n_snippets=n_snippets):
            return tuple(_placed(snippet, line, column) for snippet in found)
    return ()


def _pieces(text: str) -> Iterator[tuple[int, int, int]]:
    """The start of each piece, as an offset in the text and as line and column."""
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
    """The snippet with its place in the whole note; its piece begins at `column` of `line`."""
    if snippet.line:
        return evolve(snippet, line=snippet.line + line)
    return evolve(snippet, line=line, start_char=snippet.start_char + column)
