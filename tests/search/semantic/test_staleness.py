"""Vectors follow their notes: edits, renames, deletions and restarts embed what changed and nothing else."""

from embedders import WordEmbedder
from search.query import Mode
from vaults import ids, search, write


def test_vectors_are_kept_for_the_next_start(make):
    search(make(), "car")
    embedder = WordEmbedder()
    assert ids(search(make(embedder), "car")) == ["Garage.md"]
    assert embedder.passages == []


def test_an_edited_note_is_embedded_again_and_not_found_by_its_old_text(make):
    embedder = WordEmbedder()
    engine = make(embedder)
    assert ids(search(engine, "car")) == ["Garage.md"]
    n_before = len(embedder.passages)
    engine.open_buffer("Garage.md", "# Garage\nThe physician lives here.")
    assert ids(search(engine, "car")) == []
    assert "Garage.md" in ids(search(engine, "doctor"))
    assert embedder.passages[n_before:] == ["Garage. The physician lives here.", "# Garage\nThe physician lives here."]


def test_a_text_that_comes_back_is_not_embedded_again(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    old = (vault / "Garage.md").read_text()
    engine.open_buffer("Garage.md", "# Garage\nNothing.")
    search(engine, "lamp", mode=Mode.KEYWORD)
    assert engine.semantic.maintenance.vectors.check(["Garage.md"]) == ("Garage.md",)
    n_before = len(embedder.passages)
    engine.open_buffer("Garage.md", old)
    assert ids(search(engine, "car")) == ["Garage.md"]
    assert len(embedder.passages) == n_before


def test_a_renamed_note_keeps_its_vectors(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    n_before = len(embedder.passages)
    (vault / "Garage.md").rename(vault / "Shed.md")
    engine.mark_changed(["Garage.md"])
    assert ids(search(engine, "car")) == ["Shed.md"]
    assert len(embedder.passages) == n_before
    assert "Garage.md" not in engine.semantic.maintenance.vectors.storage.stored


def test_a_deleted_note_is_not_found_and_its_vectors_are_garbage(make, vault):
    engine = make()
    search(engine, "car")
    (vault / "Garage.md").unlink()
    engine.mark_changed(["Garage.md"])
    assert ids(search(engine, "car")) == []
    assert engine.maintenance().collect_garbage() == 1
    assert engine.maintenance().collect_garbage() == 0


def test_a_note_without_text_is_not_missing_after_a_restart(make, vault):
    write(vault, "--- Empty.md\n")
    first = make()
    first.maintenance().update()
    first.close()
    again = make()
    again.maintenance()
    again.semantic.open_store()
    assert (again.status().semantic.n_missing, again.status().semantic.n_notes) == (0, 3)
    again.open_buffer("Garage.md", "Something else.")
    search(again, "else", mode=Mode.KEYWORD)
    again.semantic.maintenance.vectors.check(["Garage.md"])
    assert again.status().semantic.n_missing == 1
