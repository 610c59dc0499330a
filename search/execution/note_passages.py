"""The passages of one note that a context can show: whole sections, or parts of long ones, each with a score.

A passage's score says how well it answers the query, compared with the others of its note: half by the query's words in
its lines and in the headings above them, half by the cosine of the nearest chunk there, or by words alone where the
note has no vectors.

The passages of a note do not overlap, and each is a verbatim span of its text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import field, frozen

from search.analysis.token_estimate import estimate_tokens
from search.answer.evidence import Passage
from search.snippets.excerpts import words_in
from search.snippets.spots import HighlightTerm
from search.vault.lines import split_lines
from search.vault.note import Note
from search.vectors.chunk import chunks

MAX_SCANNED = 1_000_000  # characters: a huge generated note must not delay an answer
_ENOUGH = 0.5  # lines with a word after which more of them add little
_IN_HEADINGS = 0.5  # of the worth of a word in the passage itself
_LINE_END = re.compile(r"\r\n|\n|\r")


@frozen
class Span:
    """A verbatim part of a note: characters `start` to `end` of its text, on half-open `lines` from 0 in the file."""

    start: int
    end: int
    lines: tuple[int, int]
    headings: tuple[str, ...]
    score: float = 0.0  # 0..1


@frozen(eq=False)
class NoteText:
    """A note's text and where its lines start."""

    note: Note
    text: str
    lines: Sequence[str] = field(init=False)
    starts: Sequence[int] = field(init=False)  # of each line, in characters

    @lines.default
    def _split(self) -> Sequence[str]:
        return split_lines(self.text[:MAX_SCANNED])

    @starts.default
    def _locate(self) -> Sequence[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text, 0, MAX_SCANNED))]

    def span(self, first: int, end: int, headings: tuple[str, ...]) -> Span:
        """Whole lines, without the line break of the last one."""
        last = end - 1
        return Span(self.starts[first], self.starts[last] + len(self.lines[last]), (first, end), headings)


def passages_in(
    text: NoteText, terms: Sequence[HighlightTerm], near: Sequence[Passage], *, anchors: tuple[float, float], size: int
) -> tuple[Span, ...]:
    """The note's passages that answer the query, in their order; its beginning if none does.

    `near` are the note's chunks with their cosines, `anchors` the cosines that are worth nothing and of a sure match.
    `size` is the largest number of tokens of a passage, as estimated.
    """
    spans = tuple(_spans(text, size))
    words = words_in(text.lines, terms)
    in_lines = {number: {item.text: weight for item, weight in found} for number, found in words.items()}
    total = sum(item.weight for item in terms) or 1.0
    scored = []
    for span in spans:
        by_words = _by_words(span, in_lines, terms) / total
        cosine = _cosine(span, near)
        floor, gate = anchors
        meaning = 0.0 if cosine is None else min(1.0, max(0.0, (cosine - floor) / (gate - floor)))
        score = by_words if not near else (by_words + meaning) / 2.0
        if score > 0.0:
            scored.append(Span(span.start, span.end, span.lines, span.headings, min(1.0, score)))
    return tuple(scored) or spans[:1]


def _spans(text: NoteText, size: int) -> Iterator[Span]:
    """The body cut into passages; the front matter if there is no body."""
    note = text.note
    body = "\n".join(text.lines[note.body_line :])
    found = chunks(note, body, count_tokens=estimate_tokens, max_tokens=size)
    if not found and note.body_line:
        whole = Note(note.id, note.title, n_lines=note.body_line)
        found = chunks(whole, "\n".join(text.lines[: note.body_line]), count_tokens=estimate_tokens, max_tokens=size)
    paths = _heading_paths(note)
    at_line, column = -1, 0
    for chunk in found:
        first, end = chunk.start_line, chunk.end_line
        headings = paths.get(first, ()) if first in paths else _path_at(note, first)
        if end - first > 1:
            yield text.span(first, end, headings)
            continue
        line, piece = text.lines[first], chunk.text.rpartition("\n")[2]
        column = line.find(piece, column if first == at_line else 0)
        start = text.starts[first] + max(0, column)
        column += len(piece)
        at_line = first
        yield Span(start, start + len(piece), (first, end), headings)


def _heading_paths(note: Note) -> Mapping[int, tuple[str, ...]]:
    return {section.start_line: section.heading_path for section in note.sections}


def _path_at(note: Note, line: int) -> tuple[str, ...]:
    path: tuple[str, ...] = ()
    for section in note.sections:
        if section.start_line > line:
            break
        path = section.heading_path
    return path


def _by_words(span: Span, in_lines: Mapping[int, Mapping[str, float]], terms: Sequence[HighlightTerm]) -> float:
    """The weight of the query's words in a span: those in more lines count a little more, those in headings less."""
    counts: dict[str, float] = {}
    weights: dict[str, float] = {}
    for number in range(*span.lines):
        for text, weight in in_lines.get(number, {}).items():
            counts[text] = counts.get(text, 0.0) + 1.0
            weights[text] = max(weight, weights.get(text, 0.0))
    found = sum(weight * counts[text] / (counts[text] + _ENOUGH) for text, weight in weights.items())
    above = words_in(span.headings, [item for item in terms if item.text not in weights]) if span.headings else {}
    named = {item.text: weight for line in above.values() for item, weight in line}
    return found + _IN_HEADINGS * sum(named.values())


def _cosine(span: Span, near: Sequence[Passage]) -> float | None:
    """The best cosine of the chunks that share at least half of their lines, or of the span's, with it."""
    found = []
    for chunk in near:
        shared = min(span.lines[1], chunk.lines[1]) - max(span.lines[0], chunk.lines[0])
        shorter = min(span.lines[1] - span.lines[0], chunk.lines[1] - chunk.lines[0])
        if shared > 0 and 2 * shared >= shorter:
            found.append(chunk.cosine)
    return max(found, default=None)
