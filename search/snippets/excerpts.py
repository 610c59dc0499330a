"""Excerpts: the lines of a note that best show why it was found, with the matches highlighted.

A line's weight is the sum of idf over the distinct query terms in it, plus a quarter of that for terms that only the
lines before and after it contain; whole words count double. A term that an excerpt has already shown counts a quarter
in the next one, so that several excerpts show different terms. A long line is cut to its heaviest part. Lines of equal
weight keep their order.

Positions refer to the text as an editor shows it, so a client can select exactly what is highlighted.

Never looks beyond the first `MAX_SCANNED` characters, the default limit of a note's size.
"""

import unicodedata
from bisect import bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest

from attrs import field, frozen

from search.analysis.fold import fold
from search.answer.result import FoundSection, Snippet
from search.snippets.markup import content_end, content_start, link_targets, property_value, readability
from search.snippets.spots import MAX_SPOTS, HighlightTerm, LineWords, Spot, in_line, spots_in
from search.snippets.words_in_lines import WordsInLines, words_in
from search.vault.lines import split_lines
from search.vault.note import Heading, Note

MAX_SCANNED = 10 * 1024 * 1024
MAX_CHARS = 160
_LEAD = 40  # characters kept before the first highlight
_NEAR = 0.25  # factor for terms in the lines before and after
_SHOWN = 0.25  # factor for terms that another excerpt has shown
_HIDDEN = 0.25  # factor for matches in a link's address


@frozen
class _Candidate:
    """A line that may be shown."""

    number: int
    spots: Sequence[Spot]
    bounds: tuple[int, int]  # the range of the line without markup at its ends
    start: int  # the range that would be shown
    end: int
    weights: Mapping[str, float]  # of the terms in that range
    extra: float  # weight of the terms near it
    is_markup: bool


def lines_of(text: str) -> list[str]:
    """The lines as editors count them, without line ends; only those that excerpts look at."""
    return split_lines(text[:MAX_SCANNED])


def excerpts(
    note: Note,
    lines: Sequence[str],
    terms: Sequence[HighlightTerm],
    *,
    words: WordsInLines | None = None,
    spots: Iterable[Spot] = (),
    n_snippets: int,
) -> tuple[Snippet, ...]:
    """The best `n_snippets` excerpts, best first, for the words and phrases in `terms` and for the given `spots`.

    `words` is the result of `words_in` for these arguments, if it is known already.
    Front matter is shown only if nothing else matches, and only its values. No matches: no excerpts.
    """
    known: dict[int, list[Spot]] = {}
    for spot in spots:
        known.setdefault(spot.line, []).append(spot)
    finder = _Finder(note, lines, terms, words_in(lines, terms) if words is None else words, known)
    numbers = {*finder.words.found, *known}
    body = [number for number in numbers if number >= note.body_line]
    for part in (body, [number for number in numbers if number < note.body_line]):
        best = _choose(finder.outlines(part, n_snippets), n_snippets, lines)
        if shown := [
            one for outline in best if (one := outline if outline.spots else finder.candidate(outline.number))
        ]:
            return tuple(_cut(lines[candidate.number], candidate) for candidate in shown)
    return ()


def beginning(note: Note, lines: Sequence[str]) -> tuple[Snippet, ...]:
    """The first words of a note without highlights; not its title, unless there is no other text."""
    return _first_words(lines, note.body_line, note.title) or _first_words(lines, note.body_line, allows_markup=True)


def opening(lines: Sequence[str], start_line: int, end_line: int) -> tuple[Snippet, ...]:
    """The first words of a passage below its heading, without highlights; none if the passage has no words."""
    lines = lines[:end_line]
    without_headings = ["" if line.startswith("#") else line for line in lines]
    return _first_words(without_headings, start_line) or _first_words(lines, start_line, allows_markup=True)


