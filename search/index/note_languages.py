"""The language of each note of a vault, and whether a query is in a language that a model cannot read.

A note is judged by the common words in its text, see `languages`. It is in another language than English only if that
language has `_MORE` common words more than English, or if its letters have many accents and almost no English word is
among its words. Lists, code and short notes have no language, and any model may read them. Those whose letters are
mostly not Latin are known by themselves, so that they can be counted.

A query is too short for that. It is judged by the notes that its words occur in: a word that occurs in a larger share
of the German notes than of the English ones speaks for German. So a query in a vault without a foreign note is never
foreign, whatever its words are.
"""

import re
from collections.abc import Iterable
from math import log

import numpy as np
import numpy.typing as npt

from search.analysis.tokens import tokens
from search.ids import NoteId
from search.index.languages import COMMON_WORDS
from search.index.number_sets import distinct
from search.index.postings import Postings
from search.index.token_text import blocks
from search.index.vocabulary import NUMBER_BITS, Ids, Vocabulary
from search.providers.scripts import FOREIGN_LIMIT, LATIN, foreign_share

ENGLISH, OTHER = "english", "other"
_OTHER_SCRIPT = "other script"  # in snapshots
_LANGUAGES = tuple(COMMON_WORDS)
_AT_ENGLISH = _LANGUAGES.index(ENGLISH)
_MIN_WORDS = 3  # different common words
_MORE = 2  # than of English, as German prose has "in" and "was", and Danish prose "at" and "for"
_MIN_ACCENTS = 0.03  # of the letters: English has 0, German and Spanish 0.02, Turkish 0.1, Czech 0.13
_N_SAMPLED = 4000  # characters in which accents and letters of other scripts are counted
_N_LETTERS = 40  # fewer are a name or two
_LETTER, _ACCENTED = re.compile(r"[^\W\d_]"), re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff]")

# A word may be a name or the subject, such as "kindergarten", so that it says little. A common word says more.
_MOST, _MOST_COMMON = 1.5, 3.0
_MOST_PRIOR = 4.0  # how much the vault says before a word is read: notes fifty to one
_LISTED = 0.2  # a word in a language's list counts as if this share of its notes contained it

_SHORT = 1 << 63  # the bit of words with two letters: lists of codes have them too, as "de, en, vi"
_BITS: dict[str, int] = {}  # common word -> a bit for each of its languages
_PLACES = np.arange(len(_LANGUAGES), dtype=np.uint64)
for _at, _words in enumerate(COMMON_WORDS.values()):
    for _word in filter(lambda word: len(word) > 1, _words):  # single letters are also options and variables
        _BITS[_word] = _BITS.get(_word, 0) | 1 << _at | (0 if len(_word) > 2 else _SHORT)


