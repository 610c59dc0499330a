"""Caption match: how far a note's name, or one of its headings, is what a query asks for.

    covered = share of the query's idf that the caption has, in any form of the words,   0..1
    fitting = share of the caption's words, without stop words, that the query has,      0..1
    name    = 2 * covered * fitting / (covered + fitting),  for the note's best name,    0..1
    heading = covered * fitting,                            for its best heading,        0..1

BM25F sees how often a note has a word in its names and headings, but not whether they are about anything else. Headings
are judged more strictly, because a long page has many. A title that is a heading counts as both.
"""

from collections.abc import Collection, Sequence

import numpy as np

from search.index.captions import Captions
from search.index.number_sets import distinct
from search.index.postings import Floats
from search.index.vocabulary import Vocabulary
from search.matching.nearness import QueryWord

_STOP_WORD, _OTHER = -1, 0  # positive: a word of the query, by its position from 1


def match_captions(
    words: Sequence[QueryWord], captions: Sequence[Captions], vocabulary: Vocabulary, stop_words: Collection[str]
) -> tuple[Floats, Floats]:
    """The match of the best name and of the best heading of each note, both 0..1; 0 without words or captions."""
    asked = list({word.text: word for word in words}.values())
    idf = np.array([word.idf for word in asked])
    if not captions or not idf.sum():
        return np.zeros(len(captions)), np.zeros(len(captions))
    kinds = np.full(len(vocabulary), _OTHER, np.int16)
    kinds[vocabulary.numbers_of(frozenset(stop_words))] = _STOP_WORD
    for at, word in enumerate(asked, start=1):
        kinds[word.numbers] = at

    n_lines = np.array([one.n_lines for one in captions])
    starts = np.concatenate(([0], np.cumsum(n_lines)))
    offsets = np.repeat(starts[:-1], [len(one.lines) for one in captions])
    lines = np.concatenate([one.lines for one in captions]) + offsets
    found = kinds[np.concatenate([one.words for one in captions])]
    n_words = np.bincount(lines[found != _STOP_WORD], minlength=starts[-1])
    is_match = found > 0
    n_matches = np.bincount(lines[is_match], minlength=starts[-1])
    pairs = distinct(lines[is_match] * len(asked) + found[is_match] - 1)
    covered = np.bincount(pairs // len(asked), idf[pairs % len(asked)] / idf.sum(), starts[-1])
    fitting = n_matches / np.maximum(n_words, 1)

    note_of = np.repeat(np.arange(len(captions)), n_lines)
    number = np.arange(starts[-1]) - np.repeat(starts[:-1], n_lines)
    is_name = number < np.array([one.n_names for one in captions])[note_of]
    product = covered * fitting
    names, headings = np.zeros(len(captions)), np.zeros(len(captions))
    mean = 2.0 * product / np.maximum(covered + fitting, 1e-12)
    np.maximum.at(names, note_of[is_name], mean[is_name])
    np.maximum.at(headings, note_of[~is_name], product[~is_name])
    return np.minimum(names, 1.0), np.minimum(headings, 1.0)
