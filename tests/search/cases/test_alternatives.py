"""A filter and a word under one OR: what passes only the filter is found too."""

import pytest

from embedders import WordEmbedder
from expansion.lexicon import lexicon
from expansion.understanding import Understanding
from search.engine import Engine
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import ids, write

VAULT = """
--- tagged.md
plain text #red/dark
--- word.md
light energy here
--- property.md
---
status: open
---
other things
--- place/task.md
# Chores
- [ ] sweep Floor
- [x] paint
--- phrase.md
It is to be done.
--- linked.md
See [[word]].
--- house.md
---
tags: [garden/rose]
aliases: [Old home]
---
walls
"""
NOTES = {"tagged.md", "word.md", "property.md", "place/task.md", "phrase.md", "linked.md", "house.md"}
QUERIES = [
    ("tag:red OR energy", {"tagged.md", "word.md"}),
    ("energy OR tag:#red/dark", {"tagged.md", "word.md"}),
    ("/pl.in/ OR energy", {"tagged.md", "word.md"}),
    ("content:/pl.in/ OR energy", {"tagged.md", "word.md"}),
    ("[status] OR energy", {"property.md", "word.md"}),
    ("[status:open] OR energy", {"property.md", "word.md"}),
    ("-energy OR energy", NOTES),
    ("-(plain OR other) OR plain", NOTES - {"property.md"}),
    ("folder:place OR energy", {"place/task.md", "word.md"}),
    ("path:/place/ OR energy", {"place/task.md", "word.md"}),
    ("file:/^t/ OR energy", {"tagged.md", "place/task.md", "word.md"}),
    ("file:ty OR energy", {"property.md", "word.md"}),
    ("task:/sweep/ OR energy", {"place/task.md", "word.md"}),
    ("task-todo:/./ OR energy", {"place/task.md", "word.md"}),
    ("task-done:/./ OR energy", {"place/task.md", "word.md"}),
    ("line:(/^light/ OR plain)", {"tagged.md", "word.md"}),
    ("block:(/^light/ OR plain)", {"tagged.md", "word.md"}),
    ("section:(/Fl..r/ OR plain)", {"tagged.md", "place/task.md"}),
    ("match-case:(/Floor/ OR energy)", {"place/task.md", "word.md"}),
    ("ignore-case:(/FLOOR/ OR energy)", {"place/task.md", "word.md"}),
    ("content:(-is OR energy)", NOTES - {"phrase.md"}),
    ('"to be" OR energy', {"phrase.md", "word.md"}),
    # A link or a tag among the words is also the notes that it means, however they have it.
    ("[[task]] OR energy", {"place/task.md", "word.md"}),
    ("energy OR [[Old home|home]]", {"house.md", "word.md"}),
    ("[[house.md]] OR [[tagged]] OR energy", {"house.md", "tagged.md", "word.md"}),
    ("#garden OR energy", {"house.md", "word.md"}),
    ("energy OR (#garden/rose x)", {"word.md"}),
    ("energy OR (#Garden [[house]])", {"house.md", "word.md"}),
    ("light (#garden OR #none)", {"house.md"}),
    ("[[none]] OR energy", {"word.md"}),
    ("(tag:red OR energy)", {"tagged.md", "word.md"}),
    ("((tag:red plain) OR (energy light))", {"tagged.md", "word.md"}),
    ("energy OR (tag:red (/none/ OR [status] OR plain))", {"tagged.md", "word.md"}),
    ("light (tag:red OR energy)", {"tagged.md", "word.md"}),
    ("tag:red OR [status] OR energy", {"tagged.md", "property.md", "word.md"}),
    ("tag:red OR yesterday", {"tagged.md"}),
    # A note that passes no branch is never found.
    ("tag:red other OR energy", {"word.md"}),
    ("tag:none OR energy", {"word.md"}),
    # An OR of filters alone is no alternative to the words next to it.
    ("energy (tag:red OR folder:place OR -none)", {"word.md"}),
]


@pytest.fixture
def engine(tmp_path):
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False))
    understand = Understanding(lexicon())
    engine = Engine(write(tmp_path / "vault", VAULT), settings, embedder=WordEmbedder(), understand=understand)
    yield engine
    engine.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(("text", "expected"), QUERIES, ids=[text for text, _ in QUERIES])
def test_a_note_that_passes_only_the_filter_is_found(engine, mode, text, expected):
    query = Query(text=text, mode=mode)
    found = ids(engine.search(query))
    assert set(found) == expected
    for note in sorted(NOTES):
        assert engine.explain(query, note).rank == (found.index(note) + 1 if note in found else None)


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
def test_it_has_no_strength_since_there_is_no_word_to_compare(engine, mode):
    hits = engine.search(Query(text="tag:red OR energy", mode=mode)).hits
    assert {found.hit.id: found.strength is None for found in hits} == {"word.md": False, "tagged.md": True}
    assert next(found for found in hits if found.strength is None).sentence.startswith(
        ("Passes the filters", "Similar")
    )


@pytest.mark.parametrize("text", ["file:.md", "file:ty", "path:e/t", '"y h"', "content:y", "(file:ty content:th)"])
def test_a_note_that_has_all_required_text_needs_no_whole_word(engine, text):
    found = set(ids(engine.search(Query(text=text, mode=Mode.KEYWORD))))
    expected = {
        "file:.md": NOTES,
        "file:ty": {"property.md"},
        "path:e/t": {"place/task.md"},
        '"y h"': {"word.md"},
        "content:y": {"word.md"},
    }
    assert found == expected.get(text, {"property.md"})


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_ranks_it_below_the_notes_with_the_word(engine, preset):
    found = ids(engine.search(Query(text="energy OR tag:red OR [status]", mode=Mode.KEYWORD, preset=preset)))
    assert found[0] == "word.md"
    assert set(found) == {"word.md", "tagged.md", "property.md"}


SENTENCE = "energy alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu"


@pytest.mark.parametrize("mode", [Mode.KEYWORD, Mode.HYBRID])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"tag:red OR {SENTENCE}", {"tagged.md", "word.md"}),
        (f"{SENTENCE} OR [status]", {"property.md", "word.md"}),
        (f"/plain/ OR {SENTENCE} OR [status:open]", {"tagged.md", "property.md", "word.md"}),
        (f"task-todo:/./ OR the {SENTENCE}", {"place/task.md", "word.md"}),
        (f'tag:red OR "to be" {SENTENCE}', {"tagged.md", "word.md", "phrase.md"}),
        (f"tag:red OR {SENTENCE} the and of it to in other things", {"tagged.md", "property.md", "word.md"}),
        (f"tag:red OR file:word {SENTENCE}", {"tagged.md", "word.md"}),
    ],
)
def test_what_passes_only_a_filter_is_found_next_to_any_content_word_of_a_sentence(engine, mode, text, expected):
    assert set(ids(engine.search(Query(text=text, mode=mode)))) == expected
