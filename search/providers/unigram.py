"""SentencePiece's unigram pieces: the likeliest cut of each word (Kudo, ACL 2018), as XLM-RoBERTa has it.

Text is composed, each character replaced as the model's own table says, and each word begun with a mark that stands
for the blank before it. No piece holds that mark further inside, so words are cut one by one.

A run of thousands of letters without a blank, as Chinese may be, is cut by stretches, so that its beginning can be had
alone. Never raises, whatever the text holds.
"""

import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence

_BLANK = "\u2581"
_STRETCH = 2_000  # letters; a piece that would lie across its end is lost, once in a thousand tokens
_UNKNOWN_PENALTY = 10.0  # below the worst piece, as SentencePiece has it


class Unigram:
    """Pieces with their log-likelihoods, in the order of their numbers, and the cutting."""

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], replaced: Mapping[int, str], *, unknown: int
    ) -> None:
        """`replaced` is code point -> what stands for it; `unknown` the number of whatever no piece covers.

        Pieces that score 0 are the special ones, which no text may spell.
        """
        self._numbers = {piece: number for number, piece in enumerate(pieces) if scores[number]}
        self._scores = array("f", scores)
        self._replaced = replaced
        self._unknown = unknown
        self._unknown_score = min(scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))

    def cut(self, run: str) -> Iterator[int]:
        """The numbers of the pieces of `run`; neighbouring characters that no piece covers are one unknown."""
        for start in range(0, len(run), _STRETCH):
            stretch = unicodedata.normalize("NFC", run[start : start + _STRETCH]).translate(self._replaced)
            first, *words = stretch.split(" ")
            yield from self._cut_word(first if start else _BLANK + first) if first else ()
            for word in filter(None, words):
                yield from self._cut_word(_BLANK + word)

    def _cut_word(self, word: str) -> list[int]:
        likeliest = [0.0] + [-float("inf")] * len(word)  # of a cut of the first letters
        last = [(0, self._unknown)] * len(likeliest)  # where its last piece begins, and its number
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._numbers.get(word[start:end], self._unknown)
                if number == self._unknown and end > start + 1:
                    continue
                score = self._unknown_score if number == self._unknown else self._scores[number]
                if likeliest[start] + score > likeliest[end]:
                    likeliest[end], last[end] = likeliest[start] + score, (start, number)
        return self._trace(last)

    def _trace(self, last: Sequence[tuple[int, int]]) -> list[int]:
        numbers: list[int] = []
        end = len(last) - 1
        while end:
            end, number = last[end]
            if number != self._unknown or numbers[-1:] != [self._unknown]:
                numbers.append(number)
        return numbers[::-1]
