"""Files of stores that another program exchanged, copied or converted: no vector is ever returned for another text."""

import gzip
import itertools
import shutil

import numpy as np
import pytest

from search.errors import StoreError
from search.ids import NoteId
from search.vectors.index import VectorIndex
from search.vectors.partitions import partition_path
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore
from stores import hash_of

NOTES = [NoteId(f"note {number}.md") for number in range(4)]
OPTIONS = {"model": "trees@1", "n_dimensions": 4, "chunker": "1"}
N_PARTS = 4
PARTS = range(1, N_PARTS + 1)


def vectors_of(number):
    return np.full((2, 4), number + 1, np.float32) * np.array([[1], [-1]], np.float32)


def put(store, note, number):
    chunks = [ChunkPlace(0, 3, hash_of(number)), ChunkPlace(3, 9, hash_of(number + 1000))]
    store.put(note, hash_of(number), chunks, vectors_of(number))


def made(folder, *, first=0):
    """A store of several parts, in which each note was changed once, so that its lines are in two of them."""
    with VectorStore.open(folder, **OPTIONS, partition_bytes=550) as store:
        for at in range(2 * len(NOTES)):
            put(store, NOTES[at % len(NOTES)], first + at)
        store.remove(NOTES[0])
    assert len([*folder.glob("vectors-*")]) == N_PARTS
    return folder


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Two stores of the same notes with other texts, whose lines have the same lengths and places."""
    return made(tmp_path_factory.mktemp("one")), made(tmp_path_factory.mktemp("two"), first=100)


def number_of(content_hash):
    return next(at for at in range(200) if hash_of(at) == content_hash)


def check(folder):
    """Each vector is that of its text, for a reader and for a writer, who can go on."""
    for is_writer in (False, True):
        with VectorStore.open(folder, **OPTIONS, is_writer=is_writer) as store:
            for note, stored in store.notes.items():
                assert np.allclose(store.vectors(note), vectors_of(number_of(stored.content_hash)), rtol=0.01)
            for number in itertools.chain(range(8), range(100, 108)):
                for row, key in enumerate((hash_of(number), hash_of(number + 1000))):
                    found = store.find_chunks([key]).get(key)
                    assert found is None or np.allclose(found, vectors_of(number)[row], rtol=0.01)
            VectorIndex.of(store.batches(), 4)
            notices = store.notices
            if is_writer:
                put(store, NOTES[1], 7)
    with VectorStore.open(folder, **OPTIONS, is_writer=False) as store:
        assert store.notes[NOTES[1]].content_hash == hash_of(7)
    return notices


def copied(stores, folder):
    shutil.copytree(stores[0], folder)
    return {part: partition_path(folder, 1, part) for part in PARTS}


@pytest.mark.parametrize("order", [*itertools.permutations(PARTS)], ids=str)
def test_parts_in_another_order_give_no_note_another_text(stores, tmp_path, order):
    parts = copied(stores, tmp_path / "store")
    data = {part: path.read_bytes() for part, path in parts.items()}
    for part, source in zip(PARTS, order, strict=True):
        parts[part].write_bytes(data[source])
    check(tmp_path / "store")


@pytest.mark.parametrize(("part", "theirs"), [*itertools.product(PARTS, PARTS)])
def test_a_part_of_another_store_gives_no_note_another_text(stores, tmp_path, part, theirs):
    parts = copied(stores, tmp_path / "store")
    shutil.copy(partition_path(stores[1], 1, theirs), parts[part])
    check(tmp_path / "store")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    "convert",
    {
        "line ends of Windows": lambda data: data.replace(b"\n", b"\r\n"),
        "line ends of old Macs": lambda data: data.replace(b"\n", b"\r"),
        "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
        "UTF-16": lambda data: data.decode().encode("utf-16"),
        "compressed": gzip.compress,
        "upper case": bytes.upper,
        "no line feed at the end": lambda data: data[:-1],
        "spaces at the ends": lambda data: data.replace(b"\n", b" \n"),
        "pretty": lambda data: data.replace(b",", b", "),
        "only zeros": lambda data: bytes(len(data)),
        "zeros behind it": lambda data: data + bytes(4096),
        "sorted": lambda data: b"".join(sorted(data.splitlines(keepends=True))),
        "twice": lambda data: data + data,
    }.items(),
    ids=lambda convert: convert[0],
)
def test_a_part_that_was_converted_is_said_or_harmless(stores, tmp_path, part, convert):
    parts = copied(stores, tmp_path / "store")
    parts[part].write_bytes(convert[1](parts[part].read_bytes()))
    with VectorStore.open(stores[0], **OPTIONS, is_writer=False) as store:
        before = {note: stored.content_hash for note, stored in store.notes.items()}
    with VectorStore.open(tmp_path / "store", **OPTIONS, is_writer=False) as store:
        after = {note: stored.content_hash for note, stored in store.notes.items()}
    notices = check(tmp_path / "store")
    assert after == before or notices or convert[0] in ("no line feed at the end", "sorted")


@pytest.mark.parametrize("theirs", [(1, part) for part in PARTS] + [(0, part) for part in PARTS], ids=str)
@pytest.mark.parametrize("part", PARTS)
def test_parts_that_are_exchanged_while_the_store_is_open_are_an_error_or_right(stores, tmp_path, part, theirs):
    parts = copied(stores, tmp_path / "store")
    with VectorStore.open(tmp_path / "store", **OPTIONS) as store:
        parts[part].write_bytes(partition_path(stores[theirs[0]], 1, theirs[1]).read_bytes())
        n_changed = 0
        for note, stored in store.notes.items():
            try:
                found = store.vectors(note)
            except StoreError:
                n_changed += 1
                assert not store.is_sound
            else:
                assert np.allclose(found, vectors_of(number_of(stored.content_hash)), rtol=0.01)
        assert n_changed or theirs == (0, part) or part <= 2  # the first two parts hold only lines that were replaced


@pytest.mark.parametrize("note", [NoteId("oak.md"), NoteId("\udcff.md")], ids=ascii)
@pytest.mark.parametrize("content_hash", [hash_of(1), ""])
@pytest.mark.parametrize("other", ["note", "text", "chunks"])
def test_a_line_of_the_same_length_about_another_text_is_an_error(tmp_path, note, content_hash, other):
    is_other = {name: name == other for name in ("note", "text", "chunks")}
    names = (note, NoteId(note.replace("o", "O").replace("\udcff", "\udcfe")))
    for folder, at in ((tmp_path / "one", 0), (tmp_path / "two", 1)):
        chunks = [ChunkPlace(0, 3, hash_of(5 + (at and is_other["chunks"])))]
        hashes = (content_hash, content_hash and hash_of(2))
        with VectorStore.open(folder, **OPTIONS) as store:
            store.put(names[at and is_other["note"]], hashes[at and is_other["text"]], chunks, vectors_of(at)[:1])
    if other == "text" and not content_hash:
        return
    with VectorStore.open(tmp_path / "one", **OPTIONS) as store:
        shutil.copy(partition_path(tmp_path / "two", 1, 1), partition_path(tmp_path / "one", 1, 1))
        if other == "chunks" and content_hash and note == "oak.md":
            return  # a text determines its chunks
        with pytest.raises(StoreError, match="changed by another program"):
            store.vectors(note)
