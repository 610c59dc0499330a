"""Folds text, so that a word matches whatever its case, its accents and its variants of a letter.

Folding is compatibility decomposition (NFKD), full case folding, removal of accents, and recomposition (NFC). Accents
are combining marks of the classes that Latin, Greek, Cyrillic, Hebrew and Arabic use. The voicing marks of Kana and
the vowel signs and viramas of Indic scripts are kept, because without them a word becomes another word.

Never changes the number of lines; may change the length ("Straße" -> "strasse"): `fold_with_offsets` maps
positions back.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

# Combining classes: Hebrew and Arabic points have 10 to 36; marks above, below and through letters have 200 and more.
# The others are nukta (7), kana voicing (8), virama (9), and vowel signs of Telugu, Thai, Lao and Tibetan (84 to 132).
_POINTS = range(10, 37)
_FIRST_ACCENT = 200


def fold(text: str) -> str:
    """`text` in the form in which texts are compared. Idempotent; ASCII folds to its lower case.

    >>> fold("Ça Straße İstanbul Ελλάδα ﬁn")
    'ca strasse istanbul ελλαδα fin'
    """
    if text.isascii():
        return text.lower()
    return _fold_unicode(text)


def _fold_unicode(text: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded.translate(_WITHOUT_ACCENTS))


def fold_with_offsets(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and for each of its characters (and for its end) the index in `text` that it comes from.

    Folds grapheme by grapheme, so that a letter and its combining marks map to the letter's index.
    """
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    pieces, starts = _graphemes(text)
    folded = [_fold_piece(piece) for piece in pieces]
    offsets = [start for start, piece in zip(starts, folded, strict=True) for _ in piece]
    return "".join(folded), [*offsets, len(text)]


def _graphemes(text: str) -> tuple[list[str], list[int]]:
    pieces: list[str] = []
    for char in text:
        if pieces and unicodedata.combining(char):
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces, [0, *accumulate(len(piece) for piece in pieces)][:-1] if pieces else []


@lru_cache(maxsize=8192)
def _fold_piece(piece: str) -> str:
    return fold(piece)


class _WithoutAccents(dict[int, int | None]):
    """A table for `str.translate` that computes the entry of a character when it first occurs."""

    def __missing__(self, code: int) -> int | None:
        combining = unicodedata.combining(chr(code))
        self[code] = None if combining >= _FIRST_ACCENT or combining in _POINTS else code
        return self[code]


_WITHOUT_ACCENTS = _WithoutAccents()
