"""Words in lines: found as if every line were read, though only a few are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.fold import fold
from search.snippets import words_in_lines
from search.snippets.excerpts import excerpts
from search.snippets.markup import seen
from search.snippets.spots import HighlightTerm, in_line, lines_with
from search.snippets.words_in_lines import WordsInLines, words_in
from search.vault.note import Note

NOTE = Note("n.md", "n")
PIECES = st.sampled_from(
    [
        "oak",
        "Oaks",
        "soak",
        "oak",
        "élm",
        "elm",
        "elm-tree",
        "ash",
        "[oak](elm.md)",
        "[a](oak)",
        "<b>",
        "%%ash%%",
        "`",
        "x",
    ]
)
LINES = st.lists(st.lists(PIECES, max_size=5).map(" ".join), min_size=1, max_size=25)
TERMS = st.lists(
    st.builds(
        HighlightTerm,
        st.sampled_from(["oak", "oaks", "elm", "ash", "e", "oak elm", "a"]),
        st.sampled_from([0.5, 1.0, 2.0]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=5,
)


def read_line_by_line(lines, terms):
    """What `words_in` finds, by reading every line."""
    visible = {number: in_line(fold(seen(line)), terms) for number, line in enumerate(lines)}
    anywhere = {number: in_line(fold(line), terms) for number, line in enumerate(lines)}
    found = visible if any(visible.values()) else anywhere
    return {number: list(held) for number, held in found.items() if held}


class Read(WordsInLines):
    """Words in lines whose upper limits are what the lines weigh."""

    def __init__(self, lines, terms):
        super().__init__(lines, terms)
        self.found = {number: list(held) for number, held in self.items()}


@given(LINES, TERMS)
def test_the_words_are_those_of_a_search_in_each_line(lines, terms):
    assert {number: list(held) for number, held in words_in(lines, terms).items()} == read_line_by_line(lines, terms)


@given(LINES, TERMS)
def test_no_line_weighs_more_than_the_limit_that_is_known_before_it_is_read(lines, terms):
    words = words_in(lines, terms)
    for number in words:
        limits = {id(item): weight for item, weight in words.found[number]}
        assert all(weight <= limits[id(item)] for item, weight in words.in_line(number))


@given(LINES, TERMS)
def test_excerpts_are_those_of_a_note_whose_lines_are_all_read(lines, terms):
    whole = excerpts(NOTE, lines, terms, words=Read(lines, terms), n_snippets=2)
    assert excerpts(NOTE, lines, terms, n_snippets=2) == whole


@given(st.text("aab \n", max_size=60), st.lists(st.text("ab", max_size=6), max_size=6))
def test_texts_with_the_same_beginning_are_found_like_any_others(folded, texts):
    terms = [HighlightTerm(text, 1.0) for text in texts]
    lines = folded.split("\n")
    expected = {
        number: [(item, 1.0) for item in terms if item.text and item.text in line] for number, line in enumerate(lines)
    }
    assert lines_with(folded, terms) == {number: held for number, held in expected.items() if held}


@pytest.mark.parametrize("line", ["the oak at [home](oak.md)", "[home](home.md) with an oak", "the `oak` <b>"])
def test_of_a_long_note_only_a_few_lines_are_read(monkeypatch, line):
    read = []
    monkeypatch.setattr(words_in_lines, "in_line", lambda text, terms: read.append(text) or in_line(text, terms))
    assert excerpts(NOTE, [f"{line} {number}" for number in range(1000)], [HighlightTerm("oak", 1.0)], n_snippets=2)
    assert len(read) < 60
