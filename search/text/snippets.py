"""Excerpts: the lines of a note that show best why it was found, with what matched in them.

A line's worth is the sum of the idf of the distinct terms in it, whole words counting double; equal lines keep their
order. Works on the text as it is on the screen, so that a client can select exactly what is highlighted.

The trick: folding keeps the number of lines, so the text is folded and searched as a whole, and only lines that can
be among the best are looked at.

Never looks further than `MAX_SCANNED` characters into a note: a machine-made giant must not delay an answer.
"""

import re
from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from search.answer.result import FoundSection, Snippet
from search.text.fold import fold, fold_with_offsets
from search.text.terms import Term
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
    worth = sum(item.worth for item in found) or 1.0
    folded = (fold(phrase) for phrase in phrases if "\n" not in phrase)
    return (*(Wanted(phrase, worth, is_free=True) for phrase in folded if phrase.strip()), *found)


def excerpts(note: Note, text: str, wanted: Sequence[Wanted], *, n_snippets: int) -> tuple[Snippet, ...]:
    """The best `n_snippets` lines, best first; where no line matches, the first line with words, unhighlighted.

    Front matter is shown only where nothing else matches. Empty text gives none.
    """
    lines = _lines(text)
    holding = _lines_holding(lines, wanted)
    body = [item for item in holding if item[1] >= note.body_line]
    if best := _best(lines, body, n_snippets) or _best(lines, holding, n_snippets):
        return tuple(_cut(lines[number], number, ranges) for _, number, ranges in best)
    return tuple(_first_words(lines, note.body_line))


def opening(text: str, start_line: int, end_line: int) -> tuple[Snippet, ...]:
    """The first words of a passage below its heading, unhighlighted; none where the passage has no words."""
    lines = _lines(text)[:end_line]
    without_headings = ["" if line.startswith("#") else line for line in lines]
    return tuple(_first_words(without_headings, start_line)) or tuple(_first_words(lines, start_line))


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


def _lines(text: str) -> list[str]:
    """The lines as editors count them, without their ends."""
    seen = text[:MAX_SCANNED]
    return _LINE_END.split(seen) if "\r" in seen else seen.split("\n")


def _lines_holding(lines: Sequence[str], wanted: Iterable[Wanted]) -> list[tuple[float, int, str, list[Wanted]]]:
    """The lines that hold any of `wanted`: the most that each can be worth, number, folded text, and what it holds."""
    folded = fold("\n".join(lines))
    held: dict[int, list[Wanted]] = {}
    for item in wanted:
        number = counted = 0
        at = folded.find(item.text)
        while at >= 0:
            number += folded.count("\n", counted, at)
            held.setdefault(number, []).append(item)
            counted = folded.find("\n", at)
            at = folded.find(item.text, counted) if counted >= 0 else -1
    folded_lines = folded.split("\n") if held else []
    return [(2.0 * sum(item.worth for item in found), at, folded_lines[at], found) for at, found in held.items()]


def _best(
    lines: Sequence[str], holding: Iterable[tuple[float, int, str, list[Wanted]]], n_best: int
) -> list[tuple[float, int, list[tuple[int, int]]]]:
    """The best lines as (-worth, number, ranges); what cannot be among them is not looked at."""
    best: list[tuple[float, int, list[tuple[int, int]]]] = []
    for most, number, folded, found in sorted(holding, key=lambda item: (-item[0], item[1])):
        if len(best) == n_best and (not best or best[-1][:2] < (-most, number)):
            continue
        worth, ranges = _match(lines[number], folded, found)
        if ranges:
            insort(best, (-worth, number, ranges))
            del best[n_best:]
    return best


def _match(line: str, folded: str, found: Iterable[Wanted]) -> tuple[float, list[tuple[int, int]]]:
    """The line's worth, and the ranges of what it was found to hold, merged, in the line's own characters."""
    offsets: Sequence[int] = range(len(line) + 1)
    if not line.isascii():
        folded, offsets = fold_with_offsets(line)
    worth = 0.0
    ranges: list[tuple[int, int]] = []
    for item in found:
        whole, inner = _occurrences(folded, item)
        worth += item.worth * (2.0 if whole else 1.0)
        ranges += [(offsets[start], offsets[end]) for start, end in whole or inner]
    return worth, _merged(ranges)


def _occurrences(folded: str, item: Wanted) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    is_free = item.is_free
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


def _first_words(lines: Sequence[str], body_line: int) -> Iterator[Snippet]:
    for number, line in enumerate(lines[body_line:], start=body_line):
        if any(map(str.isalnum, line[:MAX_CHARS])):
            markup = _MARKUP.match(line)
            begin = markup.end() if markup else 0
            yield Snippet(line[begin : begin + MAX_CHARS].rstrip(), number, begin)
            return
