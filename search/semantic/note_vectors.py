"""Which notes have vectors of their current text, and which need new ones.

A note's vectors count only after the hash of its text was seen to match the text that they were made from. This check
is made as late as possible, when a search is about to return the note. Opening a vault of any size therefore reads no
note, and no search returns outdated vectors.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

from attrs import frozen

from search.budget import Budget
from search.ids import NoteId
from search.index.vault_view import LanguageView
from search.ports import Embedder
from search.semantic.vector_storage import VectorStorage, note_of
from search.vault.note import Note
from search.vectors.cosine import Floats
from search.vectors.index import Comparison, VectorView
from search.vectors.record import ChunkPlace


class Notes(Protocol):
    """The part of `search.vault.vault.Vault` that semantic search needs."""

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes. A changed note is another object."""

    @property
    def generation(self) -> int:
        """Grows with every change of `notes`."""

    def text(self, note_id: NoteId) -> str:
        """The note's current text."""


@frozen
class _Coverage:
    """Which notes have vectors, in one state of the vault and the vectors."""

    state: tuple[int, int, int]
    lacking: frozenset[NoteId]
    is_complete: bool


class NoteVectors:
    """The vectors of one vault's notes. Methods raise StoreError if the store cannot be opened or read."""

    def __init__(
        self,
        embedder: Embedder,
        vault: Notes,
        folder: Path,
        *,
        languages: LanguageView | None = None,
    ) -> None:
        """`languages` tells what the model cannot read; None if it reads all."""
        self._languages = languages
        self.embedder = embedder
        self.vault = vault
        self.storage = VectorStorage(embedder, folder, on_reset=self._forget)
        self._current: dict[NoteId, Note] = {}  # notes whose vectors were seen to match their text
        self._hidden: set[NoteId] = set()  # stored notes that are outdated or deleted, and therefore not in the index
        self._n_changes = 0  # of `_current` and `_hidden`; counted after the change, so that no older result is kept
        self._coverage = _Coverage((-1, -1, -1), frozenset(), is_complete=False)
        self._deleted: dict[str, NoteId] = {}  # stored notes that are no longer in the vault, by the hash of their text

    def is_foreign(self, note: NoteId) -> bool:
        """Whether a note is in a language that the model cannot read, so that it needs no vectors."""
        return self._languages is not None and self._languages.is_foreign(note)

    def unreadable(self) -> frozenset[NoteId]:
        """The notes of which the model can read next to nothing."""
        return frozenset(self._languages.unreadable() if self._languages else ()).intersection(self.vault.notes)

    def view(self) -> VectorView:
        """The vectors in memory at this moment. Some may be outdated, see `check`."""
        self.storage.open()
        return self.storage.index.view()

    def compared_to(self, query: Floats, notes: Iterable[NoteId] | None, budget: Budget) -> Comparison:
        """The cosines of these notes to a query; None: of all notes. Some vectors may be outdated, see `check`."""
        view = self.view()
        return view.compared_to(query, allowed=None if notes is None else view.rows_of(notes), budget=budget)

    def lines_of(self, note: NoteId, chunk: int) -> tuple[int, int] | None:
        """The lines of a note's chunk; None if there is no such chunk any more."""
        found = self.storage.entry(note)
        return found.lines_of(chunk) if found else None

    def lacking(self) -> frozenset[NoteId]:
        """The notes without vectors, as far as that is known without reading a note.

        A note that needs none (it has no text, or only text that the model cannot read) is not among them once it was
        checked.
        """
        return self._covered().lacking

    def missing_readable(self) -> frozenset[NoteId]:
        """The notes without vectors that the model can read, as far as that is known without reading a note."""
        lacking = self.lacking()
        return lacking - self.unreadable() if lacking else lacking

    @property
    def is_complete(self) -> bool:
        """Whether all notes are known to have vectors of their current text."""
        return self._covered().is_complete

    def unchecked(self) -> list[NoteId]:
        """All notes not known to have vectors of their current text, newest first."""
        notes = self.vault.notes
        return sorted(
            (note for note, known in notes.items() if self._current.get(note) is not known),
            key=lambda note: (-notes[note].modified, note),
        )

    def check(self, notes: Iterable[NoteId]) -> tuple[NoteId, ...]:
        """Those of these notes that have no vectors of their current text. Their old vectors leave the index."""
        self.storage.open()
        known, current = self.vault.notes, self._current
        unsure = [note for note in notes if (one := known.get(note)) is None or current.get(note) is not one]
        return tuple(note for note in unsure if not self.is_current(note))

    def is_current(self, note: NoteId) -> bool:
        """Whether the note exists and has vectors of its current text; if not, its old vectors leave the index."""
        known = self.vault.notes.get(note)
        if known is not None and self._current.get(note) is known:
            return True
        found = self.storage.entry(note)
        content_hash = found.content_hash if found else ""
        is_same = known is not None and content_hash and content_hash == hash_note(known, self.vault.text(note))
        # An older version embedded foreign notes too.
        if known is not None and is_same and not (self.is_foreign(note) and found and found.chunks):
            if note in self._hidden and (vectors := self.storage.open().vectors(note)) is not None:
                self._show(known, vectors)  # the note, or its former text, has come back
            self._mark_seen(known)
            return True
        self._hide(note)
        return False

    def hide_deleted(self) -> None:
        """Take deleted notes out of the index. Their vectors stay stored, because a note may come back or be moved."""
        stored, notes = self.storage.open().notes, self.vault.notes
        self._deleted = {found.content_hash: note for note, found in stored.items() if note not in notes}
        for note in self.storage.index.view().notes.difference(notes):
            self._hide(note)

    def is_moved(self, content_hash: str) -> bool:
        """Whether a deleted note had this text."""
        return content_hash in self._deleted

    def move_here(self, note: Note, content_hash: str) -> bool:
        """Give a note the vectors of a deleted note with the same text; False if there is none."""
        old = self._deleted.get(content_hash)
        if old is None or old in self.vault.notes or self.storage.read_only_reason:
            return False
        store = self.storage.open()
        if not store.move(old, note.id):
            return False
        del self._deleted[content_hash]
        vectors = store.vectors(note.id)
        if vectors is not None:
            self._show(note, vectors)
        return vectors is not None

    def put(self, note: Note, content_hash: str, chunks: Sequence[ChunkPlace], vectors: Sequence[Floats]) -> None:
        """Keep all vectors of a note, stored if the store can be written."""
        self.storage.put(note.id, content_hash, chunks, vectors)
        self._mark_current(note)

    def collect(self) -> int:
        """Delete the vectors of notes that are no longer in the vault; returns of how many notes.

        Raises:
            StoreError: the store cannot be written.
        """
        store = self.storage.writable()
        self.hide_deleted()
        notes, stored = self.vault.notes, store.notes
        kept = {note for note in stored if note in notes}
        kept |= {piece for piece in stored.keys() - kept if self._is_needed(piece)}
        n_gone = len({note_of(gone) for gone in stored.keys() - kept}.difference(notes))
        store.collect(kept)
        store.compact()
        return n_gone

    def _covered(self) -> "_Coverage":
        """Which notes have vectors; looked up again after a change of the notes or the vectors."""
        stored, current, hidden = self.storage.stored, self._current, self._hidden
        state = (self.vault.generation, self._n_changes, len(stored))
        found = self._coverage
        if found.state != state:
            unsure = [note for note, known in self.vault.notes.items() if current.get(note) is not known]
            lacking = frozenset(note for note in unsure if note in current or note not in stored or note in hidden)
            found = self._coverage = _Coverage(state, lacking, is_complete=not unsure)
        return found

    def _is_needed(self, piece: NoteId) -> bool:
        """Whether this is a piece of a note that still needs its vectors."""
        note = note_of(piece)
        return note != piece and note in self.vault.notes and not self.is_current(note)

    def _show(self, note: Note, vectors: Floats) -> None:
        self.storage.index.put(note.id, vectors)
        self._mark_current(note)

    def _mark_current(self, note: Note) -> None:
        self._hidden.discard(note.id)
        self._mark_seen(note)

    def _mark_seen(self, note: Note) -> None:
        """The note's vectors were seen to match its text."""
        self._current[note.id] = note
        self._n_changes += 1

    def _hide(self, note: NoteId) -> None:
        self.storage.index.remove(note)
        self._hidden.add(note)
        self._current.pop(note, None)
        self._n_changes += 1

    def _forget(self) -> None:
        for known in (self._current, self._hidden, self._deleted):
            known.clear()
        self._n_changes += 1


def hash_note(note: Note, text: str) -> str:
    """The hash by which a note's text is recognized; its pages count too, since no passage goes on to the next one."""
    pages = " ".join(str(line) for line, _ in note.pages)
    return hash_text(f"{text}\f{pages}" if pages else text)


def hash_text(text: str) -> str:
    """The hash of a text without pages."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
