"""Inputs that broke other products: changes to files outside the editor."""

import os

from search.engine import Engine
from search.ids import NoteId
from search.query import Query
from vaults import ask, write


def later(clock, engine, query):
    """What a query finds when the next sweep is due."""
    clock.now += 1.0
    return ask(engine, query)


def test_a_save_by_rename_is_seen(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\nold words"), clock=clock)
    assert ask(engine, "old") == ["a.md"]
    write(tmp_path, "--- a.md.tmp\nnew words")
    (tmp_path / "a.md.tmp").replace(tmp_path / "a.md")
    assert later(clock, engine, "new") == ["a.md"]
    assert ask(engine, "old") == []


def test_a_deleted_note_is_gone_and_a_new_one_is_there(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak\n--- b.md\noak"), clock=clock)
    assert sorted(ask(engine, "oak")) == ["a.md", "b.md"]
    (tmp_path / "b.md").unlink()
    write(tmp_path, "--- deep/er/c.md\noak")
    assert sorted(later(clock, engine, "oak")) == ["a.md", "deep/er/c.md"]


def test_a_renamed_note_and_a_renamed_folder_are_found_under_their_new_paths(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak\n--- x/b.md\nelm"), clock=clock)
    ask(engine, "oak")
    (tmp_path / "a.md").rename(tmp_path / "z.md")
    (tmp_path / "x").rename(tmp_path / "y")
    assert later(clock, engine, "oak") == ["z.md"]
    assert ask(engine, "elm") == ["y/b.md"]
    assert engine.status().n_notes == 2


def test_a_rename_that_changes_only_case_is_seen(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- note.md\noak"), clock=clock)
    ask(engine, "oak")
    (tmp_path / "note.md").rename(tmp_path / "Note.md")
    assert later(clock, engine, "oak") == ["Note.md"]


def test_links_follow_the_changes(tmp_path, clock):
    """`[[b]]` leads nowhere until b.md is written."""
    engine = Engine(write(tmp_path, "--- a.md\noak [[b]]\n--- c.md\noak"), clock=clock)
    ask(engine, "oak")
    write(tmp_path, "--- b.md\noak")
    clock.now += 1.0
    graph = {hit.hit.id: hit.hit.evidence.graph for hit in engine.search(Query(text="oak")).hits}
    assert graph[NoteId("b.md")].backlinks == 1


def test_an_edit_that_keeps_size_and_time_is_seen_after_a_hint(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak"), clock=clock)
    file = tmp_path / "a.md"
    os.utime(file, ns=(10**18, 10**18))
    assert ask(engine, "oak") == ["a.md"]
    file.write_text("elm", encoding="utf-8")
    os.utime(file, ns=(10**18, 10**18))
    engine.mark_changed([NoteId("a.md")])
    assert ask(engine, "elm") == ["a.md"]
    assert ask(engine, "oak") == []


def test_files_are_checked_once_a_second_for_any_number_of_searches(tmp_path, clock):
    engine = Engine(write(tmp_path, "--- a.md\noak"), clock=clock)
    ask(engine, "oak")
    write(tmp_path, "--- b.md\noak")
    clock.now += 0.9
    assert ask(engine, "oak") == ["a.md"]
    clock.now += 0.1
    assert sorted(ask(engine, "oak")) == ["a.md", "b.md"]
