"""The lexical source: scores worked out by hand, and compared with the formula computed without Whoosh."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.evidence import Field
from search.index.postings import FIELDS, Postings
from search.index.vocabulary import Vocabulary
from search.matching.bm25f import Bm25f, saturate, weigh
from search.matching.terms import post, query_terms
from search.query import RankedTerm
from search.sources.lexical import search_lexical

FLAT = Bm25f(weights=dict.fromkeys(Field, 1.0), b=dict.fromkeys(Field, 0.0))


def ranking(query, bodies, model=FLAT, candidates=None):
    """Note and score, best first; also the weighed terms and the postings."""
    vocabulary = Vocabulary()
    empty = vocabulary.encode("")
    postings = Postings().with_notes(
        [(f"{name}.md", [*[empty] * (len(FIELDS) - 1), vocabulary.encode(body)]) for name, body in bodies.items()]
    )
    weighed = tuple(
        weigh(term, postings, model) for term in post(query_terms([RankedTerm(query)]), vocabulary, postings)
    )
    slots = np.arange(len(postings.notes)) if candidates is None else np.array(candidates, np.int64)
    found = search_lexical(weighed, slots, postings, k1=model.k1)
    return {hit.id.removesuffix(".md"): hit.score for hit in found}, weighed, postings


def test_a_score_is_idf_times_saturated_frequency():
    scores, _, _ = ranking("oak", {"one": "oak", "two": "oak oak", "none": "elm"})
    idf = log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    assert scores == pytest.approx({"two": idf * 2 * 2.2 / (2 + 1.2), "one": idf * 1 * 2.2 / (1 + 1.2)})
    assert list(scores) == ["two", "one"]


def test_a_word_counts_as_often_as_the_query_repeats_it():
    once, _, _ = ranking("oak elm", {"a": "oak", "b": "elm", "c": "fir"})
    twice, _, _ = ranking("oak oak elm", {"a": "oak", "b": "elm", "c": "fir"})
    assert twice["a"] == pytest.approx(2 * once["a"])
    assert twice["b"] == pytest.approx(once["b"])


def test_idf_is_that_of_the_whole_vault_even_with_few_candidates():
    bodies = {"a": "oak", "b": "oak elm", "c": "fir"}
    all_notes, _, _ = ranking("oak elm", bodies)
    some, _, _ = ranking("oak elm", bodies, candidates=[1])
    assert some == {"b": pytest.approx(all_notes["b"])}


@pytest.mark.parametrize("query", ["absent", "", "§"])
def test_a_query_without_matches_gives_an_empty_ranking(query):
    assert ranking(query, {"a": "oak"})[0] == {}


def test_no_candidates_give_an_empty_ranking():
    assert ranking("oak", {"a": "oak"}, candidates=[])[0] == {}


def test_equal_scores_are_ordered_by_note_id():
    assert list(ranking("oak", {"b": "oak", "a": "oak", "c": "oak"})[0]) == ["a", "b", "c"]


def test_a_term_can_be_any_text():
    scores, _, _ = ranking("\ud800 知識 c++ §", {"a": "知識", "b": "C++ §"})
    assert set(scores) == {"a", "b"}


WORDS = st.lists(st.sampled_from(["oak", "elm", "fir", "soaked", "ash"]), max_size=8).map(" ".join)


@given(
    st.lists(WORDS, min_size=1, max_size=8), st.lists(st.sampled_from(["oak", "elm", "fir"]), min_size=1, max_size=4)
)
def test_whoosh_scores_as_the_formula_does(texts, query):
    """Sum over the terms of times * idf * saturated wtf, computed without Whoosh."""
    scores, weighed, postings = ranking(" ".join(query), {f"n{at}": text for at, text in enumerate(texts)}, Bm25f())
    expected = np.zeros(len(texts))
    for term in weighed:
        expected += term.term.times * term.idf * saturate(term.frequencies, 1.2)
    by_hand = {
        note.removesuffix(".md"): score
        for note, score in zip(postings.notes, expected.tolist(), strict=True)
        if score > 0
    }
    assert scores == pytest.approx(by_hand)
