"""The passages of one note that a context can show: whole sections, or parts of long ones, each with a score.

A passage's score, 0..1, compares it with the others of its note. Half of it is the weight of the query's words in the
passage and in the headings above it, half the cosine of the nearest chunk there; without vectors, words are all of it.

The passages of a note do not overlap, and each is a verbatim span of its text. A very long note is cut only around what
matches, since a context shows little of it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate, pairwise, takewhile

from attrs import evolve, field, frozen

from search.analysis.token_estimate import estimate_tokens
from search.answer.evidence import Passage
from search.navigation.file_parts import FilePart
from search.snippets.passage import MAX_SCANNED
from search.snippets.spots import HighlightTerm, spots_in
from search.snippets.words_in_lines import words_in
from search.vault.lines import split_lines
from search.vault.note import Note, Section
from search.vectors.chunk import chunks

_LONG_CHARS = 60_000  # a longer note is cut only around its best lines
_N_PLACES = 20  # lines of a long note to cut around, by words and as many by meaning
_AROUND, _NEAR_CHARS = 40, 3_000  # lines before and after each of them, and the most characters that these have
_LINE_CHARS, _LEAD_CHARS = 4_000, 200  # of a longer line of a long note, what is cut, and how much before its best word
_SATURATION = 0.5  # a word in one line counts two thirds of its weight, and each further line adds less
_IN_HEADINGS = 0.5  # weight of a word in the headings above, compared with one in the passage itself
_MAX_GAP = 4  # characters: two line breaks as CR LF
_LINE_END = re.compile(r"\r\n|\n|\r")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")

Lines = tuple[int, int]  # half-open, from 0 in the file


@frozen
class PassageSpan:
    """A verbatim part of a note: characters `start` to `end` (half-open) of its text, which are on `lines`."""

    start: int
    end: int
    lines: Lines
    headings: tuple[str, ...]  # those above the first line, its own included, the outermost first
    score: float = 0.0  # 0..1, comparable only within the note


@frozen(eq=False)
class NoteText:
    """A note's text, its lines, and where they start. No passage goes on from one page, card or cell to another."""

    note: Note
    text: str  # the whole file, with its own line breaks
    parts: Sequence[FilePart] = ()  # its pages, cards or cells
    lines: Sequence[str] = field(init=False)  # of the first `MAX_SCANNED` characters, without line breaks
    starts: Sequence[int] = field(init=False)  # of each line, in characters of `text`
    sections: Sequence[Section] = field(init=False)  # kept, since `Note.sections` cuts the note at each access

    @lines.default
    def _split(self) -> Sequence[str]:
        return split_lines(self.text[:MAX_SCANNED])

    @starts.default
    def _locate(self) -> Sequence[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text[:MAX_SCANNED]))]

    @sections.default
    def _cut(self) -> Sequence[Section]:
        return self.note.sections

    def headings_at(self, line: int) -> tuple[str, ...]:
        """The headings above a line, its own included, the outermost first; () before the first section."""
        at = bisect_right(self.sections, line, key=lambda section: section.start_line) - 1
        return self.sections[at].heading_path if at >= 0 else ()

    def part_at(self, line: int) -> FilePart | None:
        """The page, card or cell with a line; None before the first one, and in a note that has none."""
        at = bisect_right(self.parts, line, key=lambda part: part.line)
        return self.parts[at - 1] if at else None

    def span(self, first: int, end: int) -> PassageSpan:
        """The span of the lines `first` to `end` (half-open), without the line break of the last one."""
        stop = self.starts[end - 1] + len(self.lines[end - 1])
        return PassageSpan(self.starts[first], stop, (first, end), self.headings_at(first))

    def joined(self, one: PassageSpan, other: PassageSpan) -> PassageSpan | None:
        """Two spans as one if only a few line breaks are between them, else None; `one` must be the first."""
        gap = self.text[one.end : other.start]
        if one.end > other.start or len(gap) > _MAX_GAP or gap.strip("\r\n"):
            return None
        if self.part_at(one.lines[0]) is not self.part_at(other.lines[0]):
            return None
        score = max(one.score, other.score)
        return PassageSpan(one.start, other.end, (one.lines[0], other.lines[1]), one.headings, score)

    def with_lead_in(self, span: PassageSpan) -> PassageSpan:
        """The span with the line that introduces its list; the span itself if it does not begin with a list item.

        That line is the one before, at most one blank line away, unless it is a heading or a list item too.
        """
        first = span.lines[0]
        if span.start != self.starts[first] or not _LIST_ITEM.match(self.lines[first]):
            return span
        part = self.part_at(first)
        highest = max(self.note.body_line, first - 2, 0 if part is None else part.line)
        before = first - 1
        while before >= highest and not self.lines[before].strip():
            before -= 1
        if before < highest:
            return span
        line = self.lines[before]
        if _LIST_ITEM.match(line) or _HEADING.match(line):
            return span
        return evolve(span, start=self.starts[before], lines=(before, span.lines[1]))


