"""Views of the index: for query understanding and filters, and for a model that cannot read all languages.

Each call holds the lock of the corpus only while it looks up its answer.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from search.ids import NoteId
from search.index.indexer import Indexer
from search.vault.daily import DailyNotes, read_daily_notes

if TYPE_CHECKING:
    from search.vault.note import Note


class IndexedVaultView:
    """A vault during one query; `notes` are the notes at the time when the view was made.

    Implements `search.execution.understanding.VaultView`.
    """

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._corpus = indexer.corpus
        self.notes: Mapping[NoteId, Note] = indexer.vault.notes

    def corpus_notes(self) -> "dict[NoteId, Note]":
        """A copy of the notes that are indexed now."""
        with self._indexer.lock:
            return dict(self._corpus.notes)

    def resolve_link(self, name: str) -> NoteId | None:
        """The note that the link `[[name]]` leads to from a note in the vault's root, or None."""
        with self._indexer.lock:
            return self._corpus.resolve_link(name)

    def notes_named(self, name: str) -> Iterable[NoteId]:
        """The notes with this title, alias or file name."""
        with self._indexer.lock:
            return tuple(self._corpus.notes_named(name))

    def notes_for_link(self, name: str) -> frozenset[NoteId]:
        """The note that the link `[[name]]` leads to, or else the notes with this title, alias or file name."""
        target = self.resolve_link(name)
        return frozenset(self.notes_named(name) if target is None else (target,))

    def notes_with_token(self, token: str, at_most: int) -> frozenset[NoteId] | None:
        """The notes that contain a folded token, or None if there are more than `at_most`."""
        with self._indexer.lock:
            return self._corpus.notes_with_token(token, at_most=at_most)

    def notes_with_tokens(self, text: str) -> frozenset[NoteId]:
        """The notes that have each run of `text` as a token, or all pairs of its characters."""
        with self._indexer.lock:
            return self._corpus.notes_with_tokens(text)

    def candidates_containing(self, text: str) -> frozenset[NoteId] | None:
        """The notes that may contain `text` in their body, names or properties; None if the index cannot tell."""
        with self._indexer.lock:
            return self._corpus.candidates_containing(text)

    def candidates_named(self, text: str) -> frozenset[NoteId] | None:
        """The notes that may contain `text` in their title, aliases or path; None if the index cannot tell."""
        with self._indexer.lock:
            return self._corpus.candidates_containing(text, is_name=True)

    def notes_containing(self, word: str, is_whole: bool) -> frozenset[NoteId] | None:  # noqa: FBT001 - a callback
        """Exactly the notes that contain `word`, as a whole word or inside one; None if the index cannot tell."""
        with self._indexer.lock:
            return self._corpus.notes_containing(word, is_whole=is_whole)

    def text_of(self, note: NoteId) -> str:
        """A note's text; "" for a note that no longer exists."""
        return self._indexer.vault.text(note)

    def daily_notes(self) -> DailyNotes:
        """Where the vault keeps its daily notes, read from Obsidian's settings."""
        return read_daily_notes(self._indexer.vault.root)


class LanguageView:
    """Which notes and queries are in a language that a model cannot read; `readable` are those it can, None for all."""

    def __init__(self, indexer: Indexer, readable: frozenset[str] | None) -> None:
        self._indexer = indexer
        self._readable = readable

    def is_foreign(self, note: NoteId) -> bool:
        """Whether the note is in another language than the readable ones; False if it has no clear language."""
        if self._readable is None:
            return False
        language = self._indexer.corpus.languages.of(note)
        return bool(language) and language not in self._readable

    def unreadable(self) -> set[NoteId]:
        """The notes of which the model can read next to nothing, because of their language or script."""
        return set() if self._readable is None else self._indexer.corpus.languages.unreadable(self._readable)

    def is_foreign_query(self, text: str) -> bool:
        """Whether a query is in such a language; False in a vault without such notes."""
        if self._readable is None:
            return False
        with self._indexer.lock:
            corpus = self._indexer.corpus
            return corpus.languages.is_foreign(text, self._readable, corpus.postings)
