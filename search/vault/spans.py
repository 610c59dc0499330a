"""Finds the columns of the links and tags on a line, for requests about a position such as hover.

It scans a single line and keeps only the links and tags that the parsed note has, so that a link in code does not
count. The target of a reference (`[text][label]`) also comes from the note, whose links have their lines and displayed
texts. Front matter is scanned as a whole, because a tag or link may be some lines below the name of its property.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from search.vault.blocks import BlockKind, scan_blocks
from search.vault.frontmatter import body_start
from search.vault.inline import (
    BEFORE_TAG,
    DEFINITION,
    INLINE_LINK,
    TAG,
    WIKI,
    clean_tag,
    destination_in,
    markdown_link,
    wiki_link,
)
from search.vault.note import Link, LinkKind, Note

_LABEL = re.compile(
    r"(?=(!?)\[((?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*+\])*+)\](\())"
)  # with brackets in it, such as those of an image
_REFERENCE = re.compile(r"(!?)\[((?:[^\[\]\\]|\\.)++)\](?:\[(?:[^\[\]\\]|\\.)*+\]|(?!\())")
_CODE = re.compile(r"(`++)(?!`).*?(?<!`)\1(?!`)")


@frozen
class Span:
    """A link, or a tag without its hash, at characters `start` to `end` of a line."""

    line: int
    start: int
    end: int
    link: Link | None = None
    tag: str = ""


def spans_on(note: Note, texts: Sequence[str], numbers: Iterable[int]) -> Iterator[Span]:
    """The links and tags on some lines of a note, from left to right; `texts` are all its lines.

    `numbers` count from 0; numbers beyond the last line are ignored.
    """
    wanted = [number for number in numbers if number < len(texts)]
    links = {number: list[Link]() for number in wanted}
    for link in note.links:
        if link.line in links:
            links[link.line].append(link)
    tags = frozenset(map(str.casefold, note.tags))
    front: list[Span] | None = None
    for number in wanted:
        if number < note.body_line:
            front = _front_spans(note, tags, texts) if front is None else front
            yield from (span for span in front if span.line == number)
        else:
            yield from _spans(note, tags, links[number], texts[number], number)


def _front_spans(note: Note, known: frozenset[str], texts: Sequence[str]) -> list[Span]:
    """The links and tags in the front matter; `known` has the note's tags, folded."""
    keys = {_key(link) for link in note.links if link.kind is LinkKind.PROPERTY}
    found = [
        span
        for number, text in enumerate(texts[: note.body_line] if keys else ())
        for span in _links(text, text, number)
        if span.link is not None and _key(span.link) in keys
    ]
    if known and any("tag" in text.lower() for text in texts[: note.body_line]):
        from search.vault.front_tags import front_tags  # noqa: PLC0415 - it imports yaml, 20 ms

        places = front_tags(texts, note.body_line)
        found += [Span(at.line, at.start, at.end, tag=at.tag) for at in places if at.tag.casefold() in known]
    return sorted(found, key=lambda span: (span.line, span.start))


def _spans(note: Note, tags: frozenset[str], links: Sequence[Link], text: str, number: int) -> tuple[Span, ...]:
    """The links and tags on one line; `tags` are all tags of the note, folded, and `links` its links on this line.

    Time is linear in the length of the line.
    """
    plain = _CODE.sub(lambda match: "`" * len(match[0]), text)
    keys = {_key(link) for link in links}
    found = [span for span in _links(text, plain, number) if span.link is not None and _key(span.link) in keys]
    n_spelled = Counter(_key(span.link) for span in found if span.link is not None)
    found += _references(list(_remaining(n_spelled, links)), text, plain, number)
    found += _definition(note, text, number)
    taken = bytearray(len(text))
    for span in found:
        start, end = _without_label(span, plain)
        taken[start:end] = b"\1" * (end - start)
    found += [span for span in _tags(plain, number) if span.tag.casefold() in tags and not taken[span.start]]
    return tuple(sorted(found, key=lambda span: span.start))


def span_at(spans: Sequence[Span], column: int) -> Span | None:
    """The span that contains a column, else the one that ends there, since a cursor may be right after it."""
    inside = (span for span in spans if span.start <= column < span.end)
    return next(inside, None) or next((span for span in spans if column == span.end), None)