def sections_of(note: Note, snippets: Iterable[Snippet]) -> tuple[FoundSection, ...]:
    """The sections that the snippets are in, each once, in the order of the snippets."""
    headings = note.headings
    starts = [heading.line for heading in headings]
    found: dict[int, FoundSection] = {}
    for snippet in snippets:
        at = bisect_right(starts, snippet.line) - 1
        if at >= 0 and starts[at] not in found:
            found[starts[at]] = FoundSection(_heading_path(headings[: at + 1]), starts[at])
    return tuple(found.values())


def _heading_path(headings: Sequence[Heading]) -> tuple[str, ...]:
    """The texts of the last heading and of those above it, from the outermost on."""
    path = [headings[-1]]
    for heading in reversed(headings):
        if heading.level < path[-1].level:
            path.append(heading)
    return tuple(heading.text for heading in reversed(path))


@frozen(eq=False)
class _Finder:
    """The lines of one note, and what matches in them."""

    note: Note
    lines: Sequence[str]
    terms: Sequence[HighlightTerm]
    words: WordsInLines
    known: Mapping[int, Sequence[Spot]]
    _line_weights: dict[int, Mapping[str, float]] = field(factory=dict, init=False)
    _readabilities: dict[int, float] = field(factory=dict, init=False)

    def outlines(self, numbers: Iterable[int], n_snippets: int) -> list[_Candidate]:
        """The heaviest lines, in the note's order; matches are located only where they may change a line's weight."""
        some = self._heaviest(numbers, 2 * n_snippets + 4)
        valued = [(value * self._readability(number), number) for value, number in some]
        best = sorted(
            (value - self._nearby(number, self._weights_in(number)), number) for value, number in valued if value < 0.0
        )
        outlines = [self._outline(number) for _, number in best[: n_snippets + 3]]
        return sorted((outline for outline in outlines if outline), key=lambda outline: outline.number)

    def _heaviest(self, numbers: Iterable[int], n_lines: int) -> list[tuple[float, int]]:
        """The heaviest lines, each with minus its weight; weighs only lines that may be among them."""
        bounds = sorted((-sum(self._at_most_in(number).values()), number) for number in numbers)
        best: list[tuple[float, int]] = []
        for bound in bounds:
            if len(best) == n_lines and bound > best[-1]:
                break
            if weights := self._weights_in(bound[1]):
                insort(best, (-sum(weights.values()), bound[1]))
                del best[n_lines:]
        return best

    def _readability(self, number: int) -> float:
        known = self._readabilities.get(number)
        if known is None:
            known = self._readabilities[number] = readability(self.lines[number], self.note.title)
        return known

    def _weights_in(self, number: int) -> Mapping[str, float]:
        """The weight of each term in a line."""
        weights = self._line_weights.get(number)
        if weights is None:
            weights = {item.text: weight for item, weight in self._words_in(number)}
            if number in self.known:
                weights |= {spot.key: spot.weight for spot in self.known[number]}
            self._line_weights[number] = weights
        return weights

    def _at_most_in(self, number: int) -> Mapping[str, float]:
        """The weights in a line if a reader saw all of it."""
        if number in self.known:
            return self._weights_in(number)
        return {item.text: weight for item, weight in self.words.found[number]}

    def _words_in(self, number: int) -> LineWords:
        """The terms in a line; also in a line of `known` that was left out because very many lines have some."""
        words = self.words.in_line(number)
        return in_line(fold(self.words.seen(number)), self.terms) if not words and number in self.known else words

    def _spots_in(self, number: int, words: Sequence[HighlightTerm]) -> Sequence[Spot]:
        """The places of these terms where a reader sees them; if there are none, all of them."""
        line, text = self.lines[number], self.words.seen(number)
        return spots_in(text, number, words) or (spots_in(line, number, words) if text != line else ())

    def _outline(self, number: int) -> _Candidate | None:
        line = self.lines[number]
        if number < self.note.body_line or len(line) > MAX_CHARS or "](" in line or "://" in line:
            return self.candidate(number)
        factor = self._readability(number)
        weights = {key: factor * weight for key, weight in self._weights_in(number).items()}
        extra = factor * self._nearby(number, weights)
        bounds = content_start(line), content_end(line)
        return _Candidate(number, (), bounds, *bounds, weights, extra, factor < 1.0)

    def candidate(self, number: int) -> _Candidate | None:
        """The part of a line that would be shown, and its weight; None if nothing of it should be shown."""
        line = self.lines[number]
        is_body = number >= self.note.body_line
        bounds = (content_start(line), content_end(line)) if is_body else property_value(line)
        if bounds is None:
            return None
        start, end = bounds
        words = [item for item, weight in self._words_in(number) if is_body or weight == item.weight]
        spots = [*self._spots_in(number, words), *self.known.get(number, ())]
        if is_body:  # a match is shown even inside markup
            start = min([start, *[spot.start for spot in spots if spot.start < spot.end]])
            end = len(line.rstrip()) if any(spot.end > end for spot in spots) else end
        bounds = start, end
        inside = [spot for spot in spots if start <= spot.start and spot.end <= end]
        inside = nsmallest(4 * MAX_SPOTS, inside, key=lambda spot: -spot.weight) if len(inside) > MAX_SPOTS else inside
        inside.sort(key=lambda spot: (spot.start, spot.end))
        if not inside or start >= end:
            return None
        hidden = list(link_targets(line))
        factor = self._readability(number)
        valued = [(spot, factor * spot.weight * (_HIDDEN if _is_within(spot, hidden) else 1.0)) for spot in inside]
        weights = _weights(valued)
        if end - start > MAX_CHARS:
            start, end, weights = _best_window(line, valued, start, end)
        return _Candidate(
            number, inside, bounds, start, end, weights, factor * self._nearby(number, weights), factor < 1.0
        )

    def _nearby(self, number: int, shown: Mapping[str, float]) -> float:
        """The extra weight of terms that only the rest of the line and the lines before and after it contain."""
        near: dict[str, float] = {}
        for near_number in (number - 1, number, number + 1):
            for key, weight in self._weights_in(near_number).items():
                if key not in shown:
                    near[key] = max(weight, near.get(key, 0.0))
        return _NEAR * sum(near.values()) if near else 0.0


