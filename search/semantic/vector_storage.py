"""The vectors of a vault on disk and in memory.

They are loaded from the store when they are first needed. If another process is writing to the store, or the disk
refuses, new vectors are kept in memory only, until the store can be written again.
"""

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import field, frozen

from search.cache.private_files import make_private_folder
from search.errors import StoreError, VaultClosed
from search.ids import NoteId
from search.index.memory import trim_heap
from search.notice import Notice, NoticeKind
from search.ports import Embedder
from search.semantic.status import unusable_vectors
from search.vectors.chunk import CHUNKER_VERSION
from search.vectors.cosine import Floats
from search.vectors.index import VectorIndex
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore, stored_dimensions
from search.vectors.stored_notes import StoredNote

PIECE = 64  # passages: some seconds of a model's work
_FLUSH_EVERY = 16  # notes
_PIECE_NAME = re.compile(r"/[0-9a-f]{32}\Z")


@frozen(slots=True)
class UnsavedNote:
    """A note whose vectors could not be stored."""

    content_hash: str
    chunks: Sequence[ChunkPlace] = field(repr=False)
    vectors: Sequence[Floats] = field(repr=False)

    def lines_of(self, chunk: int) -> tuple[int, int] | None:
        """The lines of a chunk, half-open and from 0; None if there is no such chunk."""
        return (self.chunks[chunk].start_line, self.chunks[chunk].end_line) if chunk < len(self.chunks) else None


def note_of(stored: NoteId) -> NoteId:
    """The note that a stored one belongs to: itself, or for a piece the note that the piece is of.

    A piece has the path of its note and a hash below it, which no file can have.
    """
    return NoteId(_PIECE_NAME.sub("", stored))


