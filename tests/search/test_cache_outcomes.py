"""What comes of a vault's cache on a full, read-only or foreign disk, under strange names and clocks.

In every case queries are answered, nothing raises, and no vector is made twice without need. Damage to the files has
tests of its own in `vectors`, `semantic` and `cache`.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kit import doomed_writer
from kit.disks import folder, mounted, no_file_above
from kit.doomed_writer import open_engine

from embedders import WordEmbedder
from search.cache.folder import path_in_cache
from search.errors import StoreError
from search.query import Mode
from vaults import ask, codes, ids, search, write

ROOT = Path(__file__).parents[2]
VAULT = "\n".join(f"--- {n:02d}.md\n# Note {n}\nword{n} and oak{n % 5}\n\nphysician {n}" for n in range(40))
READ_ONLY = [(mounted, "Read-only file system"), (folder, "Permission denied")]
NAME = "ж" * 126  # with the extension, as long as a name may be


@pytest.fixture
def vault(tmp_path):
    return write(tmp_path / "vault", VAULT)


@pytest.fixture
def opened(vault):
    """Opens engines with the vault and a cache; keeps each embedder in `embedder` of its engine."""
    engines = []

    def open_one(cache, root=vault):
        embedder = WordEmbedder()
        engines.append(open_engine(root, cache, embedder))
        engines[-1].embedder = embedder
        return engines[-1]

    yield open_one
    for engine in engines:
        engine.close()


def update(engine):
    """Embed all notes and write the snapshot; returns how many texts the model read."""
    n_before = len(engine.embedder.passages)
    engine.maintenance().update()
    engine.save_snapshot()
    return len(engine.embedder.passages) - n_before


def no_text_was_read_twice(*engines):
    """Whether the model has read each text once."""
    texts = [text for engine in engines for text in engine.embedder.passages]
    return len(texts) == len(set(texts))


@pytest.fixture(params=["mounted", "limited"])
def full_disk(request, tmp_path):
    """A folder, and a function that fills the disk until its result is called."""
    if request.param == "mounted":
        with mounted(tmp_path / "disk", 16_384) as disk:
            yield disk.path / "cache", lambda: lambda: disk.resize(10_000_000)
    else:

        def fill():
            limit = no_file_above(3000)
            limit.__enter__()
            return lambda: limit.__exit__(None, None, None)

        yield tmp_path / "cache", fill


def test_a_full_disk_costs_no_vector_and_no_answer(full_disk, opened):
    cache, fill = full_disk
    engine = opened(cache)
    make_room = fill()
    try:
        with pytest.raises(StoreError, match="free some space on that disk"):
            update(engine)
        result = search(engine, "doctor")
        engine.save_snapshot()
        engine.indexer._n_unsaved = 1000
    finally:
        make_room()
    assert {"00.md", "39.md"} <= set(ids(search(engine, "physician", limit=100)))
    assert set(codes(result)) == {"store-locked", "still-embedding"}
    assert "free some space" in result.notices[0].message
    assert not list(cache.glob("*.snapshot*"))
    update(engine)
    assert no_text_was_read_twice(engine)
    engine.close()
    again = opened(cache)
    assert update(again) == 0
    assert codes(search(again, "doctor")) == []


@pytest.mark.parametrize(("disk_at", "why"), READ_ONLY)
def test_a_read_only_disk_is_used_as_it_is(tmp_path, opened, vault, disk_at, why):
    with disk_at(tmp_path / "disk", 10_000_000) as disk:
        cache = disk.path / "cache"
        first = opened(cache)
        update(first)
        first.close()
        disk.make_read_only()
        engine = opened(cache)
        assert search(engine, "doctor").mode == "hybrid"
        assert engine.embedder.passages == []
        write(vault, "--- new.md\nThe doctor is new.")
        engine.mark_changed(["new.md"])
        result = search(engine, "doctor")
        assert "new.md" in ids(result)
        assert codes(result) == ["store-locked"]
        assert why in result.notices[0].message
        engine.indexer._n_unsaved = 1000
        engine.save_snapshot()
        with pytest.raises(StoreError, match=why):
            engine.maintenance().update()
        with pytest.raises(StoreError, match=why):
            engine.clear_snapshot()


@pytest.mark.parametrize(("disk_at", "why"), READ_ONLY)
def test_an_empty_read_only_disk_holds_nothing_up(tmp_path, opened, disk_at, why):
    with disk_at(tmp_path / "disk", 10_000_000) as disk:
        disk.make_read_only()
        engine = opened(disk.path / "cache")
        assert set(codes(search(engine, "doctor"))) == {"store-locked", "still-embedding"}


def test_the_cache_may_be_on_another_disk_than_the_vault_and_behind_a_link(tmp_path, opened):
    with mounted(tmp_path / "disk", 10_000_000) as disk:
        (tmp_path / "cache").symlink_to(disk.path)
        first = opened(tmp_path / "cache")
        assert update(first) > 0
        first.maintenance().collect_garbage()
        first.close()
        again = opened(tmp_path / "cache")
        assert update(again) == 0
        assert {path.suffix for path in disk.path.iterdir()} == {"", ".snapshot"}


def test_names_of_255_bytes_have_vectors_and_a_snapshot(tmp_path, opened):
    root = tmp_path / ("ö" * 127)
    try:
        write(root, f"--- {NAME}.md\nThe doctor.\n--- {NAME}/{NAME}.md\nThe oak.\n\n" + "# A\nword\n" * 200)
    except OSError:
        pytest.skip("this file system refuses such names")
    first = opened(tmp_path / "cache", root)
    update(first)
    assert path_in_cache(tmp_path / "cache", root).is_dir()
    assert list((tmp_path / "cache").glob("*.snapshot"))
    first.close()
    again = opened(tmp_path / "cache", root)
    assert update(again) == 0
    assert ask(again, "physician")[0] == f"{NAME}.md"
    assert ask(again, "oak")[0] == f"{NAME}/{NAME}.md"


@pytest.mark.parametrize("steps", [(86_400, -86_400), (-400_000_000, 400_000_000), (30 * 365 * 86_400, 0)])
def test_a_clock_that_is_set_back_and_forth_hides_no_change_and_makes_nothing_again(
    tmp_path, vault, opened, monkeypatch, steps
):
    """Files carry the times of the clock as it was set when they were written."""
    now, now_ns = time.time, time.time_ns
    first = opened(tmp_path / "cache")
    update(first)
    first.close()
    for number, step in enumerate(steps):
        monkeypatch.setattr(time, "time", lambda step=step: now() + step)
        monkeypatch.setattr(time, "time_ns", lambda step=step: now_ns() + step * 10**9)
        changed, touched = vault / f"{number:02d}.md", vault / "30.md"
        changed.write_text(f"The elm{number}.", encoding="utf-8")
        for path in (changed, touched):
            os.utime(path, (now() + step, now() + step))
        engine = opened(tmp_path / "cache")
        assert ask(engine, f'"elm{number}"', mode=Mode.KEYWORD) == [changed.name]
        assert changed.name not in ask(engine, f"word{number}", mode=Mode.KEYWORD, limit=100)
        update(engine)
        assert no_text_was_read_twice(engine)
        assert not any("physician" in text for text in engine.embedder.passages)
        engine.close()


@pytest.mark.slow
def test_processes_that_write_at_the_same_time_leave_a_sound_cache(tmp_path, vault, opened):
    """One of them writes vectors, the others keep theirs in memory; the last one's snapshot counts."""
    command = [sys.executable, doomed_writer.__file__]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    writers = [
        subprocess.Popen(
            [*command, job, vault, tmp_path / "cache", "-1"], env=environment, stdout=subprocess.PIPE, encoding="utf-8"
        )
        for job in ("embed", "save", "embed", "save", "embed", "save")
    ]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0] * len(writers)
    engine = opened(tmp_path / "cache")
    assert update(engine) == 0
    assert codes(search(engine, "doctor")) == []
    reference = opened(tmp_path / "other")
    update(reference)
    for text in ("doctor", "oak3", "word7"):
        assert ask(engine, text) == ask(reference, text)
    assert [path.suffix for path in (tmp_path / "cache").iterdir() if path.is_file()] == [".snapshot"]
