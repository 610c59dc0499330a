r"""Which 8-bit code page a note in Latin letters was written in: the Western one, or the one of central Europe.

The trick: both give letters to the same bytes, but no language uses all of them. The page is right in which a single
language explains most of what is not ASCII: `\xe8 \xef \xe9` may be French, `\xf8 \xed \xfd` only Czech.

Never leaves the Western page for another that explains no more.
"""

import re
from functools import cache
from itertools import pairwise

PAGES = "cp1252", "cp1250"

_SYMBOLS = (  # of which only the Western page has some
    r"[€„…‹›‘’“”•–—™§©«»®°±µ·×÷\xa0]|¿(?=[^?]*\?)|¡(?=[^!]*!)|£(?=\s?\d)|(?<=\d)[ªº£]|(?<=\d )£|(?<=n)º"
    r"|(?<![^\W\d_])[¼½¾]|\b[cdkm]?m[²³]"
)
_LANGUAGES = {  # where a letter is another's of the other page, the place in the word where this language has it
    "cp1252": (
        r"[àâçéëîôœûüæ]|è(?![aeiou])|ê(?=[bcglmnprstv])|(?<=[aeou])ï|(?<=o)ù\b",  # French
        r"[áâãàçéíóôú]|ê(?=[mns])|(?<=[bcdlrv])ê\b|õ(?=e)",  # Portuguese
        r"[áéíóúüñ]",  # Spanish
        r"[àéóî]|è(?![aeiou])|[ìòù]\b",  # Italian
        r"[àçéíóúü]|[èò](?![aeiou])|(?<=[aeou])ï",  # Catalan
        r"[äöüß]",  # German
        r"[åäöéàü]",  # Swedish, Finnish
        r"[æøåéôó]",  # Danish, Norwegian
        r"[áðéíóúýþæö]",  # Icelandic
        r"[áéíóúëöü]|è(?![aeiou])|(?<=[aeou])ï",  # Irish, Dutch
    ),
    "cp1250": (
        "[ąćęłńóśźż]",  # Polish
        "[áčďéěíňóřšťúůýž]",  # Czech
        "[áäčďéíĺľňóôŕšťúýž]",  # Slovak
        "[áéíóöőúüű]",  # Hungarian
        "[čćđšž]",  # Croatian, Slovene
        "[ăâîşţ]",  # Romanian
    ),
}
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}")
_ASCII = re.compile(rb"[A-Za-z]")
_OTHER = re.compile(rb"[\x80-\xff]")
_FEW_OF_BYTES = 0.3  # of what is not ASCII may stay unexplained
_FEW_OF_LETTERS = 0.25  # and no more than this beside the ASCII letters of the same words: Japanese has hardly any


def latin_page(sample: bytes) -> tuple[str, bool]:
    r"""The likelier of `PAGES`, the first of equals, and whether that is plain enough to ask no further.

    It is not where most words with such bytes have nothing else (Cyrillic), or no language explains enough.

    >>> latin_page("Les règles naïves".encode("cp1252"))
    ('cp1252', True)
    >>> latin_page("Zítra půjdu s přáteli".encode("cp1250"))
    ('cp1250', True)
    """
    explained = {page: _explained(sample.decode(page, "replace"), page) for page in PAGES}
    page = max(PAGES, key=explained.__getitem__)
    words = [word for word in _WORD.findall(sample) if not word.isascii()]
    n_ascii = [len(_ASCII.findall(word)) for word in words]
    n_bytes = len(_OTHER.findall(sample))
    few = min(_FEW_OF_BYTES * n_bytes, _FEW_OF_LETTERS * sum(n_ascii))
    is_latin = not _may_be_utf16(sample) and 2 * n_ascii.count(0) <= len(words)
    return page, is_latin and n_bytes - explained[page] <= few


def _may_be_utf16(sample: bytes) -> bool:
    """Whether there are NULs, or in many an other place the 0x30 of Japanese syllables, which is ASCII's zero."""
    n_zeros = max(sample[::2].count(b"0"), sample[1::2].count(b"0"))
    return b"\0" in sample or n_zeros > 1 + len(sample) // 16


@cache
def _kinds(page: str) -> tuple[re.Pattern[str], ...]:
    """What each language of the page explains; compiled for the first note in such a page, of which most have none."""
    return tuple(re.compile(f"{letters}|{_SYMBOLS}", re.IGNORECASE) for letters in _LANGUAGES[page])


def _explained(text: str, page: str) -> int:
    """How many characters the best language explains; a capital inside a small word speaks against it."""
    n_odd = sum(b > "\x7f" and b.isupper() and a.islower() for a, b in pairwise(text))
    return max(len(kind.findall(text)) for kind in _kinds(page)) - n_odd
