"""How well each note has the only word of a query: whole, joined with others, or not at all (see `stages.whole`).

A word of a script without spaces has no ends. A note has it whole if it has its pairs of neighbouring characters in a
row.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from search.analysis.fold import fold
from search.analysis.tokens import Grade, is_dense, run_tokens, runs
from search.answer.evidence import Field, MatchKind
from search.index.corpus import MAX_SEQUENCE, Corpus, short_texts
from search.index.postings import FIELDS, Bools, Postings
from search.matching.bm25f import Bm25f
from search.matching.nearness import holding_in_a_row
from search.matching.terms import PostedTerm
from search.query import RankedTerm
from search.sources.grep import Tiers

_WHOLE = 2
_TIER_OF = np.array([_WHOLE, 1, 0], np.uint8)  # by grade
_PATH = FIELDS.index(Field.PATH)
_BODY = FIELDS.index(Field.BODY)


def only_word(terms: Sequence[RankedTerm]) -> str:
    """The whole form of the query's only word; empty if it has several.

    >>> only_word([RankedTerm("shutterTimeout")]), only_word([RankedTerm("snow fox")]), only_word([RankedTerm("知識")])
    ('shuttertimeout', '', '知識')
    """
    found = [run for term in terms for run in runs(term.text)]
    if len(found) != 1:
        return ""
    return fold(found[0]) if is_dense(found[0]) else run_tokens(found[0])[0]


def whole_word_tiers(word: str, posted: Sequence[PostedTerm], corpus: Corpus, model: Bm25f, is_named: Bools) -> Tiers:
    """By slot: 2 for notes that have the word whole or are named so, 1 for those that have it joined, else 0.

    In a path, where people join words for want of spaces, a joined word is whole. Fields of weight 0 do not count.
    """
    has_weight = np.array([model.weights[name] > 0 for name in FIELDS])
    if is_dense(word) and len(word) > 2:
        tiers = _in_a_row(word, posted, corpus, has_weight) * np.uint8(_WHOLE)
    else:
        tiers = _by_grade(word, posted, corpus.postings, has_weight)
    tiers[is_named] = _WHOLE
    return tiers


def _by_grade(word: str, posted: Sequence[PostedTerm], postings: Postings, has_weight: Bools) -> Tiers:
    tiers = np.zeros(len(postings.notes), np.uint8)
    for item in posted:
        for found in item.of(MatchKind.WORD) if item.term.text == word else ():
            tier = _TIER_OF[found.grades]
            tier[(found.fields == _PATH) & (found.grades == Grade.JOINED)] = _WHOLE
            np.maximum.at(tiers, found.slots, tier * has_weight[found.fields])
    return tiers


def _in_a_row(word: str, posted: Sequence[PostedTerm], corpus: Corpus, has_weight: Bools) -> Bools:
    """Whether each note has the pairs of neighbouring characters of the word in a row, by slot.

    In a text that is longer than what is kept of its order, the pairs count as the word wherever they are.
    """
    n_slots = len(corpus.postings.notes)
    pairs = [before + after for before, after in pairwise(word)]
    may_hold = np.ones((len(FIELDS), n_slots), np.bool_)
    found = {item.term.text: item.of(MatchKind.WORD) for item in posted}
    for pair in set(pairs):
        has_pair = np.zeros((len(FIELDS), n_slots), np.bool_)
        for one in found.get(pair, ()):
            has_pair[one.fields, one.slots] = True
        may_hold &= has_pair
    holds = np.zeros(n_slots, np.bool_)
    notes = corpus.postings.notes
    numbers = [int(number) for pair in pairs for number in corpus.vocabulary.matching(pair, is_exact=True).word]
    slots = np.flatnonzero(may_hold[_BODY]) if has_weight[_BODY] else np.empty(0, np.int64)
    texts = [corpus.sequences[notes[slot]] for slot in slots.tolist()]
    is_cut = np.array([len(text) == MAX_SEQUENCE for text in texts], np.bool_)
    holds[slots] = is_cut | holding_in_a_row(numbers, texts)
    elsewhere = may_hold[:_BODY].any(axis=0) & ~holds
    for slot in np.flatnonzero(elsewhere).tolist():
        texts_of_fields = zip(short_texts(corpus.notes[notes[slot]]), has_weight, strict=False)
        holds[slot] = any(word in fold(text) for text, counts in texts_of_fields if counts)
    return holds
