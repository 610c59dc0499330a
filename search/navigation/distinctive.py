"""The distinctive words of a text, and which notes share them.

A word's weight in the text is (1 + ln tf) * idf, doubled if the title has it; a note's score for a word is that weight
times idf times BM25's saturation. Words that say little are left out: stop words, numbers, words in more than
`_COMMON` of all notes, and everything that comes from a template.

A template is recognized by repeated lines: a line, or the label before its colon, belongs to a template if at least
`_SHARED_BY` other notes have it word for word. So the headings of twenty daily notes do not make them similar.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import frozen

from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word
from search.analysis.tokens import is_dense, tokens
from search.answer.evidence import Field
from search.index.number_sets import distinct
from search.index.postings import FIELDS, Bools, Floats, Occurrences, Postings
from search.index.vocabulary import Vocabulary
from search.vault.hidden import without_hidden
from search.vault.lines import split_lines

_COMMON = 0.4
_FEW = 3  # in a small vault, a word in this many notes is never common
_SHARED_BY = 3
_N_TERMS = 30  # more terms do not change the first ten notes, and each costs the same
_N_ANY_TERMS = 200  # where every word counts
_MIN_LETTERS = 3
_K1, _B = 1.2, 0.75
_FIELD_WEIGHTS = {Field.TITLE: 3.0, Field.HEADINGS: 1.5, Field.BODY: 1.0}
_WEIGHTS = np.array([_FIELD_WEIGHTS.get(field, 0.0) for field in FIELDS])
_IS_TEXT = _WEIGHTS > 0.0
_MARKUP = " \t>#*+-[]|_=`"
_MAX_LABEL = 30
_UNREAD = re.compile(  # names of files that are no notes, images, and addresses that are read but mean nothing
    r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]|\b[a-z][a-z0-9+.-]{0,20}://[^\s)>\]]+"
    r"|(?<![\w./-])[\w./-]+\.(?:svg|png|jpe?g|gif|webp|ico|bmp|pdf|mp[34]|css|js)\b"
)
_EMPTY = """
please itself themselves himself herself myself yourself something anything everything nothing someone anyone everyone
etc another others every either neither several many much get gets getting got make makes made let lets more most
"""
_EMPTY_WORDS = frozenset(_EMPTY.split())  # say nothing about a subject, but may be what a query asks for


@frozen(eq=False)
class DistinctiveTerm:
    """A word of a text: its weight there, its idf in the vault, and where it occurs in the vault."""

    text: str
    weight: float
    idf: float
    found: Occurrences

    def share_of(self, slots: Sequence[int]) -> float:
        """The share of these notes that have the word, 0..1; 0 for no notes."""
        if not slots or not len(self.found):
            return 0.0
        held = np.zeros(max(int(self.found.slots.max()), *slots) + 1, np.bool_)
        held[self.found.slots] = True
        return float(held[list(slots)].mean())


def pieces_of(text: str) -> list[str]:
    """The lines of a text, folded and without markup, each split after a label ("mood: ..."); without empty ones.

    What a reader does not see is left out, and so are addresses and names of files.
    """
    pieces = []
    for line in split_lines(_UNREAD.sub(" ", fold(without_hidden(text)[0]))):
        label, colon, rest = line.partition(":")
        parts = (label, rest) if colon and len(label) <= _MAX_LABEL else (line,)
        pieces += [piece for part in parts if (piece := part.strip(_MARKUP))]
    return pieces


def template_pieces(pieces: Iterable[str], others: Iterable[frozenset[str]]) -> frozenset[str]:
    """The pieces of a text that at least three of the other texts have as well."""
    own = frozenset(pieces)
    shared = Counter(piece for other in others for piece in own & other)
    return frozenset(piece for piece, n_notes in shared.items() if n_notes >= _SHARED_BY)


def count_words(pieces: Iterable[str]) -> Counter[str]:
    """How often each informative word occurs in these pieces of a text."""
    return Counter(token for piece in pieces for token in tokens(piece) if _is_informative(token))


class Lookup:
    """Where words occur in the current state of a vault; each word is looked up once."""

    def __init__(self, vocabulary: Vocabulary, postings: Postings) -> None:
        self.postings = postings
        self._vocabulary = vocabulary
        self._ids: dict[str, int | None] = {}
        self._places: dict[int, tuple[Occurrences, int]] = {}

    def ids(self, words: Iterable[str]) -> dict[str, int]:
        """The token ids of those words that the vault has."""
        for word in words:
            if word not in self._ids:
                ids = self._vocabulary.matching(word, is_exact=True).word
                self._ids[word] = int(ids[0]) if len(ids) else None
        return {word: id_ for word in words if (id_ := self._ids[word]) is not None}

    def place(self, id_: int) -> tuple[Occurrences, int]:
        """The occurrences of the word with this token id, and the number of notes with the word in their text."""
        if id_ not in self._places:
            at = self.postings.find(np.array([id_], np.uint32))
            self._places[id_] = at, len(distinct(at.slots[_is_text(at)]))
        return self._places[id_]


def distinctive(
    counts: Mapping[str, int], title: str, lookup: Lookup, *, is_any: bool = False
) -> tuple[DistinctiveTerm, ...]:
    """The words that distinguish a text from others, by descending weight; there may be none.

    `counts` are the word counts of the text, see `count_words`. With `is_any`, all its words that another note has.
    """
    in_title = frozenset(tokens(title))
    known = lookup.ids(counts)
    n_notes = len(lookup.postings)
    n_most = n_notes if is_any else max(_FEW, _COMMON * n_notes)
    n_terms = _N_ANY_TERMS if is_any else _N_TERMS
    sizes = lookup.postings.sizes(np.fromiter(known.values(), np.uint32, len(known)))
    likely = {token: int(size) for token, size in zip(known, sizes, strict=True) if size > 1}

    def weight(token: str, df: int) -> float:
        return (1.0 + math.log(counts[token])) * idf_of(df, n_notes) * (2.0 if token in in_title else 1.0)

    likeliest = sorted(likely, key=lambda token: (-weight(token, likely[token]), token))
    kept: list[DistinctiveTerm] = []
    for token in likeliest[: 3 * n_terms]:
        at, df = lookup.place(known[token])
        if 1 < df <= n_most:
            kept.append(DistinctiveTerm(token, weight(token, df), idf_of(df, n_notes), at))
        if len(kept) == n_terms:
            break
    kept.sort(key=lambda item: (-item.weight, item.text))
    return tuple(kept)


def idf_of(df: int, n_notes: int) -> float:
    """The inverse document frequency of a word that `df` notes have, more than 0: ln(1 + (n - df + .5) / (df + .5))."""
    return math.log(1.0 + (max(n_notes - df, 0) + 0.5) / (df + 0.5))


def shared_words(terms: Sequence[DistinctiveTerm], postings: Postings) -> Floats:
    """How much each note (by slot) has of a text's words: the sum over the words of weight * idf * saturation."""
    scores = np.zeros(len(postings.notes))
    at = FIELDS.index(Field.BODY)
    lengths = postings.lengths[:, at] / postings.mean_lengths[at]
    for term in terms:
        tf = np.bincount(term.found.slots, _WEIGHTS[term.found.fields] * term.found.counts, len(scores))
        scores += term.weight * term.idf * tf / (tf + _K1 * (1.0 - _B + _B * lengths))
    return scores


def words_in(terms: Iterable[DistinctiveTerm], slot: int) -> tuple[tuple[DistinctiveTerm, int], ...]:
    """The words that a note has, each with its count, by descending weight."""
    held = ((term, term.found.counts[(term.found.slots == slot) & _is_text(term.found)].sum()) for term in terms)
    return tuple((term, int(count)) for term, count in held if count)


def _is_text(found: Occurrences) -> Bools:
    return _IS_TEXT[found.fields]


def _is_informative(token: str) -> bool:
    if is_stop_word(token) or token in _EMPTY_WORDS or not token[0].isalpha() or token.endswith(".md"):
        return False
    return is_dense(token) or len(token) >= _MIN_LETTERS
