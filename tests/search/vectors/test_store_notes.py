"""A store returns each note as it was put, until the note is replaced, moved or removed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.errors import StoreError
from search.ids import NoteId
from search.vectors.cosine import dequantize, quantize
from search.vectors.index import VectorIndex
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore
from stores import ELM, FIR, OAK, chunk, find_number, hash_of, numbers_of, put, rows


def test_what_was_put_comes_back_after_the_store_was_closed(tmp_path, open_store):
    with open_store(tmp_path / "new" / "folder") as store:
        put(store, OAK, 1, 2, content_hash=hash_of(7))
        put(store, ELM)
        store.flush()
    with open_store(tmp_path / "new" / "folder") as store:
        assert store.notes[OAK].content_hash == hash_of(7)
        assert store.notes[OAK].chunks == (chunk(1), chunk(2, 5))
        np.testing.assert_array_equal(store.vectors(OAK), dequantize(quantize(rows(1, 2))))
        assert store.notes[ELM].chunks == ()
        assert store.vectors(ELM).shape == (0, 4)
        assert store.vectors(FIR) is None
        assert store.notices == ()
        assert store.n_bytes > 0


def test_vectors_lose_no_more_than_quantizing_does(tmp_path, open_store):
    vectors = np.random.default_rng(3).standard_normal((50, 4)).astype(np.float32)
    with open_store(tmp_path) as store:
        store.put(OAK, hash_of(1), [chunk(number) for number in range(50)], vectors)
        np.testing.assert_array_equal(store.vectors(OAK), dequantize(quantize(vectors)))


def test_a_reader_needs_no_folder_and_makes_none(tmp_path, open_store):
    store = open_store(tmp_path / "none", is_writer=False)
    assert (store.notes, store.notices, list(store.batches())) == ({}, (), [])
    assert not (tmp_path / "none").exists()


def test_the_last_line_of_a_note_wins_and_a_removed_note_is_gone(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        put(store, OAK, 2)
        put(store, ELM, 3)
        assert store.remove(ELM, FIR) == 1
        assert store.remove(ELM) == 0
    store = open_store(tmp_path, is_writer=False)
    assert list(store.notes) == [OAK]
    assert numbers_of(store, OAK) == [2]


def test_a_moved_note_keeps_its_vectors_and_hashes(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1, 2, content_hash=hash_of(7))
        put(store, ELM, 3)
        before = store.notes[OAK], store.vectors(OAK)
        assert store.move(OAK, ELM)
        assert store.move(ELM, ELM)
        assert not store.move(OAK, FIR)
    store = open_store(tmp_path, is_writer=False)
    assert list(store.notes) == [ELM]
    assert store.notes[ELM].content_hash == before[0].content_hash
    assert store.notes[ELM].chunks == before[0].chunks
    np.testing.assert_array_equal(store.vectors(ELM), before[1])


def test_a_text_that_was_embedded_once_is_found_by_its_hash(tmp_path, open_store):
    """This also holds if several notes have the text and one of them loses it."""
    with open_store(tmp_path) as store:
        put(store, OAK, 1, 2)
        put(store, ELM, 2, 3)
        put(store, FIR, 2)
        assert find_number(store, 2) == 2
        assert find_number(store, 9) is None
        assert store.find_chunks([hash_of(1), hash_of(9)]).keys() == {hash_of(1)}
        store.remove(OAK)
        put(store, FIR, 4)
        assert find_number(store, 1) is None
        assert find_number(store, 2) == 2
        assert find_number(store, 4) == 4
        store.move(ELM, OAK)
        assert find_number(store, 3) == 3
        store.compact()
        assert find_number(store, 3) == 3
        store.clear()
        assert find_number(store, 3) is None


def test_a_chunk_that_a_note_has_twice_is_found_until_its_last_note_is_removed(tmp_path, open_store):
    with open_store(tmp_path) as store:
        assert find_number(store, 1) is None
        put(store, OAK, 1, 1)
        put(store, ELM, 1, 1)
        store.remove(OAK)
        assert find_number(store, 1) == 1
        store.remove(ELM)
        assert find_number(store, 1) is None


def test_garbage_collection_removes_the_notes_that_no_longer_exist(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        put(store, ELM, 2)
        assert store.collect({OAK, FIR}) == 1
        assert list(store.notes) == [OAK]
        assert store.collect({OAK}) == 0


def test_a_cleared_store_is_empty_and_can_be_filled_again(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        store.clear()
        assert store.notes == {}
        put(store, ELM, 2)
    assert list(open_store(tmp_path, is_writer=False).notes) == [ELM]


def test_the_index_of_a_store_finds_what_was_put(tmp_path, open_store):
    with open_store(tmp_path, partition_bytes=300) as store:
        for number in range(80):
            put(store, NoteId(f"{number}.md"), number, number + 100)
        put(store, OAK)
        index = VectorIndex.of(store.batches(), 4)
    view = index.view()
    assert len(view) == 160
    best = view.best_per_note(rows(19)[0], 1)[0]
    assert (best.note, best.chunk) == ("19.md", 0)


def test_a_path_that_is_not_utf_8_is_kept(tmp_path, open_store):
    names = {NoteId("na\udcffve.md"), NoteId('quo"te\n.md'), NoteId("日本/メモ.md")}
    with open_store(tmp_path) as store:
        for note in names:
            put(store, note, 5)
    store = open_store(tmp_path, is_writer=False)
    assert set(store.notes) == names
    assert all(numbers_of(store, note) == [5] for note in names)


def test_the_mapping_of_notes_does_not_change_while_it_is_in_use(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        seen = store.notes
        put(store, ELM, 2)
        assert list(seen) == [OAK]
        assert list(store.notes) == [OAK, ELM]
        with pytest.raises(TypeError):
            store.notes[FIR] = seen[OAK]


@pytest.mark.parametrize(
    ("chunks", "vectors", "content_hash"),
    [
        ([chunk(1)], rows(1, 2), hash_of(1)),
        ([chunk(1)], rows(), hash_of(1)),
        ([chunk(1)], rows(np.nan), hash_of(1)),
        ([chunk(1)], rows(np.inf), hash_of(1)),
        ([ChunkPlace(0, 1, "ab")], rows(1), hash_of(1)),
        ([ChunkPlace(0, 1, "not hex")], rows(1), hash_of(1)),
        ([chunk(1)], np.ones((1, 3), np.float32), hash_of(1)),
        ([chunk(1)], np.ones((4, 1), np.float32), hash_of(1)),
        ([chunk(1)], rows(1), "ab"),
        ([chunk(1)], rows(1), "not hex"),
    ],
)
def test_vectors_and_hashes_of_another_form_are_refused_and_change_nothing(
    tmp_path, open_store, chunks, vectors, content_hash
):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        size = store.n_bytes
        with pytest.raises(ValueError):  # noqa: PT011 - numpy and bytes have their own messages
            store.put(OAK, content_hash, chunks, vectors)
        assert store.n_bytes == size


def test_a_reader_and_a_closed_store_cannot_write(tmp_path, open_store):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
    reader = open_store(tmp_path, is_writer=False)
    for closed in (reader, store):
        for write in (lambda s: put(s, ELM, 2), lambda s: s.remove(OAK), lambda s: s.compact(), lambda s: s.clear()):
            with pytest.raises(StoreError, match="reading only"):
                write(closed)
    store.close()
    reader.flush()
    assert numbers_of(store, OAK) == [1]


NAMES = st.sampled_from([OAK, ELM, FIR, NoteId("木.md")])
NUMBERS = st.lists(st.integers(0, 5), max_size=3)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, NUMBERS),
        st.tuples(st.just("remove"), NAMES),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("find"), st.integers(0, 5)),
        st.tuples(st.sampled_from(["compact", "reopen", "rechunk"])),
    ),
    max_size=20,
)


@settings(max_examples=60, deadline=None)
@given(changes=CHANGES, partition_bytes=st.sampled_from([1, 400, 10**6]))
def test_after_any_changes_the_store_holds_what_a_dictionary_would(tmp_path_factory, changes, partition_bytes):
    folder = tmp_path_factory.mktemp("store")
    options = {"model": "trees@1", "n_dimensions": 4, "chunker": "1", "partition_bytes": partition_bytes}
    store, model = VectorStore.open(folder, **options), {}
    for change in [*changes, ("reopen",)]:
        match change:
            case "put", note, numbers:
                put(store, note, *numbers)
                model[note] = numbers
            case "remove", note:
                assert store.remove(note) == (model.pop(note, None) is not None)
            case "move", old, new:
                assert store.move(old, new) == (old in model)
                if old in model:
                    model[new] = model.pop(old)
            case "find", number:
                is_known = any(number in numbers for numbers in model.values())
                assert find_number(store, number) == (number if is_known else None)
            case ("compact",):
                store.compact()
            case (reopening,):
                store.close()
                if reopening == "rechunk":
                    options["chunker"] += "1"
                store = VectorStore.open(folder, **options)
                assert store.notices == ()
        assert {note: numbers_of(store, note) for note in store.notes} == model
    known = {number for numbers in model.values() for number in numbers}
    assert {number for number in range(6) if find_number(store, number) is not None} == known
    store.close()
