"""A vault's vectors on disk: what was embedded once stays, across restarts, renames, edits and crashes.

Each change appends a line, the last line of a note wins, and the files are written anew when more than half of their
bytes are dead. What a method that writes has done when it returns outlives the process, even one that is killed; what
`flush` has seen outlives a loss of power too (one fsync for as many changes as the caller likes).

One writer at a time among all processes; readers always, in other threads and processes, without waiting. Damage never
raises: a damaged line counts as never written, so its note is missing or as it was before, and a notice says so.
"""

import os
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from attrs import evolve

from search.errors import StoreError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.vectors.catalog import StoredNote
from search.vectors.compaction import rewrite
from search.vectors.cosine import Floats
from search.vectors.encoding import Encoding, decode_quantized, decode_rows, encode_rows
from search.vectors.index import Batch
from search.vectors.ledger import Ledger
from search.vectors.lock import WriterLock
from search.vectors.owners import ChunkOwners
from search.vectors.partitions import current_generation
from search.vectors.record import ChunkPlace, Header, Record, count_chunks, pack_chunks, packed_hashes, write_record
from search.vectors.refusal import refused

PARTITION_BYTES = 150_000_000
_BATCH_ROWS = 128  # more are no faster, and leave holes in the memory
_MIN_DEAD_BYTES = 1_000_000  # less is not worth a rewrite


def store_folder(cache_root: Path, vault_root: Path) -> Path:
    """Where the vectors of a vault belong: one folder for each real path, whatever links lead to it.

    The folder's name begins with the vault's, for a person who looks, and ends in a hash of the path.
    """
    real = vault_root.resolve()
    name = re.sub(r"[^\w-]+", "-", real.name)[:40].strip("-") or "vault"
    return cache_root / f"{name}-{blake2b(os.fsencode(os.path.normcase(real)), digest_size=8).hexdigest()}"


