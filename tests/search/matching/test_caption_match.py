"""Caption match: the formulas of the module's docstring, spelled out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.ids import NoteId
from search.index.captions import captions_of
from search.index.vocabulary import Vocabulary
from search.matching.caption_match import match_captions
from search.matching.nearness import QueryWord
from search.vault.note import Heading, Note

IDF = {"ice": 2.0, "limit": 1.0, "switch": 0.5}
STOP_WORDS = frozenset({"the", "of", "how", "to"})
VOCABULARY = Vocabulary()
VOCABULARY.encode("ice ices limit switch the of how to oak elm ice-limit")


def words(text, **forms):
    """The words of a query, each also in the given forms."""
    return [
        QueryWord(word, np.array([VOCABULARY.number_of(form) for form in (word, *forms.get(word, ()))]), IDF[word])
        for word in text.split()
    ]


def match(query, *, title="oak", aliases=(), name="elm", headings=(), forms=()):
    note = Note(NoteId(f"{name}.md"), title, aliases=aliases, headings=tuple(Heading(2, text, 0) for text in headings))
    asked = words(query, **dict(forms))
    names, found = match_captions(asked, [captions_of(note, VOCABULARY)], VOCABULARY, STOP_WORDS)
    return names.tolist()[0], found.tolist()[0]


def harmonic(covered, fitting):
    return 2 * covered * fitting / (covered + fitting)


@pytest.mark.parametrize(
    ("query", "title", "expected"),
    [
        ("ice limit", "ice limit", 1.0),
        ("ice limit", "The limit of ice", 1.0),
        ("ice limit", "limit", harmonic(1 / 3, 1.0)),
        ("ice limit", "limit oak", harmonic(1 / 3, 1 / 2)),
        ("ice", "ice oak oak", harmonic(1.0, 1 / 3)),
        ("ice ice", "ice", 1.0),
        ("ice limit", "ice-limit", 1.0),
        ("ice", "how to", 0.0),
        ("ice", "", 0.0),
    ],
)
def test_a_name_counts_by_the_words_it_covers_and_by_those_it_adds(query, title, expected):
    assert match(query, title=title) == (pytest.approx(expected), 0.0)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [("How to ice the limit", 1.0), ("limit", 1 / 3), ("limit oak", 1 / 6), ("oak", 0.0)],
)
def test_a_heading_counts_by_the_product_of_both(heading, expected):
    assert match("ice limit", headings=("oak elm", heading)) == (0.0, pytest.approx(expected))


def test_the_best_name_and_the_best_heading_count():
    assert match("ice limit", title="ice", aliases=("ice limit",), name="ice") == (1.0, 0.0)
    assert match("ice limit", headings=("ice", "limit ice", "limit")) == (0.0, pytest.approx(1.0))


def test_words_of_two_headings_do_not_add_up():
    assert match("ice limit", headings=("ice", "limit"))[1] == pytest.approx(2 / 3)


def test_a_form_of_a_word_covers_it():
    assert match("ice limit", title="ices", forms={"ice": ["ices"]}) == (pytest.approx(harmonic(2 / 3, 1.0)), 0.0)


def test_each_note_has_its_own_match():
    notes = [Note(NoteId("x.md"), "ice"), Note(NoteId("y.md"), "", headings=(Heading(1, "limit", 0),))]
    captions = [captions_of(note, VOCABULARY) for note in notes]
    names, headings = match_captions(words("ice limit"), captions, VOCABULARY, STOP_WORDS)
    assert names.tolist() == [pytest.approx(harmonic(2 / 3, 1.0)), 0.0]
    assert headings.tolist() == [0.0, pytest.approx(1 / 3)]


def test_without_notes_or_words_nothing_matches():
    captions = captions_of(Note(NoteId("x.md"), "ice"), VOCABULARY)
    assert [found.tolist() for found in match_captions([], [captions], VOCABULARY, STOP_WORDS)] == [[0.0], [0.0]]
    assert [found.tolist() for found in match_captions(words("ice"), [], VOCABULARY, STOP_WORDS)] == [[], []]


@given(st.lists(st.sampled_from(list(IDF)), max_size=5), st.lists(st.text("icelmtoak -", max_size=20), max_size=4))
def test_a_match_is_a_share(query, headings):
    for value in match(" ".join(query), headings=headings):
        assert 0.0 <= value <= 1.0


def test_scripts_without_spaces_have_no_captions():
    """A pair of characters is no word, so a name of one pair would count as much as a name of one word."""
    vocabulary = Vocabulary()
    vocabulary.encode("知識 ice")
    captions = captions_of(Note(NoteId("知識.md"), "知識 ice"), vocabulary)
    assert captions.words.tolist() == [vocabulary.number_of("ice")]
