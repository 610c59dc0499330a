"""Nearness: how close together, and in which order, a text has the words of a query.

For each pair of neighbouring query words:

    value = 1 / distance              in the query's order; the distance of adjacent words is 1
    value = reversed_share / distance in the other order
    value = 0                         further apart than `MAX_DISTANCE` tokens

    nearness = sum over pairs of weight * best value / sum over pairs of weight,  0..1

The weight of a pair is the sum of its words' idf. Stop words form no pairs, unless the query has nothing else.

The trick: a text is kept as the lower 16 bits of its token ids in order, two bytes a token, and many texts are searched
as one array. Two of 65,536 tokens may be confused, which can change a score by the little that nearness counts.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from attrs import frozen

from search.index.postings import Floats
from search.index.vocabulary import NO_IDS, Ids

MAX_DISTANCE = 8
REVERSED_SHARE = 0.5
MAX_TOKENS = 20_000  # of a text; those after them are not compared
MAX_WORDS = 16  # of a query; more are a text, which no note has in the same order
_N_KEYS = 1 << 16

Sequence16 = npt.NDArray[np.uint16]


@frozen(eq=False)
class QueryWord:
    """A word of the query at its place: the token ids that stand for it, and its idf."""

    text: str
    numbers: Ids
    idf: float


def nearness(words: Sequence[QueryWord], texts: Sequence[Sequence16]) -> Floats:
    """The nearness of the words in each text, 0..1; 0 for a query of fewer than two different words."""
    words = words[:MAX_WORDS]
    pairs: dict[tuple[str, str], float] = {}
    for first, second in pairwise(words):
        if first.text != second.text:
            pairs[first.text, second.text] = first.idf + second.idf
    total = sum(pairs.values())
    if not total or not texts:
        return np.zeros(len(texts))
    joined, text_of = _joined([text[:MAX_TOKENS] for text in texts])
    places = {word.text: _places(word.numbers, joined) for word in words}
    values = np.zeros(len(texts))
    for (before, after), weight in pairs.items():
        best = np.zeros(len(texts))
        _improve(best, places[before], places[after], text_of, 1.0)
        _improve(best, places[after], places[before], text_of, REVERSED_SHARE)
        values += weight * best
    return np.minimum(values / total, 1.0)


def holding_in_a_row(
    numbers: Sequence[int], texts: Sequence[Sequence16], *, passing: Ids = NO_IDS
) -> npt.NDArray[np.bool_]:
    """Whether each text has these token ids, at least one, next to each other in this order.

    The ids of `passing`, which has none of them, may stand between.
    """
    if not texts:
        return np.zeros(0, np.bool_)
    joined, text_of = _joined(texts)
    if len(passing):
        is_passed = np.zeros(_N_KEYS, np.bool_)
        is_passed[passing & (_N_KEYS - 1)] = True
        is_passed[np.array(numbers) & (_N_KEYS - 1)] = False
        joined, text_of = joined[~is_passed[joined]], text_of[~is_passed[joined]]
    starts = np.flatnonzero(joined == numbers[0] & (_N_KEYS - 1))
    starts = starts[starts <= len(joined) - len(numbers)]
    for at, number in enumerate(numbers[1:], start=1):
        starts = starts[joined[starts + at] == number & (_N_KEYS - 1)]
    is_holding = np.zeros(len(texts), np.bool_)
    is_holding[text_of[starts[text_of[starts] == text_of[starts + len(numbers) - 1]]]] = True
    return is_holding


def _joined(texts: Sequence[Sequence16]) -> tuple[Sequence16, npt.NDArray[np.int64]]:
    """All texts in one array, and the number of the text at each position."""
    sizes = [len(text) for text in texts]
    return np.concatenate(texts), np.repeat(np.arange(len(texts)), sizes)


def _places(numbers: Ids, joined: Sequence16) -> npt.NDArray[np.int64]:
    is_wanted = np.zeros(_N_KEYS, np.bool_)
    is_wanted[numbers & (_N_KEYS - 1)] = True
    return np.flatnonzero(is_wanted[joined])


def _improve(
    best: Floats,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    text_of: npt.NDArray[np.int64],
    share: float,
) -> None:
    """Raise `best`, by text, to the value of the nearest place of `second` after each place of `first`."""
    if not len(first) or not len(second):
        return
    following = np.searchsorted(second, first, side="right")
    first, following = first[following < len(second)], following[following < len(second)]
    distances = second[following] - first
    is_near = (distances <= MAX_DISTANCE) & (text_of[second[following]] == text_of[first])
    np.maximum.at(best, text_of[first[is_near]], share / distances[is_near])