def passages_in(
    text: NoteText,
    terms: Sequence[HighlightTerm],
    near: Sequence[Passage],
    *,
    anchors: tuple[float, float],
    line: int,
    max_tokens: int,
) -> tuple[PassageSpan, ...]:
    """The note's passages with a score above 0, in the order of the text.

    If there are none, as for a query that only filters: the passage with `line` (from 0), else the first one, with the
    score 0. A note without text has no passages.

    `near` are the note's chunks with their raw cosines, () for a note without vectors. `anchors` are the raw cosine
    that is worth nothing and that of a sure match. A passage has at most `max_tokens` tokens, as estimated.
    """
    words = words_in(text.lines, terms)
    in_lines = {number: {item.text: weight for item, weight in found} for number, found in words.items()}
    parts = _cut(_parts(text, in_lines, near, line), [part.line for part in text.parts])
    spans = tuple(_spans(text, parts, terms, max_tokens))
    total = sum(item.weight for item in terms) or 1.0
    floor, gate = anchors
    scored = []
    for span in spans:
        by_words = _by_words(span, in_lines, terms) / total
        cosine = _cosine(span, near)
        by_meaning = 0.0 if cosine is None else min(1.0, max(0.0, (cosine - floor) / (gate - floor)))
        score = (by_words + by_meaning) / 2.0 if near else by_words
        if score > 0.0:
            scored.append(evolve(span, score=min(1.0, score)))
    return tuple(scored) or tuple(span for span in spans if span.lines[0] <= line < span.lines[1])[:1] or spans[:1]


def _parts(
    text: NoteText, in_lines: Mapping[int, Mapping[str, float]], near: Sequence[Passage], line: int
) -> list[Lines]:
    """The lines to cut into passages: the body, or only what is around the best lines of a very long note.

    A note that has only front matter is cut as a whole. Of equal lines the first ones count as best.
    """
    body, n_lines = text.note.body_line, len(text.lines)
    if not any(map(str.strip, text.lines[body:])):
        return [(0, n_lines)]
    if len(text.text) <= _LONG_CHARS:
        return [(body, n_lines)]
    best = nlargest(_N_PLACES, ((sum(held.values()), -number) for number, held in in_lines.items()))
    nearest = nlargest(_N_PLACES, ((chunk.cosine, -chunk.lines[0]) for chunk in near))
    found = {-number for _, number in (*best, *nearest)} or {line}
    places = sorted(place for place in found if body <= place < n_lines) or [body]
    parts: list[Lines] = []
    for place in places:
        first = place - _n_near(reversed(text.lines[max(body, place - _AROUND) : place]))
        end = place + 1 + _n_near(text.lines[place + 1 : place + _AROUND])
        if parts and first <= parts[-1][1]:
            first = parts.pop()[0]
        parts.append((first, end))
    return parts


