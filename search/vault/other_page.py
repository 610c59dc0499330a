r"""The code page of a Japanese, Russian, Ukrainian or Hebrew note that statistics of short texts confuse with others.

The trick: in EUC-JP, kana are the pairs `\xa4?` and `\xa5?`, which Korean and Chinese texts hardly have. In KOI8 the
common small letters of Russian are most of the bytes outside ASCII. Otherwise, each page of letters is tried: in the
right one the letters are common ones of a language, at places where this language has them. KOI8 or Hebrew is only
returned if it is clearly better than all others; the statistics decide between those.
"""

import re
from collections import Counter
from functools import cache
from itertools import pairwise

_RUN = re.compile(rb"[\x80-\xff]+")
_FEWEST = 6  # bytes outside ASCII; fewer say nothing about Japanese, or the share of common letters
_LEAST_KANA = 0.25  # of all pairs
_FEWEST_KANA = 3  # different ones; Koreans write the same sign again and again
_KOI8 = frozenset("оеаинтсрвлкмдпу".encode("koi8_r"))
_LEAST_KOI8 = 0.6  # of the bytes outside ASCII; texts have 0.7 to 0.9

_RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"  # letters by frequency
_UKRAINIAN = "оанивіетрскмлдпуязьгбчйхцжшюєїщфґ"
_LETTERS = {
    "koi8_r": (_RUSSIAN,),
    "koi8_u": (_UKRAINIAN,),
    "cp1251": (_RUSSIAN, _UKRAINIAN),
    "iso8859_5": (_RUSSIAN,),
    "cp866": (_RUSSIAN,),
    "cp1255": ("יהולאתרבשמענםדחקפכטןצגזסךףץ",),
    "cp1253": ("αοιετσνηυρπκμλςίόωάγδέθήχύφβώξζψϊΐϋΰ",),
}
_KOI8_PAGES = "koi8_r", "koi8_u"
_SAMPLE_BYTES = 4096
_WORD = re.compile(r"[^\x00-\x7f]+")
_MARKS = re.compile("[\xa0–—‘’‚“”„…•‹›«»€₪№°§©®™]+|(?<=[א-ת])[\u05b0-\u05c3]+")
_MISPLACED = re.compile("[םןךףץ](?=[א-ת])|(?<![א-ת\u05b0-\u05c3])[\u05b0-\u05c3]")  # a final letter, or a point
_UNKNOWN = 40  # the rank of what is no letter of the language
_FEWEST_LETTERS = 4  # with three, Korean words in Johab pass as Russian ones
_MOST = 12.0  # the mean rank of the right page is below, mostly about 7
_LEAST_LEAD = 1.0  # over the next page; most sentences have 3 and more
_HEBREW = range(0xE0, 0xFB)  # in cp1255 and ISO 8859-8
_COMMON_HEBREW = frozenset("יוהלאתרמבש".encode("cp1255"))
_COMMON_RUSSIAN = frozenset("оеаинтсрвл".encode("cp1251"))


def other_page(sample: bytes) -> str:
    """The page, or "" if it is not clearly one of these.

    >>> other_page("Завтра мы пойдём в магазин".encode("koi8_r"))
    'koi8_r'
    >>> other_page("Les règles naïves".encode("cp1252"))
    ''
    """
    runs = _RUN.findall(sample)
    other = b"".join(runs)
    if len(other) >= _FEWEST and _is_euc_jp(runs):
        return "euc_jp"
    ranks = {page: _mean_rank(sample[:_SAMPLE_BYTES], page) for page in _LETTERS}
    koi8 = min(_KOI8_PAGES, key=ranks.__getitem__)
    if len(other) >= _FEWEST and _n_of(_KOI8, other) >= _LEAST_KOI8 * len(other):
        return koi8
    others = {page: rank for page, rank in ranks.items() if page not in _KOI8_PAGES} | {koi8: ranks[koi8]}
    first, second = sorted(others, key=others.__getitem__)[:2]
    is_clear = others[first] <= _MOST and others[second] - others[first] >= _LEAST_LEAD
    if is_clear and first in {koi8, "cp1255"}:
        return first
    return "cp1255" if len(other) >= _FEWEST and _has_only_hebrew(other) else ""


def _n_of(wanted: frozenset[int], text: bytes) -> int:
    return sum(byte in wanted for byte in text)


def _has_only_hebrew(other: bytes) -> bool:
    """Whether it may be Hebrew in rare letters, for which the ranks are too high."""
    return all(byte in _HEBREW for byte in other) and _n_of(_COMMON_HEBREW, other) >= _n_of(_COMMON_RUSSIAN, other)


def _mean_rank(sample: bytes, page: str) -> float:
    """The mean rank of the letters outside ASCII, 0 for the commonest only; `_UNKNOWN` with too few letters.

    A capital after a small letter counts as no letter of the language, and so do final letters and points of Hebrew at
    places where none can be.
    """
    text = _MARKS.sub(" ", sample.decode(page, "replace"))
    words = [word for word in _WORD.findall(text) if any(map(str.isalpha, word))]
    n_letters = sum(map(len, words))
    if n_letters < _FEWEST_LETTERS:
        return _UNKNOWN
    n_odd = sum(b.isupper() and a.islower() for word in words for a, b in pairwise(word))
    n_odd += sum(len(_MISPLACED.findall(word)) for word in words)
    n_of = Counter("".join(words).lower())
    sums = [sum(ranks.get(letter, _UNKNOWN) * n for letter, n in n_of.items()) for ranks in _ranks(page)]
    n_ranks: int = min(sums) + _UNKNOWN * n_odd
    return n_ranks / n_letters


@cache
def _ranks(page: str) -> tuple[dict[str, int], ...]:
    return tuple({letter: rank for rank, letter in enumerate(letters)} for letters in _LETTERS[page])


def _is_euc_jp(runs: list[bytes]) -> bool:
    if any(len(run) % 2 or min(run) < 0xA1 for run in runs[:-1]):  # the sample may end within the last pair
        return False
    pairs = [run[at : at + 2] for run in runs for at in range(0, len(run) - 1, 2)]
    kana = [pair for pair in pairs if pair[0] in b"\xa4\xa5"]
    return len(set(kana)) >= _FEWEST_KANA and len(kana) >= _LEAST_KANA * len(pairs)
