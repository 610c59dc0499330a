"""While a vault is read for the first time: partial answers, progress, closing, concurrent searches and edits."""

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from kit.engines import HeldVault, engine_of, many

from search.answer.trail import replay
from search.errors import VaultClosed, VaultError
from search.ids import NoteId
from search.notice import NoticeKind
from search.query import Query
from search.vault.vault import Vault
from vaults import ask, codes, ids

A = NoteId("a.md")


def test_without_patience_the_first_answer_is_partial_and_a_later_one_complete(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200))
    held = HeldVault(engine, monkeypatch)
    partial = engine.search(Query(text="oak"), patience_s=0.0)
    assert (ids(partial), partial.is_complete) == ([], False)
    assert [(notice.kind, notice.code) for notice in partial.notices] == [(NoticeKind.PARTIAL, "still-reading")]
    assert "200 notes" in partial.notices[0].message
    assert (engine.status().n_pending, engine.status().is_complete) == (200, False)
    held.go.set()
    whole = engine.search(Query(text="oak"))
    assert (whole.total, whole.is_complete, codes(whole)) == (200, True, [])
    assert (engine.status().n_pending, engine.status().is_complete) == (0, True)


def test_progress_reports_how_many_notes_are_read(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200))
    held = HeldVault(engine, monkeypatch)
    told = []

    def progress(done, total):
        told.append((done, total))
        held.go.set()

    engine.search(Query(text="oak"), progress=progress)
    assert told[0] == (0, 200)
    assert told[-1] == (200, 200)


@pytest.mark.parametrize(
    ("query", "place", "text"),
    [
        ("wombat care", "z/old.md", "How to care for a wombat."),
        ("caring for wombats", "z/old.md", "The care of a wombat."),
        ("wombat", "z/Wombat.md", "About an animal."),
        ("Größe", "z/old.md", "Die größe"),
        ("äpfel", "z/old.md", "ÄPFEL UND BIRNEN"),
        ("CAFÉ", "z/old.md", "A cafe."),
        ("Москва", "z/old.md", "МОСКВА и Тула"),
        ("知識", "z/old.md", "蘭の知識について"),
    ],
)
def test_the_notes_with_the_words_of_an_impatient_query_are_read_first(tmp_path, monkeypatch, query, place, text):
    monkeypatch.setattr("search.index.indexer._LOOK_S", 60.0)  # a busy machine needs longer
    engine = engine_of(tmp_path, many(600) + f"--- {place}\n{text}\n")
    os.utime(tmp_path / place, (0, 0))  # otherwise the newest notes are read first
    first, go_on = held_after_one_batch(engine, monkeypatch)
    partial = engine.search(Query(text=query), patience_s=0.01)
    first.wait(20)
    partial = engine.search(Query(text=query), patience_s=0.01)
    go_on.set()
    assert (ids(partial), partial.is_complete) == ([place], False)
    assert ids(engine.search(Query(text=query))) == [place]


def test_what_is_looked_for_decides_only_the_order_of_reading(tmp_path):
    engine = engine_of(tmp_path, many(600, "oak elm") + "--- z.md\nelm wombat\n")
    engine.search(Query(text="wombat"), patience_s=0.01)
    assert engine.search(Query(text="elm")).total == 601
    assert engine.search(Query(text="oak")).total == 600


def held_after_one_batch(engine, monkeypatch):
    """Events: the first batch of notes can be found, since the second is begun; the second may be read."""
    first, go_on, begun = threading.Event(), threading.Event(), []
    read = engine._vault.read

    def held(wanted):
        if begun:
            first.set()
            go_on.wait(20)
        begun.append(wanted)
        return read(wanted)

    monkeypatch.setattr(engine._vault, "read", held)
    return first, go_on


def test_few_changed_notes_are_read_before_the_answer_even_without_patience(tmp_path):
    result = engine_of(tmp_path, many(60)).search(Query(text="oak"), patience_s=0.0)
    assert (result.total, result.is_complete) == (60, True)


def test_closing_ends_reading_and_waiting_searches(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(600))
    held = HeldVault(engine, monkeypatch)
    engine.search(Query(text="oak"), patience_s=0.0)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(engine.search, Query(text="oak"))
        closing = pool.submit(engine.close)
        held.go.set()
        closing.result(20)
        with pytest.raises(VaultError, match="closed"):
            waiting.result(20)
    assert engine.indexer.thread is None
    with pytest.raises(VaultError, match="closed"):
        engine.search(Query(text="oak"))


def test_a_search_during_which_the_engine_closes_raises(tmp_path):
    """The caller may search with another engine; a partial answer would look like a whole one."""
    engine = engine_of(tmp_path, many(3))
    with pytest.raises(VaultClosed):
        engine.search(Query(text="oak"), progress=lambda _done, _total: engine.close())


def test_closing_twice_or_before_any_search_does_no_harm(tmp_path):
    engine = engine_of(tmp_path, many(3))
    engine.close()
    engine.close()
    with pytest.raises(VaultError, match="closed"):
        engine.search(Query(text="oak"))


def test_searches_during_reading_and_edits_all_get_an_answer(tmp_path):
    engine = engine_of(tmp_path, many(400, "oak elm"))
    done = threading.Event()

    def edit(n):
        note = NoteId(f"n{n:03}.md")
        for turn in range(30):
            engine.open_buffer(note, f"oak ash {turn}")
            engine.close_buffer(note)

    def search(n):
        while not done.is_set():
            for found in engine.search(Query(text="oak ash"), patience_s=0.0).hits:
                assert found.hit.score == replay(found.hit.trail)
                assert found.hit.evidence.matches

    with ThreadPoolExecutor(6) as pool:
        searches = [pool.submit(search, n) for n in range(3)]
        edits = [pool.submit(edit, n) for n in range(3)]
        for edited in edits:
            edited.result(60)
        done.set()
        for searched in searches:
            searched.result(60)
    assert engine.search(Query(text="oak elm")).total == 400
    assert ask(engine, "ash") == []


def test_the_garbage_collector_skips_notes_read_so_far(tmp_path, monkeypatch):
    """Notes have no reference cycles, so traversing them again and again would find nothing."""
    engine = engine_of(tmp_path, many(600))
    frozen = []
    read = Vault.read

    def watched(vault, wanted):
        frozen.append(gc.get_freeze_count())
        return read(vault, wanted)

    monkeypatch.setattr(Vault, "read", watched)
    engine.refresh()
    assert len(frozen) > 2
    assert frozen[0] == 0
    assert all(before < after for before, after in pairwise(frozen))
    for thread in threading.enumerate():
        if thread.name == "vault-reader":
            thread.join()
    assert gc.get_freeze_count() == 0


def test_status_counts_notes_and_notices_before_and_after_reading(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak elm\n--- b.md\n---\ntags: [x\n---\n")
    before = engine.status()
    assert (before.n_notes, before.is_complete, before.generation) == (0, False, 0)
    engine.refresh()
    after = engine.status()
    assert (after.root, after.n_notes, after.n_pending, after.is_complete) == (str(tmp_path), 2, 0, True)
    assert [notice.subject for notice in after.notices] == ["b.md"]
    assert after.n_words >= 2
    engine.mark_changed([A])
    assert engine.status().is_complete