def _cut(parts: Iterable[Lines], starts: Sequence[int]) -> Iterator[Lines]:
    """The parts cut before each line of `starts`."""
    for first, end in parts:
        inner = starts[bisect_right(starts, first) : bisect_left(starts, end)]
        yield from pairwise((first, *inner, end))


def _n_near(lines: Iterable[str]) -> int:
    """How many of these lines, the nearest first, are cut together with the best one."""
    sizes = accumulate(min(len(line), _LINE_CHARS) for line in lines)
    return sum(1 for _ in takewhile(lambda size: size <= _NEAR_CHARS, sizes))


def _spans(
    text: NoteText, parts: Iterable[Lines], terms: Sequence[HighlightTerm], max_tokens: int
) -> Iterator[PassageSpan]:
    """Parts of a note cut into passages, without scores."""
    all_headings = text.note.headings
    for first, end in parts:
        headings = tuple(heading for heading in all_headings if first <= heading.line < end)
        part = evolve(text.note, body_line=first, n_lines=end, headings=headings)
        lines = text.lines[first:end]
        begins = _begins(lines, terms) if len(text.text) > _LONG_CHARS else {}
        body = "\n".join(
            [line[begins[n] : begins[n] + _LINE_CHARS] if n in begins else line for n, line in enumerate(lines)]
        )
        at_line, column = -1, 0
        for chunk in chunks(part, body, count_tokens=estimate_tokens, max_tokens=max_tokens):
            line = chunk.start_line
            if chunk.end_line - line > 1:
                yield text.span(line, chunk.end_line)
                continue
            # A chunk of one line can be a piece of it; equal pieces are found in their order.
            piece = chunk.text.rpartition("\n")[2]
            column = max(0, text.lines[line].find(piece, column if line == at_line else begins.get(line - first, 0)))
            start = text.starts[line] + column
            at_line, column = line, column + len(piece)
            yield PassageSpan(start, start + len(piece), (line, line + 1), text.headings_at(line))


def _begins(lines: Sequence[str], terms: Sequence[HighlightTerm]) -> Mapping[int, int]:
    """Of each very long line, where to begin: a little before the heaviest word."""
    begins: dict[int, int] = {}
    for number, line in enumerate(lines):
        if len(line) > _LINE_CHARS:
            spots = spots_in(line, number, terms)
            at = max(spots, key=lambda spot: (spot.weight, -spot.start)).start if spots else 0
            start = max(0, at - _LEAD_CHARS)
            begins[number] = line.find(" ", start, at) + 1 or start
    return begins


def _by_words(span: PassageSpan, in_lines: Mapping[int, Mapping[str, float]], terms: Sequence[HighlightTerm]) -> float:
    """The weight of the query's words in a span and, at half their weight, of the others in the headings above it.

    A word in n lines of the span counts weight * n / (n + 0.5), where `weight` is its highest weight in a line.
    """
    counts: dict[str, int] = {}
    weights: dict[str, float] = {}
    for number in range(*span.lines):
        for text, weight in in_lines.get(number, {}).items():
            counts[text] = counts.get(text, 0) + 1
            weights[text] = max(weight, weights.get(text, 0.0))
    found = sum(weight * counts[text] / (counts[text] + _SATURATION) for text, weight in weights.items())
    above = words_in(span.headings, [item for item in terms if item.text not in weights]) if span.headings else {}
    named = {item.text: weight for line in above.values() for item, weight in line}
    return found + _IN_HEADINGS * sum(named.values())


def _cosine(span: PassageSpan, near: Sequence[Passage]) -> float | None:
    """The highest cosine of the chunks that overlap the span in half of the lines of the shorter one; else None."""
    first, end = span.lines
    found = []
    for chunk in near:
        shared = min(end, chunk.lines[1]) - max(first, chunk.lines[0])
        if shared > 0 and 2 * shared >= min(end - first, chunk.lines[1] - chunk.lines[0]):
            found.append(chunk.cosine)
    return max(found, default=None)
