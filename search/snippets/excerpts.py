"""Excerpts: the lines of a note that show best why it was found, with what matched in them.

A line is worth the idf of the distinct things in it that were asked for, and a quarter of what stands only in the
lines beside it; whole words count double. What an excerpt has shown counts a quarter in the next, so that several show
several things. Of a long line the piece is shown that is worth most; equal lines keep their order.

Works on the text as it is on the screen, so that a client can select exactly what is highlighted.

Never looks further than `MAX_SCANNED` characters into a note: a machine-made giant must not delay an answer.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from search.analysis.fold import fold
from search.answer.result import FoundSection, Snippet
from search.snippets.markup import lead_end, link_targets, property_value, readability, tail_start
from search.snippets.spots import MAX_SPOTS, Spot, Wanted, lines_holding, spots_in
from search.vault.note import Note

MAX_SCANNED = 1_000_000
MAX_CHARS = 160
_LEAD = 40  # characters kept in front of the first highlight
_NEAR = 0.25  # what stands in the lines beside counts this much
_SHOWN = 0.25  # and this much what another excerpt has shown
_HIDDEN = 0.25  # and this much what stands in a link's address
_LINE_END = re.compile(r"\r\n|\n|\r")


@frozen
class _Passage:
    """A line that may be shown: its places, the range that is shown, and what stands in it and near it."""

    number: int
    spots: Sequence[Spot]
    bounds: tuple[int, int]  # what of the line is to be read
    start: int
    end: int
    worths: Mapping[str, float]
    extra: float
    is_dull: bool


def lines_of(text: str) -> list[str]:
    """The lines as editors count them, without their ends, as far as excerpts look."""
    seen = text[:MAX_SCANNED]
    return _LINE_END.split(seen) if "\r" in seen else seen.split("\n")


def excerpts(
    note: Note, lines: Sequence[str], wanted: Sequence[Wanted], *, spots: Iterable[Spot] = (), n_snippets: int
) -> tuple[Snippet, ...]:
    """The best `n_snippets` excerpts, best first, for words `wanted` and `spots` that are known already.

    Of front matter only values are shown, and only where nothing else matches. None where nothing matches.
    """
    known: dict[int, list[Spot]] = {}
    for spot in spots:
        known.setdefault(spot.line, []).append(spot)
    words = lines_holding(fold("\n".join(lines)), wanted)
    held: dict[int, dict[str, float]] = {}
    for number in {*words, *known}:
        worths = {item.text: worth for item, worth in words.get(number, ())}
        held[number] = worths | {spot.key: spot.worth for spot in known.get(number, ())}
    finder = _Finder(note, lines, words, known, held)
    body = [number for number in held if number >= note.body_line]
    for numbers in (body, [number for number in held if number < note.body_line]):
        best = _choose(finder.outlines(numbers, n_snippets), n_snippets, lines)
        if shown := [passage for outline in best if (passage := finder.passage(outline.number))]:
            return tuple(_cut(lines[passage.number], passage) for passage in shown)
    return ()


def beginning(note: Note, lines: Sequence[str]) -> tuple[Snippet, ...]:
    """The first words of a note, unhighlighted, and not its title said again where there is more."""
    return _first_words(lines, note.body_line, note.title) or _first_words(lines, note.body_line, "", is_choosy=False)


def opening(lines: Sequence[str], start_line: int, end_line: int) -> tuple[Snippet, ...]:
    """The first words of a passage below its heading, unhighlighted; none where the passage has no words."""
    lines = lines[:end_line]
    without_headings = ["" if line.startswith("#") else line for line in lines]
    return _first_words(without_headings, start_line) or _first_words(lines, start_line, is_choosy=False)


def sections_of(note: Note, snippets: Iterable[Snippet]) -> tuple[FoundSection, ...]:
    """The headings that the snippets stand below, each once, in order of the snippets."""
    starts = [heading.line for heading in note.headings]
    sections = {section.start_line: section for section in note.sections} if starts else {}
    found: dict[int, FoundSection] = {}
    for snippet in snippets:
        at = bisect_right(starts, snippet.line) - 1
        if at >= 0 and (section := sections.get(starts[at])):
            found.setdefault(starts[at], FoundSection(section.heading_path, starts[at]))
    return tuple(found.values())


@frozen
class _Finder:
    """The lines of one note, and what was asked for in them."""

    note: Note
    lines: Sequence[str]
    words: Mapping[int, Sequence[tuple[Wanted, float]]]
    known: Mapping[int, Sequence[Spot]]
    held: Mapping[int, Mapping[str, float]]  # of each line, what it holds and the worth there

    def outlines(self, numbers: Iterable[int], n_snippets: int) -> list[_Passage]:
        """The lines that are worth most, judged as wholes, in order; exact only for those that are shown in part."""
        held = self.held
        some = sorted((-sum(held[number].values()), number) for number in numbers)[: 2 * n_snippets + 4]
        valued = [(value * readability(self.lines[number], self.note.title), number) for value, number in some]
        best = sorted((value - self._nearby(number, held[number]), number) for value, number in valued if value < 0.0)
        outlines = [self._outline(number) for _, number in best[: n_snippets + 3]]
        return sorted((outline for outline in outlines if outline), key=lambda outline: outline.number)

    def _outline(self, number: int) -> _Passage | None:
        line = self.lines[number]
        if number < self.note.body_line or len(line) > MAX_CHARS or "](" in line or "://" in line:
            return self.passage(number)
        factor = readability(line, self.note.title)
        worths = {key: factor * worth for key, worth in self.held[number].items()}
        extra = factor * self._nearby(number, worths)
        bounds = lead_end(line), tail_start(line)
        return _Passage(number, (), bounds, *bounds, worths, extra, factor < 1.0)

    def passage(self, number: int) -> _Passage | None:
        """What of a line would be shown, and its worth; None where nothing of it is to be shown."""
        line = self.lines[number]
        is_body = number >= self.note.body_line
        bounds = (lead_end(line), tail_start(line)) if is_body else property_value(line)
        if bounds is None:
            return None
        start, end = bounds
        words = [item for item, worth in self.words.get(number, ()) if is_body or worth == item.worth]
        spots = [*spots_in(line, number, words), *self.known.get(number, ())]
        if is_body:  # what was asked for is shown even where it is markup
            start = min([start, *[spot.start for spot in spots if spot.start < spot.end]])
            end = len(line.rstrip()) if any(spot.end > end for spot in spots) else end
        bounds = start, end
        inside = [spot for spot in spots if start <= spot.start and spot.end <= end]
        inside = sorted(inside, key=lambda spot: (spot.start, spot.end))[: 4 * MAX_SPOTS]
        if not inside or start >= end:
            return None
        hidden = list(link_targets(line))
        factor = readability(line, self.note.title)
        valued = [(spot, factor * spot.worth * (_HIDDEN if _is_within(spot, hidden) else 1.0)) for spot in inside]
        worths = _worths(valued)
        if end - start > MAX_CHARS:
            start, end, worths = _best_window(line, valued, start, end)
        return _Passage(number, inside, bounds, start, end, worths, factor * self._nearby(number, worths), factor < 1.0)

    def _nearby(self, number: int, shown: Mapping[str, float]) -> float:
        """What is added for what stands only in the rest of the line and the lines beside it."""
        near: dict[str, float] = {}
        for beside in (number - 1, number, number + 1):
            for key, worth in self.held.get(beside, {}).items():
                if key not in shown:
                    near[key] = max(worth, near.get(key, 0.0))
        return _NEAR * sum(near.values()) if near else 0.0


def _is_within(spot: Spot, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(start <= spot.start and spot.end <= end for start, end in ranges)


def _worths(valued: Iterable[tuple[Spot, float]]) -> dict[str, float]:
    worths: dict[str, float] = {}
    for spot, worth in valued:
        worths[spot.key] = max(worth, worths.get(spot.key, 0.0))
    return worths


def _best_window(
    line: str, valued: Sequence[tuple[Spot, float]], start: int, end: int
) -> tuple[int, int, dict[str, float]]:
    """The piece of `line[start:end]` with most in it; of equals the line's beginning, else where it stands closest."""
    best = (0.0, False, 0, 0, 0)
    for at, (first, _) in enumerate(valued):
        last = at
        while last + 1 < len(valued) and valued[last + 1][0].end <= first.start + MAX_CHARS - _LEAD:
            last += 1
        inside = valued[at : last + 1]
        span = max(spot.end for spot, _ in inside) - first.start
        is_late = first.start - _LEAD > start
        best = min(best, (-sum(_worths(inside).values()), is_late, span, at, last))
    *_, at, last = best
    first = valued[at][0]
    begin = max(start, min(first.start - _LEAD, end - MAX_CHARS))
    return *_between_words(line, begin, first, start, end), _worths(valued[at : last + 1])