def _is_within(spot: Spot, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(start <= spot.start and spot.end <= end for start, end in ranges)


def _weights(valued: Iterable[tuple[Spot, float]]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for spot, weight in valued:
        weights[spot.key] = max(weight, weights.get(spot.key, 0.0))
    return weights


def _best_window(
    line: str, valued: Sequence[tuple[Spot, float]], start: int, end: int
) -> tuple[int, int, dict[str, float]]:
    """The heaviest part of `line[start:end]`; if equal, the line's beginning, else where the matches are closest."""
    best = (0.0, False, 0, 0, 0)
    for at, (first, _) in enumerate(valued):
        last = at
        while last + 1 < len(valued) and valued[last + 1][0].end <= first.start + MAX_CHARS - _LEAD:
            last += 1
        inside = valued[at : last + 1]
        span = max(spot.end for spot, _ in inside) - first.start
        is_late = first.start - _LEAD > start
        best = min(best, (-sum(_weights(inside).values()), is_late, span, at, last))
    *_, at, last = best
    first = valued[at][0]
    begin = max(start, min(first.start - _LEAD, end - MAX_CHARS))
    return *_between_words(line, begin, first, start, end), _weights(valued[at : last + 1])


def _between_words(line: str, begin: int, first: Spot, start: int, end: int) -> tuple[int, int]:
    """A window from about `begin`; it starts and ends between words if possible, and never inside a letter."""
    if begin > start:
        blank = line.find(" ", begin - 1, first.start)
        begin = blank + 1 if blank >= 0 else _whole_letters(line, begin)
        link = _link_around(line, begin, max(start, begin - _LEAD))
        begin = link if first.end <= link + MAX_CHARS - _LEAD else begin
        begin = _after_link(line, begin, first.start)
        while begin < first.start and line[begin] in " \t|":
            begin += 1
    stop = min(end, begin + MAX_CHARS)
    if stop < end and line[stop : stop + 1] != " ":
        blank = line.rfind(" ", max(begin, first.end), stop)
        stop = blank if blank > begin else _whole_letters(line, stop)
    if stop < end and (link := _link_around(line, stop, max(begin, first.end))) < stop:
        stop = link
    while stop > first.end and stop < end and line[stop - 1] in " \t|":
        stop -= 1
    return begin, max(stop, min(first.end, begin + MAX_CHARS))


def _link_around(line: str, at: int, earliest: int) -> int:
    """The start of the wikilink that `at` would cut in two, if it is near; else `at`."""
    opens = line.rfind("[[", max(earliest, at - 2 * _LEAD), at)
    if opens < 0 or line.find("]]", opens, at) >= 0 or not 0 <= line.find("]]", at - 1) < at + MAX_CHARS:
        return at
    return opens


def _after_link(line: str, at: int, latest: int) -> int:
    """The end of a wikilink that begins before the shown part; else `at`."""
    closes = line.find("]]", at, latest)
    return at if closes < 0 or line.find("[[", at, closes) >= 0 else closes + 2


def _whole_letters(line: str, at: int) -> int:
    """The last place up to `at` that does not separate a letter from its combining marks; `at` if that is far away."""
    for place in range(at, max(0, at - 16), -1):
        char = line[place : place + 1]
        if not char or not (unicodedata.combining(char) or char in "\u200d\ufe0f" or line[place - 1] == "\u200d"):
            return place
    return at


def _choose(candidates: Sequence[_Candidate], n_snippets: int, lines: Sequence[str]) -> list[_Candidate]:
    """Greedily take the candidate that adds most; no text twice, and markup only as the first of all."""
    left = list(candidates)
    chosen: list[_Candidate] = []
    shown: set[str] = set()
    texts: set[str] = set()

    def gain(candidate: _Candidate) -> float:
        new = sum(weight * (_SHOWN if key in shown else 1.0) for key, weight in candidate.weights.items())
        return new + candidate.extra

    while left and len(chosen) < n_snippets:
        best = max(left, key=gain)  # the first of equals
        left.remove(best)
        text = lines[best.number][best.start : best.end].strip()
        if gain(best) > 0.0 and text not in texts and not (chosen and best.is_markup):
            texts.add(text)
            shown.update(best.weights)
            chosen.append(best)
    return chosen


def _cut(line: str, candidate: _Candidate) -> Snippet:
    start, end = candidate.start, candidate.end
    spots = ((spot.start, spot.end) for spot in candidate.spots if spot.start < spot.end)
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in spots if a < end and b > start]
    return Snippet(
        line[start:end],
        candidate.number,
        start,
        tuple(_merged(inside)),
        is_cut_before=any(map(str.isalnum, line[candidate.bounds[0] : start])),
        is_cut_after=any(map(str.isalnum, line[end : candidate.bounds[1]])),
    )


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _first_words(
    lines: Sequence[str], from_line: int, title: str = "", *, allows_markup: bool = False
) -> tuple[Snippet, ...]:
    for number, line in enumerate(lines[from_line:], start=from_line):
        begin, end = bounds = content_start(line), content_end(line)
        least = 0.01 if allows_markup else 0.5
        if any(map(str.isalnum, line[begin : begin + MAX_CHARS])) and readability(line, title) >= least:
            if end - begin > MAX_CHARS:
                begin, end = _between_words(line, begin, Spot(number, begin, begin, "", 0.0), begin, end)
            return (_cut(line, _Candidate(number, (), bounds, begin, end, {}, 0.0, is_markup=False)),)
    return ()
