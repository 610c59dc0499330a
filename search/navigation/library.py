"""A vault as somebody sees it who stands in one of its notes: where links lead, and what leads to a note.

Links are resolved by the graph's own index (`graph/links`), so that what is shown and what is ranked agree. Answers
from the notes that are known; reads the text of a note only to say at which column something stands.
"""

import re
from collections.abc import Iterator, Mapping

from attrs import frozen

from search.analysis.fold import fold
from search.ids import NoteId
from search.index.indexer import Indexer
from search.vault.blocks import BlockKind
from search.vault.lines import to_lf
from search.vault.note import Link, Note, section_lines_named
from search.vault.spans import Span, blocks_around, is_code_or_comment, spans_on

_ALIKE = 0.66  # of the letters of a name: one of three may be wrong


@frozen(kw_only=True)
class LinkSpot:
    """A note, and a line of it (from 0) where one is meant."""

    note: NoteId
    line: int = 0


@frozen(kw_only=True)
class Mention:
    """Where something is linked or tagged."""

    note: NoteId
    span: Span
    text: str  # the whole line


class Library:
    """All methods may be called from any thread."""

    def __init__(self, reading: Indexer) -> None:
        self._reading = reading

    @property
    def is_complete(self) -> bool:
        """Whether all notes were read: before, what is not there may only not be known yet."""
        return self._reading.is_complete

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """The notes that are known."""
        return self._reading.vault.notes

    def text(self, note: NoteId) -> str:
        """A note's text with LF line ends, of the open buffer, else of the file; empty for one that is gone."""
        return to_lf(self._reading.vault.text(note).removeprefix("\ufeff"))

    def line(self, note: NoteId, number: int) -> str:
        """A line of a note, empty where there is none."""
        lines = self.text(note).split("\n")
        return lines[number] if number < len(lines) else ""

    def resolve_link(self, source: NoteId, link: Link) -> NoteId | None:
        """The note that a link in `source` leads to; None for no note."""
        with self._reading.lock:
            return self._reading.corpus.links.resolve(source, link.target)

    def alike(self, name: str, *, limit: int) -> tuple[NoteId, ...]:
        """The notes that somebody may mean who wrote `name`, the likeliest first, equal ones in the order of paths.

        By the share of letters that are another, missing, too many or swapped (optimal string alignment); none of
        which more than a third is. Case and accents do not count.
        """
        from rapidfuzz import process  # noqa: PLC0415 - 50 ms, and most links are spelt right
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - as above

        called = [
            (fold(called), note.id) for note in self.notes.values() for called in (note.title, *note.aliases, note.name)
        ]
        found = process.extract(
            fold(name),
            [called for called, _ in called],
            scorer=OSA.normalized_similarity,
            score_cutoff=_ALIKE,
            limit=None,
        )
        best: dict[NoteId, float] = {}
        for _, share, at in found:
            best.setdefault(called[at][1], share)
        return tuple(sorted(best, key=lambda note: (-best[note], note))[:limit])

    def spot_of(self, source: NoteId, link: Link) -> LinkSpot | None:
        """Where a link leads: to its heading or block, where there is one of that name, else to the note's begin."""
        target = self.resolve_link(source, link)
        note = None if target is None else self.notes.get(target)
        if note is None:
            return None
        lines = self.section_of(note, link)
        return LinkSpot(note=note.id, line=note.start_line if lines is None else lines[0])

    def section_of(self, note: Note, link: Link) -> tuple[int, int] | None:
        """The lines (half-open) of the heading or block of a note that a link names; None where it names none."""
        if link.heading:
            return section_lines_named(note, link.heading)
        if not link.block:
            return None
        mark = re.compile(rf"(?:^|[\s>])\^{re.escape(link.block)}\s*$", re.IGNORECASE)
        texts = self.text(note.id).split("\n")
        marked = (number for number, text in enumerate(texts) if "^" in text and mark.search(text))
        return next((lines for number in marked if (lines := _block_marked(note, texts, number))), None)

    def tagged(self, tag: str) -> tuple[Note, ...]:
        """The notes that carry a tag, or one nested below it, the newest first."""
        wanted = tag.casefold()
        found = [note for note in self.notes.values() if any(_is_below(own, wanted) for own in note.tags)]
        return tuple(sorted(found, key=lambda note: (-note.modified, note.id)))

    def links_to(self, note: Note, heading: str = "", *, block: str = "") -> Iterator[Mention]:
        """Every link to a note, of its own too; with a `heading` or `block` only those to it. By path, then by line."""
        with self._reading.lock:
            sources = sorted({*self._reading.corpus.links.backlinks(note.id), note.id})
        wanted = _plain(heading), block.casefold()

        def is_meant(source: NoteId, link: Link | None) -> bool:
            if link is None or ((heading or block) and (_plain(link.heading), link.block.casefold()) != wanted):
                return False
            return self.resolve_link(source, link) == note.id

        for source in sources:
            known = self.notes.get(source)
            lines = {link.line for link in (known.links if known else ()) if is_meant(source, link)}
            if known and any(line < known.body_line for line in lines):
                lines.update(range(known.body_line))  # a property's links may stand below its name
            yield from (item for item in self._mentions(source, lines) if is_meant(source, item.span.link))

    def mentions_of(self, tag: str) -> Iterator[Mention]:
        """Every place where a tag stands, or one nested below it, front matter too. By path, then by line.

        A note that has the tag has a mention at least: its first line, where the place cannot be told.
        """
        wanted = tag.casefold()
        for note in sorted(self.tagged(tag), key=lambda note: note.id):
            texts = self.text(note.id).split("\n")
            front = range(min(note.body_line, len(texts)))
            lines = [number for number, line in enumerate(texts) if number in front or f"#{wanted}" in line.casefold()]
            found = [
                Mention(note=note.id, span=span, text=texts[span.line])
                for span in spans_on(note, texts, lines)
                if _is_below(span.tag, wanted)
                and (span.line in front or not is_code_or_comment(note, texts, span.line))
            ]
            yield from found or [Mention(note=note.id, span=Span(0, 0, len(texts[0]), tag=tag), text=texts[0])]

    def _mentions(self, source: NoteId, lines: set[int]) -> Iterator[Mention]:
        note = self.notes.get(source)
        if note is None or not lines:
            return
        texts = self.text(source).split("\n")
        for span in spans_on(note, texts, sorted(lines)):
            yield Mention(note=source, span=span, text=texts[span.line])


def _block_marked(note: Note, texts: list[str], number: int) -> tuple[int, int] | None:
    """The lines of the block that a mark on this line names: the one around it, or the one above a mark alone."""
    above = None
    for kind, start, end in blocks_around(note, texts, number):
        if end > number:
            is_alone = texts[number].lstrip(" \t>").startswith("^")
            around = (start, end) if not is_alone else (start, number) if number > start else above or (start, end)
            return around if kind < BlockKind.CODE else None
        above = start, end
    return None


def _is_below(tag: str, wanted: str) -> bool:
    folded = tag.casefold()
    return folded == wanted or folded.startswith(wanted + "/")


def _plain(heading: str) -> str:
    return " ".join(heading.split()).casefold()