def _between_words(line: str, begin: int, first: Spot, start: int, end: int) -> tuple[int, int]:
    """A window from about `begin` on, begun and ended between words where it can be, never inside a letter."""
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
    """Where the wikilink begins that `at` would part, if that is near; else `at`."""
    opens = line.rfind("[[", max(earliest, at - 2 * _LEAD), at)
    if opens < 0 or line.find("]]", opens, at) >= 0 or not 0 <= line.find("]]", at - 1) < at + MAX_CHARS:
        return at
    return opens


def _after_link(line: str, at: int, latest: int) -> int:
    """Where a wikilink has ended that began further in front than is shown; else `at`."""
    closes = line.find("]]", at, latest)
    return at if closes < 0 or line.find("[[", at, closes) >= 0 else closes + 2


def _whole_letters(line: str, at: int) -> int:
    """The last place up to `at` that does not part a letter from its marks; `at` where that is far away."""
    for place in range(at, max(0, at - 16), -1):
        char = line[place : place + 1]
        if not char or not (unicodedata.combining(char) or char in "\u200d\ufe0f" or line[place - 1] == "\u200d"):
            return place
    return at


def _choose(passages: Sequence[_Passage], n_snippets: int, lines: Sequence[str]) -> list[_Passage]:
    """One after the other the passage that adds most; no text twice, and markup only where there is nothing else."""
    left = list(passages)
    chosen: list[_Passage] = []
    shown: set[str] = set()
    texts: set[str] = set()

    def gain(passage: _Passage) -> float:
        new = sum(worth * (_SHOWN if key in shown else 1.0) for key, worth in passage.worths.items())
        return new + passage.extra

    while left and len(chosen) < n_snippets:
        best = max(left, key=gain)  # the first of equals
        left.remove(best)
        text = lines[best.number][best.start : best.end].strip()
        if gain(best) > 0.0 and text not in texts and not (chosen and best.is_dull):
            texts.add(text)
            shown.update(best.worths)
            chosen.append(best)
    return chosen


