"""Makes the vectors of notes: cuts a note into passages and embeds those that have no vector yet.

An edited note embeds its changed passages only. A renamed note embeds nothing.
"""

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from attrs import define

from search.budget import UNLIMITED, Budget
from search.errors import ProviderError
from search.ids import NoteId
from search.index.note_languages import language_of
from search.ports import Embedder
from search.providers.scripts import FOREIGN_LIMIT
from search.semantic.note_vectors import NoteVectors, hash_note
from search.semantic.vector_storage import PIECE
from search.vault.embedded_data import drop_embedded_data
from search.vault.lines import to_lf
from search.vault.note import Note
from search.vectors.chunk import Chunk, chunks
from search.vectors.cosine import Floats

_LONG_BYTES = 65_536  # cutting a note of this size takes about eight seconds
_RECENT_CHARS = 250_000  # above this number, earlier measurements count half


class Cutter(Protocol):
    """Cuts a note's text into the passages to embed."""

    def __call__(self, note: Note, text: str, embedder: Embedder, *, budget: Budget = UNLIMITED) -> tuple[Chunk, ...]:
        """The passages; may raise as `cut` does."""


class TimeIsUpError(Exception):
    """The budget was spent before a note was cut."""


def cut(note: Note, text: str, embedder: Embedder, *, budget: Budget = UNLIMITED) -> tuple[Chunk, ...]:
    """The passages of a note, without generated blocks.

    `text` is the whole file. Takes a second per megabyte, or more.

    Raises:
        TimeIsUpError: the budget was spent.
        Cancelled: the budget was cancelled.
    """

    def count_tokens(part: str) -> int:
        budget.check()
        if budget.is_spent:
            raise TimeIsUpError
        return embedder.count_tokens(part)

    lines = drop_embedded_data(to_lf(text))[0].split("\n")
    body = "\n".join(lines[note.body_line :])
    return chunks(note, body, count_tokens=count_tokens, max_tokens=embedder.traits.max_tokens)


def _can_read(embedder: Embedder, text: str) -> bool:
    if embedder.foreign_share(text) > FOREIGN_LIMIT:
        return False
    readable = embedder.traits.languages
    return readable is None or language_of(text) in {"", *readable}


@define
class Throughput:
    """How fast passages are embedded, as measured recently.

    Their length counts, not their number: a model takes about as long for one passage of 900 characters as for nine of
    100.
    """

    _seconds: float = 0.0
    _n_chars: float = 0.0

    def add(self, n_chars: int, seconds: float) -> None:
        """Add a measurement of passages with so many characters; one without any does not count."""
        if n_chars:
            share = 0.5 if self._n_chars > _RECENT_CHARS else 1.0
            self._seconds = share * self._seconds + seconds
            self._n_chars = share * self._n_chars + n_chars

    @property
    def is_known(self) -> bool:
        """Whether there was a measurement."""
        return self._n_chars > 0

    def seconds_for(self, n_chars: float) -> float | None:
        """The time that embedding passages with so many characters takes; None if there was no measurement yet."""
        if n_chars == 0:
            return 0.0
        return n_chars * self._seconds / self._n_chars if self._n_chars else None


