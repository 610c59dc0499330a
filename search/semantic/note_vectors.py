"""The vectors of a vault's notes, kept true to the notes: on disk, in memory, and made where they are missing.

The trick: a note's vectors count only once the text that they were made from was seen to be the note's own, by its
hash; looked at as late as can be, when a note is about to be found by them. So opening a vault of any size reads no
note, and still nothing stale is ever found. An edited note embeds its changed chunks alone, a renamed one none.

One thread at a time makes vectors; any thread may search meanwhile. Where another process writes to the store, what
is made here is kept in memory only.
"""

import itertools
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np
from attrs import field, frozen

from search.budget import UNLIMITED, Budget
from search.errors import ProviderError, StoreError, VaultClosed
from search.ids import NoteId
from search.index.memory import give_back
from search.notice import Notice, NoticeKind
from search.ports import Embedder
from search.semantic.chunking import Need, TimeIsUpError, cut, guessed_chunks, needed
from search.vault.note import Note
from search.vectors.chunk import CHUNKER_VERSION, Chunk
from search.vectors.cosine import Floats
from search.vectors.index import VectorIndex, VectorView
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore, stored_dimensions

_LONG_BYTES = 65_536  # a note of so many takes about eight seconds
_FLUSH_EVERY = 16  # notes between two waits for the disk


class Notes(Protocol):
    """What is asked of `search.vault.snapshot.Vault`."""

    @property
    def notes(self) -> Mapping[NoteId, Note]:
        """All notes; a note that changes is replaced by another object."""

    @property
    def generation(self) -> int:
        """Grows with every change of `notes`."""

    def text(self, note_id: NoteId) -> str:
        """The note's text as it is now."""


@frozen(slots=True)
class _Unsaved:
    """A note whose vectors could not be stored."""

    content_hash: str
    chunks: Sequence[ChunkPlace] = field(repr=False)
    vectors: Sequence[Floats] = field(repr=False)


