"""Queries that are a note's name."""

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
def test_a_query_names_these_notes(query, expected):
    assert index().named(query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how do I reset the router at night", {("net/router-reset.md", "Reset the router")}),
        ("router-reset failed", {("net/router-reset.md", "router-reset")}),
        ("index of 3.1 budget", {("a/Index.md", "Index"), ("b/Index.md", "Index"), ("3.1. Budget.md", "3.1. Budget")}),
        ("un phenomene rare", {("Phénomène.md", "Phénomène")}),
        ("reset the router", set()),  # all of the query: it is named, not within
        ("indexing", set()),
        ("", set()),
    ],
)
def test_names_stand_within_a_query_word_by_word(query, expected):
    assert set(index().within(query)) == expected


def test_glue_alone_is_no_name_within_a_query():
    names = index()
    names.update(Note("a.md", "The"))
    assert not list(names.within("the oak"))


def test_a_text_without_end_is_looked_at_from_its_beginning():
    assert not list(index().within("oak " * 100 + "index"))


def test_a_name_in_full_keeps_out_those_that_agree_but_for_small_words():
    names = index()
    names.update(Note("router.md", "Reset router"))
    assert names.named("reset router") == {"router.md": "Reset router"}


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
def test_a_name_that_is_mostly_left_out_is_not_meant(query, name, is_named):
    names = NameIndex()
    names.update(Note("x.md", name))
    assert bool(names.named(query)) == is_named


def test_a_renamed_note_is_named_by_its_new_name_only():
    names = index()
    names.update(Note("a/Index.md", "Contents"))
    assert names.named("contents") == {"a/Index.md": "Contents"}
    names.remove("b/Index.md")
    assert names.named("index") == {"a/Index.md": "Index"}  # still its file name
    names.remove("a/Index.md")
    names.remove("never there")
    assert names.named("index") == {}
