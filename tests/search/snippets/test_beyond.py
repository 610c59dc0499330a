"""Excerpts of giant notes from where else nobody looks."""

import re

import pytest

from search.matching.terms import query_terms
from search.query import RankedTerm
from search.snippets.beyond import MAX_REACH, excerpts_beyond
from search.snippets.excerpts import MAX_SCANNED
from search.snippets.spots import wanted_of
from search.vault.note import Note

WANTED = wanted_of([(term, 1.0) for term in query_terms([RankedTerm("walnut")])])
ONE_LINE = "word " * (MAX_SCANNED // 5)
LINES = "some words\n" * (MAX_SCANNED // 11 + 1)


def find(text, **fields):
    return excerpts_beyond(Note("note.md", "note", **fields), text, WANTED, n_snippets=2)


@pytest.mark.parametrize(
    "before",
    [
        ONE_LINE,
        ONE_LINE[:-3],  # the word stands on both sides of the millionth character
        ONE_LINE * 2,
        ONE_LINE * 3 + "\n",
        LINES,
        LINES * 2 + "- ",
        LINES.replace("\n", "\r\n"),
        LINES.replace("\n", "\r") * 2,
        "a\r\n" + "b" * (MAX_SCANNED - 1_000 - 4) + "\r\n" + "c " * 600,  # a piece would begin inside a line's end
        "first\n" + ONE_LINE,
    ],
    ids=range(10),
)
def test_a_word_beyond_is_shown_at_its_line_and_column(before):
    (snippet,) = find(f"{before}walnut tree\nlast")
    ends = list(re.finditer(r"\r\n|\n|\r", before))
    (start, end), *others = snippet.highlights
    assert (snippet.text[start:end], others) == ("walnut", [])
    assert snippet.line == len(ends)
    assert snippet.start_char + start == len(before) - (ends[-1].end() if ends else 0)


def test_an_excerpt_of_a_long_line_says_that_it_is_cut():
    (snippet,) = find(ONE_LINE + "walnut " + "tree " * 100)
    assert (snippet.is_cut_before, snippet.is_cut_after) == (True, True)


def test_the_first_piece_that_has_something_is_enough():
    near, far = find(f"{LINES}walnut one\nwalnut two\n{LINES}{LINES}walnut three"), find(f"{LINES * 3}walnut three")
    assert [snippet.text for snippet in near] == ["walnut one", "walnut two"]
    assert [snippet.text for snippet in far] == ["walnut three"]


@pytest.mark.parametrize("text", ["", "walnut", LINES, ONE_LINE * 2, "x" * MAX_REACH + " walnut"])
def test_nothing_is_shown_of_an_ordinary_note_or_without_a_match_or_out_of_reach(text):
    assert find(text) == ()


def test_nothing_is_looked_for_where_nothing_is_wanted():
    assert excerpts_beyond(Note("note.md", "note"), ONE_LINE * 2, (), n_snippets=2) == ()
