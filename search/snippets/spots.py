"""Find the words and phrases of a query in a text, line by line.

The trick: folding keeps the number of lines, so the text is folded and searched as a whole. The exact characters are
worked out only for the few lines that are shown.

Never looks at more than `MAX_LINES` lines for one word: a huge generated note must not delay an answer.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from attrs import frozen

from search.analysis.fold import fold, fold_with_offsets, visible_end
from search.matching.terms import Term

MAX_LINES = 2_000
MAX_SPOTS = 200  # of one word in one line
_INNER = 0.5  # factor for matches inside longer words


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


def lines_with(folded: str, terms: Iterable[HighlightTerm]) -> dict[int, list[tuple[HighlightTerm, float]]]:
    """The lines of a folded text that contain any of `terms`, each with its terms and their weights there.

    A match inside a longer word weighs half as much.
    """
    found: dict[int, list[tuple[HighlightTerm, float]]] = {}
    for item in terms:
        number = counted = n_lines = 0
        at = folded.find(item.text)
        while at >= 0 and n_lines < MAX_LINES:
            number += folded.count("\n", counted, at)
            end = folded.find("\n", at)
            end = len(folded) if end < 0 else end
            place, is_whole = at, False
            while place >= 0 and not (is_whole := _is_whole(folded, item, place)):
                place = folded.find(item.text, place + 1, end)
            found.setdefault(number, []).append((item, item.weight if is_whole else item.weight * _INNER))
            counted, n_lines = end, n_lines + 1
            at = folded.find(item.text, end)
    return found


def spots_in(line: str, number: int, terms: Iterable[HighlightTerm]) -> list[Spot]:
    """The places of `terms` in an unfolded line; matches inside longer words count only without a whole-word match."""
    folded, offsets = fold_with_offsets(line)
    return [
        Spot(number, start, visible_end(line, start, end), item.text, item.weight if is_whole else item.weight * _INNER)
        for item in terms
        for folded_start, folded_end, is_whole in _best_occurrences(folded, item)
        for start, end in [(offsets[folded_start], offsets[folded_end])]
    ]


def _best_occurrences(folded: str, item: HighlightTerm) -> Sequence[tuple[int, int, bool]]:
    found = [place for place, _ in zip(_occurrences(folded, item), range(MAX_SPOTS), strict=False)]
    return [place for place in found if place[2]] or found


def _occurrences(folded: str, item: HighlightTerm) -> Iterator[tuple[int, int, bool]]:
    """Each place of `item`, and whether it is a whole word there."""
    at = folded.find(item.text)
    while at >= 0:
        end = at + len(item.text)
        yield at, end, _is_whole(folded, item, at)
        at = folded.find(item.text, at + 1 if item.is_free else end)


def _is_whole(folded: str, item: HighlightTerm, at: int) -> bool:
    if item.is_free:
        return True
    if at and folded[at - 1].isalnum() and folded[at].isalnum():
        return False
    end = at + len(item.text)
    return item.is_prefix or end == len(folded) or not folded[end].isalnum() or not folded[end - 1].isalnum()
