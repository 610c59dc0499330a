"""What a vault's notes are called, for palettes and for the first step of an answer: titles, aliases, headings.

Answers from the notes that are known, at once, also while others are being read: nothing here waits for a lock. What is
looked through is made anew when the notes changed, from pieces that are kept note by note.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import repeat

import numpy as np
from attrs import frozen

from search.ids import NoteId
from search.navigation.fuzzy import NameList, Numbers, joined
from search.vault.note import Note


class SymbolKind(StrEnum):
    """What a name names."""

    NOTE = "note"  # by its title or file name
    ALIAS = "alias"
    HEADING = "heading"


@frozen(kw_only=True)
class Symbol:
    """A name that was found, and where it stands; `score` is in 0..1, see `navigation/fuzzy`; 1 for an empty query."""

    note: NoteId
    title: str  # of the note
    name: str
    kind: SymbolKind
    line: int  # from 0
    score: float = 1.0


class Symbols:
    """Safe for several threads: what is kept is replaced, never changed."""

    def __init__(self) -> None:
        self._names = _Shelf(with_headings=False)
        self._headings = _Shelf(with_headings=True)

    def prepare(self, notes: Mapping[NoteId, Note]) -> None:
        """Make what will be looked through, 20 microseconds for each note that is new."""
        self._names.of(notes)
        self._headings.of(notes)

    def find(
        self, notes: Mapping[NoteId, Note], query: str, *, limit: int, with_headings: bool = True
    ) -> tuple[Symbol, ...]:
        """The best `limit` names for a query, of equal ones the note that changed last; no note twice by its own names.

        An empty query gives the notes that changed last.
        """
        if not query.strip():
            newest = heapq.nsmallest(limit, notes.values(), key=lambda note: (-note.modified, note.id))
            return tuple(_symbol(note, note.title, SymbolKind.NOTE, note.start_line, 1.0) for note in newest)
        found = list(self._names.find(notes, query, limit))
        if with_headings:
            found += self._headings.find(notes, query, limit)
        found.sort(key=lambda item: (-item[0], -item[1].modified, item[1].id))
        return tuple(_first(limit, found))


def _first(limit: int, found: Iterable[tuple[float, Note, int, SymbolKind, str]]) -> Iterator[Symbol]:
    named: set[NoteId] = set()
    n_given = 0
    for score, note, line, kind, name in found:
        if n_given == limit:
            return
        if kind is SymbolKind.NOTE:
            if note.id in named:
                continue
            named.add(note.id)
        n_given += 1
        yield _symbol(note, name, kind, line, score)


@frozen(eq=False)
class _Names:
    """The names of some notes; number i is one of `notes[owners[i]]`, the `i - firsts[owners[i]]`th."""

    notes: tuple[Note, ...]
    names: NameList
    owners: Numbers
    firsts: Numbers
    modified: "np.typing.NDArray[np.float64]"


class _Shelf:
    """The names of one kind, as the notes were at the last question."""

    def __init__(self, *, with_headings: bool) -> None:
        self.with_headings = with_headings
        self._pieces: dict[NoteId, tuple[Note, int, str]] = {}  # the note, how many names, and they themselves, folded
        self._kept: tuple[Mapping[NoteId, Note], _Names] | None = None

    def find(
        self, notes: Mapping[NoteId, Note], query: str, limit: int
    ) -> Iterator[tuple[float, Note, int, SymbolKind, str]]:
        """Score, note, line, kind and name of at least the `limit` best."""
        known = self.of(notes)
        n_wanted = limit if self.with_headings else 2 * limit  # a note has two names at most that count as one
        numbers, scores = known.names.best(query, n_wanted)
        order = np.lexsort((-known.modified[known.owners[numbers]], -scores))[:n_wanted]
        for number, score in zip(numbers[order].tolist(), scores[order].tolist(), strict=True):
            owner = int(known.owners[number])
            note = known.notes[owner]
            name, kind, line = self._names_of(note)[number - int(known.firsts[owner])]
            yield score, note, line, kind, name

    def of(self, notes: Mapping[NoteId, Note]) -> _Names:
        """The names of these notes, as they were made for the last question or anew."""
        kept = self._kept
        if kept is not None and kept[0] == notes:
            return kept[1]
        old = self._pieces
        pieces: dict[NoteId, tuple[Note, int, str]] = {}
        for note in notes.values():
            piece = old.get(note.id)
            if piece is None or piece[0] is not note:
                names = [name for name, _, _ in self._names_of(note)]
                piece = (note, len(names), joined(names))
            pieces[note.id] = piece
        made = _assembled(tuple(pieces.values()))
        self._pieces, self._kept = pieces, (notes, made)
        return made

    def _names_of(self, note: Note) -> list[tuple[str, SymbolKind, int]]:
        line = note.start_line
        if self.with_headings:
            return [
                (heading.text, SymbolKind.HEADING, heading.line)
                for heading in note.headings
                if heading.text and (heading.line != line or heading.text != note.title)
            ]
        kinds = dict(zip(note.aliases, repeat(SymbolKind.ALIAS)))
        kinds |= {note.title: SymbolKind.NOTE, note.name: SymbolKind.NOTE}
        return [(name, kind, line) for name, kind in kinds.items() if name.strip()]


def _assembled(pieces: tuple[tuple[Note, int, str], ...]) -> _Names:
    counts = np.array([n_names for _, n_names, _ in pieces], np.int64)
    owners = np.repeat(np.arange(len(pieces)), counts)
    notes = tuple(note for note, _, _ in pieces)
    return _Names(
        notes=notes,
        names=NameList("\n" + "".join(text for _, _, text in pieces)),
        owners=owners,
        firsts=np.cumsum(counts) - counts,
        modified=np.array([note.modified for note in notes]),
    )


def _symbol(note: Note, name: str, kind: SymbolKind, line: int, score: float) -> Symbol:
    return Symbol(note=note.id, title=note.title, name=name, kind=kind, line=line, score=score)
