"""A vault without the files that are found by name only, since they have no text to embed.

Has the interface of the vault that it wraps, as `FileNames` and `Gists` have.
"""

from collections.abc import Mapping

from search.ids import NoteId, is_by_name
from search.semantic.note_vectors import Notes
from search.vault.note import Note


class NotesWithText:
    """The notes of a vault that can have vectors. Any thread may read them."""

    def __init__(self, vault: Notes) -> None:
        self._vault = vault
        self._known: tuple[int, Mapping[NoteId, Note]] = (-1, {})

    @property
    def generation(self) -> int:
        """That of the vault."""
        return self._vault.generation

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """The vault's notes; its own mapping if all of them have text."""
        generation, known = self._known
        if generation != self._vault.generation:
            generation, known = self._vault.generation, self._vault.notes
            if any(map(is_by_name, known)):
                known = {note_id: known[note_id] for note_id in known if not is_by_name(note_id)}
            self._known = (generation, known)
        return known

    def text(self, note_id: NoteId) -> str:
        """The note's current text."""
        return self._vault.text(note_id)