class VectorStorage:
    """The store and the index of one vault. A method that needs the store opens it, and raises StoreError if it fails.

    One thread at a time may change vectors; any thread may read them.
    """

    def __init__(self, embedder: Embedder, folder: Path, *, on_reset: Callable[[], None]) -> None:
        """`on_reset` is called when the store was emptied or will be read again."""
        self.folder = folder
        self.index = VectorIndex(embedder.known_dimensions or 1)  # replaced when the store is opened
        self.read_only_reason = ""  # why vectors are kept in memory only; empty if they are stored
        self.unfinished: dict[str, Floats] = {}  # vectors of passages whose note does not have all yet, by text hash
        self._embedder = embedder
        self._on_reset = on_reset
        self._store: VectorStore | None = None
        self._unsaved: dict[NoteId, UnsavedNote] = {}
        self._n_unusable = 0  # vectors of zeros that the model returned
        self._n_unflushed = 0
        self._noted: set[str] = set()  # the names passed to `is_first_time`
        self._is_closed_for_good = False
        self._opening = threading.RLock()

    @property
    def is_open(self) -> bool:
        """Whether the store is open."""
        return self._store is not None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Problems of the store, and vectors that could not be stored or used."""
        if self._store is None:
            return ()
        notices = list(self._store.notices)
        if self.read_only_reason and self._unsaved:
            message = f"Vectors are kept in memory only: {self.folder}: {self.read_only_reason}."
            notices.append(Notice(NoticeKind.DEGRADED, "store-locked", message))
        if self._n_unusable:
            notices.append(unusable_vectors(self._n_unusable, self._embedder.model))
        return tuple(notices)

    @property
    def n_bytes(self) -> int:
        """The size of the store's files; 0 before it is opened."""
        return 0 if self._store is None else self._store.n_bytes

    @property
    def stored(self) -> Mapping[NoteId, StoredNote]:
        """The stored notes; none before the store is opened."""
        return {} if self._store is None else self._store.notes

    def is_first_time(self, name: str) -> bool:
        """Whether this is the first call with the name, for this vault and model; by an empty file of that name."""
        is_first = name not in self._noted
        self._noted.add(name)
        if is_first:
            with suppress(OSError):  # if the file cannot be made, it is the first time in this process
                make_private_folder(self.folder)
                try:
                    (self.folder / name).touch(mode=0o600, exist_ok=False)
                except FileExistsError:
                    is_first = False
        return is_first

    # Opening and closing

    def open(self) -> VectorStore:
        """The store, opened and loaded if it was not. If another process writes to it, it is opened read-only.

        A store whose files were changed or removed by another program is opened again.

        Raises:
            StoreError: the store can be neither written nor read.
            VaultClosed: `close_for_good` was called.
        """
        with self._opening:
            if self._store is not None and not self._store.is_sound:
                self._let_go()
            if self._store is None:
                self._store = self._load()
                trim_heap()  # the memory that parsing the lines took
            return self._store

    def open_without_request(self) -> bool:
        """Open the store unless that takes a request for the length of vectors; returns whether it is open now."""
        if self._store is None and self._embedder.known_dimensions is None:
            n_dimensions = stored_dimensions(self.folder, self._embedder.model)
            if n_dimensions is None:
                return False
            store = self._open(n_dimensions, is_writer=False)
            self.index = VectorIndex.of(store.batches(), n_dimensions)
            self._store = store
        self.open()
        return True

    def retry_writing(self) -> None:
        """If the store is read-only, try to open it for writing, and load what others have written.

        The next embedding run stores the vectors that are in memory only, without using the model.
        """
        with self._opening:
            if self.read_only_reason:
                self._let_go()
            self.open()

    def writable(self) -> VectorStore:
        """The store, if new vectors are stored.

        Raises:
            StoreError: they are kept in memory only.
        """
        store = self.open()
        if self.read_only_reason:
            raise StoreError(str(self.folder), 0, self.read_only_reason)
        return store

    def close(self) -> None:
        """Flush and close the store, so that other processes can write."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def close_for_good(self) -> None:
        """Close and never open again: a search that is still running must not lock the store again."""
        with self._opening:
            self._is_closed_for_good = True
            self.close()

    def _load(self) -> VectorStore:
        if self._is_closed_for_good:
            raise VaultClosed(str(self.folder))
        n_dimensions = self._embedder.n_dimensions
        try:
            store = self._open(n_dimensions, is_writer=True)
        except StoreError as error:
            store = self._open(n_dimensions, is_writer=False)
            self.read_only_reason = error.reason
        self.index = VectorIndex.of(store.batches(), n_dimensions)
        return store

    def _open(self, n_dimensions: int, *, is_writer: bool) -> VectorStore:
        return VectorStore.open(
            self.folder,
            model=self._embedder.model,
            n_dimensions=n_dimensions,
            chunker=CHUNKER_VERSION,
            is_writer=is_writer,
        )

    def _let_go(self) -> None:
        """Close the store in order to open it again; vectors that are not stored become unfinished ones."""
        for unsaved in self._unsaved.values():
            self.unfinished.update(zip((chunk.text_hash for chunk in unsaved.chunks), unsaved.vectors, strict=True))
        with suppress(StoreError):
            self.close()
        self.read_only_reason = ""
        self._unsaved.clear()
        self._on_reset()

    # Reading

    def entry(self, note: NoteId) -> UnsavedNote | StoredNote | None:
        """The hash of the note's text and its chunks, as they were when its vectors were made."""
        return self._unsaved.get(note) or self.open().stored(note)

    def find_chunks(self, text_hashes: Iterable[str]) -> dict[str, Floats]:
        """The vectors that passages already have, by the hash of their text."""
        hashes = dict.fromkeys(text_hashes)
        unfinished = {text_hash: self.unfinished[text_hash] for text_hash in hashes if text_hash in self.unfinished}
        return self.open().find_chunks(hashes.keys() - unfinished.keys()) | unfinished

    # Writing

    def add_unfinished(self, text_hashes: Iterable[str], vectors: Floats) -> None:
        """Keep the vectors of some passages until their note has all its vectors."""
        self.unfinished.update(zip(text_hashes, vectors, strict=True))
        self._n_unusable += len(vectors) - int(np.count_nonzero(vectors.any(axis=1)))

    def put(self, note: NoteId, content_hash: str, chunks: Sequence[ChunkPlace], vectors: Sequence[Floats]) -> None:
        """Store all vectors of a note; if they cannot be stored, keep them in memory."""
        stacked = np.stack(vectors) if vectors else np.empty((0, self._embedder.n_dimensions), np.float32)
        if not self.read_only_reason:
            try:
                store = self.open()
                store.put(note, content_hash, chunks, stacked)
                if len(chunks) > PIECE:
                    store.remove(*(piece for piece in store.notes if note_of(piece) == note != piece))
            except StoreError as error:  # a full disk must not cost the vectors
                self.read_only_reason = error.reason
        if self.read_only_reason:
            self._unsaved[note] = UnsavedNote(content_hash, chunks, vectors)
        else:
            self._n_unflushed += 1
            if self._n_unflushed >= _FLUSH_EVERY:
                self.flush()
        self.index.put(note, stacked)
        for chunk in chunks:
            self.unfinished.pop(chunk.text_hash, None)

    def put_piece(self, note: NoteId, vectors: Mapping[str, Floats]) -> None:
        """Store vectors of a note that does not have all yet, by the hashes of their texts, so that a crash loses few.

        `put` of the whole note removes its pieces. Without a store that can be written, nothing happens.
        """
        chunks = [ChunkPlace(0, 0, text_hash) for text_hash in vectors]
        if chunks and not self.read_only_reason:
            try:
                self.open().put(NoteId(f"{note}/{chunks[0].text_hash}"), "", chunks, np.stack(list(vectors.values())))
            except StoreError as error:
                self.read_only_reason = error.reason

    def flush(self) -> None:
        """Wait until everything is on disk.

        Raises:
            StoreError: the disk refused.
        """
        if self._store is not None and not self.read_only_reason:
            self._store.flush()
        self._n_unflushed = 0

    def clear(self) -> None:
        """Delete all vectors.

        Raises:
            StoreError: the store cannot be written.
        """
        self.writable().clear()
        self.index = VectorIndex(self._embedder.n_dimensions)
        self._unsaved.clear()
        self._n_unusable = 0
        self._on_reset()
