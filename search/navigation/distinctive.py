"""What a text is about, in words of its own, and which notes have these words too.

A word's weight in the text is (1 + ln tf) * idf, twice that where the title has it; a note's score for a word is that
weight times idf times BM25's saturation. Left out are words that say nothing: glue, numbers, words that more than
`_COMMON` of all notes hold, and everything that a template put there.

A template shows in its traces: a line, or what stands before a colon in it, that at least `_SHARED_BY` other notes have
word for word is nobody's own. So twenty daily notes with the same headings are not about the same thing.
"""

import math
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

_COMMON = 0.4
_FEW = 3  # notes that may share a word whatever their share of a small vault
_SHARED_BY = 3
_N_TERMS = 30  # more of them change the first ten notes no more, and cost as much each
_MIN_LETTERS = 3
_K1, _B = 1.2, 0.75
_FIELD_WEIGHTS = {Field.TITLE: 3.0, Field.HEADINGS: 1.5, Field.BODY: 1.0}
_WEIGHTS = np.array([_FIELD_WEIGHTS.get(field, 0.0) for field in FIELDS])
_IS_TEXT = _WEIGHTS > 0.0
_MARKUP = " \t>#*+-[]|_=`"
_MAX_LABEL = 30


@frozen(eq=False)
class Distinct:
    """A word of a text: its weight there, its idf in the vault, and where it stands."""

    text: str
    weight: float
    idf: float
    found: Occurrences

    def share_of(self, slots: Sequence[int]) -> float:
        """The share of these notes, 0..1, that have the word; 0 of none."""
        return float(np.isin(slots, self.found.slots).mean()) if slots else 0.0


@frozen(eq=False)
class Shared:
    """The notes that have some of a text's words. `scores` by slot; `unit` is what a score of 1 in 0..1 would be."""

    scores: Floats
    unit: float


def pieces_of(text: str) -> list[str]:
    """The lines of a text, folded and without markup, each cut behind a label ("mood: ..."); none of them empty."""
    pieces = []
    for line in fold(text).split("\n"):
        label, colon, rest = line.partition(":")
        parts = (label, rest) if colon and len(label) <= _MAX_LABEL else (line,)
        pieces += [piece for part in parts if (piece := part.strip(_MARKUP))]
    return pieces


def template_pieces(pieces: Iterable[str], others: Iterable[frozenset[str]]) -> frozenset[str]:
    """Those of a text's pieces that at least three of the other texts have as well."""
    own = frozenset(pieces)
    shared = Counter(piece for other in others for piece in own & other)
    return frozenset(piece for piece, n_notes in shared.items() if n_notes >= _SHARED_BY)


def counted(pieces: Iterable[str]) -> Counter[str]:
    """How often each word that says something stands in some pieces of a text."""
    return Counter(token for piece in pieces for token in tokens(piece) if _says_something(token))


class Lookup:
    """Where words stand in a vault as it is now; each is looked for once."""

    def __init__(self, vocabulary: Vocabulary, postings: Postings) -> None:
        self.postings = postings
        self._vocabulary = vocabulary
        self._ids: dict[str, int | None] = {}
        self._places: dict[int, tuple[Occurrences, int]] = {}

    def ids(self, words: Iterable[str]) -> dict[str, int]:
        """The numbers of the words that are known."""
        for word in words:
            if word not in self._ids:
                ids = self._vocabulary.matching(word, is_exact=True).word
                self._ids[word] = int(ids[0]) if len(ids) else None
        return {word: id_ for word in words if (id_ := self._ids[word]) is not None}

    def place(self, id_: int) -> tuple[Occurrences, int]:
        """Where the word of this number stands, and in the text of how many notes."""
        if id_ not in self._places:
            at = self.postings.find(np.array([id_], np.uint32))
            self._places[id_] = at, len(distinct(at.slots[_is_text(at)]))
        return self._places[id_]


def distinctive(counts: Mapping[str, int], title: str, lookup: Lookup) -> tuple[Distinct, ...]:
    """The words that tell a text from others, the weightiest first; none where it has no word of its own.

    `counts` are those of the text, see `counted`.
    """
    in_title = frozenset(tokens(title))
    known = lookup.ids(counts)
    n_notes = len(lookup.postings)
    n_most = max(_FEW, _COMMON * n_notes)
    sizes = lookup.postings.sizes(np.fromiter(known.values(), np.uint32, len(known)))
    likely = {token: int(size) for token, size in zip(known, sizes, strict=True) if size > 1}

    def weight(token: str, df: int) -> float:
        return (1.0 + math.log(counts[token])) * _idf(df, n_notes) * (2.0 if token in in_title else 1.0)

    likeliest = sorted(likely, key=lambda token: (-weight(token, likely[token]), token))
    kept: list[Distinct] = []
    for token in likeliest[: 3 * _N_TERMS]:
        at, df = lookup.place(known[token])
        if 1 < df <= n_most:
            kept.append(Distinct(token, weight(token, df), _idf(df, n_notes), at))
        if len(kept) == _N_TERMS:
            break
    kept.sort(key=lambda item: (-item.weight, item.text))
    return tuple(kept)


def _idf(df: int, n_notes: int) -> float:
    return math.log(1.0 + (max(n_notes - df, 0) + 0.5) / (df + 0.5))


def shared_words(terms: Sequence[Distinct], postings: Postings) -> Shared:
    """How much each note, by slot, has of a text's words: the sum over them of weight * idf * saturation."""
    scores = np.zeros(len(postings.notes))
    at = FIELDS.index(Field.BODY)
    lengths = postings.lengths[:, at] / postings.mean_lengths[at]
    for term in terms:
        tf = np.bincount(term.found.slots, _WEIGHTS[term.found.fields] * term.found.counts, len(scores))
        scores += term.weight * term.idf * tf / (tf + _K1 * (1.0 - _B + _B * lengths))
    return Shared(scores, sum(term.weight * term.idf for term in terms) or 1.0)


def words_in(terms: Iterable[Distinct], slot: int) -> tuple[tuple[Distinct, int], ...]:
    """The words that a note has, each with how often, the weightiest first."""
    held = ((term, term.found.counts[(term.found.slots == slot) & _is_text(term.found)].sum()) for term in terms)
    return tuple((term, int(count)) for term, count in held if count)


def _is_text(found: Occurrences) -> Bools:
    return _IS_TEXT[found.fields]


def _says_something(token: str) -> bool:
    if is_stop_word(token) or not any(char.isalpha() for char in token) or token.endswith(".md"):
        return False
    return is_dense(token) or len(token) >= _MIN_LETTERS
