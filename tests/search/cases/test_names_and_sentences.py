"""Inputs that broke other products: names, sentences, and exact words before longer ones."""

import pytest

from search.answer.evidence import MatchKind
from search.engine import Engine
from search.query import Query
from vaults import ask, first_note, ids, write

DIARY = "3 1 budget reset the router meeting notes from r " * 30


@pytest.mark.parametrize(
    ("path", "text", "query", "why"),
    [
        ("3.1. Budget.md", "x", "3.1. Budget", "exact title"),
        ("3.1. Budget.md", "x", "3.1. budget", "exact title"),
        ("3.1. Budget.md", "x", "3.1. Budget.md", "exact title"),
        ("money/3.1. Budget.md", "x", "money/3.1. Budget.md", "exact title"),
        ("3.1. Budget.md", "x", "3 1 budget", "exact title"),
        ("m.md", "---\ntitle: 3.1. Budget\n---\nx", "3.1. Budget", "exact title"),
        ("m.md", "# 3.1. Budget\nx", "3.1. Budget", "exact title"),
        ("m.md", "---\naliases: [3.1. Budget]\n---\nx", "3.1. Budget", "exact alias"),
        ("3.1. Budget.md", "# Money\nx", "3.1. Budget", "exact file name"),
        ("R.md", "x", "r", "exact title"),
        ("Reset the router.md", "x", "how do I reset the router?", "exact title"),
        ("….md", "x", "…", "exact title"),
    ],
)
def test_a_note_named_as_the_query_ranks_above_texts_that_repeat_its_words(tmp_path, path, text, query, why):
    engine = Engine(write(tmp_path, f"--- {path}\n{text}\n--- Diary.md\n{DIARY}"))
    result = engine.search(Query(text=query))
    assert ids(result)[0] == path
    assert result.hits[0].sentence.startswith(why.replace("exact ", "").capitalize() + " is exactly")


def test_all_notes_named_as_the_query_rank_first(tmp_path):
    engine = Engine(write(tmp_path, f"--- a/Budget.md\nx\n--- b/Budget.md\ny\n--- Diary.md\n{DIARY}"))
    assert sorted(ask(engine, "budget")[:2]) == ["a/Budget.md", "b/Budget.md"]


@pytest.mark.parametrize("name", ["-5 degrees", "[draft] plan", "fox -trap", '"wild" fox', "(fox OR hen) house"])
def test_a_name_that_reads_as_syntax_finds_its_note_first(tmp_path, name):
    engine = Engine(
        write(tmp_path, f"--- dir/{name}.md\nx\n--- fox.md\nfox degrees plan\n--- wild.md\n{name} wild fox")
    )
    assert ask(engine, name)[0] == f"dir/{name}.md"
    assert f"dir/{name}.md" not in ask(engine, name, folder="other")


def test_a_note_with_other_signs_in_its_name_is_still_excluded(tmp_path):
    engine = Engine(write(tmp_path, "--- fox trap.md\nx\n--- fox.md\nthe fox"))
    assert ask(engine, "fox -trap") == ["fox.md"]


def test_a_note_named_as_the_query_is_still_filtered(tmp_path):
    engine = Engine(write(tmp_path, "--- a/Budget.md\nx\n--- b/Other.md\nbudget"))
    assert ask(engine, "budget", folder="b") == ["b/Other.md"]


def test_the_candidate_limit_never_cuts_a_note_named_as_the_query(tmp_path):
    """Here every other note covers the query as well as its name does."""
    others = "".join(f"--- Budget {n}.md\nbudget budget budget\n" for n in range(40))
    engine = Engine(write(tmp_path, f"{others}--- Budget.md\nx"))
    assert ask(engine, "budget", candidate_limit=10)[0] == "Budget.md"


@pytest.mark.parametrize(
    ("query", "stop_words"),
    [
        ("how do I reset the router?", "how do I do the what is it with a "),
        ("Wie setze ich den Router zurück? reset router", "wie ich den der die das und "),
        ("comment est-ce que je reset le router", "comment est que je le la de "),
        ("cómo hago para que el router reset", "como para que el la de y "),
        ("как мне сделать reset router", "как мне это и в на "),
    ],
)
def test_a_sentence_finds_its_subject_and_not_the_longest_note(tmp_path, query, stop_words):
    vault = f"--- Router.md\nhold reset ten seconds to restore the router\n--- Log.md\n{stop_words * 800}"
    assert first_note(tmp_path, vault, query) == "Router.md"


def test_stop_words_next_to_a_subject_find_no_note_by_themselves(tmp_path):
    engine = Engine(write(tmp_path, "--- Router.md\nreset it\n--- Log.md\nhow do I do the what"))
    assert ask(engine, "how do I reset the router?") == ["Router.md"]


def test_a_query_of_stop_words_only_is_searched_for_them(tmp_path):
    vault = "--- Hamlet.md\nto be or not to be\n--- Log.md\nreset"
    assert first_note(tmp_path, vault, '"to be or not to be"') == "Hamlet.md"
    assert "Hamlet.md" in ask(Engine(tmp_path), "to be")


def test_an_exact_word_ranks_above_a_frequent_longer_word(tmp_path):
    vault = f"--- exact.md\nhypercalcemia {'other words ' * 50}\n--- near.md\n{'hyperglycemia ' * 20}"
    assert first_note(tmp_path, vault, "hypercalcemia") == "exact.md"


@pytest.mark.parametrize(
    ("query", "kind"),
    [("calcemia", MatchKind.INNER), ("calcemia note", MatchKind.INNER), ("hypercalc note", MatchKind.INNER)],
)
def test_a_word_inside_another_ranks_below_the_word_and_is_marked(tmp_path, query, kind):
    word = query.split()[0]
    vault = f"--- a inner.md\n{'hypercalcemia ' * 20}\n--- b exact.md\n{word} {'other words ' * 50}"
    result = Engine(write(tmp_path, vault)).search(Query(text=query))
    assert ids(result) == ["b exact.md", "a inner.md"]
    assert {match.kind for match in result.hits[1].hit.evidence.matches} == {kind}


def test_completions_of_the_last_word_are_found_and_marked(tmp_path):
    result = Engine(write(tmp_path, "--- a.md\nhypercalcemia")).search(Query(text="hyperc"))
    assert [match.kind for match in result.hits[0].hit.evidence.matches] == [MatchKind.PREFIX]
