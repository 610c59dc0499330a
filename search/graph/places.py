"""Which lines of a note a link means: those below its heading, its block, its footnote, or none of these.

The identity of a place is its first line, so links that spell one heading differently lead to one place.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property

from search.graph.headings import Headings
from search.vault.blocks import BlockKind, scan_blocks
from search.vault.frontmatter import body_start
from search.vault.note import Link, Note, section_lines

Lines = tuple[int, int]


class Places:
    """The places of one note that links can lead to.

    `read_lines` gives the note's lines; it is called only if a link names a block.
    """

    def __init__(self, note: Note, read_lines: Callable[[], Sequence[str]]) -> None:
        self._note = note
        self._read_lines = read_lines
        self._headings = Headings(note.headings)
        self._known: dict[tuple[str, str], Lines | None] = {}

    def lines_of(self, link: Link) -> Lines | None:
        """The lines (half-open) of the heading or block that a link to this note names; None if there is none.

        None as well for a link that names neither.
        """
        key = link.heading, link.block
        if key not in self._known:
            self._known[key] = self._find(link)
        return self._known[key]

    def is_at(self, link: Link, place: Link | int) -> bool:
        """Whether a link leads to `place`: a line, or where another link leads.

        Links to a missing heading or block are the same if they name the same.
        """
        lines = self.lines_of(link)
        if isinstance(place, int):
            return lines is not None and lines[0] == place
        other = self.lines_of(place)
        return _name_of(link) == _name_of(place) if lines is None or other is None else lines[0] == other[0]

    def _find(self, link: Link) -> Lines | None:
        if link.block:
            return self._marked(f"^{link.block}")
        if not link.heading:
            return None
        if (heading := self._headings.find(link.heading)) is not None:
            return section_lines(self._note, heading)
        return self._marked(link.heading) if link.heading.startswith("[^") else None

    def _marked(self, mark: str) -> Lines | None:
        numbers = self._marks.get(mark.casefold(), ())
        return next((lines for number in numbers if (lines := self._block_at(number))), None)

    def _block_at(self, number: int) -> Lines | None:
        """The lines of the block that a mark on this line names: the block with the mark, or the one above it."""
        at = bisect_right(self._blocks, number, key=lambda block: block[1]) - 1
        kind, start, end = self._blocks[at] if at >= 0 else (BlockKind.CODE, 0, 0)
        if kind >= BlockKind.CODE or number >= end:
            return None
        if kind is BlockKind.HEADING:
            found = (heading for heading in self._note.headings if heading.line == number)
            # The lines may be newer than the note, and of a long note not all headings are used.
            return next((section_lines(self._note, heading) for heading in found), (start, end))
        if not self._lines[number].lstrip(" \t>").startswith("^"):
            return start, end
        if number > start:
            return start, number
        return self._blocks[at - 1][1:] if at else (start, end)

    @cached_property
    def _lines(self) -> Sequence[str]:
        return self._read_lines()

    @cached_property
    def _blocks(self) -> list[tuple[BlockKind, int, int]]:
        return [block[:3] for block in scan_blocks(list(self._lines), body_start(self._lines))]

    @cached_property
    def _marks(self) -> dict[str, list[int]]:
        """The block ids, `^id` at the end of a line, and footnotes, `[^1]` before a colon, with their lines."""
        found: dict[str, list[int]] = {}
        for number, text in enumerate(self._lines):
            if "^" not in text:
                continue
            mark = text.rsplit(None, 1)[-1].lstrip(">").casefold()
            if mark.startswith("^"):
                found.setdefault(mark, []).append(number)
            label, colon, _ = text.lstrip().partition("]:")
            if colon and label.startswith("[^"):
                found.setdefault(f"{label}]".casefold(), []).append(number)
        return found


def _name_of(link: Link) -> tuple[str, str]:
    return " ".join(link.heading.split()).casefold(), link.block.casefold()
