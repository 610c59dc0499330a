"""A note and its parts, as read from a file or an open buffer. Immutable values.

A vault has ten times as many headings and links as notes, and few of them are looked at again. So a note keeps both as
bytes, which take a fifth of the memory of the objects.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from attrs import field, frozen

from search.cache.plain_values import pack, unpack
from search.ids import NoteId

_N_UNPACKED = 256  # notes whose headings and links stay objects for a while: more than a query ranks or a batch has
_LONG = 16_000  # bytes; the objects of so many headings or links would take megabytes


class LinkKind(StrEnum):
    """How a link is written."""

    WIKI = "wiki"  # [[target]]
    EMBED = "embed"  # ![[target]]
    MARKDOWN = "markdown"  # [shown](target.md)
    PROPERTY = "property"  # up: "[[target]]" in front matter


class Heading(NamedTuple):
    """A heading; `line` counts from 0 in the file, including the front matter."""

    level: int  # 1..6
    text: str  # without hashes, closing hashes and trailing spaces
    line: int


@frozen
class Link:
    """A link as written; `graph` resolves it to a note.

    `target` is the path or name without `#heading` and `#^block`, percent-decoded in Markdown links, with `.md` if it
    was written; empty for a link within the note. External links (with a scheme such as https:) are not included.
    """

    target: str
    line: int
    kind: LinkKind = LinkKind.WIKI
    heading: str = ""  # all of `heading` in `target#heading`, also a path `a#b`, or `[^1]` for a footnote
    block: str = ""  # from `target#^block`
    shown: str = ""  # the text that is displayed, if it differs from the target
    name: str = ""  # the property or Dataview field that contains the link

    @property
    def type(self) -> str:
        """The type of the link: the name of its property or field, else "embed" or "plain"; in lower case.

        >>> Link("x", 0, name="Up").type, Link("x", 0, LinkKind.EMBED).type, Link("x", 0).type
        ('up', 'embed', 'plain')
        """
        return self.name.casefold() or ("embed" if self.kind is LinkKind.EMBED else "plain")


_KINDS = {kind.value: kind for kind in LinkKind}  # an enum's look-up is slow
_PACKED_NOTHING = pack(())
_DEFAULTS = (LinkKind.WIKI.value, "", "", "", "")  # of a link's kind, heading, block, shown text and name


def _pack_headings(headings: bytes | Sequence[Heading]) -> bytes:
    if isinstance(headings, bytes):
        return headings
    return pack(tuple(map(tuple, headings)))


def _unpack_headings(packed: bytes) -> tuple[Heading, ...]:
    return _headings_of(packed) if len(packed) > _LONG else _kept_headings_of(packed)


def _headings_of(packed: bytes) -> tuple[Heading, ...]:
    return tuple(map(Heading._make, unpack(packed)))


_kept_headings_of = lru_cache(_N_UNPACKED)(_headings_of)


def _pack_links(links: bytes | Sequence[Link]) -> bytes:
    return links if isinstance(links, bytes) else pack(tuple([_parts(link) for link in links]))


def _parts(link: Link) -> tuple[str | int, ...]:
    """The link's target and line, and its other parts without the defaults at the end."""
    rest = [link.kind.value, link.heading, link.block, link.shown, link.name]
    while rest and rest[-1] == _DEFAULTS[len(rest) - 1]:
        rest.pop()
    return link.target, link.line, *rest


def _unpack_links(packed: bytes) -> tuple[Link, ...]:
    return _links_of(packed) if len(packed) > _LONG else _kept_links_of(packed)


def _links_of(packed: bytes) -> tuple[Link, ...]:
    return tuple(
        [
            Link(target, line, _KINDS[rest[0]], *rest[1:]) if rest else Link(target, line)
            for target, line, *rest in unpack(packed)
        ]
    )


_kept_links_of = lru_cache(_N_UNPACKED)(_links_of)


@frozen
class Section:
    """The text from a heading or the top of a page to the next one. Lines are a half-open range, counted from 0."""

    heading_path: tuple[str, ...]  # from the outermost heading to the last one so far; empty before the first heading
    start_line: int
    end_line: int


