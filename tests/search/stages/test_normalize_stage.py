"""Normalization as a stage: the step in the trail, and the base score before it."""

import pytest

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Replaced, before_normalization, replay
from search.normalize.scale import Scale
from search.stages import Context
from search.stages.normalize import Normalize, normalize_scores

TREES = Ranking.of(
    Hit.found(id_, Found("lexical", score)) for id_, score in {"oak": 10.0, "elm": 5.0, "ash": 0.0}.items()
)


@pytest.mark.parametrize(
    ("scale", "expected"), [(Scale.MINMAX, [0.98, 0.5, 0.02]), (Scale.UNIT, [1.0, 0.5, 0.0]), (Scale.ZSCORE, None)]
)
def test_scores_are_replaced_and_the_trail_names_the_scale(scale, expected):
    normalized = normalize_scores(TREES, Normalize(scale=scale), Context())
    assert [hit.id for hit in normalized] == ["oak", "elm", "ash"]
    assert normalized.hits[0].trail[-1] == Replaced("normalize", normalized.hits[0].score, f"{scale} over 3 results")
    if expected is not None:
        assert [hit.score for hit in normalized] == pytest.approx(expected)


def test_the_base_score_is_the_score_before_normalization():
    best = normalize_scores(TREES, Normalize(), Context()).hits[0]
    assert (replay(before_normalization(best.trail)), best.score) == (10.0, pytest.approx(0.98))


def test_a_single_result_gets_the_middle_and_an_empty_ranking_stays_empty():
    one = normalize_scores(TREES.top(1), Normalize(), Context())
    assert (one.hits[0].score, one.hits[0].trail[-1].why) == (0.5, "minmax over 1 result")
    assert normalize_scores(Ranking[str](), Normalize(), Context()) == Ranking()


def test_an_unknown_scale_is_refused():
    with pytest.raises(TypeError):
        Normalize(scale="minmax")