class NoteEmbedder:
    """Embeds the notes of one vault. One thread at a time uses it."""

    def __init__(
        self, vectors: NoteVectors, *, cut: Cutter = cut, batch_size: int = 1, most_bytes: int | None = None
    ) -> None:
        """`cut` finds the passages, which are sent to the model `batch_size` or more at a time.

        `most_bytes`: no note counts as longer than that, because the rest is not cut.
        """
        self.vectors = self._vectors = vectors
        self.batch_size = max(batch_size, vectors.embedder.batch_size)
        self._cut_text = cut
        self._most_bytes = most_bytes
        self.storage = self._storage = vectors.storage
        self._vault = vectors.vault
        self._embedder = vectors.embedder
        self._last_cut: tuple[tuple[NoteId, str], tuple[Chunk, ...]] | None = None  # of a long note
        self.throughput = Throughput()
        self._n_cut_bytes = self._n_cut_chars = 0  # of the notes that were cut, and of their passages
        self.n_embedded_chars = 0  # since the start
        self.n_embedded_notes = 0  # since the start; only notes whose vectors the model made

    def embed(self, note: NoteId, budget: Budget = UNLIMITED, *, ahead: Iterable[NoteId] = ()) -> bool:
        """Give a note the vectors of its current text; False if the budget was spent before it was done.

        What was embedded before is not lost: the next call continues there, also after `Cancelled`. Vectors that cannot
        be stored are kept in memory, see `VectorStorage.writable`. A batch that the note does not fill takes
        passages of the notes `ahead`, which come next: an endpoint needs about as long for one text as for thirty.

        Raises:
            ProviderError: the model failed.
            StoreError: the store cannot be opened or read.
        """
        began, n_before = time.perf_counter(), self.n_embedded_chars
        try:
            return self._embed(note, budget, ahead)
        finally:
            self.throughput.add(self.n_embedded_chars - n_before, time.perf_counter() - began)

    def _embed(self, note: NoteId, budget: Budget, ahead: Iterable[NoteId]) -> bool:
        self._storage.open()
        known = self._vault.notes.get(note)
        if known is None or self._vectors.is_current(note):
            return True
        text = self._vault.text(note)
        content_hash = hash_note(known, text)
        if self._vectors.move_here(known, content_hash):
            return True
        try:
            passages = self._cut(known, text, content_hash, budget)
        except TimeIsUpError:
            return False
        vectors = self._storage.find_chunks(chunk.text_hash for chunk in passages)
        new = {chunk.text_hash: chunk.text for chunk in passages if chunk.text_hash not in vectors}
        is_made = bool(new) or any(text_hash in self._storage.unfinished for text_hash in vectors)
        is_large, piece = len(passages) > PIECE, dict[str, Floats]()
        try:
            for made in self._embed_passages(new, budget, ahead):
                vectors |= made
                piece |= made
                if is_large and new and len(piece) >= PIECE:
                    self._storage.put_piece(note, piece)
                    piece = {}
        finally:
            if is_large and new:
                self._storage.put_piece(note, piece)
        if new:
            return False
        self._vectors.put(known, content_hash, passages, [vectors[chunk.text_hash] for chunk in passages])
        self.n_embedded_notes += is_made
        return True

    def _embed_passages(
        self, new: dict[str, str], budget: Budget, ahead: Iterable[NoteId]
    ) -> Iterator[dict[str, Floats]]:
        """Embed passages, which leave `new` as they are embedded; yields the vectors of each batch.

        Ends early if the budget is spent. Raises as `embed`.
        """
        while new:
            budget.check()
            if budget.is_spent:
                return
            batch = dict(itertools.islice(new.items(), self.batch_size))
            batch |= self._passages_ahead(ahead, self.batch_size - len(batch))
            try:
                made = self._embedder.embed_passages(list(batch.values()), budget=budget)
            except ProviderError:
                if budget.remaining_s == 0:  # the time ran out during the request: the model did not fail
                    return
                raise
            for text_hash in batch:
                new.pop(text_hash, None)
            self._storage.add_unfinished(batch, made)
            self.n_embedded_chars += sum(map(len, batch.values()))
            yield dict(zip(batch, made, strict=True))

    def _passages_ahead(self, notes: Iterable[NoteId], n: int) -> dict[str, str]:
        """Up to `n` passages of these notes that have no vector yet, by the hash of their text; none of long notes."""
        found: dict[str, str] = {}
        for note in notes:
            if len(found) >= n:
                break
            known = self._vault.notes.get(note)
            if known is None or self.is_long(note) or self._vectors.is_current(note):
                continue
            text = self._vault.text(note)
            if not self._vectors.is_moved(hash_note(known, text)):
                passages = self._passages(known, text)
                vectors = self._storage.find_chunks(chunk.text_hash for chunk in passages)
                found |= {chunk.text_hash: chunk.text for chunk in passages if chunk.text_hash not in vectors}
        return dict(itertools.islice(found.items(), max(0, n)))

    def queue(self, wanted: Sequence[NoteId], n: int) -> list[NoteId]:
        """The notes to embed for a query: the `wanted` ones, then the newest, up to `n` in all.

        Long notes come last, so that none of them takes all the time.
        """
        self._vectors.hide_deleted()
        queue = list(self._vectors.check(wanted))
        n_more = n - len(wanted)
        if n_more > 0:
            queue += self._newest(n_more, without=set(wanted))
        return sorted(queue, key=self.is_long)

    def _newest(self, n: int, *, without: AbstractSet[NoteId]) -> list[NoteId]:
        """Up to `n` notes without vectors, newest first; no long ones if other notes are wanted.

        Only the `n` newest candidates are checked, which reads them. Of the others, those known to lack vectors count.
        """
        candidates = [
            note for note in self._vectors.unchecked() if note not in without and not (without and self.is_long(note))
        ]
        found = list(self._vectors.check(candidates[:n]))
        lacking = self._vectors.lacking()
        return [*found, *(note for note in candidates[n:] if note in lacking)][:n]

    def is_long(self, note: NoteId) -> bool:
        """Whether the note takes long to cut."""
        known = self._vault.notes.get(note)
        return known is not None and self._size(known) > _LONG_BYTES

    def _size(self, note: Note) -> int:
        return note.size_bytes if self._most_bytes is None else min(note.size_bytes, self._most_bytes)

    def cut_ahead(self, note: NoteId, budget: Budget) -> None:
        """Cut a note that will be embedded next. Other threads may use the store and the model meanwhile.

        Raises:
            Cancelled: the budget was cancelled.
        """
        known = self._vault.notes.get(note)
        if known is not None:
            text = self._vault.text(note)
            self._cut(known, text, hash_note(known, text), budget)

    def _cut(self, note: Note, text: str, content_hash: str, budget: Budget) -> tuple[Chunk, ...]:
        """The passages of a note. Those of the last long note are kept."""
        if self._last_cut is not None and self._last_cut[0] == (note.id, content_hash):
            return self._last_cut[1]
        passages = self._passages(note, text, budget)
        self._n_cut_bytes += self._size(note)
        self._n_cut_chars += sum(len(chunk.text) for chunk in passages)
        if self.is_long(note.id):
            self._last_cut = (note.id, content_hash), passages
        return passages

    def new_passages(self, note: NoteId, budget: Budget, *, is_all_new: bool) -> dict[str, str]:
        """The passages that `embed` would embed, by the hash of their text. The budget has no deadline.

        `is_all_new`: nothing is stored, and the store stays closed.
        """
        known = self._vault.notes.get(note)
        if known is None or (not is_all_new and self._vectors.is_current(note)):
            return {}
        passages = self._passages(known, self._vault.text(note), budget)
        vectors = {} if is_all_new else self._storage.find_chunks(chunk.text_hash for chunk in passages)
        return {chunk.text_hash: chunk.text for chunk in passages if chunk.text_hash not in vectors}

    def _passages(self, note: Note, text: str, budget: Budget = UNLIMITED) -> tuple[Chunk, ...]:
        """The passages to embed; none for a note in a language that the model cannot read. Raises as `cut`."""
        if self._vectors.is_foreign(note.id):
            return ()
        found = self._cut_text(note, text, self._embedder, budget=budget)
        return tuple(chunk for chunk in found if _can_read(self._embedder, chunk.text))

    def seconds_to_embed(self, notes: Iterable[NoteId]) -> float | None:
        """About how long embedding these notes takes; None if nothing was embedded yet to tell. Reads no note.

        Their passages are taken to be as long, in relation to their files, as those of the notes that were cut.
        """
        known = (self._vault.notes.get(note) for note in notes)
        n_bytes = sum(self._size(note) for note in known if note is not None)
        return self.throughput.seconds_for(n_bytes * self._n_cut_chars / max(1, self._n_cut_bytes))
