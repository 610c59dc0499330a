"""Notes are found by their names: title, aliases and file name."""

import pytest

from search.index.names import NameIndex
from search.vault.note import Note

NOTES = (
    Note("3.1. Budget.md", "3.1. Budget"),
    Note("net/router-reset.md", "Reset the router", aliases=("Router reboot",)),
    Note("Phénomène.md", "Phénomène"),
    Note("music/The Who.md", "The Who"),
    Note("a/Index.md", "Index"),
    Note("b/Index.md", "Index"),
    Note("signs/….md", "…"),
)


def index():
    names = NameIndex()
    for note in NOTES:
        names.update(note)
    return names


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("3.1. Budget", {"3.1. Budget.md": "3.1. Budget"}),
        ("3.1 budget", {"3.1. Budget.md": "3.1. Budget"}),
        ("router REBOOT", {"net/router-reset.md": "Router reboot"}),
        ("router-reset.md", {"net/router-reset.md": "router-reset"}),
        ("net/router-reset", {"net/router-reset.md": "router-reset"}),
        ("how do I reset the router?", {"net/router-reset.md": "Reset the router"}),
        ("phenomene", {"Phénomène.md": "Phénomène"}),
        ("the who", {"music/The Who.md": "The Who"}),
        ("index", {"a/Index.md": "Index", "b/Index.md": "Index"}),
        ("…", {"signs/….md": "…"}),
        ("reset", {}),
        ("", {}),
        ("   ", {}),
    ],
)
def test_a_query_that_is_a_name_finds_its_notes(query, expected):
    assert index().notes_named(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how do I reset the router at night", {("net/router-reset.md", "Reset the router")}),
        ("router-reset failed", {("net/router-reset.md", "router-reset")}),
        ("index of 3.1 budget", {("a/Index.md", "Index"), ("b/Index.md", "Index"), ("3.1. Budget.md", "3.1. Budget")}),
        ("un phenomene rare", {("Phénomène.md", "Phénomène")}),
        ("reset the router", set()),  # the whole query is the name, so it is not a mention
        ("indexing", set()),
        ("", set()),
    ],
)
def test_a_query_mentions_names_word_by_word(query, expected):
    assert set(index().notes_mentioned_in(query)) == expected


def test_a_name_of_stop_words_only_is_not_a_mention():
    names = index()
    names.update(Note("a.md", "The"))
    assert not list(names.notes_mentioned_in("the oak"))


def test_only_the_beginning_of_a_long_text_is_searched_for_names():
    assert not list(index().notes_mentioned_in("oak " * 100 + "index"))


def test_an_exact_name_wins_over_names_that_differ_in_stop_words():
    names = index()
    names.update(Note("router.md", "Reset router"))
    assert names.notes_named("reset router") == {"router.md": "Reset router"}


@pytest.mark.parametrize(
    ("query", "name", "is_named"),
    [
        ("peace", "War and Peace", False),
        ("war and peace", "War and Peace", True),
        ("casting", "Die Casting for the Many", False),
        ("status collections", "About Status Collections", True),
        ("manage symbols", "How to: Manage Symbols", True),
        ("what is the router", "Router", True),
    ],
)
def test_a_query_that_leaves_out_most_of_a_name_does_not_name_the_note(query, name, is_named):
    names = NameIndex()
    names.update(Note("x.md", name))
    assert bool(names.notes_named(query)) == is_named


def test_a_renamed_note_is_found_by_its_new_name_only():
    names = index()
    names.update(Note("a/Index.md", "Contents"))
    assert names.notes_named("contents") == {"a/Index.md": "Contents"}
    names.remove("b/Index.md")
    assert names.notes_named("index") == {"a/Index.md": "Index"}  # still its file name
    names.remove("a/Index.md")
    names.remove("never there")
    assert names.notes_named("index") == {}
