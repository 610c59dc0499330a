"""The lines of a note that contain words of a query, where a reader sees them.

The trick: what a reader sees of a line, and which of the words are whole there, is worked out only when that line is
asked for. Of a long note with many matches these are a few, since `found` says how much a line can weigh at most.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from search.analysis.fold import fold
from search.snippets.markup import first_sign, seen
from search.snippets.spots import HighlightTerm, LineWords, folded_lines, in_line, lines_with
from search.vault.lines import split_lines


class WordsInLines(Mapping[int, LineWords]):
    """Line by number -> the terms that a reader sees in it; if no line has any, those that it contains at all.

    `found` has the terms that a line contains at all. No line has more terms than there, or heavier ones.
    """

    def __init__(self, lines: Sequence[str], terms: Sequence[HighlightTerm]) -> None:
        folded = folded_lines(lines)
        self._lines = lines
        self._folded = split_lines(folded)
        self.found = lines_with(folded, terms, self._folded)
        self._known: dict[int, LineWords] = {}
        self._seen: dict[int, str] = {}

    def in_line(self, number: int) -> LineWords:
        """The terms in a line; () for a line without any."""
        if number not in self.found:
            return ()
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._seen_in(number) if self._is_any_seen else self._held_in(number)
        return known

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
        return any(map(self._seen_in, self.found))

    def seen(self, number: int) -> str:
        """What a reader sees of a line, with blanks for the rest."""
        text = self._seen.get(number)
        if text is None:
            text = self._seen[number] = seen(self._lines[number])
        return text

    def _seen_in(self, number: int) -> LineWords:
        held, sign = self._held_in(number), first_sign(self._lines[number])
        if sign < 0:
            return held
        line = self._lines[number]
        if line.isascii() and in_line(self._folded[number][:sign], self._terms_in(number)) == held:
            return held  # a reader sees all that comes before the first sign
        text = self.seen(number)
        return held if text == line else in_line(fold(text), self._terms_in(number))

    def _held_in(self, number: int) -> LineWords:
        return in_line(self._folded[number], self._terms_in(number))

    def _terms_in(self, number: int) -> list[HighlightTerm]:
        return [item for item, _ in self.found[number]]


def words_in(lines: Sequence[str], terms: Sequence[HighlightTerm]) -> WordsInLines:
    """The lines that contain any of `terms` where a reader sees it; if there are none, those that contain it at all."""
    return WordsInLines(lines, terms)
