"""What a kind of file reads from a file's text: the text that people see in it, and the places of headings and links.

A kind never raises for any text. What it cannot read is a `problem`, and the file is then found by its name alone.
"""

from collections.abc import Callable, Iterable
from itertools import islice

from attrs import frozen

from search.vault.limits import MAX_HEADINGS, MAX_LINKS
from search.vault.note import Heading, Link


@frozen
class MarkdownPart:
    """Lines of a reading (half-open, from 0) that are Markdown and are parsed without the lines around them."""

    start: int
    end: int
    top: int = 0  # if above 0, all its headings are shifted so that the first has this level


@frozen(kw_only=True)
class Reading:
    """Lines are those of `text`, from 0; for some kinds they are not the lines of the file."""

    text: str  # what is searched and shown, with LF line breaks
    title: str = ""  # empty: the name of the file
    tags: tuple[str, ...] = ()
    headings: tuple[Heading, ...] = ()
    links: tuple[Link, ...] = ()
    markdown: tuple[MarkdownPart, ...] = ()
    pages: tuple[tuple[int, str], ...] = ()  # see `Note`
    properties: tuple[tuple[str, tuple[str, ...]], ...] = ()
    keys: tuple[tuple[int, str], ...] = ()  # the first line of each card or cell and what names it, in order of lines
    lost: tuple[str, ...] = ()  # what was left out because of a limit
    problem: str = ""  # why the file could not be read


Read = Callable[[str], Reading]
"""Reads a file's text, which has LF line breaks and no byte order mark."""


def add_links(links: list[Link], found: Iterable[Link | None]) -> None:
    """Add the links that were found, up to one more than are used of one file; the rest would only take time."""
    links += islice(filter(None, found), MAX_LINKS + 1 - len(links))


def has_room(headings: list[Heading]) -> bool:
    """Whether another heading is worth reading; as with links, one more than are used says that there are more."""
    return len(headings) <= MAX_HEADINGS


def unread(problem: str) -> Reading:
    """The reading of a file that could not be read."""
    return Reading(text="", problem=problem)
