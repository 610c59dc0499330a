"""What a store keeps, across reopening, moves, edits and changes of model, encoding and chunker."""

import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.errors import StoreError
from search.ids import NoteId
from search.vectors import store as store_module
from search.vectors.cosine import dequantize, quantize
from search.vectors.encoding import Encoding
from search.vectors.index import VectorIndex
from search.vectors.partitions import Tail
from search.vectors.record import StoredChunk
from search.vectors.store import VectorStore, store_folder

OAK, ELM, FIR = NoteId("trees/oak.md"), NoteId("trees/elm.md"), NoteId("fir.md")


OPENED = []


@pytest.fixture(autouse=True)
def _close_all():
    yield
    while OPENED:
        OPENED.pop().close()


def open_store(folder, **changed):
    options = {"model": "trees@1", "n_dimensions": 4, "chunker": "1", "encoding": "f32"}
    OPENED.append(VectorStore.open(folder, **(options | changed)))
    return OPENED[-1]


def chunk(number, start=0):
    return StoredChunk(start, start + 5, f"{number:032x}")


def rows(*numbers):
    return np.array([[number, 1, 2, 3] for number in numbers], np.float32)


def find_chunk(store, text_hash):
    return store.find_chunks([text_hash]).get(text_hash)


def put(store, note, *numbers, content_hash="h"):
    store.put(note, content_hash, [chunk(number, at * 5) for at, number in enumerate(numbers)], rows(*numbers))


def first_numbers(store, note):
    """The numbers that a note was put with."""
    return [round(float(row[0])) for row in store.vectors(note)]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_was_put_comes_back(tmp_path):
    with open_store(tmp_path / "new" / "folder") as store:
        put(store, OAK, 1, 2, content_hash="h1")
        put(store, ELM)
        store.flush()
    with open_store(tmp_path / "new" / "folder") as store:
        assert store.notes[OAK].content_hash == "h1"
        assert store.notes[OAK].chunks == (chunk(1), chunk(2, 5))
        np.testing.assert_array_equal(store.vectors(OAK), rows(1, 2))
        assert store.notes[ELM].chunks == ()
        assert store.vectors(ELM).shape == (0, 4)
        assert store.vectors(FIR) is None
        assert store.notices == ()
        assert store.n_bytes > 0


def test_a_reader_needs_no_folder_and_makes_none(tmp_path):
    store = open_store(tmp_path / "none", is_writer=False)
    assert (store.notes, store.notices, list(store.batches())) == ({}, (), [])
    assert not (tmp_path / "none").exists()


