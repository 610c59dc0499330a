"""Intents by the words of a query, and kinds of notes by rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansion.intent import detect_intent, read_intents
from expansion.kinds import kinds_of, read_kinds
from expansion.lexicon import lexicon
from expansion.tables import TomlTable
from search.errors import ConfigError
from search.ids import NoteId
from search.vault.note import Note

INTENTS, KINDS = lexicon().intents, lexicon().kinds


@pytest.mark.parametrize(
    ("query", "intent", "score"),
    [
        ("fix login crash after update", "fix_bug", 5.0),
        ("add user registration feature", "add_feature", 5.0),
        ("add dark mode feature", "add_feature", 4.0),
        ("refactor legacy code", "refactor", 4.0),
        ("security review of the auth module", "security_audit", 4.0),
        ("explain how fusion works", "understand", 4.0),
        ("how does the router work", "understand", 3.0),
        ("requirements document for login", "find_spec", 3.0),
        ("why did we chose postgres, the decision", "find_decision", 5.0),
        ("Entscheidung und Grund für Postgres", "find_decision", 3.0),
        ("Absturz beheben, funktioniert nicht", "fix_bug", 5.0),
    ],
)
def test_intent_is_detected_by_its_words(query, intent, score):
    found = detect_intent(query, INTENTS)
    assert (found.intent.name, found.score) == (intent, score)
    assert found.is_sure
    assert found.clause.startswith(intent)


@pytest.mark.parametrize("query", ["", "router", "fix", "piano notes", "…", "address book", "the author"])
def test_score_below_the_threshold_gives_the_fallback(query):
    found = detect_intent(query, INTENTS)
    assert (found.intent.name, found.is_sure) == ("understand", False)


def test_word_counts_once():
    assert detect_intent("fix fix fix fix", INTENTS).score == 0


def test_phrase_counts_as_one_word():
    assert detect_intent("what is the root cause of the crash", INTENTS).intent.name == "fix_bug"


def test_packaged_intents_are_the_seven_of_the_design():
    names = [intent.name for intent in INTENTS.intents]
    assert sorted(names) == [
        *("add_feature", "find_decision", "find_spec", "fix_bug", "refactor", "security_audit", "understand")
    ]
    assert all(intent.kinds and intent.weights for intent in INTENTS.intents)


@given(st.text(max_size=100))
def test_no_query_raises(query):
    found = detect_intent(query, INTENTS)
    assert found.is_sure == (found.score >= 3.0)


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({"threshold": 0}, "intents.threshold"),
        ({"threshold": True}, "intents.threshold"),
        ({"x": 3}, "intents.x"),
        ({"x": {"primary": [3]}}, "intents.x.primary"),
        ({"x": {"primary": ["*"]}}, "intents.x.primary"),
        ({"x": {"kinds": {"a": 3}}}, "intents.x.kinds.a"),
        ({"x": {"kinds": 3}}, "intents.x.kinds"),
        ({"x": {"weights": {"a": 0}}}, "intents.x.weights.a"),
    ],
)
def test_error_names_the_bad_value(values, where):
    with pytest.raises(ConfigError) as caught:
        read_intents(TomlTable("intents", values))
    assert caught.value.path == where


def test_custom_intent():
    own = read_intents(
        TomlTable("intents", {"cook": {"primary": ["cook*", "bake*"], "kinds": {"recipe": 1.2}}, "threshold": 2})
    )
    found = detect_intent("cooking rice", own)
    assert (found.intent.name, found.intent.kinds) == ("cook", {"recipe": 1.2})
    assert detect_intent("rice", own).intent.name == "understand"


@pytest.mark.parametrize(
    ("note", "kinds"),
    [
        (Note(NoteId("a.md"), "a", properties=(("type", ("ADR",)),)), {"decision", "adr"}),
        (Note(NoteId("a.md"), "a", properties=(("Kind", ("Recipe", "spec")),)), {"recipe", "spec"}),
        (Note(NoteId("a.md"), "a", properties=(("category", ('"[[Decision]]"', "")),)), {"decision"}),
        (Note(NoteId("a.md"), "a", properties=(("status", ("spec",)),)), set()),
        (Note(NoteId("a.md"), "a", tags=("Decision/2024", "type/spec", "x")), {"decision", "spec"}),
        (Note(NoteId("docs/ADR/0001.md"), "a"), {"decision"}),
        (Note(NoteId("adrift/0001.md"), "a"), set()),
        (Note(NoteId("a.md"), "a"), set()),
    ],
)
def test_kind_comes_from_front_matter_tags_and_folders(note, kinds):
    assert kinds_of(note, KINDS) == kinds


def test_every_kind_that_an_intent_boosts_has_a_rule():
    known = {name for names in KINDS.of_value.values() for name in names}
    assert {kind for intent in INTENTS.intents for kind in intent.kinds} <= known


def test_custom_kinds():
    own = read_kinds(TomlTable("kinds", {"recipe": {"tags": ["#food/"], "folders": ["Küche"]}}))
    assert kinds_of(Note(NoteId("Kuche/a.md"), "a"), own) == {"recipe"}
    assert kinds_of(Note(NoteId("a.md"), "a", tags=("food/rice",)), own) == {"recipe"}
    with pytest.raises(ConfigError):
        read_kinds(TomlTable("kinds", {"recipe": {"tags": "food"}}))
