"""Where the words and phrases of a query stand in a text, line by line.

The trick: folding keeps the number of lines, so the text is folded and searched as a whole; which characters of a line
they are is found out only for the few lines that are shown.

Never looks at more than `MAX_LINES` lines for one word: a machine-made giant must not delay an answer.
"""

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from search.analysis.fold import fold, fold_with_offsets
from search.matching.terms import Term

MAX_LINES = 2_000
MAX_SPOTS = 200  # in one line, of one word
_INNER = 0.5  # what letters inside a longer word are worth, beside the whole word


@frozen
class Spot:
    """Characters `start` to `end` of a line; `key` tells what was asked for there, `worth` how much that says.

    An empty one chooses the line and highlights nothing in it.
    """

    line: int
    start: int
    end: int
    key: str
    worth: float


@frozen
class Wanted:
    """What to look for in a line: a folded text, its worth, and where it counts as whole."""

    text: str
    worth: float
    is_prefix: bool = False  # also where it only begins a word
    is_free: bool = False  # wherever it stands: a phrase, or a script without spaces


def wanted_of(terms: Iterable[tuple[Term, float]], phrases: Iterable[str] = ()) -> tuple[Wanted, ...]:
    """Terms with their idf, and phrases, as things to look for; terms that do not recall are not shown."""
    found = [
        Wanted(term.text, max(idf, 0.01), is_prefix=term.is_prefix, is_free=term.is_dense)
        for term, idf in terms
        if term.is_recalling
    ]
    worth = total_worth(found)
    folded = (fold(phrase) for phrase in phrases if "\n" not in phrase)
    return (*(Wanted(phrase, worth, is_free=True) for phrase in folded if phrase.strip()), *found)


def total_worth(wanted: Iterable[Wanted]) -> float:
    """What a phrase or a filter's match is worth: as much as all words together; 1.0 where there are none."""
    return sum(item.worth for item in wanted) or 1.0


def lines_holding(folded: str, wanted: Iterable[Wanted]) -> dict[int, list[tuple[Wanted, float]]]:
    """For each line of a folded text that holds any of `wanted`: what it holds, with the worth there.

    Letters inside a longer word are worth half as much.
    """
    held: dict[int, list[tuple[Wanted, float]]] = {}
    for item in wanted:
        number = counted = n_lines = 0
        at = folded.find(item.text)
        while at >= 0 and n_lines < MAX_LINES:
            number += folded.count("\n", counted, at)
            end = folded.find("\n", at)
            end = len(folded) if end < 0 else end
            place, is_whole = at, False
            while place >= 0 and not (is_whole := _is_whole(folded, item, place)):
                place = folded.find(item.text, place + 1, end)
            held.setdefault(number, []).append((item, item.worth if is_whole else item.worth * _INNER))
            counted, n_lines = end, n_lines + 1
            at = folded.find(item.text, end)
    return held


def spots_in(line: str, number: int, wanted: Iterable[Wanted]) -> list[Spot]:
    """The places of `wanted` in a line, in its own characters; where a word stands whole, its inner ones are none."""
    folded, offsets = fold_with_offsets(line)
    return [
        Spot(number, offsets[start], offsets[end], item.text, item.worth if is_whole else item.worth * _INNER)
        for item in wanted
        for start, end, is_whole in _best_occurrences(folded, item)
    ]


def _best_occurrences(folded: str, item: Wanted) -> Sequence[tuple[int, int, bool]]:
    found = [place for place, _ in zip(_occurrences(folded, item), range(MAX_SPOTS), strict=False)]
    return [place for place in found if place[2]] or found


def _occurrences(folded: str, item: Wanted) -> Iterator[tuple[int, int, bool]]:
    """Each place of `item`, and whether it stands there as a whole word."""
    at = folded.find(item.text)
    while at >= 0:
        end = at + len(item.text)
        yield at, end, _is_whole(folded, item, at)
        at = folded.find(item.text, at + 1 if item.is_free else end)


def _is_whole(folded: str, item: Wanted, at: int) -> bool:
    if item.is_free:
        return True
    if at and folded[at - 1].isalnum() and folded[at].isalnum():
        return False
    end = at + len(item.text)
    return item.is_prefix or end == len(folded) or not folded[end].isalnum() or not folded[end - 1].isalnum()
