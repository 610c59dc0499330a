"""Cuts a long text into pieces, between words where that is possible.

A regular expression holds the interpreter's lock for all of its text, and a list of all words or lines can take many
times the memory of the text. So long texts are worked on piece by piece, and other threads run in between.
"""

from collections.abc import Iterator

MAX_PIECE = 64 * 1024  # characters


def pieces(text: str, *, longest: int = MAX_PIECE) -> Iterator[str]:
    """Pieces of at most `longest` characters, cut behind a line break, else behind a space, else anywhere."""
    at = 0
    while len(text) - at > longest:
        middle, end = at + longest // 2, at + longest
        cut = text.rfind("\n", middle, end)
        if cut < 0:
            cut = text.rfind(" ", middle, end)
        end = end if cut < 0 else cut + 1
        yield text[at:end]
        at = end
    yield text[at:]