def is_code_or_comment(note: Note, texts: Sequence[str], number: int) -> bool:
    """Whether a line is in code, a formula or a comment, so that nothing on it is a link or tag."""
    around = next(((kind, end) for kind, _, end in blocks_around(note, texts, number) if end > number), None)
    return around is not None and around[0] >= BlockKind.CODE


def blocks_around(note: Note, texts: Sequence[str], number: int) -> Iterator[tuple[BlockKind, int, int]]:
    """The blocks from the heading above a line to the block of that line, as (kind, start, end), lines half-open.

    No block extends over a heading, so only the lines between two headings are scanned.
    """
    at = bisect_right(note.headings, number, key=lambda heading: heading.line)
    beyond = note.headings[at].line if at < len(note.headings) else len(texts)
    while at and not texts[note.headings[at - 1].line].lstrip(" ").startswith("#"):
        at -= 1  # an underlined heading may have definitions above it in its block
    begin = note.headings[at - 1].line if at else body_start(texts)
    for kind, start, end, _ in scan_blocks(list(texts[begin:beyond])):
        if begin + start > number:
            return
        yield kind, begin + start, begin + end


def _links(text: str, plain: str, number: int) -> Iterator[Span]:
    """The links that are written out; `plain` is the text without code: a link may contain code but not begin in it."""
    for match in WIKI.finditer(plain):
        start = match.start() - (plain[match.start() - 1 : match.start()] == "!")
        kind = LinkKind.WIKI if start == match.start() else LinkKind.EMBED
        yield Span(number, start, match.end(), wiki_link(text[slice(*match.span(1))], number, kind))
    for label in _LABEL.finditer(plain):
        destination = INLINE_LINK.match(text, label.start(3))
        if destination is not None and (label[1] or plain[label.start() - 1 : label.start()] != "!"):
            kind = LinkKind.EMBED if label[1] else LinkKind.MARKDOWN
            link = markdown_link(destination_in(destination), label[2], number, kind)
            yield Span(number, label.start(), destination.end(), link)


def _without_label(span: Span, plain: str) -> tuple[int, int]:
    """The part of a link that cannot contain a tag: all of it, except the label of a Markdown link."""
    label = -1 if span.link is None or span.link.kind is LinkKind.WIKI else plain.find("](", span.start, span.end)
    return (label, span.end) if label >= 0 else (span.start, span.end)


def _remaining(n_taken: "Counter[tuple[str, str, str]]", links: Sequence[Link]) -> Iterator[Link]:
    """The links without the first `n_taken[key]` of each key."""
    for link in links:
        key = _key(link)
        if n_taken[key] > 0:
            n_taken[key] -= 1
        else:
            yield link


def _references(links: list[Link], text: str, plain: str, number: int) -> Iterator[Span]:
    """`[shown][label]`, `[label][]` and `[label]`; `links` are the links of the line that are not written out there."""
    by_label = defaultdict[tuple[LinkKind, str], list[Link]](list)
    for link in reversed(links):
        by_label[link.kind, link.shown or link.target].append(link)
    for match in _REFERENCE.finditer(plain) if links else ():
        shown = " ".join(text[match.start(2) : match.end(2)].split())
        kind = LinkKind.EMBED if match[1] else LinkKind.MARKDOWN
        if same_label := by_label.get((kind, shown)):
            yield Span(number, match.start(), match.end(), same_label.pop())


def _definition(note: Note, text: str, number: int) -> Iterator[Span]:
    """The definition `[label]: destination`, if the note has a link to its destination."""
    match = DEFINITION.match(text) if "]:" in text else None
    link = markdown_link(destination_in(match), match[1], number, LinkKind.MARKDOWN) if match else None
    if match and link and any(_key(other) == _key(link) for other in note.links):
        yield Span(number, match.start(1) - 1, len(text.rstrip()), link)


def _tags(text: str, number: int) -> Iterator[Span]:
    at = text.find("#")
    while at >= 0:
        match = TAG.match(text, at + 1)
        before = text[at - 1 : at] or " "
        end = at + 1 if match is None else match.end()
        if match is not None and (before.isspace() or before in BEFORE_TAG) and (name := clean_tag(match.group())):
            yield Span(number, at, at + 1 + len(name), tag=name)
        at = text.find("#", end)


def _key(link: Link) -> tuple[str, str, str]:
    return link.target, link.heading, link.block
