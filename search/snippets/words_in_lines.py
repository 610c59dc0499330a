"""The lines of a note that contain words of a query, where a reader sees them.

The trick: what a reader sees of a line is worked out only when that line is asked for. Of a long note with many matches
these are a few, since the words that are anywhere in a line (`found`) say how much it can weigh at most.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from search.analysis.fold import fold
from search.snippets.markup import seen
from search.snippets.spots import HighlightTerm, LineWords, folded_lines, in_line, lines_with


class WordsInLines(Mapping[int, LineWords]):
    """Line by number -> the terms that a reader sees in it; if no line has any, those that it contains at all.

    `found` has the terms that a line contains at all. No line has more terms than there, or heavier ones.
    """

    def __init__(self, lines: Sequence[str], found: Mapping[int, LineWords]) -> None:
        self.found = found
        self._lines = lines
        self._visible: dict[int, LineWords] = {}

    def in_line(self, number: int) -> LineWords:
        """The terms in a line; () for a line without any."""
        held = self.found.get(number, ())
        return self._seen_in(number, held) if held and self._is_any_seen else held

    def __getitem__(self, number: int) -> LineWords:
        if held := self.in_line(number):
            return held
        raise KeyError(number)

    def __iter__(self) -> Iterator[int]:
        return (number for number in self.found if self.in_line(number))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def _is_any_seen(self) -> bool:
        return any(self._seen_in(number, held) for number, held in self.found.items())

    def _seen_in(self, number: int, held: LineWords) -> LineWords:
        known = self._visible.get(number)
        if known is None:
            line = self._lines[number]
            text = seen(line)
            known = held if text == line else in_line(fold(text), [item for item, _ in held])
            self._visible[number] = known
        return known


def words_in(lines: Sequence[str], terms: Sequence[HighlightTerm]) -> WordsInLines:
    """The lines that contain any of `terms` where a reader sees it; if there are none, those that contain it at all."""
    return WordsInLines(lines, lines_with(folded_lines(lines), terms))
