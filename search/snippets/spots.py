"""Find the words and phrases of a query in a text, line by line.

The trick: folding keeps the number of lines, so the text is folded and searched as a whole. The exact characters are
worked out only for the few lines that are shown, and in a very long line only around the matches.

Time grows with the length of the text, at the speed of `str.find`, and with the number of matches.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, groupby, islice, pairwise

import numpy as np
import numpy.typing as npt
from attrs import frozen

from search.analysis.fold import SEPARATE, fold, fold_with_offsets, visible_end
from search.index.number_sets import distinct
from search.matching.terms import Term
from search.vault.lines import split_lines

MAX_LINES = 2_000  # of a text with more matches
_LONG_TEXT = 50_000  # characters; a shorter text is searched faster without numpy
MAX_SPOTS = 200  # of one word in one line
_BEGUN = 0.9  # factor for a word still being typed that a longer word begins with
_INNER = 0.5  # factor for other matches inside longer words
_LONG_LINE = 4_000  # characters; longer lines are not prose
_N_ALIKE = 4  # first letters that different words seldom have in common
_NEAR = 160  # characters around a rarer word in which a very frequent one is looked for, too


@frozen
class Spot:
    """A match: characters `start` to `end` of a line; `key` names the term or condition that matches there.

    An empty range selects the line and highlights nothing in it.
    """

    line: int
    start: int
    end: int
    key: str
    weight: float


@frozen
class HighlightTerm:
    """A folded text to search for and highlight; the flags say where it counts as a whole word."""

    text: str
    weight: float
    is_prefix: bool = False  # also at the beginning of a longer word
    is_free: bool = False  # anywhere: a phrase, or a script without spaces


LineWords = Sequence[tuple[HighlightTerm, float]]
"""The terms in a line and their weights there."""


def highlight_terms(
    terms: Iterable[tuple[Term, float]], phrases: Iterable[str] = (), *, only_in_phrases: Collection[str] = ()
) -> tuple[HighlightTerm, ...]:
    """Query terms with their idf, and phrases, as texts to highlight; stop words are left out.

    Terms that occur `only_in_phrases` count for the weight of the phrases and are not highlighted by themselves.
    """
    found = [
        HighlightTerm(term.text, max(idf, 0.01), is_prefix=term.is_prefix, is_free=term.is_dense)
        for term, idf in terms
        if term.is_recalling
    ]
    weight = total_weight(found)
    folded = (fold(phrase) for phrase in phrases if "\n" not in phrase)
    words = (item for item in found if item.text not in only_in_phrases)
    return (*(HighlightTerm(phrase, weight, is_free=True) for phrase in folded if phrase.strip()), *words)


def total_weight(terms: Iterable[HighlightTerm]) -> float:
    """The weight of a phrase or of a filter's match: as much as all words together; 1.0 if there are none."""
    return sum(item.weight for item in terms) or 1.0


def folded_lines(lines: Sequence[str]) -> str:
    """The folded text of these lines. Lines in ASCII are folded apart from the others, which takes far less time."""
    text = "\n".join(lines)
    if text.isascii():
        return fold(text)
    others = iter(split_lines(fold("\n".join([line for line in lines if not line.isascii()]))))
    return "\n".join([line.lower() if line.isascii() else next(others) for line in lines])


