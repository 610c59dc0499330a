"""Stores of vectors whose bytes were changed: no note ever gets a vector that was not made from its text."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from search.errors import StoreError
from search.ids import NoteId
from search.vectors.partitions import partition_path
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore
from stores import hash_of
from tests.fuzz.target import Target, mutated

OPTIONS = {"model": "trees@1", "n_dimensions": 4, "chunker": "1"}
NOTES = [NoteId("oak.md"), NoteId("trees/elm.md"), NoteId("\udcff.md"), NoteId("fir.md")]


def vectors_of(number: int) -> np.ndarray:
    """The vectors of a text with two chunks."""
    return np.array([[number, 1, 2, 3], [-number, 3, 2, 1]], np.float32)


def put(store: VectorStore, note: NoteId, number: int) -> None:
    """Store the vectors of the text with a number as those of a note."""
    chunks = [ChunkPlace(0, 3, hash_of(number)), ChunkPlace(3, 9, hash_of(number + 100))]
    store.put(note, hash_of(number), chunks, vectors_of(number))


@cache
def sound() -> tuple[bytes, dict[str, list[list[float]]]]:
    """The bytes of a store in which notes were changed and removed, and the vectors of each hash of a text."""
    folder = Path(tempfile.mkdtemp(prefix="vaultseek-fuzz-"))
    known = {}
    with VectorStore.open(folder, **OPTIONS) as store:
        for number in range(8):
            note = NOTES[number % len(NOTES)]
            put(store, note, number)
            known[hash_of(number)] = store.vectors(note).tolist()
        store.remove(NOTES[3])
    return partition_path(folder, 1, 1).read_bytes(), known


def check_store(data: bytes) -> None:
    """Each vector that is read belongs to its text, and the store can be used on."""
    with tempfile.TemporaryDirectory(prefix="vaultseek-fuzz-") as name:
        folder = Path(name)
        partition_path(folder, 1, 1).write_bytes(data)
        for is_writer in (False, True):
            with VectorStore.open(folder, **OPTIONS, is_writer=is_writer) as store:
                _check_vectors(store)
                if is_writer:
                    put(store, NOTES[0], 1)
        with VectorStore.open(folder, **OPTIONS, is_writer=False) as store:
            _check_vectors(store)
            assert store.notes[NOTES[0]].content_hash == hash_of(1)


def _check_vectors(store: VectorStore) -> None:
    known = sound()[1]
    for note, stored in store.notes.items():
        try:
            assert store.vectors(note).tolist() == known[stored.content_hash], note
        except StoreError:
            assert not store.is_sound
    for at in range(8):
        for number, row in ((at, 0), (at + 100, 1)):
            found = store.find_chunks([hash_of(number)]).get(hash_of(number))
            assert found is None or found.tolist() == known[hash_of(at)][row], number


def _seeds() -> tuple[bytes, ...]:
    return (sound()[0],)


def _inputs() -> st.SearchStrategy[bytes]:
    lines = sound()[0].splitlines(keepends=True)
    return mutated(_seeds(), (*lines, b"\n", b'"', b"\0", b",", b'"d":1', b'"x":'))


TARGETS = (Target("stores", check_store, st.deferred(_inputs), seeds=_seeds, n_examples=150),)
