"""A note and its parts, as read from a file or an open buffer. Immutable values."""

from bisect import bisect_right
from enum import StrEnum

from attrs import frozen

from search.ids import NoteId


class LinkKind(StrEnum):
    """How a link is written."""

    WIKI = "wiki"  # [[target]]
    EMBED = "embed"  # ![[target]]
    MARKDOWN = "markdown"  # [shown](target.md)
    PROPERTY = "property"  # up: "[[target]]" in front matter


@frozen
class Heading:
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


@frozen
class Section:
    """The text from a heading to the next heading of any level. Lines are a half-open range, counted from 0."""

    heading_path: tuple[str, ...]  # from the outermost heading to this one; empty before the first heading
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
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    n_lines: int = 0
    body_line: int = 0  # the first line after the front matter
    modified: float = 0.0  # seconds since the epoch
    size_bytes: int = 0
    pages: tuple[tuple[int, str], ...] = ()  # first line of each page, and its label unless that is its number
    content_id: str = ""  # of an attachment whose text was extracted, see `attachments`

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
        """The note cut at its headings, in order and without gaps; text before the first heading is a section too."""
        starts = [(self.body_line, ())] if not self.headings or self.headings[0].line > self.body_line else []
        path: list[Heading] = []
        bounds: list[tuple[int, tuple[str, ...]]] = list(starts)
        for heading in self.headings:
            while path and path[-1].level >= heading.level:
                path.pop()
            path.append(heading)
            bounds.append((heading.line, tuple(part.text for part in path)))
        ends = [start for start, _ in bounds[1:]] + [max(self.n_lines, bounds[-1][0])]
        return tuple(Section(names, start, end) for (start, names), end in zip(bounds, ends, strict=True))


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
    """What names a page in a link, without `#`; "" for 0, where there is none.

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