def lines_with(folded: str, terms: Sequence[HighlightTerm], lines: Sequence[str] = ()) -> Mapping[int, LineWords]:
    """The lines of a folded text that contain any of `terms`, each with its terms and the most that they may weigh.

    `in_line` says what they weigh, as a match inside a longer word weighs less. If there are more than `MAX_LINES`, the
    heaviest ones. `lines` are those of the text, if it is split already.
    """
    terms = [item for item in terms if item.text]  # folding leaves nothing of an accent without a letter
    places = _places_of({item.text for item in terms}, folded)
    sizes = (len(line) + 1 for line in lines or split_lines(folded))  # no list: other threads run in between
    ends = list(accumulate(sizes))
    is_long = len(folded) > _LONG_TEXT and len(ends) > MAX_LINES + 1
    if is_long and sum(len(places[item.text]) for item in terms) > MAX_LINES:
        apart = {text: _apart(found, len(text)) for text, found in places.items()}
        if sum(len(apart[item.text]) for item in terms) > MAX_LINES:
            return _heaviest_lines(folded, terms, apart, ends)
    numbers = {text: _numbers(found, ends) for text, found in places.items()}
    found: dict[int, list[tuple[HighlightTerm, float]]] = {}
    for item in terms:
        for number in numbers[item.text]:
            found.setdefault(number, []).append((item, item.weight))
    return found


def _places_of(texts: Collection[str], folded: str) -> Mapping[str, Sequence[int]]:
    """Where each text is. Those with the same beginning, such as the forms of a word, are searched together."""
    places: dict[str, Sequence[int]] = {}
    for group in _alike(sorted(texts)):
        beginning = _beginning(group[0], group[-1])
        found: list[int] = []
        at = folded.find(beginning)
        while at >= 0:
            found.append(at)
            at = folded.find(beginning, at + 1)
        for text in group:
            is_longer = len(text) > len(beginning)
            places[text] = [at for at in found if folded.startswith(text, at)] if is_longer else found
    return places


def _alike(ordered: Sequence[str]) -> Iterator[Sequence[str]]:
    """Texts with the same first letters, together."""
    return (tuple(group) for _, group in groupby(ordered, key=lambda text: text[:_N_ALIKE]))


def _apart(places: Sequence[int], size: int) -> Sequence[int]:
    """The places without those where a text of this size overlaps the one before."""
    if all(after - before >= size for before, after in pairwise(places)):
        return places
    apart, end = [], 0
    for at in places:
        if at >= end:
            apart.append(at)
            end = at + size
    return apart


def _beginning(text: str, other: str) -> str:
    """The characters that both begin with.

    >>> _beginning("index", "inner")
    'in'
    """
    n_equal = (at for at, (one, another) in enumerate(zip(text, other, strict=False)) if one != another)
    return text[: next(n_equal, min(len(text), len(other)))]


def _numbers(places: Sequence[int], ends: Sequence[int]) -> Sequence[int]:
    """The numbers of the lines that these places are in, each once; `ends` has where the line after each one begins."""
    numbers: list[int] = []
    end = number = 0
    for at in places:
        if at >= end:
            number = bisect_right(ends, at, number)
            end = ends[number]
            numbers.append(number)
    return numbers


def in_line(folded: str, terms: Sequence[HighlightTerm]) -> LineWords:
    """The terms in one folded line, and their weights there; a match inside a longer word weighs less."""
    found = []
    for item in terms:
        at, share = folded.find(item.text) if item.text else -1, 0.0
        is_there = at >= 0
        while at >= 0 and share < 1.0:
            share = max(share, _share(folded, item, at))
            at = folded.find(item.text, at + 1)
        if is_there:
            found.append((item, item.weight * share))
    return found


def _heaviest_lines(
    folded: str, terms: Sequence[HighlightTerm], places_of: Mapping[str, Sequence[int]], ends: Sequence[int]
) -> Mapping[int, LineWords]:
    """The same for a text with very many matches: each is weighed by numpy, and only the best lines are collected."""
    breaks = np.array(ends, np.int64)
    totals = np.zeros(len(breaks))
    matches: list[tuple[HighlightTerm, npt.NDArray[np.int64], npt.NDArray[np.float64]]] = []
    for item in terms:
        places = places_of[item.text]
        if not places:
            continue
        shares = np.array([_share(folded, item, place) for place in places])
        numbers = np.searchsorted(breaks, np.array(places, np.int64), side="right")
        weights = np.full(len(totals), 0.0)
        np.maximum.at(weights, numbers, item.weight * shares)
        totals += weights
        numbers = distinct(numbers)
        matches.append((item, numbers, weights[numbers]))
    order = np.argsort(-totals, kind="stable")[:MAX_LINES]
    is_best = np.zeros(len(totals), np.bool_)
    is_best[order] = True
    found: dict[int, list[tuple[HighlightTerm, float]]] = {}
    for item, numbers, weights in matches:
        kept = is_best[numbers]
        for number, weight in zip(numbers[kept].tolist(), weights[kept].tolist(), strict=True):
            found.setdefault(number, []).append((item, weight))
    return found


