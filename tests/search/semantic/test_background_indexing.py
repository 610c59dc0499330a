"""The background indexer: it embeds the rest of a vault, stops for searches, and lets go of the store on closing."""

import os
import threading
import time
from types import SimpleNamespace

import pytest
from kit.semantic import LONG_NOTE, Pause, many_notes, wait_for_indexer

from embedders import WordEmbedder
from search.cache.folder import path_in_cache
from search.semantic.note_embedder import Throughput
from search.vectors.store import VectorStore
from vaults import codes, search, write


def test_it_embeds_the_rest_of_the_vault(make, vault):
    write(vault, many_notes(20))
    engine = make(n_first=1, in_background=True)
    search(engine, "oil")
    wait_for_indexer(engine)
    status = engine.status().semantic
    assert (status.n_missing, status.n_notes, status.is_indexing) == (0, 23, False)
    assert status.seconds_left == 0


def test_it_begins_with_the_newest_note(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder, n_first=1)
    for at, name in enumerate(("Notes/Oil.md", "Garage.md", "Health.md")):
        os.utime(vault / name, (1000 + at, 1000 + at))
    engine.refresh()
    assert engine.semantic.maintenance.vectors.unchecked() == ["Health.md", "Garage.md", "Notes/Oil.md"]


def test_no_search_waits_while_it_cuts_a_long_note(make, vault, monkeypatch):
    monkeypatch.setattr("search.semantic.note_embedder._LONG_BYTES", 1000)  # a really long note takes half a minute
    write(vault, "--- Long.md\n" + "\n\n".join(f"endless w{n} " * 25 for n in range(10)))
    embedder = WordEmbedder()
    pause = Pause(lambda text: threading.current_thread().name == "vault-embedder" and "endless" in text)
    count = embedder.count_tokens
    embedder.count_tokens = lambda text: pause(text) or count(text)
    engine = make(embedder, n_first=1, patience_s=0.1, patience_alone_s=0.1, in_background=True)
    search(engine, "lamp")
    assert pause.is_reached.wait(30)
    result = search(engine, "lamp")
    assert (result.mode, codes(result)) == ("hybrid", ["still-embedding"])
    pause.release.set()
    wait_for_indexer(engine)
    assert engine.status().semantic.n_missing == 0


def test_it_stops_for_a_search_and_continues_where_it_stopped(make, vault):
    write(vault, "\n".join(f"--- Many/{n}.md\n{'word ' * 25}\n\n{n} and more" for n in range(5)))
    pause = Pause(lambda text: "and more" in text)
    embedder = WordEmbedder(on_passage=pause)
    engine = make(embedder, n_first=1, in_background=True)
    engine.refresh()
    engine.semantic.start_background_indexer()
    assert pause.is_reached.wait(30)
    with engine.semantic.searching():
        pause.release.set()
    wait_for_indexer(engine)
    assert engine.status().semantic.n_missing == 0
    assert len(embedder.passages) == len(set(embedder.passages))


def test_the_time_left_is_estimated_from_the_size_of_the_notes(make, vault):
    write(vault, LONG_NOTE)
    engine = make(n_first=1)
    engine.refresh()
    note_embedder = engine.semantic.maintenance.note_embedder
    assert note_embedder.seconds_to_embed(["gone.md"]) == 0.0
    search(engine, "lamp")
    note_embedder.throughput = Throughput()
    assert note_embedder.seconds_to_embed(["Long.md"]) is None
    note_embedder.throughput.add(1000, 2.0)
    n_chars = note_embedder._n_cut_chars / note_embedder._n_cut_bytes * (vault / "Long.md").stat().st_size
    assert note_embedder.seconds_to_embed(["Long.md", "gone.md"]) == pytest.approx(0.002 * n_chars)


@pytest.mark.slow
@pytest.mark.parametrize("n_first", [3, 20])
def test_the_estimate_of_the_time_left_is_that_of_the_work(make, vault, monkeypatch, n_first):
    """A model that takes a millisecond for each character: whatever notes came first, the rest is foreseen."""
    write(vault, LONG_NOTE + "\n" + "".join(f"--- Short/{n}.md\n# Short\n\n{n} short\n" for n in range(30)))
    now = [0.0]

    def take(text):
        now[0] += 0.001 * len(text)

    engine = make(WordEmbedder(on_passage=take), n_first=n_first)
    maintenance = engine.maintenance()
    monkeypatch.setattr("search.semantic.note_embedder.time", SimpleNamespace(perf_counter=lambda: now[0]))
    search(engine, "short")
    began, planned, left = now[0], maintenance.plan().seconds, engine.semantic.status().seconds_left
    maintenance.update()
    assert now[0] - began == pytest.approx(planned, rel=0.01)
    assert now[0] - began == pytest.approx(left, rel=0.3)


def test_closing_stops_it_and_lets_others_write(make, vault, tmp_path):
    write(vault, many_notes(50))
    slow = WordEmbedder(on_passage=lambda _text: time.sleep(0.001))
    engine = make(slow, n_first=1, in_background=True)
    search(engine, "oil")
    engine.close()
    assert engine.semantic.indexer.thread is None
    folder = path_in_cache(tmp_path / "cache", vault)
    with VectorStore.open(folder, model="words@1", n_dimensions=64, chunker="1") as store:
        assert store.notes


def test_closing_does_not_wait_for_a_request_that_hangs(make, monkeypatch):
    monkeypatch.setattr("search.semantic.background_indexer._CLOSE_S", 0.05)
    pause = Pause()
    engine = make(WordEmbedder(on_passage=pause), in_background=True)
    engine.refresh()
    engine.semantic.start_background_indexer()
    assert pause.is_reached.wait(30)
    engine.close()
    thread = engine.semantic.indexer.thread
    storages = [embedder.storage for embedder in engine.semantic.maintenance.embedders]
    assert any(storage.is_open for storage in storages)
    pause.release.set()
    thread.join(30)
    assert not any(storage.is_open for storage in storages)


def test_a_search_after_closing_does_not_lock_the_store_again(make):
    """A search may be running when its engine is closed and replaced by one with other settings."""
    engine = make()
    search(engine, "oil")
    engine.close()
    engine.semantic.open_store()
    assert not engine.semantic.maintenance.vectors.storage.is_open
    assert codes(search(make(), "oil")) == []
