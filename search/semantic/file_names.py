"""A vault as what its notes are called and where they lie: a search for files looks through it by meaning (designs/1).

It looks like the vault that it is made of, but the text of each note is its path and its title in one line, with the
path's slashes and dots as blanks, so that a model reads its parts as words. So vectors of names are made, kept and
found as those of texts are; they change when a note is moved or gets another title, and not with what is written in it.
"""

import re
from collections.abc import Mapping
from typing import Protocol

from search.ids import NoteId
from search.vault.note import Note

_JOINTS = re.compile(r"[/.\s]+")


class NamedNotes(Protocol):
    """What is asked of a vault."""

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes."""

    @property
    def generation(self) -> int:
        """Grows with every change of `notes`."""


def name_text(note: Note) -> str:
    """The path without its extension and with blanks for slashes and dots, then the title where it says more.

    >>> name_text(Note(NoteId("guides/set.up/Router.md"), "Reset it"))
    'guides set up Router Reset it'
    >>> name_text(Note(NoteId("guides/Router.md"), "Router"))
    'guides Router'
    """
    path = f"{note.folder}/{note.name}"
    title = "" if note.title == note.name else note.title
    return _JOINTS.sub(" ", path).strip() + (f" {' '.join(title.split())}" if title else "")


class FileNames:
    """May be asked by any thread."""

    def __init__(self, vault: NamedNotes) -> None:
        self._vault = vault
        self._known: tuple[int, Mapping[NoteId, Note]] = (-1, {})

    @property
    def generation(self) -> int:
        """The vault's own."""
        return self._vault.generation

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes, one line each; another object only for a note with another title or time."""
        generation, before = self._known
        if generation != self._vault.generation:
            generation, notes = self._vault.generation, dict(self._vault.notes)
            made = {id_: Note(id_, note.title, n_lines=1, modified=note.modified) for id_, note in notes.items()}
            before = {id_: before[id_] if before.get(id_) == note else note for id_, note in made.items()}
            self._known = (generation, before)
        return before

    def text(self, note_id: NoteId) -> str:
        """The name; empty for a note that is gone."""
        note = self._vault.notes.get(note_id)
        return "" if note is None else name_text(note)
