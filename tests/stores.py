"""Vector stores for tests: notes whose vectors are recognized by their first number."""

import numpy as np

from search.ids import NoteId
from search.vectors.record import ChunkPlace

OAK, ELM, FIR = NoteId("trees/oak.md"), NoteId("trees/elm.md"), NoteId("fir.md")


def hash_of(number: int) -> str:
    """A hash that shows its number."""
    return f"{number:032x}"


def chunk(number: int, start: int = 0) -> ChunkPlace:
    """A chunk of five lines, with the number as the hash of its text."""
    return ChunkPlace(start, start + 5, hash_of(number))


def rows(*numbers: float) -> np.ndarray:
    """One vector of four dimensions for each number, which is its first component."""
    return np.array([[number, 1, 2, 3] for number in numbers], np.float32)


def put(store, note, *numbers, content_hash="1" * 32):
    """Store a note with one chunk and one vector for each number."""
    store.put(note, content_hash, [chunk(number, at * 5) for at, number in enumerate(numbers)], rows(*numbers))


def numbers_of(store, note):
    """The numbers that a note was put with, read from its vectors."""
    return [round(float(row[0])) for row in store.vectors(note)]


def find_number(store, number):
    """The number of the vector that the store finds for the chunk with this number; None if it finds none."""
    found = store.find_chunks([hash_of(number)]).get(hash_of(number))
    return None if found is None else round(float(found[0]))


def files(folder):
    """The names of the files in a store's folder."""
    return sorted(path.name for path in folder.iterdir())
