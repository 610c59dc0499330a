"""Open buffers replace their files, in searches and while files are read."""

import json

from kit.engines import HeldVault, engine_of, many

from search.ids import NoteId
from search.query import Query
from vaults import ask, write

A = NoteId("a.md")


def test_a_buffer_opened_while_its_file_is_read_is_kept(tmp_path, monkeypatch):
    """The file's text arrives after the buffer's and must not replace it, and the note must not count as deleted."""
    engine = engine_of(tmp_path, many(200) + "--- a.md\nold\n")
    read = engine._vault.read

    def slow(notes, *rest):
        found = list(read(notes, *rest))
        engine.open_buffer(A, "unsaved")
        return found

    monkeypatch.setattr(engine._vault, "read", slow)
    assert ask(engine, "unsaved") == ["a.md"]
    assert ask(engine, "old") == []
    monkeypatch.undo()
    engine.close_buffer(A)
    assert ask(engine, "old") == ["a.md"]


def test_a_buffer_opened_before_its_file_is_read_is_kept(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, many(200) + "--- a.md\nold\n")
    held = HeldVault(engine, monkeypatch)
    engine.search(Query(text="oak"), patience_s=0.0)
    engine.open_buffer(A, "unsaved")
    held.go.set()
    assert ask(engine, "unsaved") == ["a.md"]


def test_an_open_buffer_replaces_its_file_until_it_is_closed(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\non disk")
    assert ask(engine, "disk") == ["a.md"]
    engine.open_buffer(A, "on screen")
    assert (ask(engine, "screen"), ask(engine, "disk")) == (["a.md"], [])
    engine.open_buffer(A, "on paper")
    assert (ask(engine, "paper"), ask(engine, "screen")) == (["a.md"], [])
    engine.close_buffer(A)
    assert (ask(engine, "disk"), ask(engine, "paper")) == (["a.md"], [])


def test_a_buffer_without_a_file_is_a_note_while_it_is_open(tmp_path):
    engine = engine_of(tmp_path, "--- other.md\nx")
    engine.open_buffer(NoteId("new/a.md"), "unsaved")
    assert ask(engine, "unsaved") == ["new/a.md"]
    engine.close_buffer(NoteId("new/a.md"))
    assert ask(engine, "unsaved") == []
    assert engine.status().n_notes == 1


def test_a_buffer_whose_file_is_deleted_stays_until_it_is_closed(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\non disk")
    engine.open_buffer(A, "on screen")
    (tmp_path / "a.md").unlink()
    assert ask(engine, "screen") == ["a.md"]
    engine.close_buffer(A)
    assert ask(engine, "screen") == []


def test_a_saved_and_closed_buffer_is_found_by_its_saved_text(tmp_path):
    engine = engine_of(tmp_path, "--- other.md\nx")
    engine.open_buffer(A, "saved")
    write(tmp_path, "--- a.md\nsaved")
    engine.close_buffer(A)
    assert ask(engine, "saved") == ["a.md"]


def test_a_buffer_of_an_excluded_note_is_excluded(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["private/"]}', encoding="utf-8")
    engine = engine_of(tmp_path, "--- private/a.md\nsecret\n--- b.md\nx")
    assert ask(engine, "secret") == []
    engine.open_buffer(NoteId("private/a.md"), "secret")
    assert ask(engine, "secret") == []
    engine.close_buffer(NoteId("private/a.md"))
    assert ask(engine, "secret") == []


def test_closing_a_buffer_that_was_never_open_changes_nothing(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak")
    engine.close_buffer(A)
    engine.close_buffer(NoteId("unknown.md"))
    assert ask(engine, "oak") == ["a.md"]


def test_a_change_makes_a_new_generation_and_a_search_does_not(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\noak")
    first = engine.search(Query(text="oak")).generation
    assert engine.search(Query(text="elm")).generation == engine.status().generation == first
    engine.open_buffer(A, "elm")
    assert engine.search(Query(text="elm")).generation == engine.status().generation > first


def test_the_byte_order_mark_of_a_buffer_is_no_part_of_its_text(tmp_path):
    engine = engine_of(tmp_path, "--- a.md\nash\n")
    engine.open_buffer(NoteId("a.md"), "\ufeffan oak by the road")
    (found,) = engine.search(Query(text="oak")).hits
    assert [snippet.text for snippet in found.snippets] == ["an oak by the road"]


def excluded(folder, *patterns):
    """Has Obsidian leave out notes."""
    path = folder / ".obsidian" / "app.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"userIgnoreFilters": patterns}), encoding="utf-8")


def test_a_buffer_that_is_opened_before_the_first_sweep_is_excluded_like_its_file(tmp_path):
    engine = engine_of(tmp_path, "--- private/a.md\nsecret on disk\n--- b.md\n[[a]]\n")
    excluded(tmp_path, "private/")
    engine.open_buffer(NoteId("private/a.md"), "secret on screen")
    assert ask(engine, "secret") == []
    assert ask(engine, "screen") == []
    assert engine.status().n_notes == 1
    engine.close_buffer(NoteId("private/a.md"))
    assert ask(engine, "secret") == []


def test_an_open_buffer_leaves_and_comes_back_as_exclusions_change(tmp_path):
    engine = engine_of(tmp_path, "--- private/a.md\non disk\n--- b.md\nx\n")
    engine.open_buffer(NoteId("private/a.md"), "on screen")
    assert ask(engine, "screen") == ["private/a.md"]
    for patterns, found in (
        (["private/"], []),
        (["other/"], ["private/a.md"]),
        (["/a.md/"], []),
        ([], ["private/a.md"]),
    ):
        excluded(tmp_path, *patterns)
        engine.mark_changed([])
        assert ask(engine, "screen") == found, patterns


def test_an_edit_while_a_buffer_is_judged_again_is_kept(tmp_path, monkeypatch):
    engine = engine_of(tmp_path, "--- a.md\non disk\n")
    engine.open_buffer(A, "before")
    parse = engine._vault._parse_buffer

    def edited_meanwhile(note_id, text):
        parsed = parse(note_id, text)
        if text == "before":
            engine.open_buffer(A, "after")
        return parsed

    monkeypatch.setattr(engine._vault, "_parse_buffer", edited_meanwhile)
    excluded(tmp_path, "other/")
    engine.mark_changed([])
    assert (ask(engine, "after"), ask(engine, "before")) == (["a.md"], [])
