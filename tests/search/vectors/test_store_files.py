"""The files of a store: parts, rewrites, and one folder for each vault."""

from pathlib import Path

import numpy as np
import pytest

from search.cache.folder import path_in_cache
from search.ids import NoteId
from search.vectors import store as store_module
from search.vectors.concepts import ConceptVocabulary
from search.vectors.partitions import partition_path
from stores import ELM, FIR, OAK, files, numbers_of, put


def test_a_new_part_starts_at_the_size_limit_and_a_longer_line_has_a_part_of_its_own(tmp_path, open_store):
    with open_store(tmp_path, partition_bytes=400) as store:
        put(store, OAK, *range(30))
        put(store, ELM, 1)
        put(store, FIR, 2)
    assert files(tmp_path) == [*(f"vectors-000001-000{part}.jsonl" for part in (1, 2)), "writer.lock"]
    with open_store(tmp_path, partition_bytes=400) as store:
        assert numbers_of(store, OAK) == list(range(30))
        store.move(OAK, ELM)
    assert set(open_store(tmp_path, is_writer=False).notes) == {ELM, FIR}


def test_a_rewrite_keeps_what_counts_and_drops_the_rest(tmp_path, open_store):
    with open_store(tmp_path, partition_bytes=500) as store:
        for number in range(40):
            put(store, OAK, number)
            put(store, NoteId(f"{number % 3}.md"), number)
        store.remove(NoteId("0.md"))
        before = {note: numbers_of(store, note) for note in store.notes}
        size = store.n_bytes
        store.compact()
        assert store.n_bytes < size / 5
        assert {note: numbers_of(store, note) for note in store.notes} == before
        put(store, FIR, 7)
    store = open_store(tmp_path, is_writer=False)
    assert {note: numbers_of(store, note) for note in store.notes} == before | {FIR: [7]}
    assert all("000001-" not in name for name in files(tmp_path))


def test_a_rewrite_starts_new_parts_at_the_size_limit_too(tmp_path, open_store):
    with open_store(tmp_path, partition_bytes=400) as store:
        for number in range(12):
            put(store, NoteId(f"{number}.md"), number)
        store.collect({NoteId(f"{number}.md") for number in range(1, 9)})
        store.compact()
        assert len(files(tmp_path)) > 3
    store = open_store(tmp_path, is_writer=False)
    assert {note: numbers_of(store, note) for note in store.notes} == {f"{n}.md": [n] for n in range(1, 9)}


def test_flush_rewrites_the_files_when_more_than_half_is_dead(tmp_path, open_store, monkeypatch):
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
        assert numbers_of(store, OAK) == [19]


def test_each_vault_has_its_own_folder_by_its_real_path(tmp_path):
    vault = tmp_path / "My notes: all"
    vault.mkdir()
    (tmp_path / "link").symlink_to(vault)
    cache = Path("cache")
    found = path_in_cache(cache, vault)
    assert path_in_cache(cache, tmp_path / "link") == found
    assert found.parent == cache
    assert found.name.startswith("My-notes-all-")
    assert path_in_cache(cache, tmp_path) != found
    assert path_in_cache(cache, Path("/")).name.startswith("vault-")


@pytest.mark.parametrize(("missing", "left"), [(1, []), (2, [OAK, FIR]), (3, [OAK, ELM])])
def test_the_notes_of_a_missing_part_count_as_never_stored(tmp_path, open_store, missing, left):
    """Without its first part, a generation could also be one that was never finished."""
    with open_store(tmp_path, partition_bytes=1) as store:
        for number, note in enumerate((OAK, ELM, FIR)):
            put(store, note, number)
    partition_path(tmp_path, 1, missing).unlink()
    with open_store(tmp_path, partition_bytes=1) as store:
        assert (list(store.notes), store.notices) == (left, ())
        put(store, ELM, 9)
    store = open_store(tmp_path)
    assert set(store.notes) == {*left, ELM}
    assert numbers_of(store, ELM) == [9]
    assert all(numbers_of(store, note) == [(OAK, ELM, FIR).index(note)] for note in left if note != ELM)


@pytest.mark.skipif("os.name == 'nt'", reason="Windows has no modes")
def test_only_the_user_may_read_the_files_and_list_the_folders(tmp_path, open_store):
    folder = tmp_path / "cache" / "vault" / "gists"
    with open_store(folder) as store:
        put(store, OAK, 1)
        store.compact()
    ConceptVocabulary(("oak",), np.ones((1, 4), np.float32)).save(folder, "trees@1")
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in (folder, *folder.parents[:2])} == {0o700}


@pytest.mark.skipif("os.name == 'nt'", reason="Windows has no modes")
def test_a_folder_that_an_earlier_version_left_open_to_others_is_closed(tmp_path, open_store):
    """The folder above it may be one that the user shares."""
    (tmp_path / "cache" / "vault").mkdir(parents=True)
    for folder in (tmp_path / "cache", tmp_path / "cache" / "vault"):
        folder.chmod(0o755)
    open_store(tmp_path / "cache" / "vault")
    assert (tmp_path / "cache" / "vault").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o755