class NoteLanguages:
    """The languages of a vault's notes. Not thread-safe."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._is_common: npt.NDArray[np.bool_] = np.empty(0, np.bool_)  # of each token
        self._bits: dict[int, int] = {}  # common token -> the languages in which it is
        self._of: dict[NoteId, str] = {}  # without notes that have no language
        self._in_other_script: set[NoteId] = set()  # notes without a language, in another script than Latin
        self._foreign: tuple[Postings, frozenset[str], npt.NDArray[np.bool_], npt.NDArray[np.bool_]] | None = None

    def of(self, note: NoteId) -> str:
        """The note's language by Snowball's name, "other" for one without a list, or "" if it cannot be told."""
        return self._of.get(note, "")

    def unreadable(self, readable: frozenset[str]) -> set[NoteId]:
        """The notes in other languages than `readable`, and notes without a language that are mostly not Latin.

        A Latin name or passage of the latter may have a vector all the same. Any thread may call it.
        """
        of = self._of.copy()  # in one step, as another thread may judge a note meanwhile
        return {note for note, language in of.items() if language not in readable} | self._in_other_script

    def update(self, note: NoteId, numbers: Ids, text: str) -> None:
        """Judge a note by its text and the numbers of the text's tokens, each as often as it occurs."""
        self._learn_words()
        words = numbers[numbers <= NUMBER_BITS]  # parts of words may be anything
        common = distinct(words[self._is_common[words]]).tolist()
        language = _judge(np.array([self._bits[number] for number in common], np.uint64), text)
        if language:
            self._of[note] = language
        else:
            self._of.pop(note, None)
        if not language and foreign_share(text[:_N_SAMPLED], LATIN) > FOREIGN_LIMIT:
            self._in_other_script.add(note)
        else:
            self._in_other_script.discard(note)

    def remove(self, note: NoteId) -> None:
        """Forget a note; an unknown one is ignored."""
        self._of.pop(note, None)
        self._in_other_script.discard(note)

    def saved(self) -> dict[NoteId, str]:
        """The languages for a snapshot; `restore` reads them."""
        return self._of | dict.fromkeys(self._in_other_script, _OTHER_SCRIPT)

    def restore(self, saved: dict[NoteId, str]) -> None:
        """Take over saved languages; there must be none yet."""
        self._in_other_script = {note for note, language in saved.items() if language == _OTHER_SCRIPT}
        self._of = {note: language for note, language in saved.items() if language != _OTHER_SCRIPT}

    def is_foreign(self, query: str, readable: frozenset[str], postings: Postings) -> bool:
        """Whether a query is probably in another language than `readable`.

        Each word speaks for a foreign language by the logarithm of its share of foreign notes over its share of
        readable ones, at most `_MOST` or, if it is common in a language, `_MOST_COMMON`. A word that no note contains
        and no list has says nothing. The sum must be more than a word that is not common can say, and more than what
        the vault says against it, the logarithm of the number of readable notes over that of foreign ones; and two
        words must speak for a foreign language. In a vault without readable notes one word is enough, as the query
        could be compared with nothing.
        """
        foreign = set(self._of.values()) - readable
        if not foreign:
            return False
        is_foreign, is_readable = self._slots(postings, readable)
        n_foreign, n_readable = int(is_foreign.sum()), int(is_readable.sum())
        against = min(max(log((n_readable + 0.5) / (n_foreign + 0.5)), -_MOST_PRIOR), _MOST_PRIOR)
        voices = list[float]()
        least = 0.5 / (n_foreign + n_readable + 1)
        for word in dict.fromkeys(tokens(query)):
            slots = distinct(postings.find(self._vocabulary.matching(word, is_exact=True).word).slots)
            shares = (
                _LISTED * _is_common(word, foreign) + int(is_foreign[slots].sum()) / max(1, n_foreign),
                _LISTED * _is_common(word, readable) + int(is_readable[slots].sum()) / max(1, n_readable),
            )
            most = _MOST_COMMON if _is_common(word, foreign | readable) else _MOST
            voices.append(min(max(log((shares[0] + least) / (shares[1] + least)), -most), most))
        if not n_readable:
            return sum(voices) > 0
        return sum(voices) > max(against, _MOST) and sum(voice > 0 for voice in voices) > 1

    def _slots(
        self, postings: Postings, readable: frozenset[str]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which slots of the postings are notes in a foreign language, and which in a readable one."""
        if self._foreign is None or self._foreign[0] is not postings or self._foreign[1] != readable:
            languages = [self._of.get(note, "") for note in postings.notes]
            is_readable = np.array([language in readable for language in languages], np.bool_)
            is_foreign = np.array([bool(language) for language in languages], np.bool_) & ~is_readable
            alive = postings.is_alive
            self._foreign = postings, readable, is_foreign & alive, is_readable & alive
        return self._foreign[2:]

    def _learn_words(self) -> None:
        n_known, n_now = len(self._is_common), len(self._vocabulary)
        if n_known == n_now:
            return
        added = np.zeros(n_now - n_known, np.bool_)
        for begin, end in blocks(n_known, n_now):
            for number, token in enumerate(self._vocabulary.tokens(begin, end), start=begin):
                if token in _BITS:
                    self._bits[number] = _BITS[token]
                    added[number - n_known] = True
        self._is_common = np.concatenate((self._is_common, added))


def language_of(text: str) -> str:
    """The language of a text, as of a note, see `NoteLanguages.of`."""
    return _judge(np.array([_BITS[word] for word in set(tokens(text)) & _BITS.keys()], np.uint64), text)


def _judge(bits: npt.NDArray[np.uint64], text: str) -> str:
    """The language of a text; `bits` are those of its common words, each word once."""
    counts = (bits[:, None] >> _PLACES & np.uint64(1)).sum(axis=0)  # the number of common words of each language
    n_english = int(counts[_AT_ENGLISH])
    best = int(counts.argmax())
    n_best = int(counts[best])
    if n_best >= max(_MIN_WORDS, n_english + _MORE):
        of_best = bits[(bits >> _PLACES[best] & np.uint64(1)) != 0]
        return _LANGUAGES[best] if (of_best < np.uint64(_SHORT)).any() else ""
    if n_english >= _MIN_WORDS:
        return ENGLISH if n_english == n_best else ""
    return OTHER if _has_many_accents(text) else ""


def _has_many_accents(text: str) -> bool:
    if text.isascii():
        return False
    letters = _LETTER.findall(text[:_N_SAMPLED])
    return len(letters) >= _N_LETTERS and len(_ACCENTED.findall(text[:_N_SAMPLED])) >= _MIN_ACCENTS * len(letters)


def _is_common(word: str, languages: Iterable[str]) -> bool:
    return any(word in COMMON_WORDS.get(language, ()) for language in languages)
