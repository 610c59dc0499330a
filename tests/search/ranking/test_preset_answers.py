"""Parts that presets add to an answer: kinds, linked notes, age, the type of search; and why a note is missing."""

import os

import pytest
from attrs import evolve

from embedders import WordEmbedder
from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.engine import Engine
from search.errors import ConfigError
from search.ids import NoteId
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import ask, codes, ids, write

DAY = 86_400
NOW = 20_000 * DAY
VAULT = """--- adr/one.md
undo undo undo
up:: [[two]]
--- two.md
plain words ![[three]]
--- three.md
---
type: howto
---
undo once, among other words that say nothing
--- four.md
undo
"""
AGES = {"adr/one.md": 1, "two.md": 100, "three.md": 400, "four.md": 40}


@pytest.fixture
def open_engine(tmp_path):
    opened = []

    def make(*, embedder=None, preset="balanced"):
        write(tmp_path / "vault", VAULT)
        for path, days in AGES.items():
            os.utime(tmp_path / "vault" / path, (NOW - days * DAY,) * 2)
        settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False, patience_s=60.0))
        engine = Engine(
            tmp_path / "vault",
            settings,
            embedder=embedder,
            understand=Understanding(lexicon(())),
            now=lambda: float(NOW),
        )
        opened.append(engine)
        return engine

    yield make
    for engine in opened:
        engine.close()


def test_doc_types_limit_a_search_to_notes_of_these_kinds(open_engine):
    engine = open_engine()
    assert ask(engine, "undo", doc_types=("howto",)) == ["three.md"]
    assert ask(engine, "undo", doc_types=("Decision", "howto"), folder="adr") == ["adr/one.md"]
    nothing = engine.search(Query(text="undo", doc_types=("poem",)))
    assert ids(nothing) == []
    assert codes(nothing) == ["unknown-kind"]


def test_results_have_their_linked_notes_if_the_query_asks_for_them(open_engine):
    engine = open_engine()
    assert engine.search(Query(text="plain")).hits[0].linked == ()
    linked = engine.search(Query(text="plain", include_linked=True)).hits[0].linked
    assert [(page.note, page.title, page.types, page.is_backlink) for page in linked] == [
        ("three.md", "three", ("embed",), False),
        ("adr/one.md", "one", ("up",), True),
    ]


def test_a_query_chooses_a_preset_and_gets_its_staleness_and_linked_notes(open_engine):
    engine = open_engine()
    plain = engine.search(Query(text="undo"))
    assert {found.staleness for found in plain.hits} == {""}
    linear = engine.search(Query(text="undo", preset="graph-linear"))
    assert {found.hit.id: found.staleness for found in linear.hits} == {
        "adr/one.md": "fresh",
        "four.md": "fresh",
        "three.md": "stale",
    }
    assert ask(engine, "undo", preset="graph-spread") == ["adr/one.md", "four.md", "three.md", "two.md"]
    assert ask(engine, "undo", preset="graph-spread", link_types=("embed",)) == [
        "adr/one.md",
        "four.md",
        "three.md",
        "two.md",
    ]
    assert "two.md" not in ask(engine, "undo", preset="graph-spread", depth=0)
    with pytest.raises(ConfigError, match="one of balanced, tiered-lexical"):
        engine.search(Query(text="undo", preset="magic"))


def test_tiered_lexical_finds_no_note_by_meaning_without_a_word_of_the_query(tmp_path):
    vault = write(tmp_path / "vault", "--- a.md\nautomobile\n--- b.md\ncar\n--- c.md\ncar car car\n")
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False, patience_s=60.0))
    engine = Engine(vault, settings, embedder=WordEmbedder())
    assert sorted(ask(engine, "car")) == ["a.md", "b.md", "c.md"]
    answer = engine.search(Query(text="car", preset="tiered-lexical"))
    assert sorted(ids(answer)) == ["b.md", "c.md"]
    assert {found.hit.evidence.cosine for found in answer.hits} == {1.0}
    engine.close()


def test_the_type_of_a_search_shows_whether_meaning_was_used(open_engine):
    engine = open_engine(embedder=WordEmbedder())
    assert engine.search(Query(text="undo")).search_type == "hybrid"
    assert engine.search(Query(text="undo", mode=Mode.KEYWORD)).search_type == "keyword"
    assert engine.search(Query(text="und", preset="graph-linear")).search_type == "fulltext_fallback"
    assert open_engine().search(Query(text="undo")).search_type == "keyword"


def test_evidence_has_up_to_three_passages_if_the_score_is_made_of_passages(open_engine):
    engine = open_engine(embedder=WordEmbedder())
    hit = engine.search(Query(text="undo once", preset="graph-linear")).hits[0].hit
    assert 1 <= len(hit.evidence.passages) <= 3
    assert hit.evidence.passages[0].cosine == hit.evidence.cosine


STEPS = [
    ("balanced", "two.md", 10, "grep"),
    ("balanced", "three.md", 1, "limit"),
    ("tiered-lexical", "two.md", 10, "grep"),
    ("tiered-lexical", "three.md", 1, "limit"),
    ("graph-linear", "two.md", 10, "grep"),
    ("graph-spread", "two.md", 10, "ranked"),
    ("graph-spread", "three.md", 1, "spread"),
    ("neighbour-recency", "two.md", 10, "ranked"),
    ("neighbour-recency", "two.md", 1, "limit"),
]


@pytest.mark.parametrize(("preset", "note", "limit", "step"), STEPS)
def test_explain_names_the_step_that_decided_about_a_note(open_engine, preset, note, limit, step):
    reason = open_engine().explain(Query(text="undo", preset=preset, limit=limit), NoteId(note))
    assert reason.step == step
    assert reason.last_shown is not None
    if step == "spread":
        assert "spread removed it; the lowest score kept is" in reason.sentence


@pytest.mark.parametrize("preset", PRESETS)
def test_a_rank_never_exceeds_the_total(open_engine, preset):
    """This includes notes found only by links."""
    engine = open_engine()
    result = engine.search(Query(text="undo", preset=preset, limit=100))
    assert len(result.hits) <= result.total
    for note in AGES:
        reason = engine.explain(Query(text="undo", preset=preset), NoteId(note))
        assert reason.rank is None or reason.rank <= reason.total


def test_explain_names_every_source_that_did_not_find_a_note(tmp_path):
    engine = Engine(write(tmp_path, "--- oak.md\noak\n--- elm.md\nelm\n"), Settings())
    words = engine.explain(Query(text="oak"), NoteId("elm.md"))
    links = engine.explain(Query(text="oak", preset="neighbour-recency"), NoteId("elm.md"))
    engine.close()
    assert words.sentence == "It contains none of the query's words."
    assert links.sentence == "It contains none of the query's words, and it is not among the nearest by links."


def test_explain_names_the_stage_that_left_a_note_out(tmp_path):
    notes = "".join(f"--- n{n:03}.md\nundo{' more' * n}\n" for n in range(80))
    engine = Engine(write(tmp_path, notes), evolve(Settings()))
    reason = engine.explain(Query(text="undo", preset="graph-spread", limit=100), NoteId("n079.md"))
    engine.close()
    assert reason.step in {"spread", "cut"}
    assert "removed it" in reason.sentence
    assert reason.rank is None
