"""Disk errors: each is a StoreError or a notice, and the store stays as it was."""

import os

import pytest

from search.errors import StoreError
from search.vectors import store as store_module
from search.vectors.partitions import Partition, partition_path
from stores import ELM, FIR, OAK, files, numbers_of, put


def fail(*args, **kwargs):
    raise OSError(5, "Input/output error")


def full_after_ten_bytes():
    """`os.write` that takes ten bytes and then no more."""
    write, taken = os.write, []

    def write_some(file, data):
        if taken:
            raise OSError(28, "No space left on device")
        taken.append(data)
        return write(file, data[:10])

    return write_some


def test_a_folder_that_is_a_file_is_a_store_error(tmp_path, open_store):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be created"):
        open_store(tmp_path / "file")
    with pytest.raises(StoreError, match="cannot be read"):
        open_store(tmp_path / "file", is_writer=False)


def test_a_failed_write_changes_nothing_and_the_next_one_repairs_the_file(tmp_path, open_store, monkeypatch):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        with monkeypatch.context() as patch:
            patch.setattr("os.write", full_after_ten_bytes())
            with pytest.raises(StoreError, match="No space left"):
                put(store, ELM, 2)
        assert list(store.notes) == [OAK]
        put(store, FIR, 3)
    store = open_store(tmp_path, is_writer=False)
    assert (list(store.notes), store.notices) == ([OAK, FIR], ())
    assert numbers_of(store, FIR) == [3]


def test_a_full_disk_while_a_new_file_is_made_changes_nothing(tmp_path, open_store, monkeypatch):
    with open_store(tmp_path) as store:
        with monkeypatch.context() as patch:
            patch.setattr("os.write", full_after_ten_bytes())
            with pytest.raises(StoreError, match="No space left"):
                put(store, OAK, 1)
        put(store, OAK, 2)
    store = open_store(tmp_path, is_writer=False)
    assert (numbers_of(store, OAK), store.notices) == ([2], ())


def test_a_disk_that_refuses_to_sync_is_a_store_error_and_closing_still_unlocks(tmp_path, open_store, monkeypatch):
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
        assert numbers_of(store, OAK) == [1]
        assert files(tmp_path) == ["vectors-000001-0001.jsonl", "writer.lock"]


def test_an_automatic_rewrite_that_fails_is_a_notice(tmp_path, open_store, monkeypatch):
    monkeypatch.setattr(store_module, "_MIN_DEAD_BYTES", 0)
    with open_store(tmp_path) as store:
        for number in range(9):
            put(store, OAK, number)
        with monkeypatch.context() as patch:
            patch.setattr(Partition, "create", fail)
            store.flush()
        assert [notice.code for notice in store.notices] == ["store-not-compacted"]
        assert numbers_of(store, OAK) == [8]


def test_a_new_file_that_cannot_be_made_is_a_store_error(tmp_path, open_store, monkeypatch):
    with open_store(tmp_path) as store:
        with monkeypatch.context() as patch:
            patch.setattr(Partition, "create", fail)
            with pytest.raises(StoreError, match="cannot be written"):
                put(store, OAK, 1)
        put(store, OAK, 2)
        assert numbers_of(store, OAK) == [2]


def test_a_file_that_another_program_deletes_is_a_store_error_at_the_next_flush(tmp_path, open_store):
    store = open_store(tmp_path)
    put(store, OAK, 1)
    partition_path(tmp_path, 1, 1).unlink()
    put(store, ELM, 2)
    with pytest.raises(StoreError, match="was deleted by another program"):
        store.flush()
    assert not store.is_sound
    with pytest.raises(StoreError, match="was deleted by another program"):
        store.close()


def test_a_file_that_cannot_be_read_is_a_store_error(tmp_path, open_store, monkeypatch):
    with open_store(tmp_path) as store:
        put(store, OAK, 1)
        with monkeypatch.context() as patch:
            patch.setattr(Partition, "read", fail)
            with pytest.raises(StoreError, match="cannot be read"):
                store.vectors(OAK)
        assert not store.is_sound
