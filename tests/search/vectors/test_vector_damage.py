"""Damaged stores: cut off anywhere, a byte changed anywhere, foreign files. Damage never raises."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.errors import StoreError
from search.ids import NoteId
from search.vectors.partitions import Partition, current_generation, partition_path
from search.vectors.record import ChunkPlace, Header, _sealed, read_record
from search.vectors.store import VectorStore
from stores import hash_of

NOTES = [NoteId(f"note {number}.md") for number in range(6)]
OPTIONS = {"model": "trees@1", "n_dimensions": 4, "chunker": "1"}


def vectors_of(number):
    return np.full((2, 4), number + 1, np.float32) * np.array([[1], [-1]], np.float32)


def put(store, number):
    chunks = [ChunkPlace(0, 3, hash_of(number)), ChunkPlace(3, 9, hash_of(number + 100))]
    store.put(NOTES[number], hash_of(number), chunks, vectors_of(number))


def content(store):
    return {note: (stored.content_hash, store.vectors(note).tolist()) for note, stored in store.notes.items()}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The bytes of a store of six notes, and its content."""
    folder = tmp_path_factory.mktemp("sound")
    with VectorStore.open(folder, **OPTIONS) as store:
        for number in range(6):
            put(store, number)
        return partition_path(folder, 1, 1).read_bytes(), content(store)


def reopened(folder, data, *, with_writer=True):
    """The content that a reader finds in these bytes; a writer must find the same and be able to add a note."""
    folder.mkdir(exist_ok=True)
    for path in folder.glob("vectors*"):
        path.unlink()
    partition_path(folder, 1, 1).write_bytes(data)
    with VectorStore.open(folder, **OPTIONS, is_writer=False) as reader:
        found, notices = content(reader), reader.notices
    assert partition_path(folder, 1, 1).read_bytes() == data
    if not with_writer:
        return found, notices
    with VectorStore.open(folder, **OPTIONS) as store:
        assert content(store) == found
        assert store.notices == notices
        put(store, 5)
    with VectorStore.open(folder, **OPTIONS, is_writer=False) as reader:
        again = content(reader)
        assert {note: found[note] for note in found if note != NOTES[5]} == {
            note: again[note] for note in again if note != NOTES[5]
        }
        assert NOTES[5] in again
    return found, notices


def test_a_store_cut_off_at_any_byte_of_its_last_lines_keeps_all_lines_before(sound, tmp_path):
    data, expected = sound
    lines = data.splitlines(keepends=True)
    for length in range(len(data) - len(lines[-1]) - len(lines[-2]), len(data)):
        found, notices = reopened(tmp_path / "cut", data[:length], with_writer=length % 5 == 0)
        n_whole = data[:length].count(b"\n") - 1
        assert found == {note: expected[note] for note in NOTES[:n_whole]}
        assert notices == ()


def test_a_store_cut_off_in_its_header_is_empty_and_usable(sound, tmp_path):
    for length in range(data_length := len(sound[0].splitlines(keepends=True)[0])):
        found, notices = reopened(tmp_path / "cut", sound[0][:length], with_writer=length % 5 == 0)
        assert (found, notices) == ({}, ())
    assert data_length > 50


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_changed_byte_costs_at_most_one_note_and_gives_a_notice(sound, tmp_path_factory, data):
    """Or two notes if the byte was the line feed between them."""
    original, expected = sound
    at = data.draw(st.integers(0, len(original) - 1))
    flip = data.draw(st.integers(1, 255))
    changed = original[:at] + bytes([original[at] ^ flip]) + original[at + 1 :]
    found, notices = reopened(tmp_path_factory.mktemp("flip"), changed)
    assert found.items() <= expected.items()
    n_lost = len(expected) - len(found)
    is_torn = at == len(original) - 1
    assert n_lost <= (2 if original[at] == 10 else 1)
    assert [notice.code for notice in notices] == ([] if is_torn else ["store-damaged"])


