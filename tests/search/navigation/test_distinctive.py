"""Words that distinguish a text from others, and the recognition of templates."""

import numpy as np
import pytest

from search.index.corpus import Corpus
from search.navigation.distinctive import (
    Lookup,
    count_words,
    distinctive,
    pieces_of,
    shared_words,
    template_pieces,
    words_in,
)
from search.vault.markdown import parse_note
from vaults import notes_of

VAULT = """
--- a.md
orchid bark orchid common the 2024
--- b.md
bark common and
--- c.md
orchid orchid orchid orchid bark common x.md
--- d.md
common
--- e.md
# Orchid
common
"""


@pytest.fixture
def corpus():
    corpus = Corpus()
    corpus.update(parse_note(name, text) for name, text in notes_of(VAULT).items())
    return corpus


def terms_of(corpus, text, title=""):
    return distinctive(count_words(pieces_of(text)), title, Lookup(corpus.vocabulary, corpus.postings))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("# Tasks\n\n- [ ] Water\n", ["tasks", "water"]),
        (
            "Mood: good\nthe people whom we met in the old house: yes",
            ["mood", "good", "the people whom we met in the old house: yes"],
        ),
        ("***\n---\n> quoted", ["quoted"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_lines_and_labels(text, pieces):
    assert pieces_of(text) == pieces


def test_a_piece_that_three_other_texts_have_belongs_to_a_template():
    others = [frozenset({"mood", "tasks"}), frozenset({"mood", "tasks"}), frozenset({"mood"})]
    assert template_pieces(["mood", "tasks", "own"], others) == {"mood"}
    assert template_pieces(["mood"], []) == frozenset()


def test_common_words_stop_words_numbers_and_unshared_words_are_left_out(corpus):
    found = terms_of(corpus, "the orchid common 2024 bark x.md unheard")
    assert {term.text for term in found} == {"orchid", "bark"}


def test_words_in_the_title_and_frequent_words_weigh_more(corpus):
    plain = {term.text: term.weight for term in terms_of(corpus, "orchid bark")}
    titled = {term.text: term.weight for term in terms_of(corpus, "orchid bark", "Orchid")}
    often = {term.text: term.weight for term in terms_of(corpus, "orchid orchid bark")}
    assert titled["orchid"] == 2 * plain["orchid"]
    assert often["orchid"] > plain["orchid"]
    assert titled["bark"] == often["bark"] == plain["bark"]


def test_a_notes_score_grows_with_the_words_it_shares(corpus):
    found = shared_words(terms_of(corpus, "orchid bark"), corpus.postings)
    scores = dict(zip(corpus.postings.notes, found, strict=True))
    assert scores["c.md"] > scores["a.md"] > scores["b.md"] > scores["d.md"] == 0


def test_the_words_that_a_note_has_are_counted(corpus):
    terms = terms_of(corpus, "orchid bark")
    assert {term.text: count for term, count in words_in(terms, corpus.postings.slots["c.md"])} == {
        "orchid": 4,
        "bark": 1,
    }
    assert words_in(terms, corpus.postings.slots["d.md"]) == ()


def test_the_share_of_notes_with_a_word_is_computed(corpus):
    (orchid,) = terms_of(corpus, "orchid")
    assert orchid.share_of([0, 1]) == 0.5
    assert orchid.share_of([]) == 0.0


def test_a_text_without_informative_words_has_no_distinctive_words(corpus):
    assert terms_of(corpus, "") == ()
    assert not shared_words((), corpus.postings).any()
    empty = Corpus()
    assert distinctive({"orchid": 1}, "", Lookup(empty.vocabulary, empty.postings)) == ()


def test_sizes_count_postings_and_are_zero_for_unknown_tokens(corpus):
    known = corpus.vocabulary.matching("orchid", is_exact=True).word
    assert corpus.postings.sizes(np.array([*known, 10_000], np.uint32)).tolist()[1] == 0
    assert corpus.postings.sizes(known)[0] >= 3
