"""A vault in which each note's text is its path and title: file search is semantic search in this vault (designs/1).

`FileNames` offers the same interface as the vault behind it. A note's text is one line: its path, with blanks in place
of slashes and dots so that a model reads words, and its title. Vectors of names are therefore made, stored and found
like vectors of texts; they change when a note is moved or its title changes, and stay when its body changes.
"""

import re
from collections.abc import Mapping

from search.ids import NoteId
from search.semantic.derived_notes import DerivedNotes
from search.vault.note import Note

_JOINTS = re.compile(r"[/.\s]+")


def name_text(note: Note) -> str:
    """The path without its extension, blanks in place of slashes and dots; then the title if it is not the file name.

    >>> name_text(Note(NoteId("guides/set.up/Router.md"), "Reset it"))
    'guides set up Router Reset it'
    >>> name_text(Note(NoteId("guides/Router.md"), "Router"))
    'guides Router'
    """
    path = f"{note.folder}/{note.name}"
    title = "" if note.title == note.name else note.title
    return _JOINTS.sub(" ", path).strip() + (f" {' '.join(title.split())}" if title else "")


class FileNames(DerivedNotes):
    """The names of a vault's notes, with the interface of a vault. Any thread may read them."""

    def derived(self, notes: Mapping[NoteId, Note], known: Mapping[NoteId, Note]) -> Mapping[NoteId, Note]:
        """All notes, one line each. A note keeps its object until its title or its modification time changes."""
        made = {id_: Note(id_, note.title, n_lines=1, modified=note.modified) for id_, note in dict(notes).items()}
        return {id_: known[id_] if known.get(id_) == note else note for id_, note in made.items()}

    def text(self, note_id: NoteId) -> str:
        """The text of a note's name; empty if the note does not exist."""
        note = self._vault.notes.get(note_id)
        return "" if note is None else name_text(note)