def test_the_lines_below_a_damaged_header_are_kept(sound, tmp_path):
    found, (notice,) = reopened(tmp_path / "header", b"#" + sound[0][1:])
    assert found == sound[1]
    assert notice.message.startswith("vectors-000001-0001.jsonl:1: 1 line is damaged")
    with VectorStore.open(tmp_path / "header", **OPTIONS) as store:
        assert store.notices == ()


def test_one_notice_for_each_damaged_file_names_its_first_damaged_line(sound, tmp_path):
    data = sound[0].replace(b'"note 1.md"', b'"note X.md"').replace(b'"note 3.md"', b'"note X.md"')
    found, (notice,) = reopened(tmp_path / "damage", data)
    assert found.keys() == set(NOTES) - {NOTES[1], NOTES[3]}
    assert notice.code == "store-damaged"
    assert notice.message.startswith("vectors-000001-0001.jsonl:3: 2 lines are damaged")
    with VectorStore.open(tmp_path / "damage", **OPTIONS) as store:
        assert store.notices == ()


@pytest.mark.parametrize("tail", [b"\0", b"\0" * 5000, b'"v":"AAAA'])
def test_a_tail_that_is_no_beginning_of_a_line_is_damage(sound, tmp_path, tail):
    found, (notice,) = reopened(tmp_path / "tail", sound[0] + tail)
    assert (found, notice.code) == (sound[1], "store-damaged")
    assert notice.message.startswith("vectors-000001-0001.jsonl:8: 1 line is damaged")


def test_a_folder_with_the_name_of_a_part_is_ignored(sound, tmp_path):
    partition_path(tmp_path, 1, 1).mkdir()
    for _ in range(2):
        with VectorStore.open(tmp_path, **OPTIONS) as store:
            put(store, 5)
            assert store.notices == ()
    with VectorStore.open(tmp_path, **OPTIONS, is_writer=False) as reader:
        assert content(reader) == {NOTES[5]: sound[1][NOTES[5]]}


@pytest.mark.parametrize(
    "data",
    [
        b"\n\n\n",
        b"\0",
        b"\0" * 5000,
        b"not a store",
        b'{"vaultseek":1,"model":"trees@1"}\r{"n":"a"}\r',
        b"not a store\nat all\n",
        b"\x00" * 5000 + b"\n",
        b"\xff\xfe\n" * 100,
        b"[]\n{}\n",
        b'{"vaultseek":2,"model":"trees@1","dim":4,"enc":"q8","chunker":"1","x":1}\n{"n":"a"}\n',
    ],
)
def test_a_file_that_is_not_a_store_is_replaced_with_a_notice(tmp_path, data):
    found, notices = reopened(tmp_path / "none", data)
    assert found == {}
    assert [notice.code for notice in notices] == ["store-unreadable"]


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_in_a_file_raise(tmp_path_factory, data):
    found, _ = reopened(tmp_path_factory.mktemp("bytes"), data)
    assert found == {}


def test_a_replaced_line_counts_again_if_its_replacement_is_damaged(sound, tmp_path):
    partition_path(tmp_path, 1, 1).write_bytes(sound[0])
    new, other = hash_of(0xFF), hash_of(0xFE)
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        store.put(NOTES[0], new, [], np.empty((0, 4), np.float32))
    data = partition_path(tmp_path, 1, 1).read_bytes().replace(new.encode(), other.encode())
    found, _ = reopened(tmp_path / "again", data)
    assert found == sound[1]


