"""Definitions and references: where links lead, which links lead to a note, and where tags are used.

Links are resolved by the link index (`graph/links`), so navigation and ranking agree. Answers come from the indexed
notes; the text of a note is read only to find the column of a link or tag.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from search.analysis.fold import fold
from search.graph.places import Places
from search.ids import NoteId
from search.index.indexer import Indexer
from search.navigation.file_parts import FilePart, parts_of
from search.vault.lines import split_lines, to_lf
from search.vault.note import Link, Note
from search.vault.spans import Span, spans_in, spans_on

_MIN_SIMILARITY = 0.66  # one of three letters may be wrong
_WORD = re.compile(r"[^\W_]+")


@frozen(kw_only=True)
class LinkSpot:
    """A place in a note: a line, counted from 0."""

    note: NoteId
    line: int = 0


@frozen(kw_only=True)
class Mention:
    """A place where something is linked or tagged."""

    note: NoteId
    span: Span
    text: str  # the whole line


class Library:
    """Look-ups of links and tags in one vault. All methods may be called from any thread."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer

    @property
    def is_complete(self) -> bool:
        """Whether all notes have been read; until then, a missing note may only be unread."""
        return self._indexer.is_complete

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """The notes read so far."""
        return self._indexer.vault.notes

    def text(self, note: NoteId) -> str:
        """A note's text with LF line ends, from the open buffer, else from the file; empty for a deleted note."""
        return to_lf(self._indexer.vault.text(note).removeprefix("\ufeff"))

    def parts(self, note: Note) -> tuple[FilePart, ...]:
        """The pages, cards or cells of a file, in the order of their lines in its text; () in a file that has none."""
        return parts_of(note, self._indexer.vault)

    def line(self, note: NoteId, number: int) -> str:
        """A line of a note; empty if it does not exist."""
        lines = split_lines(self.text(note))
        return lines[number] if number < len(lines) else ""

    def resolve_link(self, source: NoteId, link: Link) -> NoteId | None:
        """The note that a link in `source` leads to; None if it leads to no note."""
        with self._indexer.lock:
            return self._indexer.corpus.links.resolve(source, link.target)

    def similar_names(self, name: str, *, limit: int) -> tuple[NoteId, ...]:
        """The notes with a name similar to `name`, which may be misspelled; the most similar first, ties by path.

        Similarity is 1 minus the share of letters that are replaced, missing, extra or swapped (optimal string
        alignment), and at least two thirds. Case and accents do not count. If no whole name is similar, the notes are
        returned whose name has a similar word for each word of `name`: by the mean of these similarities, and of
        equal ones the shortest name first.
        """
        names = [(fold(own), note.id) for note in self.notes.values() for own in (note.title, *note.aliases, note.name)]
        best: dict[NoteId, float] = {}
        for at, similarity in _similar(fold(name), [own for own, _ in names]).items():
            best[names[at][1]] = max(similarity, best.get(names[at][1], 0.0))
        if best:
            return tuple(sorted(best, key=lambda note: (-best[note], note))[:limit])
        by_words = _similar_by_words(fold(name), names)
        return tuple(dict.fromkeys(note for _, _, note in sorted(by_words)))[:limit]

    def spot_of(self, source: NoteId, link: Link) -> LinkSpot | None:
        """The place that a link leads to: its heading or block, if it exists, else the beginning of the note."""
        target = self.resolve_link(source, link)
        note = None if target is None else self.notes.get(target)
        if note is None:
            return None
        lines = self.section_of(note, link)
        return LinkSpot(note=note.id, line=note.start_line if lines is None else lines[0])

    def section_of(self, note: Note, link: Link) -> tuple[int, int] | None:
        """The lines (half-open) of the section or block of a note that a link names; None if there is none."""
        return self._places(note).lines_of(link)

    def _places(self, note: Note) -> Places:
        return Places(note, lambda: split_lines(self.text(note.id)))

    def tagged(self, tag: str) -> tuple[Note, ...]:
        """The notes with a tag or one nested below it, the newest first."""
        wanted = tag.casefold()
        found = [note for note in self.notes.values() if any(_counts_as(own, wanted) for own in note.tags)]
        return tuple(sorted(found, key=lambda note: (-note.modified, note.id)))

    def links_to(self, note: Note, place: Link | int | None = None) -> Iterator[Mention]:
        """Every link to a note, including its own; by path, then line.

        With a `place`, only links to the same place: that of a link, or the heading on a line.
        """
        with self._indexer.lock:
            sources = sorted({*self._indexer.corpus.links.backlinks(note.id), note.id})
        places = self._places(note)

        def leads_here(source: NoteId, link: Link | None) -> bool:
            if link is None or self.resolve_link(source, link) != note.id:
                return False
            return place is None or places.is_at(link, place)

        for source in sources:
            known = self.notes.get(source)
            lines = {link.line for link in (known.links if known else ()) if leads_here(source, link)}
            if known and any(line < known.body_line for line in lines):
                lines.update(range(known.body_line))  # the links of a property may be on the lines after its name
            yield from (item for item in self._mentions(source, lines) if leads_here(source, item.span.link))

    def mentions_of(self, tag: str) -> Iterator[Mention]:
        """Every place with a tag or one nested below it, including front matter. By path, then line.

        Every note with the tag has at least one mention: its first line, if the place cannot be found.
        """
        wanted = tag.casefold()
        for note in sorted(self.tagged(tag), key=lambda note: note.id):
            texts = split_lines(self.text(note.id))
            front = range(min(note.body_line, len(texts)))
            lines = [number for number, line in enumerate(texts) if number in front or f"#{wanted}" in line.casefold()]
            found = [
                Mention(note=note.id, span=span, text=texts[span.line])
                for span in spans_on(note, texts, lines)
                if _counts_as(span.tag, wanted)
            ]
            yield from found or [Mention(note=note.id, span=Span(0, 0, len(texts[0]), tag=tag), text=texts[0])]

    def _mentions(self, source: NoteId, lines: set[int]) -> Iterator[Mention]:
        note = self.notes.get(source)
        if note is None or not lines:
            return
        texts = split_lines(self.text(source))
        for span in spans_in(note, texts, sorted(lines)):
            yield Mention(note=source, span=span, text=texts[span.line])


def _counts_as(tag: str, wanted: str) -> bool:
    folded = tag.casefold()
    return folded == wanted or folded.startswith(wanted + "/")


def _similar(name: str, names: Sequence[str]) -> dict[int, float]:
    """The positions of the names that are similar to `name`, with their similarity; all are folded."""
    from rapidfuzz import process  # noqa: PLC0415 - takes 50 ms, and most links need no suggestions
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - the same library

    scorer = OSA.normalized_similarity
    found = process.extract(name, names, scorer=scorer, score_cutoff=_MIN_SIMILARITY, limit=None)
    return {at: similarity for _, similarity, at in found}


def _similar_by_words(name: str, names: Iterable[tuple[str, NoteId]]) -> Iterator[tuple[float, int, NoteId]]:
    """Each name with words similar to all words of `name`: minus their mean similarity, its length, and its note."""
    wanted = _WORD.findall(name)
    words_of = [(_WORD.findall(own), note) for own, note in names] if wanted else []
    known = sorted({word for words, _ in words_of for word in words})
    similar = [{known[at]: similarity for at, similarity in _similar(word, known).items()} for word in wanted]
    for words, note in words_of:
        nearest = [max((found.get(word, 0.0) for word in words), default=0.0) for found in similar]
        if all(nearest):
            yield -sum(nearest) / len(nearest), sum(map(len, words)), note
