"""BM25F, with every expected number worked out by hand."""

from math import log

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from search.answer.evidence import Field
from search.index.postings import FIELDS, Postings
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import Bm25f, inverse_document_frequency, saturate, weigh
from search.matching.terms import post, query_terms
from search.query import RankedTerm

PLAIN = Bm25f(
    k1=1.2,
    weights=dict.fromkeys(Field, 1.0) | {Field.TITLE: 3.0},
    b=dict.fromkeys(Field, 0.0) | {Field.BODY: 0.75},
    prefix_weight=0.5,
)


def weighed(query, notes, model=PLAIN, *, is_prefix=False):
    """The first term of the query over notes given as (title, body)."""
    vocabulary = Vocabulary()
    empty = vocabulary.encode("")
    postings = Postings().with_notes(
        [
            (f"n{at}.md", [vocabulary.encode(title), *[empty] * (len(FIELDS) - 2), vocabulary.encode(body)])
            for at, (title, body) in enumerate(notes)
        ]
    )
    terms = query_terms([RankedTerm(query, is_prefix=is_prefix)])
    return weigh(post(terms, vocabulary, postings)[0], postings, model)


def test_fields_are_summed_before_they_saturate():
    # mean body length (2 + 4) / 2 = 3; n0: title 3 * 1, body 1 * 1 / (1 - .75 + .75 * 2/3) = 1 / .75
    found = weighed("oak", [("oak", "oak elm"), ("", "elm elm elm oak")])
    assert found.frequencies[0] == pytest.approx(3.0 + 1.0 / 0.75)
    assert found.frequencies[1] == pytest.approx(1.0 / (0.25 + 0.75 * 4 / 3))
    assert found.is_in_name.tolist() == [True, False]


def test_idf_counts_the_notes_of_the_whole_vault_by_their_best_kind_of_match():
    # N = 3, df = 1: ln(1 + 2.5 / 1.5)
    assert weighed("oak", [("", "oak"), ("", "oaken"), ("", "elm")]).idf == pytest.approx(log(1 + 2.5 / 1.5))
    assert weighed("oak", [("", "soaked"), ("", "oaken"), ("", "elm")]).idf == pytest.approx(log(1 + 1.5 / 2.5))
    assert weighed("oak", [("", "elm")]).idf == pytest.approx(log(1 + 1.5 / 0.5))


def test_a_completion_counts_half_as_much_as_the_word():
    found = weighed("oa", [("", "oa"), ("", "oak")], evolve(PLAIN, b=dict.fromkeys(Field, 0.0)), is_prefix=True)
    assert found.frequencies.tolist() == [1.0, 0.5]


def test_an_inner_match_lies_below_the_weakest_whole_word():
    long_note = "oak " + "elm " * 500
    found = weighed("oak", [("", long_note), ("", "soaked " * 50)])
    # .5 * smallest whole * s / (s + 1), with s the sum over the fields
    relative = 50 / np.mean([501, 50])
    s = 50 / (0.25 + 0.75 * relative)
    assert found.frequencies[1] == pytest.approx(0.5 * found.frequencies[0] * s / (s + 1))
    assert found.is_inner.tolist() == [False, True]


def test_without_any_whole_word_inner_matches_are_scaled_from_one():
    found = weighed("oak", [("", "soaked")], evolve(PLAIN, b=dict.fromkeys(Field, 0.0)))
    assert found.frequencies.tolist() == [0.25]  # .5 * 1 * 1 / 2


def test_a_term_that_occurs_nowhere_weighs_nothing():
    assert weighed("oak", [("", "elm")]).frequencies.tolist() == [0.0]


@given(st.lists(st.sampled_from(["oak", "soaked", "oaken", "elm"]), min_size=1, max_size=12), st.integers(0, 40))
def test_inner_matches_never_reach_a_whole_word(words, n_fill):
    found = weighed("oak", [("", " ".join(words)), ("", "oak " + "elm " * n_fill), ("", "soaked " * 30)])
    assert found.frequencies[2] < found.frequencies[1]


