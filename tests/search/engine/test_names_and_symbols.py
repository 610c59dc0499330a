"""Notes by name: symbols, first answers by name, and names as people type them."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from kit.engines import HeldVault, engine_of, many

from search.answer.trail import replay
from search.ids import NoteId
from search.query import Query
from search.vault.vault import Vault
from vaults import ids

A = NoteId("a.md")

GARDEN = """
--- plants/orchid.md
---
aliases: [Phalaenopsis]
---
# Orchid
--- wild orchid.md
text
--- list.md
orchid, fern #plant
"""


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("x/Oak.md", "x/Oak.md"),
        ("x/Oak", "x/Oak.md"),
        ("oak", "x/Oak.md"),
        ("The tree", "x/Oak.md"),
        ("elm", "elm.markdown"),
        ("nothing", "nothing"),
    ],
)
def test_a_note_is_found_by_its_path_or_name(tmp_path, name, note):
    engine = engine_of(tmp_path, "--- x/Oak.md\n---\naliases: The tree\n---\n--- elm.markdown\nx")
    engine.refresh()
    assert engine.find_note(name) == note


def test_an_answer_by_name_comes_before_any_file_is_checked(tmp_path, monkeypatch):
    """It has the notes read so far, and its scores are the replay of their trails."""
    engine = engine_of(tmp_path, GARDEN)
    assert engine.by_name(Query(text="orchid")) is None
    engine.refresh()
    monkeypatch.setattr(engine._vault, "sweep", None)
    answer = engine.by_name(Query(text="orchid"))
    assert ids(answer) == ["plants/orchid.md", "wild orchid.md"]
    assert (answer.is_complete, answer.total, answer.terms) == (False, 2, ("orchid",))
    assert [hit.hit.score for hit in answer.hits] == [replay(hit.hit.trail) for hit in answer.hits]
    assert [hit.sentence for hit in answer.hits] == ['Name is exactly "Orchid".', '"orchid" in the title.']
    (alias,) = engine.by_name(Query(text="phal")).hits
    assert (alias.title, alias.sentence) == ("Orchid", 'A word that begins with "phal" in the title.')


@pytest.mark.parametrize("query", [{"text": "orchid -fern"}, {"text": "orchid", "folder": "plants"}, {"text": "ohd"}])
def test_there_is_no_answer_by_name_for_filters_and_scattered_letters(tmp_path, query):
    engine = engine_of(tmp_path, GARDEN)
    engine.refresh()
    assert engine.by_name(Query(**query)) is None


def test_symbols_are_found_before_any_search(tmp_path):
    engine = engine_of(tmp_path, GARDEN)
    engine.prepare_symbols()
    assert [symbol.name for symbol in engine.symbols("orchid")] == ["Orchid", "wild orchid"]


def test_the_first_symbols_wait_for_the_first_sweep(tmp_path, monkeypatch):
    engine, sweep, begun, go = engine_of(tmp_path, GARDEN), Vault.sweep, threading.Event(), threading.Event()

    def held(vault, budget):
        begun.set()
        assert go.wait(20)
        return sweep(vault, budget)

    monkeypatch.setattr(Vault, "sweep", held)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(engine.symbols, "orchid")
        assert begun.wait(20)
        assert not asked.done()
        go.set()
        assert [symbol.name for symbol in asked.result(20)] == ["Orchid", "wild orchid"]


def test_a_first_sweep_that_hangs_is_not_waited_for(tmp_path, monkeypatch):
    engine, sweep, go = engine_of(tmp_path, GARDEN), Vault.sweep, threading.Event()
    monkeypatch.setattr(Vault, "sweep", lambda vault, budget: sweep(vault, budget) if go.wait(20) else None)
    monkeypatch.setattr("search.engine.FIRST_SWEEP_S", 0.01)
    assert engine.symbols("orchid") == ()
    go.set()
    engine.refresh()
    assert engine.symbols("orchid")


def test_unread_notes_are_symbols_by_file_name(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200) + "--- deep/Oak tree.md\n# Quercus\n")
    os.utime(tmp_path / "n007.md", (0, 2e9))
    held = HeldVault(engine, monkeypatch)
    assert len(engine.symbols("n0")) == 100
    assert engine.symbols("")[0].note == "n007.md"
    (tree,) = engine.symbols("tree")
    assert (tree.note, tree.title, tree.name, tree.line) == ("deep/Oak tree.md", "Oak tree", "Oak tree", 0)
    assert engine.symbols("quercus") == ()
    held.go.set()
    engine.refresh()
    assert [symbol.title for symbol in engine.symbols("tree")] == ["Quercus"]
    assert len(engine.symbols("n0")) == 100


def test_symbols_of_a_missing_vault_are_the_known_ones(tmp_path):
    engine = engine_of(tmp_path / "vault", GARDEN, clock=iter(range(0, 1000, 10)).__next__)
    engine.refresh()
    shutil.rmtree(tmp_path / "vault")
    assert [symbol.name for symbol in engine.symbols("wild")] == ["wild orchid"]
