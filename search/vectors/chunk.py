"""A note cut into the chunks that are embedded, each as long as the model reads, with its heading path in front.

Chunks follow the headings. A section that fits is a chunk; small neighbours are joined; a section that is too long is
cut between paragraphs, else between lines, else inside a long line, and a fenced code block only if it must be.

An edit changes the chunks near it; the others keep their hashes and need no embedding (`group_units` says how).

Never reads a clock or a disk, and gives the same chunks for the same text. The work grows with the text's length.
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

CHUNKER_VERSION = "1"  # goes up with every change that cuts or hashes any text differently
MIN_MAX_TOKENS = 16
_MAX_CHARS_A_TOKEN = 16  # a model's token seldom has more than 6; bounds what tokenizers take for one unknown word
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})")


@frozen
class Chunk(ChunkPlace):
    """A part of a note: whole lines, or a part of one long line."""

    text: str  # what is embedded: the headings above the chunk in one line, then the chunk's own text


def chunks(note: Note, text: str, *, count_tokens: Callable[[str], int], max_tokens: int) -> tuple[Chunk, ...]:
    """The chunks of a note, in order; none for a note without text.

    `text` is the note's body: its first line is line `note.body_line` of the file. Each chunk's `text` takes
    `max_tokens` at most by `count_tokens` (which counts a model's special tokens too), unless a single character takes
    more; sections are joined until they have a third of that. Each line that is not blank is in a chunk.

    Raises:
        ConfigError: `max_tokens` is below `MIN_MAX_TOKENS`.
    """
    if max_tokens < MIN_MAX_TOKENS:
        raise ConfigError("max_tokens", max_tokens, f"{MIN_MAX_TOKENS} or more")
    body = _Body(split_lines(text), note.body_line, count_tokens, max_tokens)
    return tuple(_cut_all(body, _sections(note, body)))


class _Section(NamedTuple):
    """A section, and the headings above its first line."""

    unit: Unit
    path: tuple[str, ...]
    path_above: tuple[str, ...]  # without the heading that the section itself begins with


@frozen
class _Body:
    """The lines to be cut, and how to measure them. Costs are in tokens, without a model's special ones."""

    lines: list[str]
    first_line: int
    count_tokens: Callable[[str], int]
    max_tokens: int
    n_special: int = field(init=False)
    limit: int = field(init=False)  # what a chunk may cost with its path
    costs: list[int] = field(init=False)  # of each line
    paths: dict[tuple[str, ...], tuple[str, int]] = field(init=False, factory=dict)  # each spelled and measured once

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
        """The tokens of a text, or more if its tokens are longer than any writing's; at least 1."""
        return max(1, self.count_tokens(text) - self.n_special, _n_long(text))

    def unit(self, start: int, end: int, badness: int) -> Unit:
        """Lines as a unit, which costs what they cost one by one."""
        checksum = zlib.crc32("\n".join(self.lines[start:end]).encode("utf-8", "surrogatepass"))
        return Unit(start, end, sum(self.costs[start:end]), badness, checksum)

    def path(self, path: tuple[str, ...]) -> tuple[str, int]:
        """The headings in one line, and its cost: a quarter of the limit at most; the outermost are left out first."""
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
    """The note's sections within the text that is given, without gaps; text beyond the last one belongs to it."""
    sections = note.sections
    heading_lines = {heading.line for heading in note.headings}
    for number, section in enumerate(sections):
        is_last = number == len(sections) - 1
        start = 0 if number == 0 else section.start_line - note.body_line
        end = len(body.lines) if is_last else min(len(body.lines), section.end_line - note.body_line)
        path = section.heading_path
        above = path[:-1] if section.start_line in heading_lines else path
        if end > start:
            yield _Section(body.unit(start, end, 0), path, above)


def _cut_all(body: _Body, sections: Iterable[_Section]) -> Iterator[Chunk]:
    """Sections that fit, joined with their small neighbours; those between them that do not, cut."""
    fitting: list[_Section] = []
    for section in sections:
        if section.unit.cost + body.path(section.path_above)[1] <= body.limit:
            fitting.append(section)
            continue
        yield from _join(body, fitting)
        fitting = []
        yield from _cut(body, section)
    yield from _join(body, fitting)


def _join(body: _Body, sections: Sequence[_Section]) -> Iterator[Chunk]:
    """Chunks of whole sections, under the headings that they have in common."""
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
    """Chunks of a section that is too long; all but the first have its own heading above them too."""
    limit = body.limit - body.path(section.path)[1]
    units = list(_units(body, section, limit))
    at = 0
    for end in group_units(units, limit // 2, limit, limit):
        path = section.path if at else section.path_above
        yield from _emit(body, units[at].start, units[end - 1].end, path)
        at = end


def _units(body: _Body, section: _Section, limit: int) -> Iterator[Unit]:
    """The section's heading, and its paragraphs and code blocks or, where one is too long, their lines."""
    start, end = section.unit.start, section.unit.end
    before = 0  # what the heading costs: a paragraph that fits only without it is cut, not left alone
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
    """Where the paragraph or code block that begins at `start` ends, and whether it is code."""
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
    """The lines as a chunk, without blank ones around them; as several if their tokens are more than their sum."""
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
