"""Search in titles, aliases and headings, for palettes and for the first results while a vault is being read.

Answers at once from the notes read so far: nothing here waits for a lock. The searchable names are rebuilt when notes
change, from parts that are cached for each note.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import islice, repeat

import numpy as np
from attrs import frozen

from search.ids import NoteId, is_by_name
from search.navigation.fuzzy import NameList, Numbers, joined
from search.vault.note import Note


class SymbolKind(StrEnum):
    """The kind of thing that a name belongs to."""

    NOTE = "note"  # by its title or file name
    ALIAS = "alias"
    HEADING = "heading"


@frozen(kw_only=True)
class Symbol:
    """A name and its place; `score` is in 0..1, see `navigation/fuzzy`, and 1 for an empty query."""

    note: NoteId
    title: str  # of the note
    name: str
    kind: SymbolKind
    line: int  # from 0
    score: float = 1.0


class Symbols:
    """The names of a vault. Safe for several threads, as cached values are replaced and never changed."""

    def __init__(self) -> None:
        self._names = _NameCache(with_headings=False)
        self._headings = _NameCache(with_headings=True)

    def prepare(self, notes: Mapping[NoteId, Note]) -> None:
        """Build the searchable names beforehand, at 20 microseconds for each new note."""
        self._names.of(notes)
        self._headings.of(notes)

    def find(
        self, notes: Mapping[NoteId, Note], query: str, *, limit: int, with_headings: bool = True
    ) -> tuple[Symbol, ...]:
        """The best `limit` names for a query, ties by most recent change, notes first; title and file name are one.

        An empty query returns the most recently changed notes, without files that are found by name only.
        """
        if not query.strip():
            found_by_text = (note for note in notes.values() if not is_by_name(note.id))
            newest = heapq.nsmallest(limit, found_by_text, key=lambda note: (-note.modified, note.id))
            return tuple(_symbol(note, note.title, SymbolKind.NOTE, note.start_line) for note in newest)
        found = list(self._names.find(notes, query, limit))
        if with_headings:
            found += self._headings.find(notes, query, limit)
        found.sort(
            key=lambda symbol: (-symbol.score, is_by_name(symbol.note), -notes[symbol.note].modified, symbol.note)
        )
        return tuple(islice(_one_name_each(found), limit))


def _one_name_each(found: Iterable[Symbol]) -> Iterator[Symbol]:
    """The symbols in their order, with only the first of the title and the file name of a note."""
    named: set[NoteId] = set()
    for symbol in found:
        if symbol.kind is not SymbolKind.NOTE or symbol.note not in named:
            yield symbol
        if symbol.kind is SymbolKind.NOTE:
            named.add(symbol.note)


@frozen(eq=False)
class _Names:
    """Numbered names of notes: name i belongs to note `owners[i]`, and `firsts` has the first number of each note."""

    notes: tuple[Note, ...]
    names: NameList
    owners: Numbers
    firsts: Numbers
    modified: "np.typing.NDArray[np.float64]"


class _NameCache:
    """The names of notes, or their headings, cached since the last query."""

    def __init__(self, *, with_headings: bool) -> None:
        self.with_headings = with_headings
        self._pieces: dict[NoteId, tuple[Note, int, str]] = {}  # note, number of names, the names folded
        self._cached: tuple[Mapping[NoteId, Note], _Names] | None = None

    def find(self, notes: Mapping[NoteId, Note], query: str, limit: int) -> Iterator[Symbol]:
        """At least the `limit` best matches."""
        known = self.of(notes)
        n_wanted = limit if self.with_headings else 2 * limit  # title and file name of a note count as one
        numbers, scores = known.names.best(query, n_wanted)
        order = np.lexsort((-known.modified[known.owners[numbers]], -scores))[:n_wanted]
        for number, score in zip(numbers[order].tolist(), scores[order].tolist(), strict=True):
            owner = int(known.owners[number])
            note = known.notes[owner]
            name, kind, line = self._names_of(note)[number - int(known.firsts[owner])]
            yield _symbol(note, name, kind, line, score)

    def of(self, notes: Mapping[NoteId, Note]) -> _Names:
        """The names of these notes, from the cache if the notes are the same as before."""
        cached = self._cached
        if cached is not None and cached[0] == notes:
            return cached[1]
        old = self._pieces
        pieces: dict[NoteId, tuple[Note, int, str]] = {}
        for note in notes.values():
            piece = old.get(note.id)
            if piece is None or piece[0] is not note:
                own = [name for name, _, _ in self._names_of(note)]
                piece = (note, len(own), joined(own))
            pieces[note.id] = piece
        names = _assembled(tuple(pieces.values()))
        self._pieces, self._cached = pieces, (notes, names)
        return names

    def _names_of(self, note: Note) -> list[tuple[str, SymbolKind, int]]:
        line = note.start_line
        if self.with_headings:
            return [
                (heading.text, SymbolKind.HEADING, heading.line)
                for heading in note.headings
                if heading.text and (heading.line != line or heading.text != note.title)
            ]
        kinds = dict(zip(note.aliases, repeat(SymbolKind.ALIAS)))
        kinds[note.title] = SymbolKind.NOTE
        if not is_by_name(note.id):  # its title is its whole name
            kinds[note.name] = SymbolKind.NOTE
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


def _symbol(note: Note, name: str, kind: SymbolKind, line: int, score: float = 1.0) -> Symbol:
    return Symbol(note=note.id, title=note.title, name=name, kind=kind, line=line, score=score)
