"""Finds other forms of a word in the vault: "index", "indexes", "indexing".

Forms have the same stem by a Snowball stemmer, one for each language that the vault is written in. Each token is
stemmed once, and only a checksum of its stem is kept: two bytes for each token and language. One comparison of an
array then finds the other forms of a word, and the few tokens that it finds are stemmed again, since different stems
can have the same checksum. Tokens are stemmed at the first query, and later only the new ones.

A form is never worth as much as the word that was typed, see `matching/bm25f`. The stemmers get folded tokens, without
accents; that loses little, because queries and notes are folded alike.
"""

import re
from collections.abc import Callable, Mapping
from zlib import crc32

import numpy as np
import numpy.typing as npt
from attrs import define, field, frozen
from attrs.validators import ge, le

from search.cache.byte_planes import from_planes, to_planes
from search.cache.plain_values import pack, unpack
from search.index.languages import languages_of
from search.index.number_sets import without
from search.index.postings import Postings
from search.index.token_text import blocks
from search.index.vocabulary import NO_IDS, Ids, Vocabulary

_GROWTH = 1.125  # the factor by which the number of notes grows or shrinks before languages are detected again
_MIN_LETTERS = 3
_FOLDED_SHORT_I = re.compile("(?<=[аеиоуыэюя])и$")

_Checksums = npt.NDArray[np.uint16]
_Stem = Callable[[list[str]], list[str]]


@frozen(kw_only=True)
class Stems:
    """Other forms of the words of a query match too, in the languages that the vault is written in.

    Forms count more in a long query: a sentence describes what you look for in any form of its words, while a query of
    one or two words often quotes a name exactly. They also count more for rare words: a common word finds enough notes
    by itself, while the right note may contain a rare word in another form only.

    weight: the upper limit of a form's score relative to the typed word's, 0..1; 0 turns forms off. Default: 1.
    common: the share of that limit which applies to the most common words, 0..1. Default: 0.67; tests/ranking/
        PARAMETERS.md has the measurements.
    """

    weight: float = field(default=1.0, validator=[ge(0.0), le(1.0)])
    common: float = field(default=0.67, validator=[ge(0.0), le(1.0)])

    def share(self, n_words: int, rarity: float) -> float:
        """A form's score relative to the word's own: weight * n / (n + 1) * (common + (1 - common) * rarity), 0..1.

        `n_words` (n) is the number of words in the query that can find notes, `rarity` (0..1) the word's idf divided by
        the idf of a word that occurs in one note. The result is below 1, so the word itself is always worth more.

        >>> stems = Stems(common=0.6)
        >>> stems.share(1, 0.5), stems.share(9, 1.0), stems.share(0, 1.0)
        (0.4, 0.9, 0.0)
        """
        return self.weight * n_words / (n_words + 1.0) * (self.common + (1.0 - self.common) * rarity)


@define(eq=False)
class _Table:
    """The checksum of each token's stem; 0 for tokens that have none."""

    stem: _Stem
    checksums: _Checksums = field(factory=lambda: np.empty(0, np.uint16))


class StemTable:
    """The stems of a vocabulary, kept up to date with its growth. Not thread-safe."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._tables: dict[str, _Table] = {}
        self._languages: tuple[str, ...] = ()
        self._n_notes = 0  # the number of notes when the languages were last detected

    def languages(self, postings: Postings) -> tuple[str, ...]:
        """The languages of the vault, detected again when it has grown or shrunk by an eighth."""
        n_notes = postings.n_counted
        if max(n_notes, self._n_notes) > _GROWTH * min(n_notes, self._n_notes):
            self._languages, self._n_notes = languages_of(self._vocabulary, postings), n_notes
        return self._languages

    def forms(self, word: str, postings: Postings) -> Ids:
        """The tokens with the same stem as the folded `word`, without the word itself.

        Empty for a word that has anything but letters, or fewer than three. Some tokens may be in no note any more.
        """
        if not _is_word(word):
            return NO_IDS
        same = set[int]()
        for language in filter(_has_stemmer, self.languages(postings)):
            table = self._table(language)
            (stem,) = table.stem([word])
            likely = np.flatnonzero(table.checksums == _checksum(stem)).tolist()
            stems = table.stem([self._vocabulary.token(number) for number in likely])
            same |= {number for number, other in zip(likely, stems, strict=True) if other == stem}
        numbers: Ids = np.array(sorted(same), np.uint32)
        return without(numbers, self._vocabulary.matching(word, is_exact=True).word)

    def saved(self) -> dict[str, bytes]:
        """The stems for a snapshot; `restore` reads them. Languages are detected again, as notes may have changed."""
        tables = {f"stems {language}": to_planes(table.checksums) for language, table in self._tables.items()}
        return {"stemmers": pack((_stemmer_version(), list(self._tables))), **tables}

    def restore(self, saved: Mapping[str, bytes]) -> None:
        """Replace empty tables by saved ones, unless another version of the stemmers made them."""
        version, languages = unpack(saved["stemmers"])
        if languages and version == _stemmer_version():
            for language in languages:
                checksums = from_planes(saved[f"stems {language}"], np.dtype(np.uint16))
                self._tables[language] = _Table(_stemmer(language), checksums)

    def _table(self, language: str) -> _Table:
        table = self._tables.get(language)
        if table is None:
            table = self._tables[language] = _Table(_stemmer(language))
        n_known, n_now = len(table.checksums), len(self._vocabulary)
        if n_known < n_now:
            checksums = np.zeros(n_now, np.uint16)
            checksums[:n_known] = table.checksums
            for begin, end in blocks(n_known, n_now):
                new = self._vocabulary.tokens(begin, end)
                at = [begin + number for number, token in enumerate(new) if _is_word(token)]
                stems = table.stem([new[number - begin] for number in at])
                checksums[at] = list(map(_checksum, stems))
            table.checksums = checksums
        return table


def _checksum(stem: str) -> int:
    return crc32(stem.encode("utf-8", "surrogatepass")) % 0xFFFF + 1


def _is_word(token: str) -> bool:
    return len(token) >= _MIN_LETTERS and token.isalpha()


def _stemmer_version() -> str:
    import Stemmer  # noqa: PLC0415 - needed only if a language was detected

    return str(Stemmer.version())


def _has_stemmer(language: str) -> bool:
    import Stemmer  # noqa: PLC0415 - needed only if a language was detected

    return language in Stemmer.algorithms()


def _stemmer(language: str) -> _Stem:
    import Stemmer  # noqa: PLC0415 - needed only if a language was detected

    stem = Stemmer.Stemmer(language, 0)  # without a cache: each word is stemmed once

    def russian(words: list[str]) -> list[str]:
        return list(stem.stemWords([_FOLDED_SHORT_I.sub("й", word) for word in words]))

    return russian if language == "russian" else lambda words: list(stem.stemWords(words))
