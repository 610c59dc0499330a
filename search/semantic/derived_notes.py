"""A vault whose notes are made from those of another one. It has that vault's interface, see `Notes`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from search.ids import NoteId
from search.semantic.note_vectors import Notes
from search.vault.note import Note


class DerivedNotes(ABC):
    """Notes that are made once for each generation of a vault. Any thread may read them."""

    def __init__(self, vault: Notes) -> None:
        self._vault = vault
        self._known: tuple[int, Mapping[NoteId, Note]] = (-1, {})

    @property
    def generation(self) -> int:
        """That of the vault."""
        return self._vault.generation

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """The notes."""
        generation, known = self._known
        if generation != self._vault.generation:
            generation, notes = self._vault.generation, self._vault.notes
            known = self.derived(notes, known)
            self._known = (generation, known)
        return known

    @abstractmethod
    def derived(self, notes: Mapping[NoteId, Note], known: Mapping[NoteId, Note]) -> Mapping[NoteId, Note]:
        """The notes that are made from the vault's; `known` are those that were made before."""
