"""Excerpts from the rest of giant notes, which other excerpts do not look at."""

import re

import pytest

from search.matching.terms import query_terms
from search.query import RankedTerm
from search.snippets.beyond import MAX_REACH, excerpts_beyond
from search.snippets.excerpts import MAX_SCANNED
from search.snippets.spots import highlight_terms
from search.vault.note import Note

WANTED = highlight_terms([(term, 1.0) for term in query_terms([RankedTerm("walnut")])])
ONE_LINE = "word " * (MAX_SCANNED // 5)
LINES = "some words\n" * (MAX_SCANNED // 11 + 1)


def find(text, **fields):
    return excerpts_beyond(Note("note.md", "note", **fields), text, WANTED, n_snippets=2)


@pytest.mark.parametrize(
    "before",
    [
        ONE_LINE,
        ONE_LINE[:-3],  # the word extends over the millionth character
        ONE_LINE * 2,
        ONE_LINE * 3 + "\n",
        LINES,
        LINES * 2 + "- ",
        LINES.replace("\n", "\r\n"),
        LINES.replace("\n", "\r") * 2,
        "a\r\n" + "b" * (MAX_SCANNED - 1_000 - 4) + "\r\n" + "c " * 600,  # a piece would begin between \r and \n
        "first\n" + ONE_LINE,
    ],
    ids=range(10),
)
def test_a_word_far_into_a_note_is_shown_at_its_line_and_column(before):
    (snippet,) = find(f"{before}walnut tree\nlast")
    ends = list(re.finditer(r"\r\n|\n|\r", before))
    (start, end), *others = snippet.highlights
    assert (snippet.text[start:end], others) == ("walnut", [])
    assert snippet.line == len(ends)
    assert snippet.start_char + start == len(before) - (ends[-1].end() if ends else 0)


def test_an_excerpt_of_a_long_line_says_that_it_is_cut():
    (snippet,) = find(ONE_LINE + "walnut " + "tree " * 100)
    assert (snippet.is_cut_before, snippet.is_cut_after) == (True, True)


def test_the_search_stops_at_the_first_piece_with_a_match():
    near, far = find(f"{LINES}walnut one\nwalnut two\n{LINES}{LINES}walnut three"), find(f"{LINES * 3}walnut three")
    assert [snippet.text for snippet in near] == ["walnut one", "walnut two"]
    assert [snippet.text for snippet in far] == ["walnut three"]


@pytest.mark.parametrize("text", ["", "walnut", LINES, ONE_LINE * 2, "x" * MAX_REACH + " walnut"])
def test_there_are_no_excerpts_in_ordinary_notes_without_a_match_or_out_of_reach(text):
    assert find(text) == ()


def test_there_are_no_excerpts_without_terms():
    assert excerpts_beyond(Note("note.md", "note"), ONE_LINE * 2, (), n_snippets=2) == ()