def test_the_last_line_of_a_note_wins_and_a_removed_one_is_gone(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        put(store, OAK, 2)
        put(store, ELM, 3)
        assert store.remove(ELM, FIR) == 1
        assert store.remove(ELM) == 0
    store = open_store(tmp_path, is_writer=False)
    assert list(store.notes) == [OAK]
    assert first_numbers(store, OAK) == [2]


def test_a_moved_note_keeps_its_vectors_and_hashes(tmp_path):
    with open_store(tmp_path, encoding="q8") as store:
        put(store, OAK, 1, 2, content_hash="h1")
        put(store, ELM, 3)
        before = store.notes[OAK], store.vectors(OAK)
        assert store.move(OAK, ELM)
        assert store.move(ELM, ELM)
        assert not store.move(OAK, FIR)
    store = open_store(tmp_path, is_writer=False, encoding="q8")
    assert list(store.notes) == [ELM]
    assert store.notes[ELM].content_hash == before[0].content_hash
    assert store.notes[ELM].chunks == before[0].chunks
    np.testing.assert_array_equal(store.vectors(ELM), before[1])


def test_a_text_that_was_embedded_once_is_found_by_its_hash(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1, 2)
        put(store, ELM, 2, 3)
        put(store, FIR, 2)
        assert find_chunk(store, chunk(2).text_hash)[0] == 2
        assert find_chunk(store, chunk(9).text_hash) is None
        assert store.find_chunks([chunk(1).text_hash, chunk(9).text_hash]).keys() == {chunk(1).text_hash}
        store.remove(OAK)
        put(store, FIR, 4)
        assert find_chunk(store, chunk(1).text_hash) is None
        assert find_chunk(store, chunk(2).text_hash)[0] == 2
        assert find_chunk(store, chunk(4).text_hash)[0] == 4
        store.move(ELM, OAK)
        assert find_chunk(store, chunk(3).text_hash)[0] == 3
        store.compact()
        assert find_chunk(store, chunk(3).text_hash)[0] == 3
        store.clear()
        assert find_chunk(store, chunk(3).text_hash) is None


def test_a_note_that_holds_a_chunk_twice_still_owns_it_once(tmp_path):
    with open_store(tmp_path) as store:
        assert find_chunk(store, chunk(1).text_hash) is None
        put(store, OAK, 1, 1)
        put(store, ELM, 1, 1)
        store.remove(OAK)
        assert find_chunk(store, chunk(1).text_hash)[0] == 1
        store.remove(ELM)
        assert find_chunk(store, chunk(1).text_hash) is None


def test_garbage_collection_drops_the_notes_that_no_longer_exist(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        put(store, ELM, 2)
        assert store.collect({OAK, FIR}) == 1
        assert list(store.notes) == [OAK]
        assert store.collect({OAK}) == 0


def test_a_cleared_store_is_empty_and_can_be_filled_again(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        store.clear()
        assert store.notes == {}
        put(store, ELM, 2)
    assert list(open_store(tmp_path, is_writer=False).notes) == [ELM]


@pytest.mark.parametrize("encoding", Encoding)
def test_the_index_of_a_store_finds_what_was_put(tmp_path, encoding):
    with open_store(tmp_path, encoding=encoding, partition_bytes=300) as store:
        for number in range(20):
            put(store, NoteId(f"{number}.md"), number, number + 100)
        put(store, OAK)
        index = VectorIndex.of(store.batches(), 4)
    view = index.view()
    assert len(view) == 40
    best = view.best_per_note(rows(19)[0], 1)[0]
    assert (best.note, best.chunk) == ("19.md", 0)


def test_files_are_parted_at_the_limit_and_a_longer_line_has_one_alone(tmp_path):
    with open_store(tmp_path, partition_bytes=400) as store:
        put(store, OAK, *range(30))
        put(store, ELM, 1)
        put(store, FIR, 2)
    assert files(tmp_path) == [*(f"vectors-000001-000{part}.jsonl" for part in (1, 2)), "writer.lock"]
    with open_store(tmp_path, partition_bytes=400) as store:
        assert first_numbers(store, OAK) == list(range(30))
        store.move(OAK, ELM)
    assert set(open_store(tmp_path, is_writer=False).notes) == {ELM, FIR}


def test_compaction_keeps_what_counts_and_drops_the_rest(tmp_path):
    with open_store(tmp_path, partition_bytes=500) as store:
        for number in range(40):
            put(store, OAK, number)
            put(store, NoteId(f"{number % 3}.md"), number)
        store.remove(NoteId("0.md"))
        before = {note: first_numbers(store, note) for note in store.notes}
        size = store.n_bytes
        store.compact()
        assert store.n_bytes < size / 5
        assert {note: first_numbers(store, note) for note in store.notes} == before
        put(store, FIR, 7)
    store = open_store(tmp_path, is_writer=False)
    assert {note: first_numbers(store, note) for note in store.notes} == before | {FIR: [7]}
    assert all("000001-" not in name for name in files(tmp_path))


def test_compaction_parts_the_new_files_at_the_limit_too(tmp_path):
    with open_store(tmp_path, partition_bytes=400) as store:
        for number in range(12):
            put(store, NoteId(f"{number}.md"), number)
        store.collect({NoteId(f"{number}.md") for number in range(1, 9)})
        store.compact()
        assert len(files(tmp_path)) > 3
    store = open_store(tmp_path, is_writer=False)
    assert {note: first_numbers(store, note) for note in store.notes} == {f"{n}.md": [n] for n in range(1, 9)}


def test_flush_compacts_when_more_than_half_is_dead(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "_MIN_DEAD_BYTES", 500)
    with open_store(tmp_path) as store:
        put(store, ELM, 9)
        for number in range(20):
            put(store, OAK, number)
        size = store.n_bytes
        store.flush()
        assert store.n_bytes < size / 4
        size = store.n_bytes
        put(store, FIR, 1)
        store.flush()
        assert store.n_bytes > size
        assert first_numbers(store, OAK) == [19]


@pytest.mark.parametrize("changed", [{"model": "trees@2"}, {"n_dimensions": 2}])
def test_vectors_of_another_model_are_dropped_with_a_notice(tmp_path, changed):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
    reader = open_store(tmp_path, is_writer=False, **changed)
    assert reader.notes == {}
    with open_store(tmp_path, **changed) as store:
        assert store.notes == {}
        (notice,) = store.notices
        assert notice.code == "store-other-model"
        assert "trees@1 with 4 dimensions" in notice.message
        store.put(ELM, "h", [chunk(1)], np.ones((1, store.header.n_dimensions), np.float32))
    store = open_store(tmp_path, is_writer=False, **changed)
    assert (list(store.notes), store.notices) == ([ELM], ())


@pytest.mark.parametrize(("old", "new"), [("f32", "q8"), ("q8", "f32"), ("f16", "f32"), ("q8", "f16")])
def test_another_encoding_keeps_all_vectors(tmp_path, old, new):
    with open_store(tmp_path, encoding=old) as store:
        put(store, OAK, 1, 2, content_hash="h1")
        put(store, FIR, 4)
    with open_store(tmp_path, encoding=new) as store:
        assert store.notes[OAK].content_hash == "h1"
        put(store, ELM, 3)
        store.move(FIR, NoteId("moved.md"))
        assert sum(len(batch.notes) for batch in store.batches()) == 3
        before = {note: store.vectors(note) for note in store.notes}
        store.compact()
    store = open_store(tmp_path, is_writer=False, encoding=new)
    assert store.notices == ()
    assert store.notes.keys() == before.keys()
    for note, vectors in before.items():
        np.testing.assert_allclose(store.vectors(note), vectors, atol=0.02)


def test_after_another_chunker_notes_are_cut_anew_and_their_vectors_found_by_hash(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1, 2, content_hash="h1")
        put(store, ELM, 3, content_hash="h2")
    with open_store(tmp_path, chunker="2") as store:
        assert store.notes[OAK].content_hash == ""
        assert first_numbers(store, OAK) == [1, 2]
        assert find_chunk(store, chunk(2).text_hash)[0] == 2
        put(store, OAK, 2, content_hash="h1")
        store.compact()
    with open_store(tmp_path, chunker="2") as store:
        assert (store.notes[OAK].content_hash, store.notes[ELM].content_hash) == ("h1", "")
        assert store.notices == ()


def test_a_path_that_is_no_utf_8_is_kept(tmp_path):
    names = {NoteId("na\udcffve.md"), NoteId('quo"te\n.md'), NoteId("日本/メモ.md")}
    with open_store(tmp_path) as store:
        for note in names:
            put(store, note, 5)
    store = open_store(tmp_path, is_writer=False)
    assert set(store.notes) == names
    assert all(first_numbers(store, note) == [5] for note in names)


def test_the_mapping_of_notes_does_not_change_under_a_reader(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        seen = store.notes
        put(store, ELM, 2)
        assert list(seen) == [OAK]
        assert list(store.notes) == [OAK, ELM]
        with pytest.raises(TypeError):
            store.notes[FIR] = seen[OAK]


@pytest.mark.parametrize(
    ("chunks", "vectors"),
    [
        ([chunk(1)], rows(1, 2)),
        ([chunk(1)], rows()),
        ([chunk(1)], rows(np.nan)),
        ([chunk(1)], rows(np.inf)),
        ([StoredChunk(0, 1, "ab")], rows(1)),
        ([StoredChunk(0, 1, "not hex")], rows(1)),
        ([chunk(1)], np.ones((1, 3), np.float32)),
        ([chunk(1)], np.ones((4, 1), np.float32)),
    ],
)
def test_vectors_that_do_not_fit_are_refused_and_change_nothing(tmp_path, chunks, vectors):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        size = store.n_bytes
        with pytest.raises(ValueError):  # noqa: PT011 - numpy and hashes have words of their own
            store.put(OAK, "h", chunks, vectors)
        assert store.n_bytes == size


def test_a_reader_and_a_closed_store_cannot_write(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
    reader = open_store(tmp_path, is_writer=False)
    for closed in (reader, store):
        for write in (lambda s: put(s, ELM, 2), lambda s: s.remove(OAK), lambda s: s.compact(), lambda s: s.clear()):
            with pytest.raises(StoreError, match="reading only"):
                write(closed)
    store.close()
    reader.flush()
    assert first_numbers(store, OAK) == [1]


def test_a_reader_looks_again_when_the_writer_has_exchanged_the_files(tmp_path):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        put(store, ELM, 2)
        reader = open_store(tmp_path, is_writer=False)
        put(store, OAK, 3)
        store.remove(ELM)
        assert first_numbers(reader, OAK) == [1]
        late = open_store(tmp_path, is_writer=False)
        store.compact()
        assert first_numbers(late, OAK) == [3]
        assert late.vectors(ELM) is None


def test_readers_in_other_threads_see_whole_notes_while_one_writes(tmp_path):
    store = open_store(tmp_path, encoding="q8", partition_bytes=2000)
    put(store, OAK, 0, 0)
    wrong = []
    is_done = threading.Event()

    def read():
        while not is_done.is_set():
            vectors = store.vectors(OAK)
            n_indexed = len(VectorIndex.of(store.batches(), 4).view())
            if vectors.shape != (2, 4) or abs(vectors[0, 0] - vectors[1, 0]) > 0.01 or n_indexed < 2:
                wrong.append(vectors)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(150):
        put(store, OAK, number, number)
        put(store, ELM, number)
        if number % 20 == 0:
            store.compact()
    is_done.set()
    for thread in threads:
        thread.join()
    store.close()
    assert wrong == []


NAMES = st.sampled_from([OAK, ELM, FIR, NoteId("木.md")])
NUMBERS = st.lists(st.integers(0, 5), max_size=3)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, NUMBERS),
        st.tuples(st.just("remove"), NAMES),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.sampled_from(["compact", "reopen", "recode", "rechunk"])),
    ),
    max_size=20,
)


@settings(max_examples=40, deadline=None)
@given(changes=CHANGES, partition_bytes=st.sampled_from([1, 400, 10**6]))
def test_after_any_changes_the_store_holds_what_a_dictionary_would(tmp_path_factory, changes, partition_bytes):
    folder = tmp_path_factory.mktemp("store")
    options = {"partition_bytes": partition_bytes, "encoding": "f32", "chunker": "1"}
    store, model = open_store(folder, **options), {}
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
            case ("compact",):
                store.compact()
            case (reopening,):
                store.close()
                if reopening == "recode":
                    options["encoding"] = "f16" if options["encoding"] == "f32" else "f32"
                elif reopening == "rechunk":
                    options["chunker"] += "1"
                store = open_store(folder, **options)
                assert store.notices == ()
        assert {note: first_numbers(store, note) for note in store.notes} == model
    known = {number for numbers in model.values() for number in numbers}
    assert {number for number in range(6) if find_chunk(store, chunk(number).text_hash) is not None} == known
    store.close()


def test_quantized_vectors_lose_no_more_than_quantizing_does(tmp_path):
    vectors = np.random.default_rng(3).standard_normal((50, 4)).astype(np.float32)
    with open_store(tmp_path, encoding="q8") as store:
        store.put(OAK, "h", [chunk(number) for number in range(50)], vectors)
        np.testing.assert_array_equal(store.vectors(OAK), dequantize(quantize(vectors)))


def test_a_folder_that_is_a_file_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be made"):
        open_store(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be read"):
        open_store(tmp_path / "file", is_writer=False)


def test_a_failed_write_changes_nothing_and_the_next_one_mends_it(tmp_path, monkeypatch):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        with monkeypatch.context() as patch:
            patch.setattr("os.write", half_a_write_and_then_a_full_disk())
            with pytest.raises(StoreError, match="No space left"):
                put(store, ELM, 2)
        assert list(store.notes) == [OAK]
        put(store, FIR, 3)
    store = open_store(tmp_path, is_writer=False)
    assert (list(store.notes), store.notices) == ([OAK, FIR], ())
    assert first_numbers(store, FIR) == [3]


def half_a_write_and_then_a_full_disk():
    """`os.write` that takes ten bytes and then no more."""
    import os  # noqa: PLC0415 - the function before it is exchanged

    write, taken = os.write, []

    def fail(file, data):
        if taken:
            raise OSError(28, "No space left on device")
        taken.append(data)
        return write(file, data[:10])

    return fail


def fail(*args, **kwargs):
    raise OSError(5, "Input/output error")


def test_a_disk_that_refuses_to_sync_is_a_store_error_and_closing_still_unlocks(tmp_path, monkeypatch):
    store = open_store(tmp_path)
    put(store, OAK, 1)
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        with pytest.raises(StoreError, match="Input/output"):
            store.flush()
        with pytest.raises(StoreError, match="Input/output"):
            store.compact()
        with pytest.raises(StoreError, match="Input/output"):
            store.close()
    with open_store(tmp_path) as store:
        assert first_numbers(store, OAK) == [1]
        assert files(tmp_path) == ["vectors-000001-0001.jsonl", "writer.lock"]


def test_compaction_that_fails_by_itself_is_a_notice(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "_MIN_DEAD_BYTES", 0)
    with open_store(tmp_path) as store:
        for number in range(9):
            put(store, OAK, number)
        with monkeypatch.context() as patch:
            patch.setattr(Tail, "create", fail)
            store.flush()
        assert [notice.code for notice in store.notices] == ["store-not-compacted"]
        assert first_numbers(store, OAK) == [8]


def test_a_new_file_that_cannot_be_made_is_a_store_error(tmp_path, monkeypatch):
    with open_store(tmp_path) as store:
        with monkeypatch.context() as patch:
            patch.setattr(Tail, "create", fail)
            with pytest.raises(StoreError, match="cannot be written"):
                put(store, OAK, 1)
        put(store, OAK, 2)
        assert first_numbers(store, OAK) == [2]


def test_each_vault_has_a_folder_of_its_own_by_its_real_path(tmp_path):
    vault = tmp_path / "My notes: all"
    vault.mkdir()
    (tmp_path / "link").symlink_to(vault)
    cache = Path("cache")
    found = store_folder(cache, vault)
    assert store_folder(cache, tmp_path / "link") == found
    assert found.parent == cache
    assert found.name.startswith("My-notes-all-")
    assert store_folder(cache, tmp_path) != found
    assert store_folder(cache, Path("/")).name.startswith("vault-")
