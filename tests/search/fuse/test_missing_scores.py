"""What a source could not measure counts as the other sources would expect it to."""

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


def filled(ranking: Ranking[str], *unmeasured: str) -> Ranking[str]:
    return fill_missing_scores(
        ranking, unmeasured, missing="semantic", speaker="lexical", by="unembedded", why="it has no vectors"
    )


def scores(ranking: Ranking[str]) -> dict[str, float]:
    return {hit.id: hit.score for hit in ranking}


def test_the_words_speak_at_the_rate_of_the_notes_that_are_measured():
    found = filled(fused({"oak": 8, "elm": 4, "ash": 2}, {"elm": 0.5, "ash": 0.1, "fir": 0.9}), "oak")
    rate = 0.6 * (0.5 + 0.1) / (0.4 * (4 / 8 + 2 / 8))
    by_hand = {
        "oak": 0.4 + min(rate * 0.4, 0.6),
        "elm": 0.4 * 4 / 8 + 0.6 * 0.5,
        "ash": 0.4 * 2 / 8 + 0.6 * 0.1,
        "fir": 0.6 * 0.9,
    }
    assert scores(found) == pytest.approx(by_hand)


def test_a_note_that_is_measured_and_means_something_else_counts_in_the_rate():
    found = filled(fused({"oak": 8, "elm": 4, "ash": 4}, {"elm": 0.5}), "oak")
    assert scores(found)["oak"] == pytest.approx(0.4 + 0.4 * (0.6 * 0.5) / (0.4 * (0.5 + 0.5)))


def test_no_more_is_filled_in_than_the_best_note_could_have():
    found = filled(fused({"oak": 8, "elm": 1}, {"elm": 1.0}), "oak")
    assert scores(found)["oak"] == pytest.approx(1.0)


def test_where_no_note_is_measured_that_words_found_both_are_taken_to_agree():
    found = filled(fused({"oak": 8, "elm": 4}, {"fir": 0.9}), "oak", "elm")
    assert scores(found) == pytest.approx({"oak": 1.0, "elm": 0.5, "fir": 0.54})


def test_without_meaning_nothing_is_filled_in():
    before = fused({"oak": 8, "elm": 4}, {})
    assert filled(before, "oak", "elm") == before


def test_where_all_that_is_measured_means_nothing_words_gain_nothing_by_it():
    before = fused({"oak": 8, "elm": 4}, {"fir": 0.9})
    assert scores(filled(before, "oak"))["oak"] == pytest.approx(0.4)


def test_what_only_meaning_found_is_not_touched():
    before = fused({"oak": 8, "elm": 4}, {"elm": 0.5, "fir": 0.9})
    assert scores(filled(before, "fir")) == scores(before)


def test_the_trail_says_why_and_replays():
    (found,) = (hit for hit in filled(fused({"oak": 8, "elm": 4}, {"elm": 0.5}), "oak") if hit.id == "oak")
    assert found.trail[:2] == (Found("lexical", 8.0), Fused("lexical", 1, 0.4, 0.4))
    assert isinstance(found.trail[2], Scaled)
    assert (found.trail[2].by, found.trail[2].why) == ("unembedded", "it has no vectors")
    assert replay(found.trail) == found.score


def test_the_share_that_is_measured_goes_by_scores_and_is_never_nothing():
    found = rank("lexical", {"oak": 8, "elm": 4})
    assert share_scored(found, ()) == 1.0
    assert share_scored(found, {"elm"}) == pytest.approx(1 - 4 / (8 + 12))
    assert share_scored(found, {"oak", "elm"}) == pytest.approx(8 / 20)


def test_where_nothing_was_found_all_of_it_is_measured():
    assert share_scored(Ranking[str](), {"oak"}) == 1.0
    assert share_scored(rank("lexical", {"oak": 0}), {"oak"}) == 1.0


def test_a_long_list_has_the_shares_and_rates_of_a_short_one():
    many = {f"n{at:03}": 1000.0 - at for at in range(200)}
    few = dict(list(many.items())[:60])
    unmeasured = {name for name in many if name not in few} | {"n003"}
    assert share_scored(rank("lexical", many), unmeasured) == share_scored(rank("lexical", few), unmeasured)
    said = dict.fromkeys(list(few)[:60:2], 0.5)
    long, short = (scores(filled(fused(words, said), *unmeasured)) for words in (many, few))
    assert long["n003"] == pytest.approx(short["n003"])


_SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.01, 1.0), max_size=8)


@given(_SCORES, _SCORES, st.sets(st.sampled_from("abcdefgh")), st.booleans())
def test_unmeasured_notes_keep_the_order_of_the_words_and_measured_ones_their_scores(lexical, cosines, unmeasured, by):
    semantic = {id_: cosine for id_, cosine in cosines.items() if id_ not in unmeasured}
    rankings = {"lexical": rank("lexical", lexical), "semantic": rank("semantic", semantic)}
    before = fuse_rrf(rankings, WEIGHTS) if by else fused(lexical, semantic)
    after = filled(before, *unmeasured)
    was, now = scores(before), scores(after)
    assert {id_: now[id_] for id_ in now if id_ not in unmeasured} == {
        id_: was[id_] for id_ in was if id_ not in unmeasured
    }
    inside = [hit.id for hit in before if hit.id in unmeasured]
    assert all(now[id_] >= was[id_] for id_ in inside)
    assert all(now[a] >= now[b] - 1e-12 for a, b in pairwise(inside))
    assert all(replay(hit.trail) == hit.score for hit in after)
