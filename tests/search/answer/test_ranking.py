"""A ranking is sorted, its ids are unique and its scores finite."""

import pytest

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Scaled


def hit(id_: str, score: float) -> Hit[str]:
    return Hit.found(id_, Found("lexical", score))


def test_equal_scores_are_ordered_by_id_whatever_their_original_order():
    assert [each.id for each in Ranking.of([hit("oak", 1.0), hit("ash", 1.0), hit("elm", 2.0)])] == [
        "elm",
        "ash",
        "oak",
    ]


def test_ranks_count_from_one():
    assert Ranking.of([hit("oak", 1.0), hit("elm", 2.0)]).ranks == {"elm": 1, "oak": 2}


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_must_be_finite(score):
    with pytest.raises(ValueError, match="not finite"):
        Ranking.of([hit("oak", score)])


def test_a_repeated_id_is_refused():
    with pytest.raises(ValueError, match="unique"):
        Ranking.of([hit("oak", 1.0), hit("oak", 2.0)])


def test_a_ranking_of_which_no_hit_changed_is_the_same_value():
    ranking = Ranking.of([Hit.found("oak", Found("x", 2.0)), Hit.found("elm", Found("x", 1.0))])
    assert ranking.map(lambda hit: hit) is ranking
    assert ranking.where(lambda id_: id_ in {"oak", "elm"}) is ranking
    raised = ranking.map(lambda hit: hit.then(Scaled("y", 3.0, "why")) if hit.id == "elm" else hit)
    assert [(hit.id, hit.score) for hit in raised] == [("elm", 3.0), ("oak", 2.0)]
    assert [hit.id for hit in ranking.where(lambda id_: id_ == "elm")] == ["elm"]
