"""Killed writers: nothing reported as done is lost, locks end with their process, and there is one writer at a time."""

import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from search.errors import StoreError
from search.ids import NoteId
from search.vectors.cosine import dequantize, quantize
from search.vectors.lock import WriterLock
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore
from stores import hash_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
OPTIONS = {"model": "trees@1", "n_dimensions": 64, "chunker": "1", "partition_bytes": 30_000}

# Stores one version of its notes after another without end, and prints the number of each stored version.
WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
from pathlib import Path
from search.vectors.record import ChunkPlace
from search.vectors.store import VectorStore

store = VectorStore.open(
    Path(sys.argv[2]), model="trees@1", n_dimensions=64, chunker="1", partition_bytes=30_000
)
number = int(sys.argv[3])
while True:
    number += 1
    note = f"{number % 40}.md"
    text_hash = f"{number:032x}"
    store.put(note, text_hash, [ChunkPlace(0, 1, text_hash)], np.full((1, 64), number, np.float32))
    print(number, flush=True)
    if number % 7 == 0:
        store.flush()
    if number % 10 == 0:
        store.compact()
    if number % 90 == 0:
        store.move("3.md", "moved.md")
"""


def start_writer(folder, number=0):
    command = [sys.executable, "-c", WRITER, str(ROOT), str(folder), str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def read_until(writer, number):
    """Kill the writer some time after it has printed `number`; returns the last number that it printed."""
    last = 0
    for line in writer.stdout:
        last = int(line)
        if last >= number:
            writer.kill()
    writer.wait()
    writer.stdout.close()
    return last


def test_nothing_reported_as_done_is_lost_when_the_writer_is_killed_at_any_moment(tmp_path):
    """The writer is killed while putting, flushing and rewriting, eight times on the same store."""
    moments = random.Random(11)  # noqa: S311 - the same moments in every run
    last = 0
    for _ in range(8):
        acknowledged = read_until(start_writer(tmp_path, last), last + moments.randint(1, 160))
        assert acknowledged > last
        last = acknowledged
        with VectorStore.open(tmp_path, **OPTIONS) as store:
            assert store.notices == ()
            for number in range(max(1, last - 39), last + 1):
                note = NoteId(f"{number % 40}.md")
                if note == "3.md" and note not in store.notes:
                    note = NoteId("moved.md")
                found = int(store.notes[note].content_hash, 16)
                assert found in {number, number + 40} or found == last + 1
                np.testing.assert_allclose(store.vectors(note), found, rtol=1e-6)
            last = max(int(stored.content_hash, 16) for stored in store.notes.values())


def test_5000_vectors_in_parts_of_a_megabyte_survive_a_kill_during_saving(tmp_path):
    """Only notes that were not reported as done are embedded again."""
    options = OPTIONS | {"partition_bytes": 1_000_000}
    vectors = np.random.default_rng(5).standard_normal((5000, 64)).astype(np.float32)
    with VectorStore.open(tmp_path, **options) as store:
        for number, vector in enumerate(vectors):
            store.put(NoteId(f"n{number}"), hash_of(number), [ChunkPlace(0, 1, hash_of(number))], vector[None])
    read_until(start_writer(tmp_path), 43)
    with VectorStore.open(tmp_path, **options) as store:
        assert all(store.notes[NoteId(f"n{number}")].content_hash == hash_of(number) for number in range(5000))
        found = {note: batch.n_chunks for batch in store.batches() for note in batch.notes}
        assert len(found) >= 5000 + 40
        for number in range(0, 5000, 61):
            expected = dequantize(quantize(vectors[[number]]))
            np.testing.assert_array_equal(store.vectors(NoteId(f"n{number}")), expected)


def test_a_second_writer_learns_who_is_writing_and_readers_may_read_meanwhile(tmp_path):
    writer = start_writer(tmp_path)
    try:
        assert int(writer.stdout.readline()) == 1
        with pytest.raises(StoreError, match=f"process {writer.pid} is writing to this store"):
            VectorStore.open(tmp_path, **OPTIONS)
        with VectorStore.open(tmp_path, **OPTIONS, is_writer=False) as reader:
            assert "1.md" in reader.notes
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    with VectorStore.open(tmp_path, **OPTIONS) as store:
        assert "1.md" in store.notes


def test_a_reader_sees_a_sound_store_whatever_the_writer_is_doing(tmp_path):
    writer = start_writer(tmp_path)
    seen = []
    drain = threading.Thread(target=lambda: seen.extend(int(line) for line in writer.stdout))
    assert int(writer.stdout.readline()) == 1
    drain.start()
    try:
        before = {}
        for _ in range(60):
            with VectorStore.open(tmp_path, **OPTIONS, is_writer=False) as reader:
                assert reader.notices == ()
                for note in list(reader.notes)[:5]:
                    vectors = reader.vectors(note)
                    assert vectors is not None
                    assert (vectors == vectors[0, 0]).all()
                now = {note: int(stored.content_hash, 16) for note, stored in reader.notes.items()}
            assert all(now[note] >= number for note, number in before.items() if note not in {"3.md", "moved.md"})
            before = now
    finally:
        writer.kill()
        writer.wait()
        drain.join()
        writer.stdout.close()
    assert seen


def test_one_process_cannot_open_a_store_for_writing_twice(tmp_path):
    with (
        VectorStore.open(tmp_path, **OPTIONS),
        pytest.raises(StoreError, match="this same process is writing"),
    ):
        VectorStore.open(tmp_path, **OPTIONS)
    VectorStore.open(tmp_path, **OPTIONS).close()


def test_a_lock_file_that_cannot_be_opened_or_locked_is_a_store_error(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        WriterLock(tmp_path / "folder")

    def refuse(*args):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("search.vectors.lock._try_lock", refuse)
    with pytest.raises(StoreError, match="cannot be locked: No locks available"):
        WriterLock(tmp_path / "writer.lock")


def test_a_lock_is_refused_even_if_the_number_of_its_holder_cannot_be_read(tmp_path):
    lock = WriterLock(tmp_path / "writer.lock")
    (tmp_path / "writer.lock").write_text("")
    with pytest.raises(StoreError, match="another process is writing"):
        WriterLock(tmp_path / "writer.lock")
    lock.release()
    lock.release()
    WriterLock(tmp_path / "writer.lock").release()
