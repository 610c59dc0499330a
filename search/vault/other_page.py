r"""The code page of a Japanese, Russian or Hebrew note that statistics of short texts confuse with others.

The trick: in EUC-JP, kana are the pairs `\xa4?` and `\xa5?`, which Korean and Chinese texts hardly have. In KOI8-R the
common small letters of Russian are most of the bytes outside ASCII. Hebrew has no bytes but its 27 letters, while the
same bytes in Russian come with capitals, or with one of the letters that lie behind.
"""

import re

_RUN = re.compile(rb"[\x80-\xff]+")
_FEWEST = 6  # bytes outside ASCII; fewer say nothing
_LEAST_KANA = 0.25  # of all pairs
_FEWEST_KANA = 3  # different ones; Koreans write the same sign again and again
_KOI8 = frozenset("оеаинтсрвлкмдпу".encode("koi8_r"))
_LEAST_KOI8 = 0.6  # of the bytes outside ASCII; texts have 0.7 to 0.9
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
    if len(other) < _FEWEST:
        return ""
    if _is_euc_jp(runs):
        return "euc_jp"
    if _n_of(_KOI8, other) >= _LEAST_KOI8 * len(other):
        return "koi8_r"
    is_hebrew = all(byte in _HEBREW for byte in other) and _n_of(_COMMON_HEBREW, other) >= _n_of(_COMMON_RUSSIAN, other)
    return "cp1255" if is_hebrew else ""


def _n_of(wanted: frozenset[int], text: bytes) -> int:
    return sum(byte in wanted for byte in text)


def _is_euc_jp(runs: list[bytes]) -> bool:
    if any(len(run) % 2 or min(run) < 0xA1 for run in runs[:-1]):  # the sample may end within the last pair
        return False
    pairs = [run[at : at + 2] for run in runs for at in range(0, len(run) - 1, 2)]
    kana = [pair for pair in pairs if pair[0] in b"\xa4\xa5"]
    return len(set(kana)) >= _FEWEST_KANA and len(kana) >= _LEAST_KANA * len(pairs)
