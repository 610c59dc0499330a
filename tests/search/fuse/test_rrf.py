"""Reciprocal rank fusion, with every expected score written out by hand."""

import pytest

from search.answer.evidence import Evidence, Field, FieldMatch
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused, Scaled, replay
from search.fuse import share_weights
from search.fuse.rrf import Rrf, fuse_rrf

EMPTY: Ranking[str] = Ranking()


def rank(source: str, *ids: str) -> Ranking[str]:
    return Ranking.of(Hit.found(id_, Found(source, 9.0 - at)) for at, id_ in enumerate(ids))


LEXICAL = rank("lexical", "oak", "elm", "ash")
SEMANTIC = rank("semantic", "elm", "oak", "fir")
WEIGHTS = {"lexical": 0.4, "semantic": 0.6}


def scores(ranking: Ranking[str]) -> dict[str, float]:
    return {hit.id: hit.score for hit in ranking}


def test_a_score_is_the_weighted_sum_of_reciprocal_ranks():
    fused = fuse_rrf({"lexical": LEXICAL, "semantic": SEMANTIC}, WEIGHTS, k=60)
    by_hand = {
        "elm": 0.4 / 62 + 0.6 / 61,
        "oak": 0.4 / 61 + 0.6 / 62,
        "fir": 0.6 / 63,
        "ash": 0.4 / 63,
    }
    assert scores(fused) == by_hand
    assert scores(fused) == pytest.approx(
        {"elm": 0.0162877, "oak": 0.0162348, "fir": 0.0095238, "ash": 0.0063492}, abs=5e-8
    )
    assert [hit.id for hit in fused] == ["elm", "oak", "fir", "ash"]


def test_an_empty_source_gives_its_weight_to_the_others():
    fused = fuse_rrf({"lexical": LEXICAL, "semantic": EMPTY}, WEIGHTS, k=60)
    assert scores(fused) == {"oak": 1 / 61, "elm": 1 / 62, "ash": 1 / 63}


def test_empty_sources_give_an_empty_ranking():
    assert fuse_rrf({"lexical": EMPTY, "semantic": EMPTY}, WEIGHTS, k=60) == EMPTY
    assert fuse_rrf({}, {}, k=60) == EMPTY


def test_a_smaller_k_sets_the_ranks_further_apart():
    assert scores(fuse_rrf({"lexical": LEXICAL}, {"lexical": 0.4}, k=1)) == {"oak": 1 / 2, "elm": 1 / 3, "ash": 1 / 4}


def test_weights_are_scaled_to_sum_to_one():
    assert share_weights({"semantic": SEMANTIC, "lexical": LEXICAL}, {"lexical": 1, "semantic": 3}) == {
        "lexical": 0.25,
        "semantic": 0.75,
    }


def test_if_only_sources_of_weight_zero_found_notes_they_get_equal_shares():
    assert share_weights({"lexical": LEXICAL, "semantic": EMPTY}, {"lexical": 0.0, "semantic": 1.0}) == {"lexical": 1.0}
    assert share_weights({"a": LEXICAL, "b": SEMANTIC}, {"a": 0.0, "b": 0.0}) == {"a": 0.5, "b": 0.5}


def test_a_source_of_weight_zero_adds_no_notes_but_its_evidence_stays():
    lexical = Ranking.of([Hit.found("elm", Found("lexical", 3.0), evidence=Evidence(exact_name="Elm"))])
    fused = fuse_rrf({"lexical": lexical, "semantic": rank("semantic", "elm")}, {"lexical": 0, "semantic": 1}, k=60)
    assert scores(fused) == {"elm": 1 / 61}
    assert fused.hits[0].evidence.exact_name == "Elm"
    assert fused.hits[0].trail == (Found("lexical", 3.0), Found("semantic", 9.0), Fused("semantic", 1, 1.0, 1 / 61))
    assert "ash" not in scores(
        fuse_rrf({"lexical": LEXICAL, "semantic": SEMANTIC}, {"lexical": 0, "semantic": 1}, k=60)
    )


def test_the_trail_shows_every_raw_score_and_contribution():
    fused = fuse_rrf({"semantic": SEMANTIC, "lexical": LEXICAL}, WEIGHTS, k=60)
    oak = next(hit for hit in fused if hit.id == "oak")
    assert oak.trail == (
        Found("lexical", 9.0),
        Found("semantic", 8.0),
        Fused("lexical", 1, 0.4, 0.4 / 61),
        Fused("semantic", 2, 0.6, 0.6 / 62),
    )
    assert replay(oak.trail) == oak.score


def test_a_fusion_of_fusions_starts_from_the_raw_scores():
    """How a source changed its own scores matters only for its ranks."""
    scaled = LEXICAL.map(lambda hit: hit.then(Scaled("spread", 0.8, "one hop away")))
    inner = fuse_rrf({"lexical": scaled, "semantic": SEMANTIC}, WEIGHTS, k=60)
    outer = fuse_rrf({"both": inner}, {"both": 1.0}, k=60)
    assert scores(outer) == {"elm": 1 / 61, "oak": 1 / 62, "fir": 1 / 63, "ash": 1 / 64}


def test_evidence_of_all_sources_is_merged():
    word = FieldMatch(Field.BODY, "oak", 1.0)
    lexical = Ranking.of([Hit.found("oak", Found("lexical", 3.0), evidence=Evidence(matches=(word,)))])
    semantic = Ranking.of([Hit.found("oak", Found("semantic", 0.8), evidence=Evidence(cosine=0.8))])
    fused = fuse_rrf({"lexical": lexical, "semantic": semantic}, WEIGHTS, k=60)
    assert fused.hits[0].evidence == Evidence(matches=(word,), cosine=0.8)


def test_k_is_sixty_by_default():
    assert Rrf() == Rrf(k=60)


@pytest.mark.parametrize("bad", [{"k": 0}, {"k": 101}])
def test_settings_outside_their_range_are_refused(bad):
    with pytest.raises(ValueError, match="must be"):
        Rrf(**bad)
