"""Cuts a note into chunks that fit the model's input, each with its heading path in front.

Chunks follow the headings. A section that fits is a chunk, and small neighbouring sections are joined. A section that
is too long is cut between paragraphs, else between lines, else inside a long line. A fenced code block is cut only if
it does not fit. No chunk goes on from one page to another, so that it has a page.

An edit changes only the chunks near it. The others keep their hashes and are not embedded again, see `group_units`.

Never reads a clock or a disk: the same text always gives the same chunks. The work grows linearly with the text.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from attrs import field, frozen

from search.errors import ConfigError
from search.vault.lines import split_lines
from search.vault.note import Note
from search.vectors.cuts import Unit, group_units
from search.vectors.pieces import cut_line, ends_sentence
from search.vectors.record import ChunkPlace

CHUNKER_VERSION = "1"  # increase it with every change that cuts or hashes any text without pages differently
MIN_MAX_TOKENS = 16
_MAX_CHARS_A_TOKEN = 16  # tokens rarely have more than 6; limits a long word that the tokenizer counts as one token
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")


@frozen
class Chunk(ChunkPlace):
    """A part of a note: whole lines, or a part of one long line."""

    text: str  # what is embedded: the headings above the chunk in one line, then the chunk's own text


def chunks(note: Note, text: str, *, count_tokens: Callable[[str], int], max_tokens: int) -> tuple[Chunk, ...]:
    """The chunks of a note, in order; none for a note without text.

    `text` is the note's body, which starts at line `note.body_line` of the file. Each chunk has at most `max_tokens`
    tokens by `count_tokens`, which also counts the model's special tokens; only a single character may exceed that.
    Sections are joined until they reach a third of the limit. Every line that is not blank is in a chunk.

    Raises:
        ConfigError: `max_tokens` is below `MIN_MAX_TOKENS`.
    """
    if max_tokens < MIN_MAX_TOKENS:
        raise ConfigError("max_tokens", max_tokens, f"{MIN_MAX_TOKENS} or more")
    body = _Body(split_lines(text), note.body_line, count_tokens, max_tokens)
    return tuple(_cut_all(body, _sections(note, body)))


class _Section(NamedTuple):
    """A section with its headings."""

    unit: Unit
    path: tuple[str, ...]
    path_above: tuple[str, ...]  # without the section's own heading
    begins_page: bool


@frozen
class _Body:
    """The lines to cut, and their costs: numbers of tokens, without the model's special tokens."""

    lines: list[str]
    first_line: int
    count_tokens: Callable[[str], int]
    max_tokens: int
    n_special: int = field(init=False)
    limit: int = field(init=False)  # the most that a chunk may cost, with its path
    costs: list[int] = field(init=False)  # of each line
    paths: dict[tuple[str, ...], tuple[str, int]] = field(init=False, factory=dict)  # a cache

    @n_special.default
    def _count_special(self) -> int:
        return min(self.count_tokens(""), self.max_tokens // 4)

    @limit.default
    def _subtract(self) -> int:
        return self.max_tokens - self.n_special

    @costs.default
    def _measure(self) -> list[int]:
        return [self.cost(line) if line.strip() else _n_long(line) for line in self.lines]

    def cost(self, text: str) -> int:
        """The number of tokens, or more if the tokens are longer than those of any language; at least 1."""
        return max(1, self.count_tokens(text) - self.n_special, _n_long(text))

    def unit(self, start: int, end: int, badness: int) -> Unit:
        """Lines as a unit, whose cost is the sum of theirs."""
        checksum = zlib.crc32("\n".join(self.lines[start:end]).encode("utf-8", "surrogatepass"))
        return Unit(start, end, sum(self.costs[start:end]), badness, checksum)

    def path(self, path: tuple[str, ...]) -> tuple[str, int]:
        """The headings in one line, and its cost: at most a quarter of the limit. Outer headings are dropped first."""
        if path not in self.paths:
            line = self._spell(path)
            self.paths[path] = line, self.cost(line) + 1 if line else 0
        return self.paths[path]

    def _spell(self, path: tuple[str, ...]) -> str:
        allowed = self.limit // 4
        kept = [name for name in path if name.strip()]
        while len(kept) > 1 and self.cost(" > ".join(kept)) > allowed:
            del kept[0]
        line = " > ".join(kept)
        return cut_line(line, cost=self.cost, limit=allowed)[0].strip()


def _n_long(text: str) -> int:
    return -(-len(text) // _MAX_CHARS_A_TOKEN)


def _sections(note: Note, body: _Body) -> Iterator[_Section]:
    """The note's sections within the given text, without gaps. Text after the last section belongs to it."""
    sections = note.sections
    heading_lines = {heading.line for heading in note.headings}
    page_lines = {line for line, _ in note.pages}
    for number, section in enumerate(sections):
        is_last = number == len(sections) - 1
        start = 0 if number == 0 else section.start_line - note.body_line
        end = len(body.lines) if is_last else min(len(body.lines), section.end_line - note.body_line)
        path = section.heading_path
        above = path[:-1] if section.start_line in heading_lines else path
        if end > start:
            yield _Section(body.unit(start, end, 0), path, above, section.start_line in page_lines)


def _cut_all(body: _Body, sections: Iterable[_Section]) -> Iterator[Chunk]:
    """Join sections that fit with their small neighbours on their page, and cut those that do not fit."""
    fitting: list[_Section] = []
    for section in sections:
        if section.begins_page:
            yield from _join(body, fitting)
            fitting = []
        if section.unit.cost + body.path(section.path_above)[1] <= body.limit:
            fitting.append(section)
            continue
        yield from _join(body, fitting)
        fitting = []
        yield from _cut(body, section)
    yield from _join(body, fitting)


def _join(body: _Body, sections: Sequence[_Section]) -> Iterator[Chunk]:
    """Chunks of whole sections, under the headings that these share."""
    limit = body.limit - max((body.path(section.path_above)[1] for section in sections), default=0)
    at = 0
    for end in group_units([section.unit for section in sections], limit // 3, limit * 2 // 3, limit):
        group = sections[at:end]
        path = group[0].path_above
        for section in group[1:]:
            path = _common(path, section.path_above)
        yield from _emit(body, group[0].unit.start, group[-1].unit.end, path)
        at = end


def _cut(body: _Body, section: _Section) -> Iterator[Chunk]:
    """Chunks of a section that is too long. All but the first also have the section's own heading in front."""
    limit = body.limit - body.path(section.path)[1]
    units = list(_units(body, section, limit))
    at = 0
    for end in group_units(units, limit // 2, limit, limit):
        path = section.path if at else section.path_above
        yield from _emit(body, units[at].start, units[end - 1].end, path)
        at = end


def _units(body: _Body, section: _Section, limit: int) -> Iterator[Unit]:
    """The section's heading, then its paragraphs and code blocks; those that are too long, line by line."""
    start, end = section.unit.start, section.unit.end
    before = 0  # the cost of the heading: a paragraph that fits only without it is cut, so that the heading has text
    if section.path != section.path_above:
        after = _skip_blank(body.lines, start + 1, end)
        yield body.unit(start, after, 3)
        before = body.costs[start]
        start = after
    while start < end:
        stop, is_code = _block_end(body.lines, start, end)
        after = _skip_blank(body.lines, stop, end)
        block = body.unit(start, after, 0)
        if block.cost + (0 if is_code else before) <= limit:
            yield block
        else:
            for at in range(start, stop - 1):
                yield body.unit(at, at + 1, 1 if ends_sentence(body.lines[at]) else 2)
            yield body.unit(stop - 1, after, 0)
        start = after
        before = 0


def _block_end(lines: Sequence[str], start: int, end: int) -> tuple[int, bool]:
    """The end of the paragraph or code block that starts at `start`, and whether it is code."""
    fence = _FENCE.match(lines[start])
    for at in range(start + 1, end):
        if fence:
            if _closes(lines[at], fence[1]):
                return at + 1, True
        elif not lines[at].strip() or _FENCE.match(lines[at]):
            return at, False
    return end, fence is not None


def _closes(line: str, fence: str) -> bool:
    mark = line.strip(" \t>")
    return len(mark) >= len(fence) and not mark.strip(fence[0])


def _skip_blank(lines: Sequence[str], at: int, end: int) -> int:
    while at < end and not lines[at].strip():
        at += 1
    return at


def _emit(body: _Body, start: int, end: int, path: tuple[str, ...]) -> Iterator[Chunk]:
    """The lines as one chunk, without blank lines around them; as several if together they cost more than their sum."""
    start = _skip_blank(body.lines, start, end)
    while end > start and not body.lines[end - 1].strip():
        end -= 1
    if start == end:
        return
    above, path_cost = body.path(path)
    text = "\n".join([above, *body.lines[start:end]] if above else body.lines[start:end])
    if _fits(body, text):
        yield _chunk(body, start, end, text)
    elif end - start > 1:
        middle = (start + end) // 2
        yield from _emit(body, start, middle, path)
        yield from _emit(body, middle, end, path)
    else:
        for piece in cut_line(body.lines[start], cost=body.cost, limit=body.limit - path_cost):
            with_path = f"{above}\n{piece}" if above else piece
            if piece.strip():
                yield _chunk(body, start, end, with_path if _fits(body, with_path) else piece)


def _fits(body: _Body, text: str) -> bool:
    return len(text) <= body.limit * _MAX_CHARS_A_TOKEN and body.count_tokens(text) <= body.max_tokens


def _chunk(body: _Body, start: int, end: int, text: str) -> Chunk:
    text_hash = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return Chunk(body.first_line + start, body.first_line + end, text_hash, text)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    n_equal = 0
    while n_equal < min(len(one), len(other)) and one[n_equal] == other[n_equal]:
        n_equal += 1
    return one[:n_equal]
