"""How well each note has the only word of a query: whole, joined with others, or not at all (see `stages.whole`)."""

from collections.abc import Sequence

import numpy as np

from search.analysis.tokens import Grade, is_dense, run_tokens, runs
from search.answer.evidence import Field, MatchKind
from search.index.postings import FIELDS, Bools, Postings
from search.matching.bm25f import Bm25f
from search.matching.terms import PostedTerm
from search.query import RankedTerm
from search.sources.grep import Tiers

_WHOLE = 2
_TIER_OF = np.array([_WHOLE, 1, 0], np.uint8)  # by grade
_PATH = FIELDS.index(Field.PATH)


def only_word(terms: Sequence[RankedTerm]) -> str:
    """The whole form of the query's only word; empty if it has several, or one in a script without spaces.

    >>> only_word([RankedTerm("shutterTimeout")]), only_word([RankedTerm("snow fox")]), only_word([RankedTerm("知識")])
    ('shuttertimeout', '', '')
    """
    found = [run for term in terms for run in runs(term.text)]
    return run_tokens(found[0])[0] if len(found) == 1 and not is_dense(found[0]) else ""


def whole_word_tiers(
    word: str, posted: Sequence[PostedTerm], postings: Postings, model: Bm25f, is_named: Bools
) -> Tiers:
    """By slot: 2 for notes that have the word whole or are named so, 1 for those that have it joined, else 0.

    In a path, where people join words for want of spaces, a joined word is whole. Fields of weight 0 do not count.
    """
    tiers = np.zeros(len(postings.notes), np.uint8)
    has_weight = np.array([model.weights[name] > 0 for name in FIELDS])
    for item in posted:
        for found in item.of(MatchKind.WORD) if item.term.text == word else ():
            tier = _TIER_OF[found.grades]
            tier[(found.fields == _PATH) & (found.grades == Grade.JOINED)] = _WHOLE
            np.maximum.at(tiers, found.slots, tier * has_weight[found.fields])
    tiers[is_named] = _WHOLE
    return tiers
