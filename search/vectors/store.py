"""A vault's vectors on disk: what was embedded once is kept across restarts, renames, edits and crashes.

Each change appends a line, and the last line of a note wins. The files are rewritten once more than half of their bytes
are dead. Once a method has returned, its changes survive the end of the process, even by `kill -9`. Once `flush` has
returned, they also survive a power cut; that costs one fsync for any number of changes.

One process at a time may write. Others may read at any time without waiting, and so may other threads. Damage never
raises: a damaged line counts as never written, so its note is missing or as it was before, and a notice says so.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from attrs import evolve

from search.errors import StoreError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.vectors.cosine import Floats, Quantized, dequantize, quantize, row_bytes
from search.vectors.generation import Generation
from search.vectors.index import Batch
from search.vectors.lock import WriterLock
from search.vectors.partitions import current_generation, remove_other_generations
from search.vectors.record import ChunkPlace, Header, Record, hash_bytes, pack_chunks, packed_hashes, write_record
from search.vectors.stored_notes import StoredNote

PARTITION_BYTES = 150_000_000
_BATCH_ROWS = 128  # more are no faster, and fragment the memory
_MIN_DEAD_BYTES = 1_000_000  # less is not worth a rewrite


def stored_dimensions(folder: Path, model: str) -> int | None:
    """The number of dimensions of a model's vectors in a store's folder; None if it holds none of that model."""
    try:
        _, paths = current_generation(folder)
        for path in paths.values():
            with path.open("rb") as file:
                header = Header.read(file.readline())
            if header is not None and header.model == model:
                return header.n_dimensions
    except OSError:
        return None
    return None


class VectorStore:
    """The store of one vault and one model. Open it with `open`; it is a context manager.

    A method that reads raises StoreError if a file cannot be read, or if another program has changed it. A method that
    writes raises StoreError if it cannot write, and then nothing has changed.
    """

    def __init__(self, folder: Path, header: Header, lock: WriterLock | None, *, partition_bytes: int) -> None:
        self._folder = folder
        self._header = header
        self._row_bytes = row_bytes(header.n_dimensions)
        self._lock = lock  # None for a reader, and after `close`
        self._partition_bytes = partition_bytes
        self._writing = threading.RLock()  # held for the whole of each change
        self._state = threading.Lock()  # held for moments
        self._files = Generation.load(folder, header, partition_bytes=partition_bytes)
        self._notices = self._files.notices

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        model: str,
        n_dimensions: int,
        chunker: str,
        is_writer: bool = True,
        partition_bytes: int = PARTITION_BYTES,
    ) -> Self:
        """Open the store in a folder. A writer makes the folder if it is missing.

        Vectors of another model or of other dimensions are dropped; those of another chunker are kept. A reader sees
        the store as it is now, and changes nothing, not even damaged lines.

        Raises:
            StoreError: another process is writing, or the folder cannot be created, read or (by a writer) written to.
        """
        lock = WriterLock(folder / "writer.lock") if is_writer else None
        try:
            store = cls(folder, Header(model, n_dimensions, chunker), lock, partition_bytes=partition_bytes)
        except BaseException:
            if lock:
                lock.release()
            raise
        if lock:
            store._repair()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices of files that could not be used when the store was opened, and of rewrites that have failed since."""
        return self._notices

    @property
    def notes(self) -> Mapping[NoteId, StoredNote]:
        """All notes as they are now, in the order of the files. The mapping never changes."""
        with self._state:
            return self._files.notes.copy()

    def stored(self, note: NoteId) -> StoredNote | None:
        """The data of one note, without its vectors; None if it is not stored."""
        with self._state:
            return self._files.notes.get(note)

    @property
    def n_bytes(self) -> int:
        """The size of the files."""
        return self._files.n_bytes

    @property
    def is_sound(self) -> bool:
        """False once another program has changed or deleted the files: the store must be opened again."""
        return self._files.is_sound

    def vectors(self, note: NoteId) -> Floats | None:
        """A note's vectors, shape (n_chunks, n_dimensions); None if it is not stored."""
        record = self._read(note)
        return self._floats(record) if record else None

    def batches(self) -> Iterator[Batch]:
        """All notes that have chunks, with their rows, in the order of the files; for `VectorIndex.of`.

        Those without a content hash are left out: their vectors are of no note's current text.
        """
        records: list[Record] = []
        n_bytes = 0
        for note, stored in self.notes.items():
            record = self._read(note) if stored.packed_chunks and stored.content_hash else None
            if record is not None:
                records.append(record)
                n_bytes += len(record.rows)
            if n_bytes >= self._row_bytes * _BATCH_ROWS:
                yield self._batch(records)
                records, n_bytes = [], 0
        if records:
            yield self._batch(records)

    def find_chunks(self, text_hashes: Iterable[str]) -> dict[str, Floats]:
        """The vectors of those texts that were embedded before, by hash. Reads one line per note with such a text."""
        wanted: dict[NoteId, list[bytes]] = {}
        vectors: dict[str, Floats] = {}
        with self._writing:  # no note is removed in between
            for key in map(bytes.fromhex, text_hashes):
                if (note := self._files.notes.note_with(key)) is not None:
                    wanted.setdefault(note, []).append(key)
            for record in filter(None, map(self._read, wanted)):
                rows = self._floats(record)
                places = {key: at for at, key in enumerate(packed_hashes(record.chunks))}
                vectors |= {key.hex(): rows[places[key]].copy() for key in wanted[record.note]}
        return vectors

    def put(self, note: NoteId, content_hash: str, chunks: Sequence[ChunkPlace], vectors: Floats) -> None:
        """Replace a note's chunks and vectors: one finite row per chunk. Hashes are 32 hex digits.

        With an empty `content_hash`, the vectors are found only by the hashes of their chunks.

        Raises:
            ValueError: the vectors or the hashes are not of this form.
        """
        shape = len(chunks), self._header.n_dimensions
        vectors = np.asarray(vectors, np.float32) if chunks else np.empty(shape, np.float32)
        if vectors.shape != shape or not np.isfinite(vectors).all():
            raise ValueError(f"{note}: the vectors must be finite and of shape {shape}, not {vectors.shape}")
        if content_hash:
            hash_bytes(content_hash)  # or ValueError
        packed = pack_chunks((chunk.start_line, chunk.end_line, chunk.text_hash) for chunk in chunks)
        self._write(Record(note, content_hash, packed, quantize(vectors).to_bytes()))

    def move(self, old: NoteId, new: NoteId) -> bool:
        """Give a note's vectors to another path, in place of what was there; False if there are none."""
        with self._writing:
            record = self._read(old)
            if record and old != new:
                self._write(evolve(record, note=new), Record(old, is_tombstone=True))
            return record is not None

    def remove(self, *notes: NoteId) -> int:
        """Remove notes; returns how many of them were stored."""
        with self._writing:
            stored = [note for note in notes if note in self.notes]
            if stored:
                self._write(*(Record(note, is_tombstone=True) for note in stored))
            return len(stored)

    def collect(self, existing: Collection[NoteId]) -> int:
        """Remove every note that is not in `existing` (pass a set); returns how many."""
        return self.remove(*[note for note in self.notes if note not in existing])

    def flush(self) -> None:
        """Wait until everything is on the disk, and rewrite the files if more than half of their bytes are dead.

        Raises:
            StoreError: the disk refused; what was written since the last `flush` may not survive a power cut.
        """
        with self._writing:
            self._files.sync()
            dead = self._files.dead_bytes
            if dead > _MIN_DEAD_BYTES and 2 * dead > self.n_bytes:
                self._try_compact()

    def compact(self) -> None:
        """Rewrite the files without dead lines, in about the time of copying them. Readers are not stopped."""
        with self._writing:
            records = (self._read(note) for note in self.notes)
            self._replace(record for record in records if record)

    def clear(self) -> None:
        """Remove everything."""
        with self._writing:
            self._replace(())

    def close(self) -> None:
        """Flush, and let other processes write; more than once is allowed.

        Raises:
            StoreError: the disk refused what was written last; the store is closed all the same.
        """
        with self._writing:
            try:
                self._files.sync()
            finally:
                with self._state:
                    self._files.close()
                if self._lock:
                    self._lock.release()
                    self._lock = None

    def _read(self, note: NoteId) -> Record | None:
        with self._state:
            return self._files.read(note)

    def _floats(self, record: Record) -> Floats:
        return dequantize(Quantized.from_bytes(record.rows, self._header.n_dimensions))

    def _batch(self, records: Sequence[Record]) -> Batch:
        rows = Quantized.from_bytes(b"".join([record.rows for record in records]), self._header.n_dimensions).rows
        n_chunks = [len(record.rows) // self._row_bytes for record in records]
        return Batch([record.note for record in records], n_chunks, rows)

    def _write(self, *records: Record) -> None:
        """Append records, all or none."""
        with self._writing:
            self._need_lock()
            lines = [write_record(record, self._header) for record in records]
            part, offset = self._files.append(b"".join(lines))
            with self._state:
                for record, line in zip(records, lines, strict=True):
                    self._files.take(record, part, offset, len(line))
                    offset += len(line)

    def _replace(self, records: Iterable[Record]) -> None:
        """Exchange all files for new ones with these records."""
        self._need_lock()
        files = Generation.write(self._folder, records, self._header, partition_bytes=self._partition_bytes)
        with self._state:
            self._files.close()
            self._files = files
        remove_other_generations(self._folder, files.number)

    def _repair(self) -> None:
        """As a writer, drop what a crash, damage or another model has left behind."""
        remove_other_generations(self._folder, self._files.number)
        if not self._files.is_whole:
            self._try_compact()

    def _try_compact(self) -> None:
        try:
            self.compact()
        except StoreError as error:
            notice = Notice(NoticeKind.NOTE, "store-not-compacted", f"{error}; until then the store grows")
            self._notices = (*self._notices, notice)

    def _need_lock(self) -> None:
        if self._lock is None:
            raise StoreError(str(self._folder), 0, "is open for reading only, or closed")
