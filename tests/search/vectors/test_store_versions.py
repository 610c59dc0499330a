"""The format of the files, and stores that another model, another chunker or another version has written."""

import numpy as np
import pytest

from search.ids import NoteId
from search.vectors.partitions import partition_path
from search.vectors.record import ChunkPlace, _sealed
from search.vectors.store import stored_dimensions
from stores import ELM, OAK, chunk, find_number, hash_of, numbers_of, put

# Vectors are expensive, so stores in this format must stay readable. The format is also the one that is written.
WRITTEN = """\
{"vaultseek":1,"model":"trees@1","dim":4,"enc":"q8","chunker":"1","x":2522472376}
{"n":"trees/oak.md","h":"000000000000000000000000000000a1","c":[[0,12,"00000000000000000000000000000001"],\
[12,70000,"00000000000000000000000000000002"]],"v":"AACAP3/AAAEAAAAAAAAAAA==","x":2686931050}
{"s":"6e61edb3bf76652e6d64","h":"000000000000000000000000000000a2","c":[[3,4,"00000000000000000000000000000003"]],\
"v":"BAIBPSBAX38=","x":2283982711}
{"n":"empty.md","h":"000000000000000000000000000000a3","c":[],"v":"","x":1554066639}
{"n":"gone.md","h":"000000000000000000000000000000a4","c":[],"v":"","x":552209880}
{"n":"gone.md","d":1,"x":3054415178}
"""
NAIVE, EMPTY, GONE = NoteId("na\udcffve.md"), NoteId("empty.md"), NoteId("gone.md")
OAK_CHUNKS = (ChunkPlace(0, 12, hash_of(1)), ChunkPlace(12, 70_000, hash_of(2)))


def test_the_format_of_the_files_is_readable(tmp_path, open_store):
    partition_path(tmp_path, 1, 1).write_text(WRITTEN)
    store = open_store(tmp_path)
    assert store.notices == ()
    assert list(store.notes) == [OAK, NAIVE, EMPTY]
    assert store.notes[OAK].chunks == OAK_CHUNKS
    assert [stored.content_hash for stored in store.notes.values()] == [hash_of(number) for number in range(0xA1, 0xA4)]
    assert store.vectors(OAK).tolist() == [[127, -64, 0, 1], [0, 0, 0, 0]]
    np.testing.assert_allclose(store.vectors(NAIVE), [[1, 2, 3, 4]], atol=0.02)
    assert stored_dimensions(tmp_path, "trees@1") == 4


def test_the_format_of_the_files_is_written(tmp_path, open_store):
    nothing = np.empty((0, 4), np.float32)
    with open_store(tmp_path) as store:
        store.put(OAK, hash_of(0xA1), OAK_CHUNKS, np.array([[127, -63.6, 0, 1], [0, 0, 0, 0]], np.float32))
        store.put(NAIVE, hash_of(0xA2), [ChunkPlace(3, 4, hash_of(3))], np.array([[1, 2, 3, 4]], np.float32))
        store.put(EMPTY, hash_of(0xA3), [], nothing)
        store.put(GONE, hash_of(0xA4), [], nothing)
        store.remove(GONE)
    assert partition_path(tmp_path, 1, 1).read_text() == WRITTEN


def test_the_dimensions_of_a_model_are_known_without_opening_the_store(tmp_path, open_store):
    assert stored_dimensions(tmp_path / "missing", "trees@1") is None
    assert stored_dimensions(tmp_path, "trees@1") is None
    partition_path(tmp_path, 1, 1).write_text("damaged\n")
    partition_path(tmp_path, 1, 2).write_text(WRITTEN)
    assert stored_dimensions(tmp_path, "trees@1") == 4
    assert stored_dimensions(tmp_path, "trees@2") is None


@pytest.mark.parametrize("changed", [{"model": "trees@2"}, {"n_dimensions": 2}])
def test_vectors_of_another_model_are_dropped_with_a_notice(tmp_path, open_store, changed):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
    reader = open_store(tmp_path, is_writer=False, **changed)
    assert reader.notes == {}
    with open_store(tmp_path, **changed) as store:
        assert store.notes == {}
        (notice,) = store.notices
        assert notice.code == "store-other-model"
        assert "trees@1 with 4 dimensions" in notice.message
        store.put(ELM, hash_of(1), [chunk(1)], np.ones((1, changed.get("n_dimensions", 4)), np.float32))
    store = open_store(tmp_path, is_writer=False, **changed)
    assert (list(store.notes), store.notices) == ([ELM], ())


def test_vectors_in_another_encoding_are_dropped_with_a_notice(tmp_path, open_store):
    header = b'{"vaultseek":1,"model":"trees@1","dim":4,"enc":"f32","chunker":"1"}'
    partition_path(tmp_path, 1, 1).write_bytes(_sealed(header, 0))
    with open_store(tmp_path) as store:
        assert (store.notes, [notice.code for notice in store.notices]) == ({}, ["store-unreadable"])
    with open_store(tmp_path) as store:
        assert store.notices == ()


def test_after_another_chunker_notes_are_cut_again_and_their_vectors_found_by_hash(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1, 2, content_hash=hash_of(7))
        put(store, ELM, 3, content_hash=hash_of(8))
    with open_store(tmp_path, chunker="2") as store:
        assert store.notes[OAK].content_hash == ""
        assert numbers_of(store, OAK) == [1, 2]
        assert find_number(store, 2) == 2
        put(store, OAK, 2, content_hash=hash_of(7))
        store.compact()
    with open_store(tmp_path, chunker="2") as store:
        assert (store.notes[OAK].content_hash, store.notes[ELM].content_hash) == (hash_of(7), "")
        assert store.notices == ()
