"""The scripts that a model reads. The vector of a text in another script looks like any other and means nothing.

A script is a tuple of ranges of code points. Only letters count, or emoji in a text without letters; digits,
punctuation and marks belong to every script.
"""

from bisect import bisect_right
from itertools import chain
from unicodedata import category

Script = tuple[tuple[int, int], ...]  # first and last code points, ascending

FOREIGN_LIMIT = 0.3
"""A text is not embedded if more than this share of its letters is in scripts that the model does not know: its vector
would look like any other and mean nothing (with an English model, Chinese search fell from nDCG@10 .99 to .57)."""

LATIN: Script = (
    (0x41, 0x5A),
    (0x61, 0x7A),
    (0xAA, 0x2FF),
    (0x1D00, 0x1DBF),
    (0x1E00, 0x1EFF),
    (0x2071, 0x209C),  # raised and lowered letters
    (0x2100, 0x214F),  # letter-like symbols: K, Å, ℝ
    (0x2C60, 0x2C7F),
    (0xA720, 0xA7FF),
    (0xAB30, 0xAB6F),
    (0xFB00, 0xFB06),
    (0xFF21, 0xFF3A),
    (0xFF41, 0xFF5A),
)

# The scripts of the hundred languages that XLM-RoBERTa, the base of multilingual-e5, was trained on (Conneau et al.,
# ACL 2020, table 6).
XLM_ROBERTA: Script = (
    *LATIN[:3],
    (0x370, 0x3FF),  # Greek
    (0x400, 0x52F),  # Cyrillic
    (0x531, 0x58A),  # Armenian
    (0x5D0, 0x5F4),  # Hebrew
    (0x620, 0x6FF),  # Arabic
    (0x750, 0x77F),
    (0x8A0, 0x8FF),
    (0x900, 0xDFF),  # Devanagari to Sinhala
    (0xE00, 0xEFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x10A0, 0x10FF),  # Georgian
    (0x1100, 0x11FF),  # Hangul
    (0x1200, 0x139F),  # Ethiopic
    (0x1780, 0x17FF),  # Khmer
    *LATIN[3:4],
    (0x1E00, 0x1FFF),  # Latin and Greek with marks
    *LATIN[5:7],
    (0x2600, 0x27BF),  # symbols and emoji
    *LATIN[7:8],
    (0x3005, 0x3007),  # Han
    (0x3041, 0x318E),  # Kana, Bopomofo, Hangul
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    *LATIN[8:10],
    (0xAC00, 0xD7A3),  # Hangul
    (0xF900, 0xFAFF),  # Han
    *LATIN[10:11],
    (0xFB1D, 0xFDFF),  # Hebrew, Arabic
    (0xFE70, 0xFEFC),
    *LATIN[11:],
    (0xFF66, 0xFFDC),  # Kana, Hangul
    (0x1F300, 0x1FAFF),  # emoji
    (0x20000, 0x323AF),  # Han
)


def foreign_share(text: str, known: Script) -> float:
    """The share of the letters of `text` that are not in `known`, 0 to 1; 0 without letters. ASCII is always known.

    In a text without letters and digits, emoji count as letters.

    >>> foreign_share("tea 茶 2026", LATIN), foreign_share("tea 🍵", LATIN), foreign_share("🍵", LATIN)
    (0.25, 0.0, 1.0)
    """
    if text.isascii():
        return 0.0
    borders = tuple(chain.from_iterable((first, last + 1) for first, last in known))
    letters = tuple(filter(str.isalpha, text)) or _emoji(text)
    n_foreign = sum(bisect_right(borders, ord(letter)) % 2 == 0 for letter in letters)
    return n_foreign / len(letters) if letters else 0.0


def _emoji(text: str) -> tuple[str, ...]:
    """The emoji and other symbols of a text without digits; none for a text with digits."""
    return () if any(map(str.isdigit, text)) else tuple(char for char in text if category(char) == "So")