def spots_in(line: str, number: int, terms: Sequence[HighlightTerm]) -> list[Spot]:
    """The places of `terms` in an unfolded line; matches inside longer words count only without a whole-word match.

    At most `MAX_SPOTS` of each term; of a more frequent one the first ones, and those near rarer terms.
    """
    folded, offset_of = _folded(line)
    rarest_first = sorted(terms, key=lambda item: folded.count(item.text)) if len(line) > _LONG_LINE else terms
    spots: list[Spot] = []
    rare: list[int] = []
    for item in rarest_first:
        found = _best_occurrences(folded, item, rare)
        rare += [start for start, _, _ in found] if len(found) < MAX_SPOTS else ()
        spots += [
            Spot(number, start, visible_end(line, start, end), item.text, item.weight * share)
            for folded_start, folded_end, share in found
            for start, end in [(offset_of(folded_start), offset_of(folded_end))]
        ]
    return spots


def _folded(line: str) -> tuple[str, Callable[[int], int]]:
    """The folded line, and a function from places in it to places in `line`; a long line is folded in parts."""
    if len(line) <= _LONG_LINE or line.isascii():
        text, offsets = fold_with_offsets(line)
        return text, offsets.__getitem__
    cuts = [0]
    while found := SEPARATE.search(line, cuts[-1] + _LONG_LINE // 4):
        cuts.append(found.start())
    parts = [line[start:end] for start, end in zip(cuts, [*cuts[1:], len(line)], strict=True)]
    folded = [fold(part) for part in parts]
    starts = [0, *accumulate(map(len, folded))]
    offsets_in = cache(lambda at: fold_with_offsets(parts[at])[1])

    def offset_of(place: int) -> int:
        at = min(bisect_right(starts, place), len(parts)) - 1
        return cuts[at] + offsets_in(at)[place - starts[at]]

    return "".join(folded), offset_of


def _best_occurrences(folded: str, item: HighlightTerm, rare: Sequence[int]) -> Sequence[tuple[int, int, float]]:
    found = list(islice(_occurrences(folded, item, 0, len(folded)), MAX_SPOTS))
    if len(found) == MAX_SPOTS:
        near = (_occurrences(folded, item, max(0, at - _NEAR), at + _NEAR) for at in rare if at > found[-1][0])
        found = sorted({*found, *(place for places in near for place in places)})
    return [place for place in found if place[2] > _INNER] or found


def _occurrences(folded: str, item: HighlightTerm, begin: int, stop: int) -> Iterator[tuple[int, int, float]]:
    """Each place of `item` from `begin` to `stop`, and the share of its weight there."""
    at = folded.find(item.text, begin, stop)
    while at >= 0:
        end = at + len(item.text)
        yield at, end, _share(folded, item, at)
        at = folded.find(item.text, at + 1 if item.is_free else end, stop)


def _share(folded: str, item: HighlightTerm, at: int) -> float:
    """The share of the weight of `item` at this place: 1.0 for a whole word, less inside a longer one."""
    if item.is_free:
        return 1.0
    if at and folded[at - 1].isalnum() and folded[at].isalnum():
        return _INNER
    end = at + len(item.text)
    if end == len(folded) or not folded[end].isalnum() or not folded[end - 1].isalnum():
        return 1.0
    return _BEGUN if item.is_prefix else _INNER
