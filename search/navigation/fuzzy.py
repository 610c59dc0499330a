r"""Fuzzy search in names, for palettes that search while you type.

    score = tier - 0.05 * (1 - len(query) / len(name))

    tier  1.0       the name equals the query
          0.9       the name begins with the query
          0.8       a word of the name begins with the query
          0.7       the name contains the query
          0.6       the name contains all words of the query
          0.2..0.4  the name contains the letters of the query in order

Letters in order score higher the closer they are: 0.2 + 0.2 * len(query) / (length from the first letter to the last).

The trick: all names, folded, are one string with one name a line. Searching for a text is one fast search in it, and
searching for letters in order one regular expression that never backtracks (`\n[^o\n]*o[^a\n]*a...`). Weaker tiers are
tried only if the better ones found too few names.
"""

import re
from collections.abc import Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from search.analysis.fold import fold

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MAX_QUERY = 100  # characters of the query that count
_MANY = 20_000  # with more matches than this, only those at the beginning of a word are looked at
_MIN_LETTERS = 3  # almost every name contains fewer letters in order
_LENGTH_WEIGHT = 0.05


@frozen(eq=False)
class NameList:
    """Numbered names; `joined` is a line break, then each folded name followed by a line break."""

    joined: str
    starts: Numbers = field(init=False)  # where each name begins
    lengths: Numbers = field(init=False)

    def __attrs_post_init__(self) -> None:
        codes = np.frombuffer(self.joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        breaks = np.flatnonzero(codes == ord("\n"))
        object.__setattr__(self, "starts", breaks[:-1] + 1)
        object.__setattr__(self, "lengths", np.diff(breaks) - 1)

    def __len__(self) -> int:
        return len(self.starts)

    def best(self, query: str, limit: int) -> tuple[Numbers, Floats]:
        """The numbers and scores of the names that match `query`, unordered; at least the `limit` best.

        A blank query matches none.
        """
        wanted = " ".join(fold(query[:MAX_QUERY]).split())
        scores = np.zeros(len(self))
        if wanted:
            self._mark_texts(wanted, scores)
            words = wanted.split(" ")
            if len(words) > 1 and np.count_nonzero(scores) < limit:
                self._mark_words(words, scores)
            letters = "".join(words)
            if len(letters) >= _MIN_LETTERS and np.count_nonzero(scores) < limit:
                self._mark_letters(letters, scores)
        found = np.flatnonzero(scores)
        shorter = np.minimum(len(wanted) / np.maximum(self.lengths[found], 1), 1.0)
        return found, scores[found] - _LENGTH_WEIGHT * (1.0 - shorter)

    def _mark_texts(self, wanted: str, scores: Floats) -> None:
        joined, size = self.joined, len(wanted)
        places: list[int] = []
        if joined.count(wanted) > _MANY:
            places = [match.start() + 1 for lead in "\n " for match in re.finditer(lead + re.escape(wanted), joined)]
        if not places:
            places = [match.start() for match in islice(re.finditer(re.escape(wanted), joined), _MANY)]
        tiers = [
            (1.0 if joined[at + size] == "\n" else 0.9)
            if joined[at - 1] == "\n"
            else (0.7 if joined[at - 1].isalnum() else 0.8)
            for at in places
        ]
        np.maximum.at(scores, self._names_at(places), tiers)

    def _mark_words(self, words: Sequence[str], scores: Floats) -> None:
        held = np.ones(len(self), np.bool_)
        for word in words:
            has_word = np.zeros(len(self), np.bool_)
            has_word[self._names_at([match.start() for match in re.finditer(re.escape(word), self.joined)])] = True
            held &= has_word
        np.maximum(scores, 0.6 * held, out=scores)

    def _mark_letters(self, letters: str, scores: Floats) -> None:
        pattern = "\n" + "".join(f"[^{re.escape(letter)}\n]*{re.escape(letter)}" for letter in letters)
        spans = [match.span() for match in re.finditer(pattern, self.joined)]
        firsts = [self.joined.index(letters[0], start + 1) for start, _ in spans]
        tiers = [0.2 + 0.2 * len(letters) / (end - at) for (_, end), at in zip(spans, firsts, strict=True)]
        np.maximum.at(scores, self._names_at(firsts), tiers)

    def _names_at(self, places: Sequence[int]) -> Numbers:
        numbers: Numbers = np.searchsorted(self.starts, np.asarray(places, np.int64), "right") - 1
        return numbers


def joined(names: Sequence[str]) -> str:
    """Names as one folded line each, with a line break after each."""
    return fold("".join(name.replace("\n", " ") + "\n" for name in names))
