"""File search: a vault of names and folders, searched without the texts of its notes."""

import pytest
from attrs import evolve

from embedders import WordEmbedder
from search.answer.evidence import Field
from search.engine import Engine
from search.ids import NoteId
from search.query import Level, Mode, Query
from search.ranking.presets import PRESETS, preset_named
from search.semantic.file_names import FileNames, name_text
from search.semantic.settings import Indexing
from search.settings import Settings
from search.stages.cut import Cut
from search.stages.spread import Spread
from search.vault.note import Note
from vaults import ids, write

VAULT = """
--- network/Router.md
# Reset it
ten seconds on the button [[Switch]]
--- network/Switch.md
A router is no switch.
--- garden/Roses.md
---
aliases: [Router rose]
---
water
--- Log.md
router router router
"""


@pytest.fixture
def open_engine(tmp_path):
    engines = []

    def make(embedder=None):
        settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
        engines.append(Engine(write(tmp_path / "vault", VAULT), settings, embedder=embedder))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()


class Names:
    """A vault without texts."""

    def __init__(self, *notes):
        self.notes = {note.id: note for note in notes}
        self.generation = 1


@pytest.mark.parametrize(
    ("path", "title", "text"),
    [
        ("Router.md", "Router", "Router"),
        ("a/b.c/Router.md", "Router", "a b c Router"),
        ("a/Router.md", "Reset  it\tnow", "a Router Reset it now"),
        ("docs_search/v1..2.md", "v1..2", "docs_search v1 2"),
    ],
)
def test_a_path_becomes_words(path, title, text):
    assert name_text(Note(NoteId(path), title)) == text


def test_a_name_changes_only_with_the_title():
    vault = Names(Note(NoteId("a.md"), "One", n_lines=9), Note(NoteId("b.md"), "Two"))
    names = FileNames(vault)
    before = dict(names.notes)
    assert {id_: note.n_lines for id_, note in before.items()} == {"a.md": 1, "b.md": 1}
    vault.notes = {
        NoteId("a.md"): evolve(vault.notes[NoteId("a.md")], n_lines=5),
        NoteId("b.md"): Note(NoteId("b.md"), "New"),
    }
    assert names.notes["a.md"] is before["a.md"]
    vault.generation += 1
    assert names.generation == 2
    assert names.notes["a.md"] is before["a.md"]
    assert names.notes["b.md"] != before["b.md"]
    assert (names.text(NoteId("b.md")), names.text(NoteId("gone.md"))) == ("b New", "")


def test_files_are_found_by_title_alias_and_path_but_not_by_text(open_engine):
    engine = open_engine()
    assert ids(engine.search(Query(text="router")))[-1] == "network/Switch.md"
    found = engine.search(Query(text="router", level=Level.FILE))
    assert set(ids(found)) == {"network/Router.md", "garden/Roses.md"}
    assert {match.field for hit in found.hits for match in hit.hit.evidence.matches} <= {"title", "path"}
    assert ids(engine.search(Query(text="network", level=Level.FILE))) == ["network/Router.md", "network/Switch.md"]
    assert ids(engine.search(Query(text="seconds", level=Level.FILE))) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_files_are_found_by_meaning_with_vectors_of_their_own(open_engine, preset):
    embedder = WordEmbedder()
    engine = open_engine(embedder)
    found = engine.search(Query(text="reset", preset=preset, level=Level.FILE, mode=Mode.VECTOR))
    assert ids(found)[0] == "network/Router.md"
    assert "Log.md" not in ids(found)
    assert {"network Router Reset it", "garden Roses"} <= set(embedder.passages)
    assert not any("button" in text for text in embedder.passages)
    assert engine.search(Query(text="button", preset=preset)).hits[0].hit.evidence.cosine is not None


def test_a_pipeline_that_weighs_only_texts_still_finds_files():
    """File search sees only names, so their weight cannot be 0."""
    base = preset_named("balanced")
    weights = dict.fromkeys(Field, 0.0) | {Field.BODY: 1.0}
    texts = evolve(base, lexical=evolve(base.lexical, model=evolve(base.lexical.model, weights=weights)))
    assert texts.of_files().lexical.model.weights == base.of_files().lexical.model.weights


def test_a_minimum_score_of_zero_stays_zero():
    assert Cut(min_score=0.0) in evolve(preset_named("graph-spread"), stages=(Cut(min_score=0.0),)).of_files().stages


def test_a_pipeline_of_links_only_finds_files_by_keywords():
    base = preset_named("neighbour-recency")
    links = evolve(base, lexical=evolve(base.lexical, weight=0.0), semantic=evolve(base.semantic, weight=0.0))
    assert links.of_files().lexical.weight == 1.0


def test_file_search_follows_no_links_and_cuts_at_three_tenths():
    pipeline = preset_named("graph-spread").of_files()
    assert not [stage for stage in pipeline.stages if isinstance(stage, Spread)]
    assert [stage.min_score for stage in pipeline.stages if isinstance(stage, Cut)] == [0.3]
    for name in PRESETS:
        part = preset_named(name).of_files()
        assert (part.proximity, part.neighbours, part.activation, part.concepts, part.sections) == (None,) * 5
