"""A vault in which each note's text is what it is called and how it begins: `search.vectors.short_texts`, a line each.

`Gists` offers the same interface as the vault behind it, as `FileNames` does. So short vectors are made, stored and
checked like those of whole texts, in a folder of their own, and an edit further down in a note changes none of them.
"""

from collections.abc import Mapping

from search.budget import UNLIMITED, Budget
from search.ids import NoteId
from search.ports import Embedder
from search.semantic.note_vectors import Notes, hash_text
from search.vault.note import Note
from search.vectors.chunk import Chunk
from search.vectors.short_texts import short_texts

FOLDER = "gists"  # of their vectors, in the folder of the vault's vectors
MOST_BYTES = 500  # of a gist, for estimates of time


class Gists:
    """The names and openings of a vault's notes, with the interface of a vault. Any thread may read them."""

    def __init__(self, vault: Notes) -> None:
        self._vault = vault

    @property
    def generation(self) -> int:
        """That of the vault."""
        return self._vault.generation

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """The vault's own notes."""
        return self._vault.notes

    def text(self, note_id: NoteId) -> str:
        """The note's short texts, one in a line; empty if the note does not exist."""
        note = self._vault.notes.get(note_id)
        return "" if note is None else "\n".join(short_texts(note, self._vault.text(note_id)))


def cut_gist(note: Note, text: str, embedder: Embedder, *, budget: Budget = UNLIMITED) -> tuple[Chunk, ...]:  # noqa: ARG001
    """The lines of a gist as chunks; for `NoteEmbedder`, which leaves out what the model cannot read."""
    budget.check()
    return tuple(Chunk(0, 0, hash_text(line), line) for line in dict.fromkeys(text.split("\n")) if line)
