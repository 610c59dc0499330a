"""Text brought to one form, so that case, accents and spelling variants of one letter do not hide a note.

Folding is compatibility decomposition (NFKD), full case folding, removal of accents, and recomposition. Accents
are combining marks of the classes that Latin, Greek, Cyrillic, Hebrew and Arabic use; the voicing marks of Kana and
the vowel signs and viramas of Indic scripts make other words and stay.

Never changes the number of lines; may change the length ("Straße" -> "strasse"), hence `fold_with_offsets`.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

# Hebrew and Arabic points are classes 10 to 36; marks above, below and through letters are 200 and up. Between and
# below stand nukta (7), kana voicing (8), virama (9) and the vowel signs of Thai, Lao and Tibetan.
_POINTS = range(10, 37)
_FIRST_ACCENT = 200


def fold(text: str) -> str:
    """`text` as it is compared. Idempotent; the fold of ASCII is its lower case.

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
    """The folded text, and for each of its characters (and its end) the index in `text` where it comes from.

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
    """A table for `str.translate` that learns each character on first sight."""

    def __missing__(self, code: int) -> int | None:
        combining = unicodedata.combining(chr(code))
        self[code] = None if combining >= _FIRST_ACCENT or combining in _POINTS else code
        return self[code]


_WITHOUT_ACCENTS = _WithoutAccents()
