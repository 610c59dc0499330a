"""The commands: plan, update, rebuild, clear."""

from types import SimpleNamespace

import pytest
from kit.semantic import LONG_NOTE, many_notes

from embedders import WordEmbedder
from search.budget import UNLIMITED
from search.semantic.settings import AutoIndex
from search.vectors.generation import Generation
from vaults import ids, search, write


def test_a_plan_describes_the_work_of_update_and_stores_nothing(make):
    maintenance = make().maintenance()
    plan = maintenance.plan()
    assert (plan.n_notes, plan.n_missing, plan.n_missing_gists, plan.n_chunks) == (3, 3, 3, 9)
    assert plan.n_tokens > 9
    assert (plan.model, plan.where) == ("words@1", "this computer")
    assert maintenance.plan() == plan
    assert maintenance.update() == 3


def test_a_plan_measures_the_time_with_a_few_passages(make, vault, monkeypatch):
    """A model that takes a millisecond for each character, and a second more for the first text, to load."""
    write(vault, "".join(f"--- {n}.md\n{n} {'word ' * (n % 25)}\n" for n in range(200)))
    now, embedder = [0.0], WordEmbedder()

    def take(text):
        now[0] += 0.001 * len(text) + (not embedder.passages)

    embedder.on_passage = take
    monkeypatch.setattr("search.semantic.maintenance.time", SimpleNamespace(perf_counter=lambda: now[0]))
    maintenance = make(embedder).maintenance()
    plan = maintenance.plan()
    n_measured = len(embedder.passages)
    assert 2 <= n_measured <= 50
    began = now[0]
    maintenance.update()
    assert plan.seconds == pytest.approx(now[0] - began)
    assert maintenance.plan().seconds == 0


def test_a_plan_sends_no_text_to_an_endpoint(make):
    embedder = WordEmbedder()
    maintenance = make(embedder).maintenance()
    maintenance.where = "http://127.0.0.1:11434/v1"
    assert maintenance.plan().seconds is None
    assert embedder.passages == []


@pytest.mark.parametrize("is_opened", [False, True])
def test_a_plan_counts_what_update_then_embeds(make, vault, is_opened):
    """A passage in several notes is embedded once, and notes of nothing else take no work."""
    write(
        vault,
        "--- Copy/1.md\nthe same words\n--- Copy/2.md\nthe same words\n--- Empty.md\n--- Title.md\n# Title\n"
        "--- a/Bulb.md\nlamp\n--- b/Bulb.md\nlamp\n",
    )
    embedder = WordEmbedder()
    maintenance = make(embedder).maintenance()
    if is_opened:
        maintenance.update()
        maintenance.clear()
    plan = maintenance.plan()
    embedder.passages.clear()
    assert plan.n_missing < plan.n_missing_gists < plan.n_notes
    assert maintenance.update() == plan.n_missing_gists
    assert len(embedder.passages) == plan.n_chunks
    left = maintenance.plan()
    assert (left.n_missing, left.n_missing_gists, left.n_chunks) == (0, 0, 0)


def test_commands_report_their_progress(make):
    seen = []
    maintenance = make().maintenance()
    assert maintenance.update(progress=lambda done, total: seen.append((done, total))) == 3
    assert seen == [(done, 3) for done in (0, 0, 1, 1, 2, 2, 3)]  # half a note: its name and opening, or its text
    assert maintenance.plan().n_missing == 0
    assert maintenance.update() == 0


def test_rebuild_embeds_everything_again(make):
    embedder = WordEmbedder()
    maintenance = make(embedder).maintenance()
    maintenance.update()
    assert maintenance.rebuild() == 3
    assert len(embedder.passages) == 18


def test_clear_deletes_all_vectors(make):
    engine = make(auto_index=AutoIndex.NEVER)
    engine.maintenance().update()
    engine.maintenance().clear()
    assert ids(search(engine, "car")) == []
    assert engine.status().semantic.n_vectors == 0


def test_update_counts_the_notes_that_the_model_read(make, vault):
    """A renamed note, a copy and a note without text are neither planned nor embedded, but for their names."""
    engine = make(auto_index=AutoIndex.NEVER)
    write(vault, "--- Empty.md\n--- Copy.md\nOil for the lamp.")
    plan = engine.maintenance().plan()
    assert (plan.n_missing, plan.n_missing_gists) == (3, 5)
    assert engine.maintenance().update() == 5
    (vault / "Garage.md").rename(vault / "Shed.md")
    engine.mark_changed(["Garage.md"])
    assert engine.maintenance().plan().n_missing == 0
    assert engine.maintenance().update() == 0


def test_update_fills_its_batches_with_passages_of_the_next_notes(make, vault):
    """An endpoint answers thirty texts as fast as one, and may limit the number of requests."""
    write(vault, many_notes(20) + "\n" + LONG_NOTE)
    embedder = WordEmbedder()
    embedder.batch_size = 8
    sizes, embed = [], embedder.embed_passages
    embedder.embed_passages = lambda texts, **options: sizes.append(len(texts)) or embed(texts, **options)
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    assert engine.maintenance().update() == 24
    assert len(embedder.passages) == len(set(embedder.passages)) == sum(sizes)
    assert max(sizes) == 8
    assert len(sizes) <= sum(sizes) / 8 + 4
    assert engine.maintenance().update() == 0
    (vault / "Many").rename(vault / "Moved")
    engine.mark_changed([f"Many/{n:02d}.md" for n in range(20)])
    write(vault, "--- New.md\nSomething else.")
    engine.mark_changed(["New.md"])
    n_made = len(embedder.passages)
    assert engine.maintenance().update() == 1
    assert embedder.passages[n_made:] == ["New", "New. Something else.", "Something else."]


def test_batches_have_the_size_that_the_embedder_asks_for(make, vault):
    class Batching(WordEmbedder):
        batch_size = 8

        def embed_passages(self, texts, *, budget=UNLIMITED):
            sizes.append(len(texts))
            return super().embed_passages(texts, budget=budget)

    sizes = []
    engine = make(Batching())
    (vault / "Long.md").write_text("\n\n".join(f"# H{n}\n" + "word " * 25 for n in range(12)))
    engine.maintenance().update()
    assert max(sizes) == 8


def test_an_edited_long_note_is_read_from_the_store_once(make, vault, monkeypatch):
    """Reading it once per passage took minutes for a note of 10 MB."""
    write(vault, LONG_NOTE)
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    engine.maintenance().update()
    n_before = len(embedder.passages)
    (vault / "Long.md").write_text((vault / "Long.md").read_text() + "\n\nOne more.\n")
    engine.mark_changed(["Long.md"])
    read, lines = Generation.read, []
    monkeypatch.setattr(Generation, "read", lambda self, note: lines.append(note) or read(self, note))
    assert engine.maintenance().update() == 1
    assert 1 <= len(embedder.passages) - n_before <= 3
    assert len(lines) < 10
