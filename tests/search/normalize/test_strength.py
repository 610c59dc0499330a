"""How strong a hit is beside the best one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused
from search.normalize.strength import strengths


def test_strength_is_the_share_of_the_best_raw_score():
    ranking = Ranking.of([Hit.found("a", Found("lexical", 8.0)), Hit.found("b", Found("lexical", 6.0))])
    assert strengths(ranking) == {"a": 1.0, "b": 0.75}


def test_what_one_source_finds_strong_is_strong():
    ranking = Ranking.of(
        [
            Hit.found("a", Found("lexical", 8.0), Found("semantic", 0.2), Fused("lexical", 1, 1.0, 0.9)),
            Hit.found("b", Found("semantic", 0.8), Fused("semantic", 1, 1.0, 0.8)),
            Hit.found("c", Found("lexical", 2.0), Found("semantic", 0.4), Fused("lexical", 2, 1.0, 0.1)),
        ]
    )
    assert strengths(ranking) == pytest.approx({"a": 1.0, "b": 1.0, "c": 0.5})


def test_a_cosine_is_as_strong_as_it_says_whatever_the_best_one_is():
    """The ratio of .42 to .48 would be .88, for two notes that are no more than a little alike."""
    anchors = {"semantic": (0.2, 0.6)}
    ranking = Ranking.of([Hit.found("a", Found("semantic", 0.48)), Hit.found("b", Found("semantic", 0.42))])
    assert strengths(ranking, anchors=anchors) == pytest.approx({"a": 0.63, "b": 0.495})
    with_words = Ranking.of([Hit.found("a", Found("lexical", 2.0), Found("semantic", 0.1)), *ranking.hits[1:]])
    assert strengths(with_words, anchors=anchors) == pytest.approx({"a": 1.0, "b": 0.495})


def test_a_hit_that_nothing_measured_is_not_held_back():
    ranking = Ranking.of([Hit.found("a", Fused("x", 1, 1.0, 0.5)), Hit.found("b", Found("lexical", 0.0))])
    assert strengths(ranking) == {"a": 1.0, "b": 1.0}
    assert strengths(Ranking.of([])) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(-5, 5), max_size=6))
def test_strengths_lie_between_zero_and_one(raws):
    ranking = Ranking.of([Hit.found(name, Found("semantic", raw)) for name, raw in raws.items()])
    assert all(0.0 <= strength <= 1.0 for strength in strengths(ranking).values())


def test_a_source_that_is_not_asked_says_nothing():
    ranking = Ranking.of([Hit.found("a", Found("lexical", 8.0)), Hit.found("b", Found("semantic", 0.9))])
    assert strengths(ranking, without={"semantic"}, unmeasured=0.0) == {"a": 1.0, "b": 0.0}