def test_saturation_runs_from_zero_to_k1_plus_one():
    assert saturate(np.array([0.0, 1.0, 2.0]), 1.2).tolist() == pytest.approx([0.0, 1.0, 2 * 2.2 / 3.2])
    assert saturate(np.array([1e9]), 1.2)[0] == pytest.approx(2.2)
    assert saturate(np.array([0.0, 3.0]), 0.0).tolist() == [0.0, 1.0]


@given(st.integers(0, 100), st.integers(0, 100))
def test_idf_is_above_zero_and_falls_with_document_frequency(df, more):
    n_notes = df + more
    assert inverse_document_frequency(df, n_notes) > 0
    assert inverse_document_frequency(df, n_notes) >= inverse_document_frequency(n_notes, n_notes)


def test_a_stop_word_counts_in_a_name_and_hardly_in_a_text():
    """Only next to another word: in a query of stop words alone they count fully."""
    vocabulary = Vocabulary()
    empty = vocabulary.encode("")
    postings = Postings().with_notes(
        [
            (name, [vocabulary.encode(title), *[empty] * (len(FIELDS) - 2), vocabulary.encode(body)])
            for name, title, body in [("name.md", "to do", ""), ("text.md", "", "to to")]
        ]
    )
    model = evolve(PLAIN, b=dict.fromkeys(Field, 0.0), stop_words_in_text=0.2)
    posted = post(query_terms([RankedTerm("to"), RankedTerm("oak")]), vocabulary, postings)
    assert weigh(posted[0], postings, model).frequencies.tolist() == [3.0, pytest.approx(0.2 * 2 / 3)]
    alone = post(query_terms([RankedTerm("to")]), vocabulary, postings)
    assert weigh(alone[0], postings, model).frequencies.tolist() == [3.0, 2.0]


def test_a_thousand_occurrences_of_a_stop_word_are_worth_no_more_than_the_limit():
    notes = [("", "to " * 1000), ("", "to elm")]
    found = weighed("to oak", notes, evolve(PLAIN, b=dict.fromkeys(Field, 0.0), stop_words_in_text=0.2))
    assert found.frequencies.tolist() == [pytest.approx(0.2 * 1000 / 1001), pytest.approx(0.1)]


def test_the_limit_on_stop_words_does_not_change_their_idf():
    vocabulary = Vocabulary()
    empty = vocabulary.encode("")
    postings = Postings().with_notes(
        [(name, [*[empty] * (len(FIELDS) - 1), vocabulary.encode("to")]) for name in ("elm", "oak")]
    )
    posted = post(query_terms([RankedTerm("to"), RankedTerm("ash")]), vocabulary, postings)
    nothing = weigh(posted[0], postings, evolve(PLAIN, stop_words_in_text=0.0))
    assert nothing.frequencies.tolist() == [0.0, 0.0]
    assert nothing.idf == pytest.approx(inverse_document_frequency(2, 2))


@pytest.mark.parametrize("query", ["oak", "to"])
def test_frequencies_are_the_same_to_the_last_digit_in_blocks(monkeypatch, query):
    notes = [(f"{query} {at}", "oak oaken to soaked elm-oak " * (at + 1)) for at in range(9)]
    whole = weighed(query, notes, Bm25f(), is_prefix=True)
    monkeypatch.setattr("search.index.postings._BLOCK", 4)
    in_blocks = weighed(query, notes, Bm25f(), is_prefix=True)
    assert in_blocks.frequencies.tolist() == whole.frequencies.tolist()
    assert in_blocks.is_in_name.tolist() == whole.is_in_name.tolist()
    assert in_blocks.idf == whole.idf


@pytest.mark.parametrize("value", [-0.1, 1.1])
@pytest.mark.parametrize("name", ["prefix_weight", "inner_share", "stop_words_in_text"])
def test_shares_out_of_range_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        Bm25f(**{name: value})


@pytest.mark.parametrize("value", [-0.1, 10.1])
def test_k1_out_of_range_is_refused(value):
    with pytest.raises(ValueError, match="k1"):
        Bm25f(k1=value)