class NoteVectors:
    """Opened on first use, by any method that needs the store; each may raise StoreError then."""

    def __init__(self, embedder: Embedder, vault: Notes, folder: Path) -> None:
        self.embedder = embedder
        self.folder = folder
        self._vault = vault
        self._store: VectorStore | None = None
        self._index = VectorIndex(embedder.known_dimensions or 1)  # of the right length once it is opened
        self._checked: dict[NoteId, Note] = {}  # notes whose vectors were seen to be theirs
        self._hidden: set[NoteId] = set()  # stored, and not to be found because they are out of date or gone
        self._gone: dict[str, NoteId] = {}  # notes that are gone, by the hash of their text
        self._unsaved: dict[NoteId, _Unsaved] = {}
        self._loose: dict[str, Floats] = {}  # vectors of notes that were begun and not finished, by hash
        self._last_cut: tuple[tuple[NoteId, str], tuple[Chunk, ...]] | None = None
        self._n_unflushed = 0
        self._is_over = False
        self._opening = threading.RLock()
        self.busy = ""  # why nothing is stored now: somebody else writes, or nobody can
        self.n_embedded = 0  # chunks, since the start
        self.n_notes = 0  # notes that got vectors which the model made, since the start
        self.n_mute = 0  # of these, such as the model had no vector for

    @property
    def is_open(self) -> bool:
        """Whether the store was opened."""
        return self._store is not None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was wrong with the store, or could not be kept in it."""
        if self._store is None:
            return ()
        unsaved = f"Vectors are kept in memory only: {self.folder}: {self.busy}."
        busy = (Notice(NoticeKind.DEGRADED, "store-locked", unsaved),) if self.busy and self._unsaved else ()
        mute = (_mute(self.n_mute, self.embedder.model),) if self.n_mute else ()
        return self._store.notices + busy + mute

    @property
    def n_bytes(self) -> int:
        """The size of the store's files; 0 before it is opened."""
        return 0 if self._store is None else self._store.n_bytes

    def open(self) -> None:
        """Open the store and load what is in it; twice is once. Another writer is no error: then it is only read.

        A store whose files somebody has changed or removed is opened anew.

        Raises:
            StoreError: it can be neither written nor read.
            VaultClosed: all this has ended.
        """
        with self._opening:
            if self._store is not None and not self._store.is_sound:
                self._forget()
            if self._store is not None:
                return
            if self._is_over:
                raise VaultClosed(str(self.folder))
            try:
                store = self._open(is_writer=True)
            except StoreError as error:
                store = self._open(is_writer=False)
                self.busy = error.reason
            self._index = VectorIndex.of(store.batches(), self.embedder.n_dimensions)
            self._store = store
            give_back()  # what reading the lines took

    def open_unasked(self) -> bool:
        """Open the store to look at it if that can be done without asking the embedder for its dimensions."""
        if self._store is None and self.embedder.known_dimensions is None:
            n_dimensions = stored_dimensions(self.folder, self.embedder.model)
            if n_dimensions is None:
                return False
            self._store = self._open(is_writer=False, n_dimensions=n_dimensions)
            self._index = VectorIndex.of(self._store.batches(), n_dimensions)
        self.open()
        return True

    def close(self) -> None:
        """Flush and let others write."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def end(self) -> None:
        """Close and never open again: who still asks must not keep others from writing."""
        with self._opening:
            self._is_over = True
            self.close()

    def retry(self) -> None:
        """Where nothing could be stored, look whether it can be now, and read what others have written.

        What was made meanwhile is taken up again by `embed`, without the model.
        """
        with self._opening:
            if self.busy:
                self._forget()
            self.open()

    def _forget(self) -> None:
        """Let go of the store, to be opened anew."""
        for unsaved in self._unsaved.values():
            self._loose.update(zip((chunk.text_hash for chunk in unsaved.chunks), unsaved.vectors, strict=True))
        with suppress(StoreError):
            self.close()
        self.busy = ""
        self._unsaved.clear()
        self._checked.clear()
        self._hidden.clear()
        self._gone.clear()

    def view(self) -> VectorView:
        """The vectors in memory as they are now; some may be out of date, see `check`."""
        self.open()
        return self._index.view()

    def lines_of(self, note: NoteId, chunk: int) -> tuple[int, int] | None:
        """The lines of a note's chunk; None where there is no such chunk any more."""
        found = self._places(note)
        return (found[chunk].start_line, found[chunk].end_line) if chunk < len(found) else None

    def lacking(self) -> frozenset[NoteId]:
        """The notes that are without their vectors, as far as that is known without reading a note.

        A note that has none to have (no text, or a foreign one) lacks nothing once it was looked at.
        """
        stored = self._store.notes if self._store is not None else {}
        checked, hidden = self._checked, self._hidden
        return frozenset(
            note
            for note, known in self._vault.notes.items()
            if (checked[note] is not known if note in checked else note not in stored or note in hidden)
        )

    def guess(self, notes: Iterable[NoteId]) -> int:
        """About how many passages of some notes have no vector yet, at least one each; reads nothing."""
        known = self._vault.notes
        sizes = [guessed_chunks(known[note], self.embedder) for note in notes if note in known]
        return max(len(sizes), sum(sizes) - len(self._loose))

    def missing(self) -> list[NoteId]:
        """All notes not known to have their vectors, newest first."""
        notes = self._vault.notes
        return sorted(
            (note for note, known in notes.items() if self._checked.get(note) is not known),
            key=lambda note: (-notes[note].modified, note),
        )

    def check(self, notes: Iterable[NoteId]) -> tuple[NoteId, ...]:
        """Compare these notes with what their vectors were made from; those that have none of their own are given.

        Their old vectors are found no more, and neither are those of notes that are gone.
        """
        self.open()
        return tuple(note for note in notes if not self._check(note))

    def forget_gone(self) -> None:
        """Find notes that are gone no more. Their vectors stay stored: they may come back, or under another name."""
        store, notes = self._opened(), self._vault.notes
        self._gone = {stored.content_hash: note for note, stored in store.notes.items() if note not in notes}
        for note in self._index.view().notes.difference(notes):
            self._hide(note)

    def embed(self, note: NoteId, budget: Budget = UNLIMITED, *, ahead: Iterable[NoteId] = ()) -> bool:
        """Give a note the vectors of its text as it is now; False if the budget was spent before it was done.

        What was embedded until then is not lost: the next call goes on there, also after `Cancelled`. Vectors that
        cannot be stored are kept in memory, see `need_store`. What is left of a batch is filled with passages of the
        notes `ahead`, which come next: an endpoint takes about as long for one text as for thirty.

        Raises:
            ProviderError: the model failed.
            StoreError: the store cannot be opened or read.
        """
        self.open()
        known = self._vault.notes.get(note)
        if known is None or self._check(note):
            return True
        text = self._vault.text(note)
        content_hash = _hash(text)
        if self._move_here(known, content_hash):
            return True
        try:
            places = self._cut(known, text, content_hash, budget)
        except TimeIsUpError:
            return False
        vectors = self._find(places)
        new = {chunk.text_hash: chunk.text for chunk in places if chunk.text_hash not in vectors}
        is_made = bool(new) or any(text_hash in self._loose for text_hash in vectors)
        while new:
            budget.check()
            if budget.is_spent:
                return False
            batch = {text_hash: new.pop(text_hash) for text_hash in list(new)[: self.embedder.batch_size]}
            batch |= self._begin(ahead, self.embedder.batch_size - len(batch))
            try:
                made = self.embedder.embed_passages(list(batch.values()), budget=budget)
            except ProviderError:
                if budget.remaining_s == 0:  # it had no more time
                    return False
                raise
            vectors.update(zip(batch, made, strict=True))
            self._loose.update(zip(batch, made, strict=True))
            self.n_embedded += len(batch)
            self.n_mute += len(batch) - int(np.count_nonzero(made.any(axis=1)))
        self._keep(known, content_hash, places, [vectors[chunk.text_hash] for chunk in places])
        for chunk in places:
            self._loose.pop(chunk.text_hash, None)
        self.n_notes += is_made
        return True

    def _begin(self, notes: Iterable[NoteId], n: int) -> dict[str, str]:
        """Up to `n` passages of these notes that have no vector yet, by hash; none of long notes."""
        found: dict[str, str] = {}
        for note in notes:
            if len(found) >= n:
                break
            known = self._vault.notes.get(note)
            if known is None or self.is_long(note) or self._check(note):
                continue
            text = self._vault.text(note)
            if _hash(text) not in self._gone:  # else it is a note that has moved
                places = cut(known, text, self.embedder)
                vectors = self._find(places)
                found |= {chunk.text_hash: chunk.text for chunk in places if chunk.text_hash not in vectors}
        return dict(itertools.islice(found.items(), max(0, n)))

    def is_long(self, note: NoteId) -> bool:
        """Whether it takes long to cut the note."""
        known = self._vault.notes.get(note)
        return known is not None and known.size_bytes > _LONG_BYTES

    def cut_ahead(self, note: NoteId, budget: Budget) -> None:
        """Cut a note that will be embedded next; others may use the store and the model meanwhile.

        Raises:
            Cancelled: the budget was cancelled.
        """
        known = self._vault.notes.get(note)
        if known is not None:
            text = self._vault.text(note)
            self._cut(known, text, _hash(text), budget)

    def _cut(self, note: Note, text: str, content_hash: str, budget: Budget) -> tuple[Chunk, ...]:
        """The passages of a note; those of the long one that was cut last are remembered."""
        last = self._last_cut
        if last is not None and last[0] == (note.id, content_hash):
            return last[1]
        places = cut(note, text, self.embedder, budget=budget)
        if self.is_long(note.id):
            self._last_cut = (note.id, content_hash), places
        return places

    def need_store(self) -> None:
        """Look whether what is embedded is stored.

        Raises:
            StoreError: it is kept in memory only.
        """
        self._writer()

    def need(self, note: NoteId, budget: Budget = UNLIMITED) -> Need:
        """What `embed` would do, without doing it; the budget has no end in time."""
        known = self._vault.notes.get(note)
        if known is None or self._check(note):
            return Need()
        places = cut(known, self._vault.text(note), self.embedder, budget=budget)
        vectors = self._find(places)
        return needed((chunk for chunk in places if chunk.text_hash not in vectors), self.embedder)

    def need_anew(self, note: NoteId, budget: Budget = UNLIMITED) -> Need:
        """What it would take to embed a note of which nothing is stored; does not open the store."""
        known = self._vault.notes.get(note)
        places = () if known is None else cut(known, self._vault.text(note), self.embedder, budget=budget)
        return needed(places, self.embedder)

    def collect(self) -> int:
        """Drop the vectors of notes that are gone from the store; gives of how many notes.

        Raises:
            StoreError: the store cannot be written.
        """
        store = self._writer()
        self.forget_gone()
        n_dropped = store.collect(set(self._vault.notes))
        store.compact()
        return n_dropped

    def clear(self) -> None:
        """Drop all vectors.

        Raises:
            StoreError: the store cannot be written.
        """
        self._writer().clear()
        self._index = VectorIndex(self.embedder.n_dimensions)
        self._checked.clear()
        self._hidden.clear()
        self._unsaved.clear()
        self._gone.clear()
        self.n_mute = 0

    def flush(self) -> None:
        """Wait until the disk has everything.

        Raises:
            StoreError: the disk refused.
        """
        if self._store is not None and not self.busy:
            self._store.flush()
        self._n_unflushed = 0

    def _open(self, *, is_writer: bool, n_dimensions: int | None = None) -> VectorStore:
        return VectorStore.open(
            self.folder,
            model=self.embedder.model,
            n_dimensions=n_dimensions or self.embedder.n_dimensions,
            chunker=CHUNKER_VERSION,
            is_writer=is_writer,
        )

    def _opened(self) -> VectorStore:
        self.open()
        if self._store is None:  # closed by another thread in between
            raise VaultClosed(str(self.folder))
        return self._store

    def _writer(self) -> VectorStore:
        store = self._opened()
        if self.busy:
            raise StoreError(str(self.folder), 0, self.busy)
        return store

    def _check(self, note: NoteId) -> bool:
        known = self._vault.notes.get(note)
        if known is not None and self._checked.get(note) is known:
            return True
        stored = self._content_hash(note)
        if known is not None and stored and stored == _hash(self._vault.text(note)):
            if note in self._hidden and (vectors := self._opened().vectors(note)) is not None:
                self._show(known, vectors)  # it had been gone, or changed and was changed back
            self._checked[note] = known
            return True
        self._hide(note)
        return False

    def _show(self, note: Note, vectors: Floats) -> None:
        self._index.put(note.id, vectors)
        self._hidden.discard(note.id)
        self._checked[note.id] = note

    def _hide(self, note: NoteId) -> None:
        self._index.remove(note)
        self._hidden.add(note)
        self._checked.pop(note, None)

    def _content_hash(self, note: NoteId) -> str:
        if note in self._unsaved:
            return self._unsaved[note].content_hash
        stored = self._opened().stored(note)
        return stored.content_hash if stored else ""

    def _places(self, note: NoteId) -> Sequence[ChunkPlace]:
        if note in self._unsaved:
            return self._unsaved[note].chunks
        stored = self._opened().stored(note)
        return stored.chunks if stored else ()

    def _find(self, places: Iterable[Chunk]) -> dict[str, Floats]:
        """The vectors that some passages have already, by hash."""
        hashes = dict.fromkeys(chunk.text_hash for chunk in places)
        loose = {text_hash: self._loose[text_hash] for text_hash in hashes if text_hash in self._loose}
        return self._opened().find_chunks(hashes.keys() - loose.keys()) | loose

    def _move_here(self, note: Note, content_hash: str) -> bool:
        """Whether a note that is gone had this very text, and its vectors are this note's now."""
        old = self._gone.get(content_hash)
        if old is None or old in self._vault.notes or self.busy or not self._opened().move(old, note.id):
            return False
        del self._gone[content_hash]
        vectors = self._opened().vectors(note.id)
        if vectors is not None:
            self._show(note, vectors)
        return vectors is not None

    def _keep(self, note: Note, content_hash: str, places: Sequence[Chunk], vectors: Sequence[Floats]) -> None:
        found = np.stack(vectors) if vectors else np.empty((0, self.embedder.n_dimensions), np.float32)
        if not self.busy:
            try:
                self._opened().put(note.id, content_hash, places, found)
            except StoreError as error:  # a full disk: what was made is not thrown away
                self.busy = error.reason
        if self.busy:
            self._unsaved[note.id] = _Unsaved(content_hash, places, vectors)
        else:
            self._n_unflushed += 1
            if self._n_unflushed >= _FLUSH_EVERY:
                self.flush()
        self._show(note, found)


def _mute(n_mute: int, model: str) -> Notice:
    passages = "1 passage" if n_mute == 1 else f"{n_mute:,} passages"
    told = f"{passages} got no usable vector from {model}; words find them."
    return Notice(NoticeKind.SKIPPED, "no-vector", f"{told} To try again: vaultseek index --rebuild.")


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