@pytest.mark.parametrize(
    "body",
    [
        b'{"h":"","c":[],"v":""}',
        b'{"n":"a","h":"","c":[[0,1]],"v":""}',
        b'{"n":"a","h":"","c":[[0,1,"00"]],"v":"AAAA"}',
        b'{"n":"a","h":"","c":[[0,1,"00"]],"v":"AAAAAAAAAAA="}',
        b'{"n":"a","h":"","c":[[-1,1,"00000000000000000000000000000000"]],"v":"AAAAAAAAAAA="}',
        b'{"n":"a","h":"","c":[[0,4294967296,"00000000000000000000000000000000"]],"v":"AAAAAAAAAAA="}',
        b'{"n":"a","h":"","c":[[0,1,"00000000000000000000000000000000"]],"v":""}',
        b'{"n":"a","h":"","c":7,"v":""}',
        b'{"n":"a","h":"no hash","c":[],"v":""}',
        b'{"n":"a","h":0,"c":[],"v":""}',
        b'{"s":"zz","d":1}',
        b"[1]",
        b"nonsense}",
    ],
)
def test_a_line_of_another_shape_is_refused_even_with_a_right_checksum(body):
    header = Header("trees@1", 4, "1")
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the reason
        read_record(_sealed(body, header.seal), header)


def test_a_file_that_another_program_has_changed_is_a_store_error(sound, tmp_path):
    path = partition_path(tmp_path, 1, 1)
    path.write_bytes(sound[0])
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        path.write_bytes(sound[0].replace(b"note 0", b"note x"))
        with pytest.raises(StoreError, match="changed by another program"):
            store.vectors(NOTES[0])
        assert not store.is_sound


def test_a_file_that_another_program_has_cut_off_is_a_store_error(sound, tmp_path):
    path = partition_path(tmp_path, 1, 1)
    path.write_bytes(sound[0])
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        path.write_bytes(sound[0][:-9])
        with pytest.raises(StoreError, match="changed by another program"):
            store.vectors(NOTES[5])


def test_files_that_vanish_while_a_store_is_opened_are_looked_for_again(sound, tmp_path, monkeypatch):
    path = partition_path(tmp_path, 1, 1)
    path.write_bytes(sound[0])
    tries = []

    def vanish(*args):
        tries.append(args)
        raise FileNotFoundError(2, "No such file", str(path))

    monkeypatch.setattr(Partition, "scan", vanish)
    with pytest.raises(StoreError, match="faster than they can be read"):
        VectorStore.open(tmp_path, **OPTIONS)
    assert len(tries) > 1
    monkeypatch.undo()
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        assert content(store) == sound[1]


def test_what_a_crash_during_a_rewrite_has_left_behind_is_deleted(sound, tmp_path):
    partition_path(tmp_path, 1, 1).write_bytes(sound[0])
    leftovers = [partition_path(tmp_path, 2, 2), partition_path(tmp_path, 2, 1).with_suffix(".jsonl.tmp")]
    for path in leftovers:
        path.write_bytes(sound[0])
    (tmp_path / "vectors-mine.jsonl").write_text("not ours")
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        assert content(store) == sound[1]
    assert not any(path.exists() for path in leftovers)
    assert (tmp_path / "vectors-mine.jsonl").exists()


def test_the_newest_complete_generation_counts(sound, tmp_path):
    partition_path(tmp_path, 1, 1).write_bytes(b"old")
    partition_path(tmp_path, 2, 1).write_bytes(sound[0])
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        assert content(store) == sound[1]
    assert not partition_path(tmp_path, 1, 1).exists()


def test_a_leftover_that_cannot_be_deleted_is_left(sound, tmp_path):
    partition_path(tmp_path, 2, 1).write_bytes(sound[0])
    partition_path(tmp_path, 1, 1).mkdir()
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        assert content(store) == sound[1]


def test_a_file_that_is_deleted_while_the_folder_is_listed_is_not_left_out(tmp_path):
    """Otherwise a reader would take the other files for the whole store. With the file listed, it looks again."""
    (tmp_path / "vectors-000001-0001.jsonl").symlink_to(tmp_path / "gone")
    (tmp_path / "vectors-000001-0002.jsonl").mkdir()
    assert [path.name for path in current_generation(tmp_path)[1].values()] == ["vectors-000001-0001.jsonl"]