@frozen
class Note:
    """A note without its text."""

    id: NoteId
    title: str  # the title in the front matter, else the first level-1 heading, else the file name
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()  # without '#', as written, unique except for case, in order of appearance
    properties: tuple[tuple[str, tuple[str, ...]], ...] = ()  # key, values as text; without title, aliases and tags
    packed_headings: bytes = field(
        default=_PACKED_NOTHING, converter=_pack_headings, eq=_unpack_headings, alias="headings", repr=False
    )
    packed_links: bytes = field(
        default=_PACKED_NOTHING, converter=_pack_links, eq=_unpack_links, alias="links", repr=False
    )
    n_lines: int = 0
    body_line: int = 0  # the first line after the front matter
    modified: float = 0.0  # seconds since the epoch
    size_bytes: int = 0
    pages: tuple[tuple[int, str], ...] = ()  # first line of each page, and its label unless that is its number
    content_id: str = ""  # of an attachment whose text was extracted, see `attachments`

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings, in order of their lines."""
        return _unpack_headings(self.packed_headings)

    @property
    def heading_texts(self) -> Sequence[str]:
        """The texts of the headings; several times as fast as the headings."""
        return [text for _, text, _ in unpack(self.packed_headings)]

    @property
    def links(self) -> tuple[Link, ...]:
        """The links, those of the front matter first."""
        return _unpack_links(self.packed_links)

    @property
    def name(self) -> str:
        """The file name without its extension."""
        return file_name(self.id)

    @property
    def start_line(self) -> int:
        """The line to open the note at: the heading that is its title, else the first line after the front matter.

        >>> Note(NoteId("a.md"), "t", n_lines=9, body_line=3).start_line
        3
        """
        first = min(self.body_line, max(0, self.n_lines - 1))
        return next((heading.line for heading in self.headings if heading.text == self.title), first)

    def page_at(self, line: int) -> tuple[int, str]:
        """The number (from 1) and the label of the page with a line; 0 and "" in a note without pages.

        >>> Note(NoteId("a.pdf"), "a", pages=((0, "i"), (9, ""))).page_at(12)
        (2, '2')
        """
        number = bisect_right(self.pages, line, key=lambda page: page[0])
        return (number, self.pages[number - 1][1] or str(number)) if number else (0, "")

    @property
    def folder(self) -> str:
        """The folder, relative to the vault; "" for the root."""
        return self.id.rpartition("/")[0]

    @property
    def sections(self) -> tuple[Section, ...]:
        """The note cut at its headings and pages, in order and without gaps.

        Text before the first heading is a section too. A page that begins without a heading goes on under the last one.
        """
        headings = self.headings
        starts = [(self.body_line, ())] if not headings or headings[0].line > self.body_line else []
        path: list[Heading] = []
        bounds: list[tuple[int, tuple[str, ...]]] = list(starts)
        for heading in headings:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
            bounds.append((heading.line, tuple(part.text for part in path)))
        bounds = _with_pages(bounds, self.pages) if self.pages else bounds
        ends = [start for start, _ in bounds[1:]] + [max(self.n_lines, bounds[-1][0])]
        return tuple(Section(names, start, end) for (start, names), end in zip(bounds, ends, strict=True))


def _with_pages(
    bounds: Sequence[tuple[int, tuple[str, ...]]], pages: Iterable[tuple[int, str]]
) -> list[tuple[int, tuple[str, ...]]]:
    """The first lines and heading paths of sections, and those of the pages that begin inside them."""
    lines = [line for line, _ in bounds]
    known = set(lines)
    tops = [(line, bounds[bisect_right(lines, line) - 1][1]) for line, _ in pages if line not in known]
    return sorted((*bounds, *(top for top in tops if top[0] > lines[0])), key=lambda bound: bound[0])


def file_name(note_id: NoteId) -> str:
    """The name of the note's file without its extension.

    >>> file_name(NoteId("a/v1..2.md"))
    'v1..2'
    """
    base = note_id.rpartition("/")[2]
    return base.rpartition(".")[0] or base


def section_lines(note: Note, heading: Heading) -> tuple[int, int]:
    """The lines from a heading of the note to the next heading of the same or a higher level, half-open."""
    ends = (other.line for other in note.headings if other.line > heading.line and other.level <= heading.level)
    return heading.line, next(ends, max(note.n_lines, heading.line + 1))


def page_fragment(number: int) -> str:
    """The name of a page in a link, without `#`; "" for 0, which is no page.

    >>> page_fragment(12), page_fragment(0)
    ('page=12', '')
    """
    return f"page={number}" if number else ""


def page_lines(note: Note, page: int) -> tuple[int, int]:
    """The lines of a page of the note, from 1, half-open.

    >>> page_lines(Note(NoteId("a.pdf"), "a", n_lines=20, pages=((0, ""), (9, ""))), 2)
    (9, 20)
    """
    following = note.pages[page][0] if page < len(note.pages) else note.n_lines
    return note.pages[page - 1][0], following
