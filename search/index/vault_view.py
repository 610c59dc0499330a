"""What the index says about a vault while a query is understood and filtered.

Each answer is given under the index's lock and holds it no longer than that. Implements
`search.execution.understanding.VaultView`.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from search.ids import NoteId
from search.index.indexer import Indexer
from search.vault.daily import DailyNotes, read_daily_notes

if TYPE_CHECKING:
    from search.vault.note import Note


class IndexedVaultView:
    """One vault; `notes` are those of the moment when the view was made."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._corpus = indexer.corpus
        self.notes: Mapping[NoteId, Note] = indexer.vault.notes

    def corpus_notes(self) -> "dict[NoteId, Note]":
        """A copy of the notes that are indexed now."""
        with self._indexer.lock:
            return dict(self._corpus.notes)

    def leads_to(self, name: str) -> NoteId | None:
        """The note that a link of this name leads to from the vault's root."""
        with self._indexer.lock:
            return self._corpus.leads_to(name)

    def called(self, name: str) -> Iterable[NoteId]:
        """The notes with this title, alias or file name."""
        with self._indexer.lock:
            return tuple(self._corpus.names.named(name))

    def linked(self, name: str) -> frozenset[NoteId]:
        """The notes that `[[name]]` stands for: the link's target, or else all notes with that name."""
        target = self.leads_to(name)
        return frozenset(self.called(name) if target is None else (target,))

    def with_token(self, token: str, at_most: int) -> frozenset[NoteId] | None:
        """The notes with a folded token; None where they are more than `at_most`."""
        with self._indexer.lock:
            return self._corpus.with_token(token, at_most=at_most)

    def having(self, text: str) -> frozenset[NoteId] | None:
        """The notes that may have this text somewhere; None where the index cannot tell."""
        with self._indexer.lock:
            return self._corpus.having(text)

    def having_name(self, text: str) -> frozenset[NoteId] | None:
        """The notes that may have this text in their title, aliases or path; None where the index cannot tell."""
        with self._indexer.lock:
            return self._corpus.having(text, is_name=True)

    def holding(self, word: str, is_whole: bool) -> frozenset[NoteId] | None:  # noqa: FBT001 - a filter's question
        """The notes with this word, whole or as a part of one; None where the index cannot tell."""
        with self._indexer.lock:
            return self._corpus.holding(word, is_whole=is_whole)

    def text_of(self, note: NoteId) -> str:
        """A note's text, empty for one that is gone."""
        return self._indexer.vault.text(note)

    def daily_notes(self) -> DailyNotes:
        """Where daily notes are kept, as the vault's Obsidian settings say."""
        return read_daily_notes(self._indexer.vault.root)
