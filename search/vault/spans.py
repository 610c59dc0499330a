"""Finds the columns of the links and tags in a note's text, for requests about a position such as hover.

The scanner that parses notes also reports where each link and tag is, so notes and positions agree. The scanner sees
lines without quote marks and without the hashes of headings, so this module looks up each scanned row in the original
line to get its column. Front matter has patterns of its own, because a tag or link may be some lines below the name of
its property.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate

from attrs import frozen

from search.ids import is_markdown
from search.vault.blocks import BlockKind, scan_blocks
from search.vault.frontmatter import PROPERTY_LINK, body_start
from search.vault.inline import Place, markdown_link, wiki_link
from search.vault.limits import LONG, MAX_LINES
from search.vault.markdown import scan_lines
from search.vault.note import Link, LinkKind, Note


@frozen
class Span:
    """A link, or a tag without its hash, at characters `start` to `end` of a line.

    The characters of a tag include its hash. In front matter a tag may have no hash.
    """

    line: int
    start: int
    end: int
    link: Link | None = None
    tag: str = ""


def spans_on(note: Note, texts: Sequence[str], numbers: Iterable[int]) -> list[Span]:
    """The links and tags on some lines of a note, in order; `texts` are all its lines.

    `numbers` count from 0; numbers beyond the last line are ignored. A link over several lines has no span. The
    definition of a reference is a link if the note has a link to its destination.
    """
    wanted = frozenset(numbers)
    spans = list(_front_spans(note, texts)) if any(number < note.body_line for number in wanted) else []
    if any(number >= note.body_line for number in wanted):
        spans += _body_spans(note, texts)
    return sorted((span for span in spans if span.line in wanted), key=lambda span: (span.line, span.start))


def spans_in(note: Note, texts: Sequence[str], numbers: Iterable[int]) -> list[Span]:
    """As `spans_on`, for a file of any type: in one that is not Markdown, a link is where its target is written.

    If the target is not written on the line, as on a card of a canvas, the whole line is the link.
    """
    if is_markdown(note.id):
        return spans_on(note, texts, numbers)
    wanted = frozenset(number for number in numbers if number < len(texts))
    spans = []
    for link in note.links:
        if link.line in wanted:
            start = max(0, texts[link.line].find(link.target))
            is_written = bool(link.target) and texts[link.line].startswith(link.target, start)
            end = start + len(link.target) if is_written else len(texts[link.line])
            spans.append(Span(link.line, start, end, link))
    return sorted(spans, key=lambda span: (span.line, span.start))


def span_at(spans: Sequence[Span], column: int) -> Span | None:
    """The span that contains a column, else the one that ends there, since a cursor may be right after it."""
    inside = (span for span in spans if span.start <= column < span.end)
    return next(inside, None) or next((span for span in spans if column == span.end), None)


def blocks_around(note: Note, texts: Sequence[str], number: int) -> Iterator[tuple[BlockKind, int, int]]:
    """The blocks from the heading above a line to the block of that line, as (kind, start, end), lines half-open.

    No block extends over a heading, so only the lines between two headings are scanned.
    """
    starts = [heading.line for heading in note.headings]
    at = bisect_right(starts, number)
    beyond = starts[at] if at < len(starts) else len(texts)
    while at and not texts[starts[at - 1]].lstrip(" ").startswith("#"):
        at -= 1  # an underlined heading may have definitions above it in its block
    begin = starts[at - 1] if at else body_start(texts)
    for kind, start, end, _ in scan_blocks(list(texts[begin:beyond])):
        if begin + start > number:
            return
        yield kind, begin + start, begin + end


def _body_spans(note: Note, texts: Sequence[str]) -> Iterator[Span]:
    lines = list(texts[:MAX_LINES])
    has_references = any("]:" in text for text in lines)
    is_long = len(lines) > LONG or sum(map(len, lines)) + len(lines) > LONG
    _, inlines, _ = scan_lines(lines, body_start(lines), has_references=has_references, is_long=is_long, is_placed=True)
    rows = cache(partial(_rows, texts))
    for link, place in zip(inlines.resolve(), inlines.link_places, strict=True):
        if link:
            yield from _spans(rows, place, link)
    for tag, place in zip(inlines.tags, inlines.tag_places, strict=True):
        yield from _spans(rows, place, tag=tag)
    keys = {_key(link) for link in note.links}
    for label, (destination, place) in inlines.definitions.items():
        defined = markdown_link(destination, label, place[1], LinkKind.MARKDOWN)
        if defined and _key(defined) in keys:
            yield from _spans(rows, place, defined)


def _rows(texts: Sequence[str], text: str, first: int) -> tuple[list[int], list[int]]:
    """The offset of each row in a block's text, and the end of the last row; and the column of each row in its line."""
    rows = text.split("\n")
    return [0, *accumulate(len(row) + 1 for row in rows)], [texts[at].rfind(row) for at, row in enumerate(rows, first)]


def _spans(
    rows: Callable[[str, int], tuple[list[int], list[int]]], place: Place, link: Link | None = None, *, tag: str = ""
) -> Iterator[Span]:
    """The span of a link or tag, unless it is on several lines."""
    text, first, start, end = place
    begins, columns = rows(text, first)
    row = bisect_right(begins, start) - 1
    if end < begins[row + 1]:
        column = columns[row] + start - begins[row]
        yield Span(first + row, column, column + end - start, link, tag)


def _front_spans(note: Note, texts: Sequence[str]) -> Iterator[Span]:
    """The links and tags in the front matter."""
    keys = {_key(link) for link in note.links if link.kind is LinkKind.PROPERTY}
    for number, text in enumerate(texts[: note.body_line] if keys else ()):
        for match in PROPERTY_LINK.finditer(text):
            link = wiki_link(match[2], number, LinkKind.EMBED if match[1] else LinkKind.WIKI)
            if link and _key(link) in keys:
                yield Span(number, match.start(), match.end(), link)
    known = frozenset(map(str.casefold, note.tags))
    if known and any("tag" in text.lower() for text in texts[: note.body_line]):
        from search.vault.front_tags import front_tags  # noqa: PLC0415 - it imports yaml, 20 ms

        yield from (span for span in front_tags(texts, note.body_line) if span.tag.casefold() in known)


def _key(link: Link) -> tuple[str, str, str]:
    return link.target, link.heading, link.block
