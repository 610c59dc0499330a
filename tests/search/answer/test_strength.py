"""How strong a hit is beside the best one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.strength import strengths
from search.answer.trail import Found, Fused


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


def test_a_hit_that_nothing_measured_is_not_held_back():
    ranking = Ranking.of([Hit.found("a", Fused("x", 1, 1.0, 0.5)), Hit.found("b", Found("lexical", 0.0))])
    assert strengths(ranking) == {"a": 1.0, "b": 1.0}
    assert strengths(Ranking.of([])) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(-5, 5), max_size=6))
def test_strengths_lie_between_zero_and_one(raws):
    ranking = Ranking.of([Hit.found(name, Found("semantic", raw)) for name, raw in raws.items()])
    assert all(0.0 <= strength <= 1.0 for strength in strengths(ranking).values())
