"""Names and openings: short vectors that are made before all others, and let a whole vault answer by meaning soon."""

import os

import pytest
from kit.semantic import many_notes, wait_for_indexer

from embedders import WordEmbedder
from search.answer.trail import Found, Fused, replay
from search.cache.folder import path_in_cache
from search.query import Mode
from search.ranking.request import counted_from
from search.semantic.settings import AutoIndex
from search.vectors.store import VectorStore
from vaults import ids, search, write

LONG = "\n\n".join(f"filler w{n} " * 12 for n in range(8))


def is_found(step, source):
    """Whether a step of a trail is the raw score of a source."""
    return isinstance(step, Found) and step.source == source


def made_first(engine):
    """Make the vectors of all names and openings, and no others."""
    engine.refresh()
    maintenance = engine.semantic.maintenance
    first, _ = maintenance.embedders
    for note in sorted(maintenance.gists.vault.notes):
        first.embed(note)


def test_a_note_is_found_by_its_name_and_by_its_opening_before_its_text_has_vectors(make, vault):
    write(vault, f"--- Physician.md\n```\n{LONG}\n```\n--- x.md\nThe automobile is here.\n```\n{LONG}\n```\n")
    engine = make(auto_index=AutoIndex.NEVER)
    made_first(engine)
    status = engine.status().semantic
    assert (status.n_gists, status.n_missing_gists, status.n_notes, status.n_missing) == (5, 0, 0, 5)
    assert "Physician.md" in ids(search(engine, "doctor's visit doctor"))
    found = search(engine, "motorcar").hits
    assert {hit.hit.id for hit in found} == {"Garage.md", "x.md"}
    for hit in found:
        assert hit.hit.evidence.cosine is None
        assert hit.hit.evidence.gist == hit.hit.evidence.nearest > WordEmbedder.traits.noise_floor
        assert hit.sentence == "Similar in meaning."
        assert replay(hit.hit.trail) == hit.hit.score


def test_background_indexing_makes_all_names_and_openings_before_any_whole_text(make, vault):
    write(vault, many_notes(20))
    embedder = WordEmbedder()
    engine = make(embedder, in_background=True)
    engine.refresh()
    engine.semantic.start_background_indexer()
    wait_for_indexer(engine)
    texts = {f"word{n} and more" for n in range(20)}
    at = [place for place, text in enumerate(embedder.passages) if text in texts]
    assert len(at) == 20
    assert len(embedder.passages) == 3 * 23
    assert min(at) >= 2 * 23, "a name and an opening of each of 23 notes come first"


def test_whole_texts_begin_with_what_searches_found_and_what_notes_link_to(make, vault):
    """All else equal, the newest note comes first."""
    write(
        vault,
        "--- a.md\nnothing [[Hub]]\n--- b.md\nnothing else [[Hub]]\n--- Hub.md\neverything\n--- Lamp.md\nlamp oil\n",
    )
    for at, name in enumerate(("Garage.md", "Health.md", "Hub.md", "Lamp.md", "Notes/Oil.md", "a.md", "b.md")):
        os.utime(vault / name, (1000 + at, 1000 + at))
    engine = make(auto_index=AutoIndex.NEVER)
    engine.refresh()
    maintenance = engine.semantic.maintenance
    maintenance.note_use(["Lamp.md", "Health.md"])
    (order,) = maintenance._by_importance(maintenance.vectors.unchecked())
    assert order == ["Lamp.md", "Health.md", "Hub.md", "b.md", "a.md", "Notes/Oil.md", "Garage.md"]


def test_an_edit_of_the_body_changes_no_short_vector(make, vault):
    embedder = WordEmbedder()
    opening = "Opening words " * 20
    write(vault, f"--- Long.md\n# Long\n{opening}\n\n{LONG}")
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    engine.maintenance().update()
    n_before = len(embedder.passages)
    (vault / "Long.md").write_text(f"# Long\n{opening}\n\n{LONG}\n\nOne more.")
    engine.mark_changed(["Long.md"])
    engine.maintenance().update()
    assert all("One more." in text for text in embedder.passages[n_before:])
    assert len(embedder.passages) > n_before


