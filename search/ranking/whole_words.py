"""How well each note has the only word of a query: whole, joined with others, or not at all (see `stages.whole`).

A word of a script without spaces has no ends, and "std::vector" or "C语言" are several runs of characters. A note has
such a word whole if it has all its tokens in a row.
"""

from collections.abc import Sequence

import numpy as np

from search.analysis.fold import fold
from search.analysis.tokens import Grade, graded_tokens, is_dense, run_tokens, runs
from search.answer.evidence import Field, MatchKind
from search.index.corpus import MAX_SEQUENCE, Corpus, short_texts
from search.index.number_sets import without
from search.index.postings import FIELDS, Bools, Postings
from search.index.vocabulary import NO_IDS, Ids, Vocabulary
from search.matching.bm25f import Bm25f
from search.matching.nearness import holding_in_a_row
from search.matching.terms import PostedTerm
from search.query import RankedTerm
from search.sources.grep import Tiers

_AS_TYPED = 3
_WHOLE = 2
_TIER_OF = np.array([_WHOLE, 1, 0, 1], np.uint8)  # by grade
_PATH = FIELDS.index(Field.PATH)
_BODY = FIELDS.index(Field.BODY)


def only_word(terms: Sequence[RankedTerm]) -> str:
    """The query's only word, in its whole form if it is one token, else folded; empty if it has several.

    >>> only_word([RankedTerm("shutterTimeout")]), only_word([RankedTerm("snow fox")]), only_word([RankedTerm("知識")])
    ('shuttertimeout', '', '知識')
    """
    found = [run for term in terms for run in runs(term.text)]
    if len(found) == 1 and not is_dense(found[0]):
        return run_tokens(found[0])[0]
    return fold(terms[0].text) if found and len(terms) == 1 and len(terms[0].text.split()) == 1 else ""


def whole_word_tiers(
    terms: Sequence[RankedTerm],
    posted: Sequence[PostedTerm],
    corpus: Corpus,
    model: Bm25f,
    *,
    is_named: Bools,
    as_typed: Bools,
) -> Tiers:
    """How well each note has the only word of `terms`, or all their words in a row, by slot.

    2 for notes that have the word whole or are named so, 1 for those that have it joined, else 0. If some of the first
    have it `as_typed` with its signs, these and the notes that are named so have 3.

    In a path, where people join words for want of spaces, a joined word is whole. Fields of weight 0 do not count.
    """
    has_weight = np.array([model.weights[name] > 0 for name in FIELDS])
    word = only_word(terms)
    if any(item.term.text == word for item in posted):
        tiers = _by_grade(word, posted, corpus.postings, has_weight)
    else:
        text = " ".join(term.text for term in terms)
        tiers = _in_a_row(text, posted, corpus, has_weight) * np.uint8(_WHOLE)
    tiers[is_named] = _WHOLE
    is_best = (tiers == _WHOLE) & as_typed
    if is_best.any():
        tiers[is_best | is_named] = _AS_TYPED
    return tiers


def _by_grade(word: str, posted: Sequence[PostedTerm], postings: Postings, has_weight: Bools) -> Tiers:
    tiers = np.zeros(len(postings.notes), np.uint8)
    for item in posted:
        for found in item.of(MatchKind.WORD) if item.term.text == word else ():
            tier = _TIER_OF[found.grades]
            tier[(found.fields == _PATH) & (found.grades == Grade.JOINED)] = _WHOLE
            np.maximum.at(tiers, found.slots, tier * has_weight[found.fields])
    return tiers


def _in_a_row(text: str, posted: Sequence[PostedTerm], corpus: Corpus, has_weight: Bools) -> Bools:
    """Whether each note has the tokens of the word in a row, by slot, and each of its runs whole somewhere.

    In a text that is longer than what is kept of its order, they count as the word wherever they are.
    """
    postings, notes = corpus.postings, corpus.postings.notes
    parts, folded = graded_tokens(text), fold(text.strip())
    may_hold = np.ones((len(FIELDS), len(notes)), np.bool_)
    found = {item.term.text: item.of(MatchKind.WORD) for item in posted}
    for part, grade in set(parts):
        has_part = np.zeros_like(may_hold)
        for one in found.get(part, ()):
            is_enough = (one.grades <= grade) | (one.fields == _PATH)
            has_part[one.fields[is_enough], one.slots[is_enough]] = True
        may_hold &= has_part
    holds = np.zeros(len(notes), np.bool_)
    numbers = [number for part, _ in parts if (number := corpus.vocabulary.number_of(part)) is not None]
    if has_weight[_BODY] and len(numbers) == len(parts):
        slots = np.flatnonzero(may_hold[_BODY] & postings.is_alive)
        texts = [corpus.sequences[notes[slot]] for slot in slots.tolist()]
        is_cut = np.array([len(text) == MAX_SEQUENCE for text in texts], np.bool_)
        holds[slots] = is_cut | holding_in_a_row(numbers, texts, passing=_compounds(numbers, corpus.vocabulary))
    elsewhere = may_hold[:_BODY].any(axis=0) & ~holds & postings.is_alive
    for slot in np.flatnonzero(elsewhere).tolist():
        texts_of_fields = zip(short_texts(corpus.notes[notes[slot]]), has_weight, strict=False)
        holds[slot] = any(folded in fold(text) for text, counts in texts_of_fields if counts)
    return holds


def _compounds(parts: Sequence[int], vocabulary: Vocabulary) -> Ids:
    """The tokens that stand before one of `parts` because it is a part of them, as in "_vector_" or "vector—then"."""
    found = [NO_IDS]
    for part in set(parts):
        holding = vocabulary.matching(vocabulary.token(part)).anywhere
        found.append(holding[vocabulary.are_compounds_of(holding, part)])
    return without(np.concatenate(found), np.sort(np.array(parts, np.uint32)))
