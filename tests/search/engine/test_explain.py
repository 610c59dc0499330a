"""Explanations: a note's rank in an answer, or the step that left it out."""

import pytest
from kit.engines import engine_of

from search.ids import NoteId
from search.query import Query


def explained(engine, query, note, **options):
    reason = engine.explain(Query(text=query, **options), NoteId(note))
    assert reason.note == note
    assert reason.sentence.endswith(".")
    return reason


@pytest.mark.parametrize("query", ["", " \n"])
def test_explain_says_of_an_empty_query_that_it_is_empty(tmp_path, query):
    assert explained(engine_of(tmp_path, "--- a.md\noak"), query, "a.md").sentence == "The query is empty."


def test_explain_names_the_rank_of_a_note_or_the_step_at_which_it_fell_out(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["private/"]}', encoding="utf-8")
    best = "".join(f"--- best{n:02}.md\n{'oak ' * 5}elm\n" for n in range(30))
    engine = engine_of(tmp_path, f"{best}--- poor.md\noak {'filler ' * 50}\n--- no.md\nash\n--- private/x.md\noak")

    first = explained(engine, "oak elm", "best00.md")
    assert (first.step, first.rank, first.total) == ("ranked", 1, 31)
    assert first.found.snippets
    beyond = explained(engine, "oak elm", "poor.md", limit=5)
    assert (beyond.step, beyond.rank) == ("limit", 31)
    assert (beyond.found.hit.id, beyond.last_shown.hit.id) == ("poor.md", "best04.md")
    cut = explained(engine, "oak elm", "poor.md", candidate_limit=10)
    assert (cut.step, cut.rank, cut.found) == ("candidates", None, None)
    assert explained(engine, "oak elm", "no.md").step == "grep"
    assert explained(engine, "oak -elm", "best00.md").step == "filter"
    assert explained(engine, "oak", "poor.md", folder="x").step == "filter"
    assert explained(engine, "oak", "private/x.md").step == "excluded"
    assert explained(engine, "oak", "never.md").step == "missing"
    assert explained(engine, "", "poor.md").step == "grep"


def test_explain_gives_a_note_beyond_the_pool_its_rank_by_words(tmp_path):
    vault = "".join(f"--- n{n:03}.md\n{'oak ' * (200 - n)}\n" for n in range(150))
    reason = explained(engine_of(tmp_path, vault), "oak", "n149.md", limit=5)
    assert reason.step == "limit"
    assert reason.rank > 60
    assert reason.found is None
    assert reason.last_shown is not None
