"""Words of a vault that are forms of one word: "index", "indexes", "indexing".

Snowball's stemmers say which are, one for each language that the vault is plainly written in. The tokens of the vault
are stemmed once, and of each stem only a number is kept, eight bytes a token and language; the other forms of a word
are then one comparison away. Nothing is stemmed before the first query, and later only the tokens that are new.

A form is never worth as much as the word that was typed, see `bm25f`. Tokens are folded, so the stemmers see no
accents; they see none on either side, and what is lost by it is little.
"""

import re
from collections.abc import Callable
from itertools import compress

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen
from attrs.validators import ge, le

from search.index.languages import languages_of
from search.index.number_sets import without
from search.index.postings import Postings
from search.index.vocabulary import NO_IDS, Ids, Vocabulary

_GROWTH = 1.125  # so many times the notes, or so many times fewer, and the languages are told anew
_MIN_LETTERS = 3
_FOLDED_SHORT_I = re.compile("(?<=[аеиоуыэюя])и$")

_Hashes = npt.NDArray[np.int64]
_Stem = Callable[[list[str]], list[str]]


@frozen(kw_only=True)
class Stems:
    """Other forms of the words of a query, in the languages that the vault is plainly written in.

    Who types a sentence describes what is looked for, and any form of its words will do; who types a word or two often
    quotes the very form that a name has. And a common word finds enough by itself, while a rare one may stand in the
    right note in another form only.

    weight: the most that forms make of a word's score, 0..1; 1. With 0 they are not looked for.
    common: what is left of that for the commonest of words, 0..1; 0.67 (tests/ranking/PARAMETERS.md has the sweep).
    """

    weight: float = field(default=1.0, validator=[ge(0.0), le(1.0)])
    common: float = field(default=0.67, validator=[ge(0.0), le(1.0)])

    def share(self, n_words: int, rarity: float) -> float:
        """What forms make of a word's score: weight * n / (n + 1) * (common + (1 - common) * rarity), 0..1.

        `n_words` (n) is how many words that can find something the query has, `rarity` (0..1) the word's idf against
        that of a word which one note holds. Never 1, so that the word itself is always worth more.

        >>> stems = Stems(common=0.6)
        >>> stems.share(1, 0.5), stems.share(9, 1.0), stems.share(0, 1.0)
        (0.4, 0.9, 0.0)
        """
        return self.weight * n_words / (n_words + 1.0) * (self.common + (1.0 - self.common) * rarity)


@define(eq=False)
class _Table:
    """The hash of each token's stem; 0 for tokens that have none."""

    stem: _Stem
    hashes: _Hashes = field(factory=lambda: np.empty(0, np.int64))


class StemTable:
    """The stems of a vocabulary, kept up with its growth. Not safe for several threads at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._tables: dict[str, _Table] = {}
        self._languages: tuple[str, ...] = ()
        self._n_notes = 0  # when the languages were told

    def languages(self, postings: Postings) -> tuple[str, ...]:
        """The languages of the vault, told anew when it has grown or shrunk by an eighth."""
        n_notes = len(postings)
        if max(n_notes, self._n_notes) > _GROWTH * min(n_notes, self._n_notes):
            self._languages, self._n_notes = languages_of(self._vocabulary, postings), n_notes
        return self._languages

    def forms(self, word: str, postings: Postings) -> Ids:
        """The tokens with the same stem as the folded `word`, without the word itself; none of what is not letters.

        Some may stand in no note any more.
        """
        if not _is_word(word):
            return NO_IDS
        same = np.zeros(len(self._vocabulary), np.bool_)
        for language in self.languages(postings):
            table = self._table(language)
            (stem,) = table.stem([word])
            same |= table.hashes == hash(stem)
        numbers: Ids = np.flatnonzero(same).astype(np.uint32)
        return without(numbers, self._vocabulary.matching(word, is_whole_word_enough=True).word)

    def _table(self, language: str) -> _Table:
        table = self._tables.get(language)
        if table is None:
            table = self._tables[language] = _Table(_stemmer(language))
        n_known, n_now = len(table.hashes), len(self._vocabulary)
        if n_known < n_now:
            new = [self._vocabulary.token(number) for number in range(n_known, n_now)]
            is_word = np.fromiter(map(_is_word, new), np.bool_, len(new))
            hashes = np.zeros(len(new), np.int64)
            hashes[is_word] = list(map(hash, table.stem(list(compress(new, is_word)))))
            table.hashes = np.concatenate((table.hashes, hashes))
        return table


def _is_word(token: str) -> bool:
    return len(token) >= _MIN_LETTERS and token.isalpha()


def _stemmer(language: str) -> _Stem:
    import Stemmer  # noqa: PLC0415 - only where a vault's language is plain

    stem = Stemmer.Stemmer(language, 0)  # its cache would only hold what is asked once

    def russian(words: list[str]) -> list[str]:
        return list(stem.stemWords([_FOLDED_SHORT_I.sub("й", word) for word in words]))

    return russian if language == "russian" else lambda words: list(stem.stemWords(words))
