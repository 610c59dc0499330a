"""Estimates how many tokens a chat model needs for a text, without a tokenizer, since every model has its own.

The estimate adds up words, digits, punctuation and characters of other scripts, line by line. A word of an English line
is cheap, since tokenizers know most English words as a whole. A line is English if at least a ninth of its words are
among the most common English ones and in no other language; most lines of names, code or another language are not.

The estimate is high on purpose: the weights were fitted so that few texts have more tokens than estimated
(`tests/ranking/TOKENS.md`). A character of a script that was not measured counts as many tokens as UTF-8 bytes, the
most that a tokenizer over bytes can need.

Invariant: lines are estimated independently, so two texts joined by a line break never cost more than their sum and
the break.
"""

import re
from bisect import bisect_right
from functools import cache, lru_cache

_MOST_COMMON = """
    the of and to in is a for that it with on as are be this by an or from at you can not if your have which will was
    when has all but do use no one there more so they we its any only other than then these into their what how also up
    out each such may about been i would like should where them some just were who
"""
_COMMON = frozenset(_MOST_COMMON.split())
_SHARED = "of in is was do to a i no as on or so an also be at by all had we not if can it up use one"  # with others
_TELLING = _COMMON.difference(_SHARED.split())
_ENGLISH_SHARE = 9  # a line is English if one word in so many is common in English only
_WORD = re.compile(r"[A-Za-z]+")
_CAPITAL = re.compile(r"(?<=[A-Za-z])[A-Z]")
_DIGITS = re.compile(r"[0-9]+")
_MARK = re.compile(r"([\x00-\x09\x0b-\x1f!-/:-@\[-`{-\x7f])\1*")  # a mark or control character, and its repetitions
_BLANKS = re.compile(r"  +")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")

# Weights in hundredths of a token.
_COMMON_WORD = 100
_ENGLISH, _ENGLISH_MIDDLE, _ENGLISH_END = 98, 15, 14  # a word, each of its letters 5 to 8, each of 9 to 16
_OTHER, _OTHER_MIDDLE, _OTHER_END = 142, 69, 26  # likewise in lines that are not English
_NO_WORD = 65  # each letter after the 16th
_CAPITAL_INSIDE = 33  # each capital inside a word
_NUMBER, _DIGIT = 95, 45  # a number, and each of its digits
_MARKS, _REPEATED = 82, 20  # a mark, and each repetition of it
_BLANK_RUN, _BLANK = 20, 6  # two or more blanks, and each of them
_LINE_BREAK = 147
_SCRIPTS = (  # first character of a range and the weight of each character in it
    (0x80, 160),  # signs of Latin-1
    (0xC0, 150),  # Latin letters with accents
    (0x250, 200),  # phonetic letters, combining accents
    (0x370, 150),  # Greek
    (0x400, 70),  # Cyrillic
    (0x530, 200),  # Armenian, Hebrew
    (0x600, 120),  # Arabic
    (0x700, 200),
    (0x800, 300),
    (0x900, 240),  # scripts of India
    (0xD00, 280),  # Malayalam, Sinhala
    (0xE00, 300),  # Thai
    (0xE80, 360),  # Lao, whose blanks are tokens too
    (0xF00, 340),  # Tibetan, Georgian, Ethiopian and others
    (0x1E00, 300),  # Vietnamese, old Greek
    (0x2000, 150),  # typographic marks
    (0x2070, 300),  # symbols
    (0x3000, 160),  # marks of East Asia
    (0x3040, 116),  # Hiragana
    (0x30A0, 124),  # Katakana
    (0x3100, 300),
    (0x4E00, 160),  # Han
    (0xA000, 300),
    (0xAC00, 162),  # Hangul
    (0xD7B0, 300),
    (0xFF00, 160),  # fullwidth forms
    (0xFFF0, 300),
    (0x10000, 400),  # emoji and others
)
_FIRSTS, _WEIGHTS = zip(*_SCRIPTS, strict=True)


def estimate_tokens(text: str) -> int:
    """The tokens that a model needs for a text, estimated on the high side; 0 for an empty text.

    >>> estimate_tokens(""), estimate_tokens("The oak is an old tree."), estimate_tokens("櫟")
    (0, 7, 2)
    """
    lines = text.split("\n")
    return -(-(sum(map(_of_line, lines)) + _LINE_BREAK * (len(lines) - 1)) // 100)


@lru_cache(maxsize=16_384)  # a line is estimated alone, in a passage and in the whole text
def _of_line(line: str) -> int:
    """Hundredths of a token in a line."""
    if not line:
        return 0
    words = _WORD.findall(line)
    folded = [word.lower() for word in words]
    others = [len(word) for word in folded if word not in _COMMON]
    n_common = len(words) - len(others)
    if sum(word in _TELLING for word in folded) * _ENGLISH_SHARE >= len(words):
        found = _of_words(others, _ENGLISH, _ENGLISH_MIDDLE, _ENGLISH_END)
    else:
        found = _of_words(others, _OTHER, _OTHER_MIDDLE, _OTHER_END)
    found += n_common * _COMMON_WORD + len(_CAPITAL.findall(line)) * _CAPITAL_INSIDE
    found += sum(_NUMBER + _DIGIT * len(digits) for digits in _DIGITS.findall(line))
    found += sum(_MARKS + _REPEATED * (mark.end() - mark.start() - 1) for mark in _MARK.finditer(line))
    found += sum(_BLANK_RUN + _BLANK * len(blanks) for blanks in _BLANKS.findall(line))
    if not line.isascii():
        found += sum(map(_of_character, _NOT_ASCII.findall(line)))
    return found


def _of_words(lengths: list[int], word: int, middle: int, end: int) -> int:
    """Hundredths of a token in words of these lengths; `word`, `middle` and `end` are the weights of the language."""
    letters = sum(min(length, 8) - 4 for length in lengths if length > 4)
    more = sum(min(length, 16) - 8 for length in lengths if length > 8)
    rest = sum(length - 16 for length in lengths if length > 16)
    return word * len(lengths) + middle * letters + end * more + _NO_WORD * rest


@cache
def _of_character(char: str) -> int:
    return int(_WEIGHTS[bisect_right(_FIRSTS, ord(char)) - 1])
