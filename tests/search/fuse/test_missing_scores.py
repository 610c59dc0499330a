"""Notes without a score from one source get an estimate from another."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused, Scaled, replay
from search.fuse.linear import fuse_linear
from search.fuse.missing_scores import fill_missing_scores, share_scored
from search.fuse.rrf import fuse_rrf
from search.normalize.scale import Scale

WEIGHTS = {"lexical": 0.4, "semantic": 0.6}


def rank(source: str, raw: dict[str, float]) -> Ranking[str]:
    return Ranking.of(Hit.found(id_, Found(source, score)) for id_, score in raw.items())


def fused(lexical: dict[str, float], semantic: dict[str, float]) -> Ranking[str]:
    scales = {"lexical": Scale.UNIT, "semantic": Scale.RAW}
    rankings = {"lexical": rank("lexical", lexical), "semantic": rank("semantic", semantic)}
    return fuse_linear(rankings, WEIGHTS, scales=scales)


def filled(ranking: Ranking[str], *without_score: str) -> Ranking[str]:
    return fill_missing_scores(
        ranking,
        without_score,
        missing="semantic",
        estimate_from=["lexical"],
        by="missing-vectors",
        why="it has no vectors",
    )


def scores(ranking: Ranking[str]) -> dict[str, float]:
    return {hit.id: hit.score for hit in ranking}


def test_the_estimate_follows_the_rate_of_the_notes_that_have_both_scores():
    found = filled(fused({"oak": 8, "elm": 4, "ash": 2}, {"elm": 0.5, "ash": 0.1, "fir": 0.9}), "oak")
    rate = 0.6 * (0.5 + 0.1) / (0.4 * (4 / 8 + 2 / 8))
    by_hand = {
        "oak": 0.4 + min(rate * 0.4, 0.6),
        "elm": 0.4 * 4 / 8 + 0.6 * 0.5,
        "ash": 0.4 * 2 / 8 + 0.6 * 0.1,
        "fir": 0.6 * 0.9,
    }
    assert scores(found) == pytest.approx(by_hand)


def test_a_note_with_vectors_that_meaning_did_not_find_lowers_the_rate():
    found = filled(fused({"oak": 8, "elm": 4, "ash": 4}, {"elm": 0.5}), "oak")
    assert scores(found)["oak"] == pytest.approx(0.4 + 0.4 * (0.6 * 0.5) / (0.4 * (0.5 + 0.5)))


def test_an_estimate_is_at_most_the_weight_of_the_missing_source():
    found = filled(fused({"oak": 8, "elm": 1}, {"elm": 1.0}), "oak")
    assert scores(found)["oak"] == pytest.approx(1.0)


def test_if_no_lexical_hit_has_a_semantic_score_the_sources_are_assumed_to_agree():
    found = filled(fused({"oak": 8, "elm": 4}, {"fir": 0.9}), "oak", "elm")
    assert scores(found) == pytest.approx({"oak": 1.0, "elm": 0.5, "fir": 0.54})


def test_nothing_is_filled_in_if_the_semantic_source_is_empty():
    before = fused({"oak": 8, "elm": 4}, {})
    assert filled(before, "oak", "elm") == before


def test_the_estimate_is_zero_if_no_lexical_hit_with_vectors_was_found_by_meaning():
    before = fused({"oak": 8, "elm": 4}, {"fir": 0.9})
    assert scores(filled(before, "oak"))["oak"] == pytest.approx(0.4)


def test_a_note_that_only_meaning_found_keeps_its_score():
    before = fused({"oak": 8, "elm": 4}, {"elm": 0.5, "fir": 0.9})
    assert scores(filled(before, "fir")) == scores(before)


def test_the_trail_says_why_and_replays_to_the_score():
    (found,) = (hit for hit in filled(fused({"oak": 8, "elm": 4}, {"elm": 0.5}), "oak") if hit.id == "oak")
    assert found.trail[:2] == (Found("lexical", 8.0), Fused("lexical", 1, 0.4, 0.4))
    assert isinstance(found.trail[2], Scaled)
    assert (found.trail[2].by, found.trail[2].why) == ("missing-vectors", "it has no vectors")
    assert replay(found.trail) == found.score


def test_the_scored_share_is_weighted_by_scores_and_never_zero():
    found = rank("lexical", {"oak": 8, "elm": 4})
    assert share_scored(found, ()) == 1.0
    assert share_scored(found, {"elm"}) == pytest.approx(1 - 4 / (8 + 12))
    assert share_scored(found, {"oak", "elm"}) == pytest.approx(8 / 20)


def test_the_scored_share_of_an_empty_ranking_is_one():
    assert share_scored(Ranking[str](), {"oak"}) == 1.0
    assert share_scored(rank("lexical", {"oak": 0}), {"oak"}) == 1.0


def test_notes_far_down_a_long_ranking_change_neither_share_nor_rate():
    many = {f"n{at:03}": 1000.0 - at for at in range(200)}
    few = dict(list(many.items())[:60])
    without_score = {name for name in many if name not in few} | {"n003"}
    assert share_scored(rank("lexical", many), without_score) == share_scored(rank("lexical", few), without_score)
    cosines = dict.fromkeys(list(few)[:60:2], 0.5)
    long, short = (scores(filled(fused(words, cosines), *without_score)) for words in (many, few))
    assert long["n003"] == pytest.approx(short["n003"])


_SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 1.0), max_size=8)


@given(_SCORES, _SCORES, st.sets(st.sampled_from("abcdefgh")), st.booleans())
def test_notes_without_a_score_keep_their_order_and_the_others_their_scores(
    lexical, cosines, without_score, is_by_rank
):
    semantic = {id_: cosine for id_, cosine in cosines.items() if id_ not in without_score}
    rankings = {"lexical": rank("lexical", lexical), "semantic": rank("semantic", semantic)}
    before = fuse_rrf(rankings, WEIGHTS) if is_by_rank else fused(lexical, semantic)
    after = filled(before, *without_score)
    old, new = scores(before), scores(after)
    assert {id_: new[id_] for id_ in new if id_ not in without_score} == {
        id_: old[id_] for id_ in old if id_ not in without_score
    }
    estimated = [hit.id for hit in before if hit.id in without_score]
    assert all(new[id_] >= old[id_] for id_ in estimated)
    assert all(new[a] >= new[b] - 1e-12 for a, b in pairwise(estimated))
    assert all(replay(hit.trail) == hit.score for hit in after)