def _cut(line: str, passage: _Passage) -> Snippet:
    start, end = passage.start, passage.end
    spots = ((spot.start, spot.end) for spot in passage.spots if spot.start < spot.end)
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in spots if a < end and b > start]
    return _snippet(line, passage.number, passage.bounds, (start, end), tuple(_merged(inside)))


def _snippet(
    line: str,
    number: int,
    bounds: tuple[int, int],
    shown: tuple[int, int],
    highlights: tuple[tuple[int, int], ...] = (),
) -> Snippet:
    start, end = shown
    return Snippet(
        line[start:end],
        number,
        start,
        highlights,
        is_cut_before=any(map(str.isalnum, line[bounds[0] : start])),
        is_cut_after=any(map(str.isalnum, line[end : bounds[1]])),
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
    lines: Sequence[str], from_line: int, title: str = "", *, is_choosy: bool = True
) -> tuple[Snippet, ...]:
    for number, line in enumerate(lines[from_line:], start=from_line):
        begin, end = bounds = lead_end(line), tail_start(line)
        least = 0.5 if is_choosy else 0.01
        if any(map(str.isalnum, line[begin : begin + MAX_CHARS])) and readability(line, title) >= least:
            if end - begin > MAX_CHARS:
                begin, end = _between_words(line, begin, Spot(number, begin, begin, "", 0.0), begin, end)
            return (_snippet(line, number, bounds, (begin, end)),)
    return ()