def test_a_heading_that_changes_is_embedded_again_and_the_opening_is_not(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    engine.maintenance().update()
    n_before = len(embedder.passages)
    (vault / "Garage.md").write_text("# Garage\nThe automobile needs oil.\n## Tyres")
    engine.mark_changed(["Garage.md"])
    engine.maintenance().update()
    assert embedder.passages[n_before:] == ["Garage. Tyres", "# Garage\nThe automobile needs oil.\n## Tyres"]


def test_a_store_without_short_vectors_keeps_its_own_and_gets_them(make, vault, tmp_path):
    """As earlier versions wrote it."""
    first = make(auto_index=AutoIndex.NEVER)
    first.maintenance().update()
    first.close()
    folder = path_in_cache(tmp_path / "cache", vault)
    for file in (folder / "gists").iterdir():
        file.unlink()
    (folder / "gists").rmdir()
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    plan = engine.maintenance().plan()
    assert (plan.n_missing, plan.n_missing_gists) == (0, 3)
    embedder.passages.clear()  # planning embeds some to see how long it takes
    assert engine.maintenance().update() == 3
    assert len(embedder.passages) == 6
    engine.close()
    with VectorStore.open(folder, model="words@1", n_dimensions=64, chunker="1", is_writer=False) as store:
        assert len(store.notes) == 3


def test_a_name_in_a_foreign_script_is_not_embedded(make, vault):
    write(vault, "--- 望远镜.md\nThe automobile is here.\n")
    embedder = WordEmbedder()
    search(make(embedder), "car")
    assert "望远镜" not in embedder.passages


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.VECTOR])
def test_what_whole_texts_would_weigh_goes_to_the_others_in_their_proportion(make, vault, mode):
    """To names and openings by the weight of meaning, to words by the rest; by meaning alone words get nothing."""
    engine = make(auto_index=AutoIndex.NEVER)
    made_first(engine)
    hits = search(engine, "oil lamp", mode=mode).hits
    hit = hits[0]
    raw = {(one.hit.id): step.raw for one in hits for step in one.hit.trail if is_found(step, "lexical")}
    weights = {step.source: step.weight for step in hit.hit.trail if isinstance(step, Fused)}
    meaning, share = WordEmbedder.traits.default_weight, engine.settings.pipeline.gist.share
    if mode is Mode.VECTOR:
        expected = {"gist": 1.0}
    else:
        scored = 1 - sum(raw.values()) / (max(raw.values()) + sum(raw.values()))  # no whole text of these is known
        left_over = meaning * (1 - share) * (1 - scored)
        gist = meaning * share + meaning * left_over
        semantic = meaning * (1 - share) - left_over
        expected = {"gist": gist / (1 - semantic), "lexical": 1 - gist / (1 - semantic)}
    assert weights == pytest.approx(expected)


def test_a_cosine_below_the_floor_finds_no_note_and_still_counts(make, vault):
    """Of notes found by words, it tells the nearer ones apart; it is not shown as a reason."""
    write(vault, "--- Weak.md\nlamp a b c d e f g\n")
    engine = make(auto_index=AutoIndex.NEVER)
    engine.maintenance().update()
    floor, gate = WordEmbedder.traits.noise_floor, WordEmbedder.traits.graph_gate
    (weak,) = (hit for hit in search(engine, "lamp automobile").hits if hit.hit.id == "Weak.md")
    raw = {step.source: step.raw for step in weak.hit.trail if isinstance(step, Found)}
    assert counted_from(floor, gate) <= min(raw["semantic"], raw["gist"]) < floor
    assert weak.hit.evidence.nearest is None
    assert "meaning" not in weak.sentence
    assert "Weak.md" not in ids(search(engine, "illuminated automobile", mode=Mode.VECTOR))