def stored_dimensions(folder: Path, model: str) -> int | None:
    """The length of the vectors of `model` in a store's folder; None where it holds none."""
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
    """The store of one vault and one model. Open it with `open`; it is a context manager."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._writing = threading.RLock()  # held by whoever changes anything, from start to end
        self._owners: ChunkOwners | None = None  # made at first use: who only searches does without
        self._notices: tuple[Notice, ...] = ()

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        model: str,
        n_dimensions: int,
        chunker: str,
        encoding: Encoding | str = Encoding.Q8,
        is_writer: bool = True,
        partition_bytes: int = PARTITION_BYTES,
    ) -> Self:
        """The store in a folder, which a writer makes if need be.

        Vectors of another model or of other dimensions are dropped; those of another encoding or chunker are kept.
        A reader sees the store as it is now, and changes nothing, not even what is damaged.

        Raises:
            StoreError: another writer has it, or the folder cannot be made, read or (by a writer) written to.
        """
        header = Header(model, n_dimensions, Encoding(encoding), chunker)
        lock = None
        if is_writer:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise refused(folder, "made", error) from error
            lock = WriterLock(folder / "writer.lock")
        try:
            store = cls(Ledger(folder, header, lock, partition_bytes=partition_bytes))
        except BaseException:
            if lock:
                lock.release()
            raise
        if lock:
            store._mend()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be used when the store was opened, or could not be tidied since."""
        return self._ledger.notices + self._notices

    @property
    def header(self) -> Header:
        """Model, dimensions, encoding and chunker, as opened."""
        return self._ledger.header

    @property
    def notes(self) -> Mapping[NoteId, StoredNote]:
        """All notes as they are now, in the order of the files; does not change under the reader's hands."""
        return self._ledger.notes

    def stored(self, note: NoteId) -> StoredNote | None:
        """What is stored of one note, without its vectors."""
        return self._ledger.stored(note)

    @property
    def n_bytes(self) -> int:
        """The size of the files."""
        return self._ledger.n_bytes

    @property
    def is_sound(self) -> bool:
        """False once its files were found changed or removed by others: it must be opened anew."""
        return self._ledger.is_sound

    def vectors(self, note: NoteId) -> Floats | None:
        """The note's vectors as floats, shape (n_chunks, n_dimensions); None if it is not stored."""
        found = self._ledger.read(note)
        return decode_rows(found.rows, found.header.encoding, self.header.n_dimensions) if found else None

    def batches(self) -> Iterator[Batch]:
        """All notes that have chunks, with their vectors, in the order of the files; for `VectorIndex.of`."""
        encoding, notes, n_chunks, rows = self.header.encoding, list[NoteId](), list[int](), list[bytes]()
        n_rows = 0
        for note, stored in self.notes.items():
            found = self._ledger.read(note) if stored.packed else None
            if found is None:
                continue
            if notes and (n_rows >= _BATCH_ROWS or found.header.encoding is not encoding):
                yield self._batch(encoding, notes, n_chunks, rows)
                notes, n_chunks, rows, n_rows = [], [], [], 0
            encoding = found.header.encoding
            notes.append(note)
            n_chunks.append(count_chunks(found.record.packed))
            rows.append(found.rows)
            n_rows += n_chunks[-1]
        if notes:
            yield self._batch(encoding, notes, n_chunks, rows)

    def find_chunks(self, text_hashes: Iterable[str]) -> dict[str, Floats]:
        """The vectors of those texts that were embedded before. Reads the line of each note that has some once."""
        keys = [bytes.fromhex(text_hash) for text_hash in text_hashes]
        with self._writing:
            if self._owners is None:
                self._owners = ChunkOwners()
                for note, stored in self.notes.items():
                    self._owners.add(note, packed_hashes(stored.packed))
            wanted: dict[NoteId, list[bytes]] = {}
            for key in keys:
                if (owner := self._owners.one(key)) is not None:
                    wanted.setdefault(owner, []).append(key)
        vectors: dict[str, Floats] = {}
        for owner, owned in wanted.items():
            found = self._ledger.read(owner)
            if found is None:
                continue  # another thread has just dropped it
            rows = decode_rows(found.rows, found.header.encoding, self.header.n_dimensions)
            places = {key: at for at, key in enumerate(packed_hashes(found.record.packed))}
            vectors |= {key.hex(): rows[places[key]].copy() for key in owned if key in places}
        return vectors

    def put(self, note: NoteId, content_hash: str, chunks: Sequence[ChunkPlace], vectors: Floats) -> None:
        """Store a note's chunks and their vectors (one row each, finite), in place of what was there.

        Raises:
            StoreError: it could not be written; the store is as before.
        """
        shape = len(chunks), self.header.n_dimensions
        vectors = np.asarray(vectors, np.float32) if chunks else np.empty(shape, np.float32)
        if vectors.shape != shape or not np.isfinite(vectors).all():
            raise ValueError(f"{note}: finite vectors of shape {shape} are needed, not of {vectors.shape}")
        record = Record(note, content_hash, pack_chunks(chunks))
        self._write([(record, write_record(record, encode_rows(vectors, self.header.encoding), self.header))])

    def move(self, old: NoteId, new: NoteId) -> bool:
        """Give a note's vectors to another path; False if there are none. What stood there before is replaced."""
        with self._writing:
            found = self._ledger.read(old)
            if found and old != new:
                record = evolve(found.record, note=new)
                line = rewrite(record, found.line, found.header, self.header)
                self._write([(record, line), self._tombstone(old)])
            return found is not None

    def remove(self, *notes: NoteId) -> int:
        """Drop notes; gives how many of them were there."""
        with self._writing:
            known = [note for note in notes if self._ledger.stored(note)]
            if known:
                self._write([self._tombstone(note) for note in known])
            return len(known)

    def collect(self, existing: Collection[NoteId]) -> int:
        """Drop every note that is not in `existing` (give a set); gives how many."""
        return self.remove(*[note for note in self.notes if note not in existing])

    def flush(self) -> None:
        """Wait until everything is on the disk, and write the files anew if more than half of their bytes are dead.

        Raises:
            StoreError: the disk refused; what was written since the last `flush` may be lost with the power.
        """
        with self._writing:
            self._ledger.sync()
            dead = self._ledger.dead_bytes
            if dead > _MIN_DEAD_BYTES and 2 * dead > self._ledger.n_bytes:
                self._try_compact()

    def compact(self) -> None:
        """Write the files anew without what is dead; readers go on meanwhile. Takes as long as copying them.

        Raises:
            StoreError: they could not be written; the store is as before.
        """
        with self._writing:
            found = (self._ledger.read(note) for note in self.notes)
            self._ledger.rewrite((each.record, each.line, each.header) for each in found if each)

    def clear(self) -> None:
        """Drop everything.

        Raises:
            StoreError: the empty store could not be written; all is as before.
        """
        with self._writing:
            self._ledger.rewrite(())
            self._owners = None

    def close(self) -> None:
        """Flush and let others write; twice is once.

        Raises:
            StoreError: the disk refused what was written last; closed it is all the same.
        """
        with self._writing:
            self._ledger.close()

    def _batch(self, encoding: Encoding, notes: list[NoteId], n_chunks: list[int], rows: list[bytes]) -> Batch:
        vectors = decode_quantized(b"".join(rows), encoding, self.header.n_dimensions)
        return Batch(tuple(notes), tuple(n_chunks), vectors)

    def _write(self, lines: Sequence[tuple[Record, bytes]]) -> None:
        with self._writing:
            before = {record.note: self._ledger.stored(record.note) for record, _ in lines}
            self._ledger.append(lines)
            if self._owners is None:
                return
            for record, _ in lines:
                stored = before[record.note]
                self._owners.discard(record.note, packed_hashes(stored.packed) if stored else ())
                self._owners.add(record.note, packed_hashes(record.packed))

    def _mend(self) -> None:
        """Tidy up, as a writer, what a crash, damage or another model has left behind."""
        self._ledger.remove_leftovers()
        if self._ledger.needs_rewriting:
            self._try_compact()

    def _try_compact(self) -> None:
        try:
            self.compact()
        except StoreError as error:
            notice = Notice(NoticeKind.SKIPPED, "store-not-compacted", f"{error}; the store grows until it can be")
            self._notices = (*self._notices, notice)

    def _tombstone(self, note: NoteId) -> tuple[Record, bytes]:
        record = Record(note, is_tombstone=True)
        return record, write_record(record, b"", self.header)
