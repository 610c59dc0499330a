"""A vault without the files that are found by name only, since they have no text to embed."""

from collections.abc import Mapping

from search.ids import NoteId, is_by_name
from search.semantic.derived_notes import DerivedNotes
from search.vault.note import Note


class NotesWithText(DerivedNotes):
    """The notes of a vault that can have vectors. Any thread may read them."""

    def derived(self, notes: Mapping[NoteId, Note], known: Mapping[NoteId, Note]) -> Mapping[NoteId, Note]:  # noqa: ARG002
        """The vault's notes; its own mapping if all of them have text."""
        if not any(map(is_by_name, notes)):
            return notes
        return {note_id: notes[note_id] for note_id in notes if not is_by_name(note_id)}

    def text(self, note_id: NoteId) -> str:
        """The note's current text."""
        return self._vault.text(note_id)
