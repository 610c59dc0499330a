"""What a word was meant to be that stands nowhere in the vault: the nearest of the vault's own words.

Near is what few edits make of it: a letter too many, one missing, another one, or two neighbours exchanged (optimal
string alignment): one edit from 4 letters, two from 8. Of words equally near the most frequent is meant; no keyboard
and no language is assumed. For a word still being typed, the beginnings of longer words count too.

The trick: each token has a signature of 64 bits, one for each letter in it (by code point modulo 64). An edit changes
at most two of them, so that a comparison of numbers leaves some hundred of 100,000 tokens to be measured. Nothing is
made before the first unknown word, and later only for the tokens that are new.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.validators import ge, le

from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import is_dense
from search.index.postings import Postings
from search.index.vocabulary import Ids, Vocabulary

_ONE_EDIT, _TWO_EDITS = 4, 8  # letters
# Times as frequent as a word that a note holds must be what is meant instead; places of one still being typed.
_RARE = 10
_MIN_PART = 3  # letters of each of two words written as one
_LONGEST = 40  # letters; what is longer was pasted, and two edits in it are no typing error

_Signatures = npt.NDArray[np.uint64]


@frozen(kw_only=True)
class Typos:
    """Words that the vault has not, or in one note only, taken for near ones that it has.

    weight: what a corrected word counts against one that was typed right, 0..1; 0 switches it off.
    """

    weight: float = field(default=0.8, validator=[ge(0.0), le(1.0)])


@frozen(eq=False)
class Correction:
    """The word that is meant, for people; `numbers` are the tokens of the vault that stand for it."""

    word: str
    numbers: Ids


class Spelling:
    """A vocabulary by letters, kept up with its growth. Not safe for several threads at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._signatures: _Signatures = np.empty(0, np.uint64)
        self._lengths: npt.NDArray[np.int16] = np.empty(0, np.int16)
        self._firsts: npt.NDArray[np.uint32] = np.empty(0, np.uint32)  # each token's first letter

    def correct(self, word: str, postings: Postings, *, is_open: bool, n_known: int = 0) -> Correction | None:
        """What the folded `word` was meant to be, or None.

        `is_open`: it is still being typed. `n_known`: how many notes hold it; of one that any note holds only a
        neighbour by one edit is meant that is ten times as frequent. Words shorter than four letters, with digits or
        signs, or of a script without spaces are never corrected, and nothing is corrected to a glue word.
        """
        n_edits = _edits(word)
        if not n_edits:
            return None
        if n_known:
            return self._nearest(word, postings, n_edits=1, n_least=_RARE * n_known)
        found = self._nearest(word, postings, n_edits=n_edits)
        return self._beginnings(word, postings, n_edits) if found is None and is_open else found

    def split(self, word: str, postings: Postings) -> tuple[str, str] | None:
        """The two words of the vault that the folded `word` is made of, the rarer of them as frequent as can be."""
        if not _edits(word):
            return None
        pairs = [(word[:at], word[at:]) for at in range(_MIN_PART, len(word) - _MIN_PART + 1)]
        sizes = {pair: min(self.size(part, postings) for part in pair) for pair in pairs}
        best = max(sizes, key=lambda pair: (sizes[pair], pair), default=None)
        return best if best is not None and sizes[best] > 0 and not any(map(is_stop_word, best)) else None

    def size(self, word: str, postings: Postings) -> int:
        """How often the vault holds this very word, by notes and fields; 0 of a word that it has not."""
        number = self._vocabulary.matching(word, is_whole_word_enough=True).word
        return int(postings.sizes(number)[0]) if len(number) else 0

    def _nearest(self, word: str, postings: Postings, *, n_edits: int, n_least: int = 1) -> Correction | None:
        self._follow()
        is_near = np.abs(self._lengths - len(word)) <= n_edits
        is_near &= np.bitwise_count(self._signatures ^ _signature(word)) <= 2 * n_edits
        numbers = np.flatnonzero(is_near)
        texts = [self._vocabulary.token(number) for number in numbers.tolist()]
        return self._best(_measured(word, texts, n_edits), texts, numbers, postings, n_least)

    def _beginnings(self, word: str, postings: Postings, n_edits: int) -> Correction | None:
        """The tokens whose beginning is nearest; all of them count, the most frequent is named.

        It is two guesses at once, so the word must be frequent. The first letter must be right: otherwise half of the
        vault would be measured at each key.
        """
        self._follow()
        is_like = (self._firsts == ord(word[0])) & (self._lengths > len(word) - n_edits)
        is_like &= np.bitwise_count(_signature(word) & ~self._signatures) <= n_edits
        numbers = np.flatnonzero(is_like)
        texts = [self._vocabulary.token(number) for number in numbers.tolist()]
        nearest: dict[int, int] = {}
        for length in range(len(word) - n_edits, len(word) + n_edits + 1):
            for at, distance in _measured(word, [text[:length] for text in texts], n_edits):
                nearest[at] = min(distance, nearest.get(at, distance))
        found = self._best(nearest.items(), texts, numbers, postings, _RARE)
        if found is None:
            return None
        least = min(nearest.values())
        of_it = [numbers[at] for at, distance in nearest.items() if distance == least]
        return Correction(found.word, np.array(of_it, np.uint32))

    def _best(
        self,
        measured: Iterable[tuple[int, int]],
        texts: Sequence[str],
        numbers: npt.NDArray[np.int64],
        postings: Postings,
        n_least: int,
    ) -> Correction | None:
        near = [(at, distance) for at, distance in measured if distance and _edits(texts[at], at_least=3)]
        sizes = postings.sizes(numbers[[at for at, _ in near]].astype(np.uint32)).tolist() if near else []
        ranked = sorted(
            (distance, -size, texts[at], at)
            for (at, distance), size in zip(near, sizes, strict=True)
            if size >= n_least
        )
        if not ranked or is_stop_word(ranked[0][2]):
            return None
        *_, word, at = ranked[0]
        return Correction(word, numbers[[at]].astype(np.uint32))

    def _follow(self) -> None:
        n_known, n_now = len(self._signatures), len(self._vocabulary)
        if n_known == n_now:
            return
        new = [self._vocabulary.token(number) for number in range(n_known, n_now)]
        self._signatures = np.concatenate((self._signatures, _signatures(new)))
        self._lengths = np.concatenate((self._lengths, np.fromiter(map(len, new), np.int16, len(new))))
        firsts = np.fromiter((ord(token[0]) for token in new), np.uint32, len(new))
        self._firsts = np.concatenate((self._firsts, firsts))


def _edits(word: str, *, at_least: int = _ONE_EDIT) -> int:
    """How many edits may have spoilt a word; 0 of what is no word of letters."""
    if not at_least <= len(word) <= _LONGEST or is_dense(word) or any(map(str.isdigit, word)):
        return 0
    return 2 if len(word) >= _TWO_EDITS else 1


def _measured(word: str, texts: Sequence[str], n_edits: int) -> list[tuple[int, int]]:
    """The places in `texts` of those at most `n_edits` away, each with its distance."""
    from rapidfuzz import process  # noqa: PLC0415 - 50 ms, and most queries are spelt right
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - as above

    found = process.extract(word, texts, scorer=OSA.distance, score_cutoff=n_edits, limit=None)
    return [(at, int(distance)) for _, distance, at in found]


def _signature(word: str) -> np.uint64:
    return np.uint64(_signatures([word])[0])


def _signatures(words: Sequence[str]) -> _Signatures:
    """A bit for each letter of each word; no word is empty."""
    codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    bits = np.left_shift(np.uint64(1), codes & np.uint64(63))
    return np.bitwise_or.reduceat(bits, np.cumsum(lengths) - lengths)
