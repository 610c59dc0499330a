"""A view of the index for query understanding. Implements `search.execution.understanding.VaultView`.

Each call holds the lock of the corpus.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from search.ids import NoteId
from search.index.indexer import Indexer
from search.vault.daily import DailyNotes, read_daily_notes

if TYPE_CHECKING:
    from search.vault.note import Note


class IndexedVaultView:
    """A vault for the time of one query; `notes` are those at its beginning."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self.notes: Mapping[NoteId, Note] = indexer.vault.notes

    def resolve_link(self, name: str) -> NoteId | None:
        """The note that the link `[[name]]` leads to from a note in the vault's root, or None."""
        with self._indexer.lock:
            return self._indexer.corpus.resolve_link(name)

    def notes_named(self, name: str) -> Iterable[NoteId]:
        """The notes with this title, alias or file name."""
        with self._indexer.lock:
            return tuple(self._indexer.corpus.names.notes_named(name))

    def notes_for_link(self, name: str) -> frozenset[NoteId]:
        """The note that the link `[[name]]` leads to, or else the notes with this title, alias or file name."""
        target = self.resolve_link(name)
        return frozenset(self.notes_named(name) if target is None else (target,))

    def notes_with_token(self, token: str, at_most: int) -> frozenset[NoteId] | None:
        """The notes that contain a folded token, or None if there are more than `at_most`."""
        with self._indexer.lock:
            return self._indexer.corpus.notes_with_token(token, at_most=at_most)

    def text_of(self, note: NoteId) -> str:
        """A note's text; "" for a note that no longer exists."""
        return self._indexer.vault.text(note)

    def daily_notes(self) -> DailyNotes:
        """Where the vault keeps its daily notes, read from Obsidian's settings."""
        return read_daily_notes(self._indexer.vault.root)
