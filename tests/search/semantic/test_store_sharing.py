"""A store that cannot be written now: it is read, new vectors stay in memory, and they are stored later."""

import threading

import pytest

from embedders import WordEmbedder
from search.errors import StoreError
from search.vectors.partitions import Partition
from vaults import codes, ids, search, write


def test_a_store_that_another_process_writes_is_read_and_new_vectors_stay_in_memory(make, vault):
    first = make()
    search(first, "car")
    write(vault, "--- New.md\nThe physician is new.")
    second = make(WordEmbedder())
    result = search(second, "doctor")
    assert "New.md" in ids(result)
    assert codes(result) == ["store-locked"]
    assert second.semantic.maintenance.vectors.lines_of("New.md", 0) == (0, 1)
    with pytest.raises(StoreError, match="process"):
        second.maintenance().clear()
    first.close()
    for embedder in second.semantic.maintenance.embedders:
        embedder.storage.retry_writing()
    assert codes(search(second, "doctor")) == []


def test_vectors_in_memory_are_not_computed_again_while_another_process_writes(make, vault):
    """Each search tries again to write, and loses none of them."""
    first = make()
    search(first, "car")
    write(vault, "--- New.md\nThe physician is new.")
    embedder = WordEmbedder()
    second = make(embedder)
    storage = second.semantic.maintenance.vectors.storage
    for _ in range(3):
        assert "New.md" in ids(search(second, "doctor"))
        storage.retry_writing()
    first.close()
    assert second.maintenance().update() == 1
    assert len(embedder.passages) == 3
    assert "New.md" in storage.stored


def test_a_command_does_not_embed_what_cannot_be_stored(make):
    """An hour of work would be thrown away at the end."""
    first = make()
    search(first, "car")
    embedder = WordEmbedder()
    second = make(embedder)
    with pytest.raises(StoreError, match="process is writing to this store"):
        second.maintenance().rebuild()
    with pytest.raises(StoreError, match="is writing to this store"):
        second.maintenance().update()
    assert embedder.passages == []


def test_a_full_disk_loses_no_vector(make, vault, monkeypatch):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    write(vault, "--- New.md\nThe physician is new.")
    engine.mark_changed(["New.md"])

    def refuse(_part, _data):
        raise StoreError("vectors", 0, "cannot be written: No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Partition, "append", refuse)
        result = search(engine, "doctor")
        assert "New.md" in ids(result)
        assert codes(result) == ["store-locked"]
        assert "No space left on device" in result.notices[0].message
        write(vault, "--- Newer.md\nNobody reads this.")
        engine.mark_changed(["Newer.md"])
        with pytest.raises(StoreError, match="No space left"):
            engine.maintenance().update()
    assert engine.maintenance().update() == 2
    assert len(embedder.passages) == len(set(embedder.passages))
    assert {"New.md", "Newer.md"} <= engine.semantic.maintenance.vectors.storage.stored.keys()
    assert codes(search(engine, "doctor")) == []


def test_eight_threads_open_a_store_once(make):
    """Otherwise one thread would find it locked by another."""
    vectors = make().semantic.maintenance.vectors
    ready = threading.Barrier(8)

    def look():
        ready.wait()
        vectors.view()

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert vectors.storage.read_only_reason == ""
