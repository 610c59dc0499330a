"""What is known of a vault, as whoever understands queries may ask for it.

Each answer is given while the corpus stands still. Implements `search.execution.understanding.VaultView`.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from search.ids import NoteId
from search.index.indexer import Indexer
from search.vault.daily import DailyNotes, read_daily_notes

if TYPE_CHECKING:
    from search.vault.note import Note


class IndexedVaultView:
    """One vault at the moment of a query: `notes` are those of then."""

    def __init__(self, reading: Indexer) -> None:
        self._reading = reading
        self.notes: Mapping[NoteId, Note] = reading.vault.notes

    def resolve_link(self, name: str) -> NoteId | None:
        """The note that a link of this name leads to from the top of the vault."""
        with self._reading.lock:
            return self._reading.corpus.resolve_link(name)

    def notes_named(self, name: str) -> Iterable[NoteId]:
        """The notes of this title, alias or file name."""
        with self._reading.lock:
            return tuple(self._reading.corpus.names.notes_named(name))

    def notes_for_link(self, name: str) -> frozenset[NoteId]:
        """The notes that `[[name]]` stands for: where it leads, or else those that are called so."""
        target = self.resolve_link(name)
        return frozenset(self.notes_named(name) if target is None else (target,))

    def notes_with_token(self, token: str, at_most: int) -> frozenset[NoteId] | None:
        """The notes with a folded token."""
        with self._reading.lock:
            return self._reading.corpus.notes_with_token(token, at_most=at_most)

    def text_of(self, note: NoteId) -> str:
        """A note's text, empty for one that went away."""
        return self._reading.vault.text(note)

    def daily_notes(self) -> DailyNotes:
        """As Obsidian's settings of the vault have it."""
        return read_daily_notes(self._reading.vault.root)
