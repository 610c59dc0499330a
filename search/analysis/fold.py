"""Folds text, so that a word matches whatever its case, its accents and its variants of a letter.

Folding is compatibility decomposition (NFKD), full case folding, removal of accents, and recomposition (NFC). Accents
are combining marks of the classes that Latin, Greek, Cyrillic, Hebrew and Arabic use. The voicing marks of Kana and
the vowel signs and viramas of Indic scripts are kept, because without them a word becomes another word.
Letters that have no decomposition (ø, ł, œ), and Arabic letters that keyboards exchange, are folded by a table.

Typographic variants become the character on a keyboard: all apostrophes `'`, all double quotes `"`, all dashes `-`.
Invisible characters (soft hyphen, zero-width space and joiners, direction marks, variation selectors) disappear.

Never changes the number of lines; may change the length ("Straße" -> "strasse"): `fold_with_offsets` maps
positions back.

Normalization sorts the marks of a letter in time that grows with the square of their number, and no other thread runs
meanwhile: 40,000 marks take twenty seconds. So a long text is folded in pieces.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

# Combining classes: Hebrew and Arabic points have 10 to 36; marks above, below and through letters have 200 and more.
# The others are nukta (7), kana voicing (8), virama (9), and vowel signs of Telugu, Thai, Lao and Tibetan (84 to 132).
_POINTS = range(10, 37)
_FIRST_ACCENT = 200

# Ready for a character class of a regular expression.
INVISIBLE = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Spacing accents, primes and modifier letters stand for an apostrophe where a keyboard or a program has no better one.
APOSTROPHES = "'`´ʹʻʼʽˈ׳᾽᾿῾΄‘’‚‛′ꞌ＇｀"
_QUOTES = '"ʺ״“”„‟«»‹›″〝〞〟＂'
_LETTERS: dict[str, str | int | None] = {
    **dict(zip("øłđðħŧıکیى", "olddhtiكيي", strict=True)),
    **dict(zip("œæþ", ("oe", "ae", "th"), strict=True)),
    "ـ": None,  # it only stretches a word
}
_FULL_WIDTH = 0xFF01 - 0x21  # from a letter or sign of ASCII to its full-width form
_LONG = 512  # characters; a longer text is folded in pieces
_SHORT = 64  # characters of a piece where nothing separates words, as in a run of marks
_MOST_MARKS = 32  # of a letter that stay with it at the end of such a piece; the most in a real word are five
HYPHENS = "‐‑‒−﹣－"
DASHES = "–—―﹘"


def _char_class(text: str) -> list[int]:
    """The characters of a character class, as code points."""
    codes, at = list[int](), 0
    while at < len(text):
        is_range = text[at + 1 : at + 2] == "-"
        codes += range(ord(text[at]), ord(text[at + 2]) + 1) if is_range else [ord(text[at])]
        at += 3 if is_range else 1
    return codes


_INVISIBLE = frozenset(map(chr, _char_class(INVISIBLE)))
_VARIANTS: dict[int, str | None] = {
    **dict.fromkeys(map(ord, _INVISIBLE)),
    **dict.fromkeys(map(ord, APOSTROPHES), "'"),
    **dict.fromkeys(map(ord, _QUOTES), '"'),
    **dict.fromkeys(map(ord, HYPHENS + DASHES), "-"),
    **{code: chr(code - _FULL_WIDTH) for code in range(0xFF01, 0xFF5F)},
    ord("｀"): "'",
}


def fold(text: str) -> str:
    """`text` in the form in which texts are compared. Idempotent; ASCII folds to its lower case.

    >>> fold("Ça Straße İstanbul Ελλάδα ﬁn")
    'ca strasse istanbul ελλαδα fin'
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    if len(text) > _LONG:
        return "".join([fold(piece) for piece in _pieces(text)])
    return _fold_unicode(text)


def _pieces(text: str) -> Iterator[str]:
    """Pieces of at most `_LONG` characters that fold alone as they do together, unless a letter has too many marks."""
    at = 0
    while len(text) - at > _LONG:
        found = SEPARATE.search(text, at + _LONG // 2, at + _LONG)
        if found:
            end = found.start()
        else:
            ends = range(at + _SHORT, at + _SHORT + _MOST_MARKS)
            end = next((end for end in ends if _begins_letter(text[end])), ends[-1])
        yield text[at:end]
        at = end
    yield text[at:]


def _begins_letter(char: str) -> bool:
    """Whether this character never merges with the one before it."""
    first = _fold_unicode(char)[:1]
    return first.isalnum() and first not in _JAMO


def _fold_unicode(text: str) -> str:
    spaced = _SPACING.sub(_plain, text)
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", spaced).casefold())
    if folded.isascii():
        return folded.replace("`", "'")
    return unicodedata.normalize("NFC", folded.translate(_FINAL))


def unify(text: str) -> str:
    """`text` with its typographic variants replaced and without its invisible characters; the rest stays as written.

    >>> unify("Don’t co\u00adoperate"), unify("x−y — “z”")
    ("Don't cooperate", 'x-y - "z"')
    """
    return _VARIANT.sub(_plain, text)


def visible_end(text: str, start: int, end: int) -> int:
    """`end`, or the place before the invisible characters at the end of `text[start:end]`."""
    while end > start and text[end - 1] in _INVISIBLE:
        end -= 1
    return end


def _plain(match: re.Match[str]) -> str:
    return _VARIANTS[ord(match[0])] or ""


def fold_with_offsets(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and for each of its characters (and for its end) the index in `text` that it comes from.

    Folds grapheme by grapheme, so that a letter with its combining marks and invisible characters maps to its index.
    """
    if text.isascii():
        return fold(text), range(len(text) + 1)
    pieces, starts = _graphemes(text)
    folded = [_fold_piece(piece) for piece in pieces]
    offsets = [start for start, piece in zip(starts, folded, strict=True) for _ in piece]
    return "".join(folded), [*offsets, len(text)]


def _graphemes(text: str) -> tuple[list[str], list[int]]:
    starts = [at for at, char in enumerate(text) if not at or not (unicodedata.combining(char) or char in _INVISIBLE)]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])], starts


@lru_cache(maxsize=8192)
def _fold_piece(piece: str) -> str:
    return fold(piece)


class _Final(dict[int, str | int | None]):
    """A table for `str.translate` without accents and variants; computes the entry of a character when it first occurs.

    Decomposition and case folding produce some variants, so this is the place for all that decomposition keeps.
    """

    def __missing__(self, code: int) -> str | int | None:
        combining = unicodedata.combining(chr(code))
        is_accent = combining >= _FIRST_ACCENT or combining in _POINTS
        self[code] = None if is_accent else _VARIANTS.get(code, code)
        return self[code]


_FINAL = _Final(str.maketrans(_LETTERS))
_SPACING = re.compile("[´᾽᾿῾΄｀″]")  # decomposed, the first ones would be a space, and the last one two apostrophes
# A letter or space that never merges with the character before it, so that a text can be folded in two parts there.
SEPARATE = re.compile(r"[\sA-Za-z0-9\u0400-\u04ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]")
_JAMO = frozenset(map(chr, range(0x1160, 0x1200)))  # the vowels and finals that complete a syllable of Hangul
_VARIANT = re.compile(f"[{INVISIBLE}{APOSTROPHES}{_QUOTES}{HYPHENS}{DASHES}\uff01-\uff5e]")
