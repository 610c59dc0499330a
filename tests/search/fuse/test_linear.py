"""Linear fusion, with every expected score written out by hand."""

import pytest

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused
from search.fuse.linear import Linear, fuse_linear
from search.normalize.scale import Scale


def rank(source: str, **raw: float) -> Ranking[str]:
    return Ranking.of(Hit.found(id_, Found(source, score)) for id_, score in raw.items())


LEXICAL = rank("lexical", oak=8.0, elm=4.0, ash=2.0)
SEMANTIC = rank("semantic", elm=0.9, oak=0.6, fir=0.3)
SCALES = {"lexical": Scale.UNIT, "semantic": Scale.MINMAX}


def scores(ranking: Ranking[str]) -> dict[str, float]:
    return {hit.id: hit.score for hit in ranking}


def test_bm25_is_scaled_by_its_maximum_and_cosines_by_min_max():
    fused = fuse_linear({"lexical": LEXICAL, "semantic": SEMANTIC}, {"lexical": 0.5, "semantic": 0.5}, scales=SCALES)
    by_hand = {
        "oak": 0.5 * (0.6 - 0.3) / (0.9 - 0.3) + 0.5 * 8 / 8,
        "elm": 0.5 * (0.9 - 0.3) / (0.9 - 0.3) + 0.5 * 4 / 8,
        "ash": 0.5 * 2 / 8,
        "fir": 0.5 * (0.3 - 0.3) / (0.9 - 0.3),
    }
    assert scores(fused) == pytest.approx(by_hand)
    assert [hit.id for hit in fused] == ["elm", "oak", "ash", "fir"]


def test_three_sources_with_their_own_weights_and_scales():
    graph = rank("graph", oak=1.0, yew=0.5)
    fused = fuse_linear(
        {"lexical": LEXICAL, "semantic": SEMANTIC, "graph": graph},
        {"lexical": 0.3, "semantic": 0.5, "graph": 0.2},
        scales={**SCALES, "graph": Scale.UNIT},
    )
    assert scores(fused)["oak"] == pytest.approx(0.3 * 1 + 0.5 * 0.5 + 0.2 * 1)
    assert scores(fused)["yew"] == pytest.approx(0.2 * 0.5)


def test_zscore_can_be_chosen_and_min_max_is_the_default_scale():
    by_z = fuse_linear({"semantic": SEMANTIC}, {"semantic": 1.0}, scales={"semantic": Scale.ZSCORE})
    assert scores(by_z)["oak"] == pytest.approx(0.5)
    assert 0.5 < scores(by_z)["elm"] < 1.0
    usual = fuse_linear({"semantic": SEMANTIC}, {"semantic": 1.0}, scales={})
    assert scores(usual) == pytest.approx({"elm": 1.0, "oak": 0.5, "fir": 0.0})


def test_the_trail_shows_raw_score_rank_weight_and_contribution():
    fused = fuse_linear({"lexical": LEXICAL}, {"lexical": 0.5}, scales=SCALES)
    assert fused.hits[1].trail == (Found("lexical", 4.0), Fused("lexical", 2, 1.0, 0.5))


def test_empty_sources_give_an_empty_ranking():
    assert fuse_linear({"lexical": Ranking()}, {"lexical": 1.0}, scales={}) == Ranking()


def test_default_settings_and_refused_ones():
    assert Linear() == Linear(scales={"lexical": Scale.UNIT}, good_bm25=0.5)
    with pytest.raises(ValueError, match="must be"):
        Linear(good_bm25=2.0)
    with pytest.raises(TypeError):
        Linear(scales={"lexical": "unit"})


def test_the_value_of_an_anchored_score_does_not_depend_on_the_other_scores():
    """The best of several poor matches is no full match."""
    rankings = {
        "lexical": Ranking.of([Hit.found("oak", Found("lexical", 8.0))]),
        "semantic": Ranking.of([Hit.found("elm", Found("semantic", 0.3)), Hit.found("ash", Found("semantic", 0.25))]),
    }
    weights = {"lexical": 0.5, "semantic": 0.5}
    fused = fuse_linear(rankings, weights, scales={}, anchors={"semantic": (0.2, 0.6), "lexical": (0.0, 10.0)})
    assert {hit.id: round(hit.score, 4) for hit in fused} == {"oak": 0.36, "elm": 0.1125, "ash": 0.0563}


@pytest.mark.parametrize(("ceiling", "values"), [(4.0, [1.0, 0.5]), (16.0, [0.5, 0.25])])
def test_a_ceiling_counts_only_where_no_score_reaches_it(ceiling, values):
    ranking = Ranking.of([Hit.found("oak", Found("lexical", 8.0)), Hit.found("elm", Found("lexical", 4.0))])
    fused = fuse_linear(
        {"lexical": ranking}, {"lexical": 1.0}, scales={"lexical": Scale.UNIT}, ceilings={"lexical": ceiling}
    )
    assert [hit.score for hit in fused] == values
