"""SentencePiece's unigram model: cuts each word into its most likely pieces (Kudo, ACL 2018), as in XLM-RoBERTa.

Text is normalized to NFC, each character is replaced according to the model's own table, and each word begins with a
mark that stands for the blank before it. No piece has that mark inside, so words are cut one by one.

A run of thousands of letters without a blank, as in Chinese, is cut in stretches, so that its beginning can be cut
without the rest. Never raises.
"""

import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence

_BLANK = "\u2581"
_STRETCH = 2_000  # letters; a piece across the end of a stretch is missed, about once in a thousand tokens
_UNKNOWN_PENALTY = 10.0  # below the least likely piece, as in SentencePiece


class Unigram:
    """A vocabulary of pieces with their log-likelihoods, in the order of their ids."""

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], replaced: Mapping[int, str], *, unknown: int
    ) -> None:
        """`replaced` maps a code point to its replacement; `unknown` is the id of letters that no piece covers.

        Pieces with the score 0 are special; no text can contain them.
        """
        self._numbers = {piece: number for number, piece in enumerate(pieces) if scores[number]}
        self._scores = array("f", scores)
        self._replaced = replaced
        self._unknown = unknown
        self._unknown_score = min(scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))

    def cut(self, run: str) -> Iterator[int]:
        """The ids of the pieces of `run`; adjacent letters that no piece covers are one unknown."""
        for start in range(0, len(run), _STRETCH):
            stretch = unicodedata.normalize("NFC", run[start : start + _STRETCH]).translate(self._replaced)
            first, *words = stretch.split(" ")
            yield from self._cut_word(first if start else _BLANK + first) if first else ()
            for word in filter(None, words):
                yield from self._cut_word(_BLANK + word)

    def _cut_word(self, word: str) -> list[int]:
        best = [0.0] + [-float("inf")] * len(word)  # the score of the best cut of the first letters
        last = [(0, self._unknown)] * len(best)  # where the last piece of that cut begins, and its id
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._numbers.get(word[start:end], self._unknown)
                if number == self._unknown and end > start + 1:
                    continue
                score = self._unknown_score if number == self._unknown else self._scores[number]
                if best[start] + score > best[end]:
                    best[end], last[end] = best[start] + score, (start, number)
        return self._trace(last)

    def _trace(self, last: Sequence[tuple[int, int]]) -> list[int]:
        numbers: list[int] = []
        end = len(last) - 1
        while end:
            end, number = last[end]
            if number != self._unknown or numbers[-1:] != [self._unknown]:
                numbers.append(number)
        return numbers[::-1]
