"""The stored vectors are those that the project's model computes for the collections today."""

import hashlib

import numpy as np
import pytest
from hybrid import UNREAD, open_hybrid
from judged import NOTES_ONLY, notes_of, query_sets
from snapshot import EMBEDDED, unpack

from search.cache.folder import path_in_cache
from search.engine import open_engine
from search.semantic.settings import Indexing
from search.settings import Settings
from search.vectors.record import packed_hashes
from search.vectors.store import VectorStore

pytestmark = pytest.mark.shared

_N_SAMPLED = 5  # notes of each collection; all of them would take a quarter of an hour


@pytest.mark.parametrize("collection", EMBEDDED)
def test_embedding_a_sample_again_gives_the_vectors_of_the_snapshot(shared_dir, tmp_path, collection):
    """No other note is embedded: that would mean that a note is missing in the snapshot or has changed.

    If this fails, run `python tests/ranking/snapshot.py`.
    """
    root = notes_of(shared_dir, collection)
    folder = path_in_cache(tmp_path, root)
    unpack(collection, folder)
    indexing = Indexing(folder=str(tmp_path), in_background=False)
    engine = open_engine(root, Settings(indexing=indexing, vault=NOTES_ONLY))
    model, n_dimensions = engine.semantic._embedder.model, engine.semantic._embedder.n_dimensions
    with VectorStore.open(folder, model=model, n_dimensions=n_dimensions, chunker="any") as store:
        sample = sorted((note for note in store.notes if len(store.vectors(note))), key=_by_hash)[:_N_SAMPLED]
        chunks = {note: packed_hashes(store.notes[note].packed_chunks) for note in sample}
        before = {note: store.vectors(note) for note in sample}
        store.remove(*sample)
        known = {chunk for note in store.notes.values() for chunk in packed_hashes(note.packed_chunks)}
    # A chunk with the same text as one of another note is not embedded again.
    n_new = sum(not known.issuperset(chunks[note]) for note in sample)
    assert engine.maintenance().update() == n_new > 0
    engine.close()
    with VectorStore.open(folder, model=model, n_dimensions=n_dimensions, chunker="any", is_writer=False) as store:
        for note, vectors in before.items():
            steps = np.abs(vectors).max(axis=1, keepdims=True) / 127
            assert (np.abs(store.vectors(note) - vectors) <= 1.5 * steps).all()  # processors may round differently


@pytest.mark.parametrize("collection", UNREAD)
def test_the_model_gives_no_vector_for_queries_in_scripts_that_it_cannot_read(shared_dir, collection):
    """So these collections need no vectors, and the hybrid answer is the one by words."""
    hybrid = open_hybrid(shared_dir, collection)
    for queries in query_sets(shared_dir, collection):
        for text in queries.texts.values():
            vector, notices = hybrid.semantic.embed_query(text, is_chosen=True)
            assert vector is None
            assert [notice.code for notice in notices] == ["semantic-foreign"]
    hybrid.engine.close()


def _by_hash(note):
    return hashlib.md5(note.encode(), usedforsecurity=False).digest()
