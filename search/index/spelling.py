"""Corrects misspelled words to the nearest words of the vault.

Words are near if few edits lead from one to the other: one edit from 4 letters on, two from 8 on. An edit adds, removes
or replaces a letter, or swaps two neighbours (optimal string alignment distance). Of equally near words the most
frequent wins, then the first in the alphabet. No keyboard and no language is assumed. A word of at least 5 letters that
is still being typed is also compared with the beginnings of longer words; these are at least as long as the word, so
that `dome` is not corrected to `doesn` by its beginning `doe`.

The trick: each token has a signature of 32 bits, with a bit set for each of its letters (code point modulo 32, which
tells the letters of an alphabet apart). One edit changes at most two bits, so comparing signatures leaves about a
hundred of 100,000 tokens whose distance must be computed. Signatures are computed at the first unknown word, and later
only for new tokens.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.validators import ge, le

from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import is_dense
from search.index.postings import Postings
from search.index.token_text import blocks
from search.index.vocabulary import Ids, Vocabulary

_ONE_EDIT, _TWO_EDITS = 4, 8  # letters
_MIN_BEGINNING = 5  # letters of a word that is both corrected and completed
# A correction must be so many times as frequent as a word that the vault has, and have so many postings if the word is
# still being typed.
_RARE = 10
_MIN_PART = 3  # letters of each of two words written as one
_LONGEST = 40  # letters; a longer word was pasted, and two edits in it are not a typing error

_BITS = 32  # of a signature
_MAX_LENGTH = 255  # a longer token counts as having this length

_Signatures = npt.NDArray[np.uint32]


@frozen(kw_only=True)
class Typos:
    """Misspelled words match similar ones: words that no note contains, or only one.

    weight: the weight of a corrected word relative to one that was typed correctly, 0..1; 0 turns corrections off.
    """

    weight: float = field(default=0.8, validator=[ge(0.0), le(1.0)])


@frozen(eq=False)
class Correction:
    """The corrected word, for display, and the tokens of the vault that match it."""

    word: str
    token_ids: Ids


class Spelling:
    """Corrections from a vocabulary, kept up to date with its growth. Not thread-safe."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._signatures: _Signatures = np.empty(0, np.uint32)
        self._lengths: npt.NDArray[np.uint8] = np.empty(0, np.uint8)

    def correct(self, word: str, postings: Postings, *, is_prefix: bool, n_known: int = 0) -> Correction | None:
        """The correction of the folded `word`, or None.

        `is_prefix`: the word is still being typed. `n_known`: how many notes contain it; if any, only a word one edit
        away that is ten times as frequent is a correction. Words of fewer than 4 or more than 40 letters, with digits,
        or in a script without spaces are never corrected, and stop words are never corrections.
        """
        n_edits = _edits(word)
        if not n_edits:
            return None
        if n_known:
            return self._nearest(word, postings, n_edits=1, n_least=_RARE * n_known)
        found = self._nearest(word, postings, n_edits=n_edits)
        is_open = found is None and is_prefix and len(word) >= _MIN_BEGINNING
        return self._nearest_beginning(word, postings, n_edits) if is_open else found

    def split(self, word: str, postings: Postings) -> tuple[str, str] | None:
        """The two words of the vault that make up the folded `word`, or None.

        Of several pairs, the one whose rarer word is the most frequent wins. No part is a stop word.
        """
        if not _edits(word):
            return None
        pairs = [(word[:at], word[at:]) for at in range(_MIN_PART, len(word) - _MIN_PART + 1)]
        sizes = {pair: min(self._n_postings(part, postings) for part in pair) for pair in pairs}
        best = max(sizes, key=lambda pair: (sizes[pair], pair), default=None)
        return best if best is not None and sizes[best] > 0 and not any(map(is_stop_word, best)) else None

    def _n_postings(self, word: str, postings: Postings) -> int:
        """The number of postings of exactly this word; 0 for an unknown one."""
        number = self._vocabulary.matching(word, is_exact=True).word
        return int(postings.sizes(number)[0]) if len(number) else 0

    def _nearest(self, word: str, postings: Postings, *, n_edits: int, n_least: int = 1) -> Correction | None:
        self._update()
        is_near = (self._lengths >= len(word) - n_edits) & (self._lengths <= len(word) + n_edits)
        is_near &= np.bitwise_count(self._signatures ^ _signature(word)) <= 2 * n_edits
        numbers = np.flatnonzero(is_near)
        texts = [self._vocabulary.token(number) for number in numbers.tolist()]
        return self._best(_distances(word, texts, n_edits), texts, numbers, postings, n_least)

    def _nearest_beginning(self, word: str, postings: Postings, n_edits: int) -> Correction | None:
        """The tokens with the nearest beginning: all of them match, and the most frequent one is displayed.

        The displayed word must be frequent, since it is a guess of both a correction and a completion. The first letter
        must be right: otherwise the distance to half of the vocabulary would be computed at each key press.
        """
        self._update()
        is_like = np.bitwise_count(_signature(word) & ~self._signatures) <= n_edits
        is_like &= self._lengths > len(word)
        numbers = self._vocabulary.beginning_with(word[0], np.flatnonzero(is_like))
        texts = [self._vocabulary.token(number) for number in numbers.tolist()]
        nearest: dict[int, int] = {}
        for length in range(len(word), len(word) + n_edits + 1):
            for at, distance in _distances(word, [text[:length] for text in texts], n_edits):
                nearest[at] = min(distance, nearest.get(at, distance))
        found = self._best(nearest.items(), texts, numbers, postings, _RARE)
        if found is None:
            return None
        least = min(nearest.values())
        token_ids = [numbers[at] for at, distance in nearest.items() if distance == least]
        return Correction(found.word, np.array(token_ids, np.uint32))

    def _best(
        self,
        distances: Iterable[tuple[int, int]],
        texts: Sequence[str],
        numbers: npt.NDArray[np.int64],
        postings: Postings,
        n_least: int,
    ) -> Correction | None:
        near = [(at, distance) for at, distance in distances if distance and _edits(texts[at], at_least=3)]
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

    def _update(self) -> None:
        """Add the tokens that are new in the vocabulary."""
        n_known, n_now = len(self._signatures), len(self._vocabulary)
        if n_known == n_now:
            return
        signatures, lengths = [self._signatures], [self._lengths]
        for begin, end in blocks(n_known, n_now):
            new = self._vocabulary.tokens(begin, end)
            signatures.append(_signatures(new))
            n_each = np.fromiter(map(len, new), np.int64, len(new))
            lengths.append(np.minimum(n_each, _MAX_LENGTH).astype(np.uint8))
        self._signatures, self._lengths = np.concatenate(signatures), np.concatenate(lengths)


def _edits(word: str, *, at_least: int = _ONE_EDIT) -> int:
    """How many edits may lie between a word and its correction; 0 if the word cannot be corrected."""
    if not at_least <= len(word) <= _LONGEST or is_dense(word) or any(map(str.isdigit, word)):
        return 0
    return 2 if len(word) >= _TWO_EDITS else 1


def _distances(word: str, texts: Sequence[str], n_edits: int) -> list[tuple[int, int]]:
    """The positions of the texts that are at most `n_edits` away, each with its distance."""
    from rapidfuzz import process  # noqa: PLC0415 - 50 ms, and most queries have no misspelled word
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - the same package

    found = process.extract(word, texts, scorer=OSA.distance, score_cutoff=n_edits, limit=None)
    return [(at, int(distance)) for _, distance, at in found]


def _signature(word: str) -> np.uint32:
    return np.uint32(_signatures([word])[0])


def _signatures(words: Sequence[str]) -> _Signatures:
    """The signature of each word; no word may be empty."""
    codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    bits = np.left_shift(np.uint32(1), codes & np.uint32(_BITS - 1))
    return np.bitwise_or.reduceat(bits, np.cumsum(lengths) - lengths)
