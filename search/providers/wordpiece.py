"""BERT's word pieces, uncased (Schuster and Nakajima, ICASSP 2012; Devlin et al., NAACL 2019).

Text is decomposed, lowered and stripped of marks and control characters; each punctuation mark and each ideograph is a
word of its own. Each word is then cut, from the left, into the longest pieces of the vocabulary.

The trick: all work on single characters is one lazily filled table for `str.translate`. Code points that Unicode has
not assigned are kept as letters, so that older and newer versions of Python give the same result.
Never raises; "[CLS]" in a text is ordinary text.
"""

import unicodedata
from collections.abc import Iterator, Sequence

UNKNOWN, START, END = 100, 101, 102

_MAX_WORD = 100  # letters; a longer word is unknown, as in BERT's own code
_DROPPED = frozenset({"Cc", "Cf", "Co", "Cs", "Mn"})
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A vocabulary of pieces in the order of their ids."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}

    def cut(self, run: str) -> Iterator[int]:
        """The ids of the pieces of `run`; UNKNOWN for a word that they do not cover."""
        for word in unicodedata.normalize("NFD", run).translate(_CHARACTERS).split():
            yield from self._cut_word(word)

    def _cut_word(self, word: str) -> list[int]:
        numbers: list[int] = []
        prefix, rest = "", word if len(word) <= _MAX_WORD else "\0"
        while rest:
            end = next((end for end in range(len(rest), 0, -1) if prefix + rest[:end] in self._numbers), 0)
            if not end:
                return [UNKNOWN]
            numbers.append(self._numbers[prefix + rest[:end]])
            prefix, rest = "##", rest[end:]
        return numbers


class _Characters(dict[int, str]):
    """Code point of decomposed text -> its replacement, computed on first use."""

    def __missing__(self, point: int) -> str:
        plain = _plain(chr(point))
        self[point] = plain
        return plain


def _plain(char: str) -> str:
    category = unicodedata.category(char)
    if category.startswith("Z"):
        return " "
    if category in _DROPPED or char == "\ufffd":
        return ""
    is_ascii_symbol = char.isascii() and not char.isalnum()
    if is_ascii_symbol or category.startswith("P") or _is_ideograph(ord(char)):
        return f" {char} "
    return char.lower()


def _is_ideograph(point: int) -> bool:
    return any(first <= point <= last for first, last in _IDEOGRAPHS)


_CHARACTERS = _Characters()
