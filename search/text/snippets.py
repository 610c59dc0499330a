"""Excerpts: the lines of a note that show best why it was found, with what matched in them.

A line's worth is the sum of the idf of the distinct terms in it, whole words counting double; equal lines keep their
order. Works on the text as it is on the screen, so that a client can select exactly what is highlighted.

Never looks further than `MAX_SCANNED` characters into a note: a machine-made giant must not delay an answer.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from search.answer.result import FoundSection, Snippet
from search.text.fold import fold, fold_with_offsets
from search.text.terms import Term
from search.text.tokens import is_dense
from search.vault.note import Note

MAX_SCANNED = 1_000_000
MAX_CHARS = 160
_LEAD = 40  # characters kept in front of the first highlight
_LINE_END = re.compile(r"\r\n|\n|\r")
_MARKUP = re.compile(
    r"\s*(?:(?:>|#{1,6}|[-*+]|\d{1,9}[.)]|\[.\])\s+)*"
)  # what begins a line: quote, heading, list, task


@frozen
class Wanted:
    """What to look for in a line: a folded text, its worth, and whether completions of it count as whole."""

    text: str
    worth: float
    is_prefix: bool = False
    is_phrase: bool = False


def wanted_of(terms: Iterable[tuple[Term, float]], phrases: Iterable[str] = ()) -> tuple[Wanted, ...]:
    """Terms with their idf, and phrases, as things to look for; terms that do not recall are not shown."""
    found = [Wanted(term.text, max(idf, 0.01), is_prefix=term.is_prefix) for term, idf in terms if term.is_recalling]
    worth = sum(item.worth for item in found) or 1.0
    return (*(Wanted(fold(phrase), worth, is_phrase=True) for phrase in phrases if phrase), *found)


def excerpts(note: Note, text: str, wanted: Sequence[Wanted], *, n_snippets: int) -> tuple[Snippet, ...]:
    """The best `n_snippets` lines, best first; where no line matches, the first line with words, unhighlighted.

    Front matter is shown only where nothing else matches. Empty text gives none.
    """
    lines = list(_lines(text))
    scored: list[tuple[bool, float, int, list[tuple[int, int]]]] = []
    for number, start, end in lines if wanted else ():
        worth, ranges = _match(text[start:end], wanted)
        if ranges:
            scored.append((number >= note.body_line, worth, number, ranges))
    scored.sort(key=lambda item: (not item[0], -item[1], item[2]))
    best = [item for item in scored if item[0]] or scored
    if best:
        return tuple(_cut(text[lines[n][1] : lines[n][2]], n, ranges) for _, _, n, ranges in best[:n_snippets])
    return tuple(_first_words(text, lines, note.body_line))


def opening(text: str, start_line: int, end_line: int) -> tuple[Snippet, ...]:
    """The first words of a passage below its heading, unhighlighted; none where the passage has no words."""
    passage = [line for line in _lines(text) if start_line <= line[0] < end_line]
    below = [line for line in passage if not text.startswith("#", line[1])]
    found = tuple(_first_words(text, below, start_line))
    return found or tuple(_first_words(text, passage, start_line))


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


def _lines(text: str) -> Iterator[tuple[int, int, int]]:
    """Number, start and end of each line, as editors count them."""
    start = 0
    number = 0
    for end in _LINE_END.finditer(text, 0, MAX_SCANNED):
        yield number, start, end.start()
        number, start = number + 1, end.end()
    yield number, start, min(len(text), MAX_SCANNED)


def _match(line: str, wanted: Sequence[Wanted]) -> tuple[float, list[tuple[int, int]]]:
    """The line's worth, and the ranges of what matched in it, merged, in the line's own characters."""
    folded = fold(line)
    found = [item for item in wanted if item.text in folded]
    if not found:
        return 0.0, []
    offsets: Sequence[int] = range(len(line) + 1)
    if len(folded) != len(line) or not line.isascii():
        folded, offsets = fold_with_offsets(line)
    worth = 0.0
    ranges: list[tuple[int, int]] = []
    for item in found:
        whole, inner = _occurrences(folded, item)
        worth += item.worth * (2.0 if whole else 1.0)
        ranges += [(offsets[start], offsets[end]) for start, end in whole or inner]
    return worth, _merged(ranges)


def _occurrences(folded: str, item: Wanted) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    is_free = item.is_phrase or is_dense(item.text)
    whole: list[tuple[int, int]] = []
    inner: list[tuple[int, int]] = []
    at = folded.find(item.text)
    while at >= 0:
        end = at + len(item.text)
        begins = is_free or at == 0 or not folded[at - 1].isalnum() or not folded[at].isalnum()
        ends = (
            is_free
            or item.is_prefix
            or end == len(folded)
            or not folded[end].isalnum()
            or not folded[end - 1].isalnum()
        )
        (whole if begins and ends else inner).append((at, end))
        at = folded.find(item.text, at + 1 if is_free else end)
    return whole, inner


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _cut(line: str, number: int, ranges: Sequence[tuple[int, int]]) -> Snippet:
    """A window of the line around its first highlights, begun and ended between words where it can be."""
    start = 0
    if len(line) > MAX_CHARS:
        start = max(0, min(ranges[0][0] - _LEAD, len(line) - MAX_CHARS))
        blank = line.find(" ", start, ranges[0][0]) if start else -1
        start = blank + 1 if blank >= 0 else start
    elif (markup := _MARKUP.match(line)) is not None:
        start = min(markup.end(), ranges[0][0])
    end = min(len(line), start + MAX_CHARS)
    if end < len(line) and (blank := line.rfind(" ", max(start, ranges[0][1]), end)) > start:
        end = blank
    end = max(end, min(ranges[0][1], start + MAX_CHARS))
    shown = tuple((max(a, start) - start, min(b, end) - start) for a, b in ranges if a < end and b > start)
    return Snippet(line[start:end], number, start, shown)


def _first_words(text: str, lines: Iterable[tuple[int, int, int]], body_line: int) -> Iterator[Snippet]:
    for number, start, end in lines:
        if number >= body_line and any(map(str.isalnum, text[start : min(end, start + MAX_CHARS)])):
            markup = _MARKUP.match(text, start, end)
            begin = markup.end() if markup else start
            yield Snippet(text[begin : min(end, begin + MAX_CHARS)].rstrip(), number, begin - start)
            return
