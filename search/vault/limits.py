"""How much of one note is used: limits far above any note that a person writes.

They bound the memory and time that a single file can take, such as one made by a program or by an attacker. What comes
first in the note is used, and a notice says what was left out.

Counts come first, so that a note is read the same way on a slow computer. Only a note that takes long all the same is
given up, see `TooSlow`.

The trick: a note of up to `LONG` characters is too short to take much, so it is read without counting anything.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from attrs import evolve

from search.budget import Budget
from search.vault.frontmatter import FrontMatter
from search.vault.pieces import pieces

LONG = 100_000  # characters; only longer notes are limited
MAX_TAGS = 10_000  # different ones
MAX_LINKS = 50_000  # in text, and as many definitions of link references; front matter has no room for as many
MAX_HEADINGS = 20_000
MAX_ALIASES = 10_000
MAX_VALUES = 10_000  # of all properties together
MAX_FRONT_LINES = 20_000  # of front matter
MAX_FRONT_CHARS = 200_000  # of front matter
MAX_TOKENS = 200_000  # different words, their parts, and pairs of characters in Chinese; a long novel has some 40,000
MAX_LINES = 300_000
MAX_SIGNS = 300_000  # that may begin a tag, link, code or formula; each takes some microseconds
MAX_UNBROKEN = 1_000_000  # characters without a space
_SIGNS = "[]#`\\%<$"

T = TypeVar("T")


class Full(Exception):  # noqa: N818 - no error, but the end of what is read
    """The note has as much of something as is used of one note; the message names it."""


_UNCHECKED = 8  # items between two looks at the clock, which take as long as reading a short line


class TooSlow(Exception):  # noqa: N818 - no error, but the end of reading
    """Reading the note takes longer than is spent on one note."""


def require_time(budget: Budget) -> None:
    """Check that reading a note may go on.

    Raises:
        TooSlow: the deadline has passed.
    """
    if budget.is_spent:
        raise TooSlow


def while_time(items: Iterable[T], budget: Budget) -> Iterator[T]:
    """The items, for as long as reading may go on. Raises `TooSlow` as `require_time` does."""
    for number, item in enumerate(items):
        if number % _UNCHECKED == 0:
            require_time(budget)
        yield item


class First(list[T]):
    """A list that takes `limit` items; one more raises `Full`."""

    def __init__(self, limit: int, what: str) -> None:
        super().__init__()
        self._limit = limit
        self._what = what

    def append(self, item: T) -> None:
        """Add an item.

        Raises:
            Full: the list has `limit` items.
        """
        if len(self) >= self._limit:
            raise Full(f"{self._limit:,} {self._what}")
        super().append(item)


class FirstTags(First[str]):
    """A list of tags, each once, as it is written first."""

    def __init__(self) -> None:
        super().__init__(MAX_TAGS, "tags")
        self._folded: set[str] = set()

    def append(self, item: str) -> None:
        """Add a tag unless it is known. Raises `Full` as other lists do."""
        folded = item.casefold()
        if folded not in self._folded:
            super().append(item)
            self._folded.add(folded)


def in_pieces(scan: Callable[[str, int], None], budget: Budget) -> Callable[[str, int], None]:
    """`scan`, which reads a text that begins on a line, but for a text of any length.

    Long texts are handed on in pieces, cut at line breaks where there are any. A text after `MAX_SIGNS` raises `Full`,
    and one after the deadline of `budget` raises `TooSlow`.
    """
    n_signs = 0

    def scan_pieces(text: str, line: int) -> None:
        nonlocal n_signs
        for piece in while_time(pieces(text), budget):
            if n_signs > MAX_SIGNS:
                raise Full(f"{MAX_SIGNS:,} signs of markup")
            n_signs += signs_in(piece)
            scan(piece, line)
            line += piece.count("\n")

    return scan_pieces


def signs_in(text: str) -> int:
    """The number of signs in a text that may begin a tag, link, code or formula."""
    return sum(map(text.count, _SIGNS))


def used_front_lines(lines: Sequence[str]) -> Sequence[str]:
    """The first lines of front matter, as many as are used."""
    n_chars = 0
    for at, line in enumerate(lines):
        n_chars += len(line)
        if at == MAX_FRONT_LINES or n_chars > MAX_FRONT_CHARS:
            return lines[:at]
    return lines


def used_front(front: FrontMatter) -> tuple[FrontMatter, list[str]]:
    """The front matter within the limits, and what was left out. The limit of tags is for the whole note."""
    properties: list[tuple[str, tuple[str, ...]]] = []
    n_values = 0
    for key, values in front.properties:
        properties.append((key, values[: max(0, MAX_VALUES - n_values)]))
        n_values += len(values)
    used = evolve(
        front,
        aliases=front.aliases[:MAX_ALIASES],
        properties=tuple(properties[:MAX_VALUES]),
    )
    return used, [
        *left_out(len(front.aliases), MAX_ALIASES, "aliases"),
        *left_out(n_values, MAX_VALUES, "values of properties"),
        *left_out(len(properties), MAX_VALUES, "properties"),
    ]


def left_out(n_found: int, n_used: int, what: str) -> list[str]:
    """What of a note is not used, if anything.

    >>> left_out(12_345, 10_000, "tags"), left_out(7, 10_000, "tags")
    (['2,345 of 12,345 tags are not used'], [])
    """
    return [f"{n_found - n_used:,} of {n_found:,} {what} are not used"] if n_found > n_used else []
