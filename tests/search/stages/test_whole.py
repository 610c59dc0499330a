"""Notes that have the query's only word whole come before all that resemble it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Replaced, Scaled, replay
from search.stages import Context
from search.stages.whole import Whole, put_whole_words_first


def ranking(**scores):
    return Ranking.of(Hit.found(name, Found("words", score)) for name, score in scores.items())


def staged(found, word="fox", **tiers):
    return put_whole_words_first(found, Whole(margin=1.25), Context(whole_word=word, tiers=tiers))


def test_each_tier_is_lowered_below_the_ones_above_by_one_factor():
    found = staged(ranking(similar=8.0, joined=6.0, diary=1.0, short=3.0, other=4.0), diary=2, short=2, joined=1)
    assert {hit.id: hit.score for hit in found} == pytest.approx(
        {
            "short": 3.0,
            "diary": 1.0,
            "joined": 1.0 / 1.25,
            "similar": 1.0 / 1.25 / 1.25,
            "other": 4.0 * 1.0 / 1.25 / (1.25 * 8.0),
        }
    )
    assert [hit.id for hit in found] == ["short", "diary", "joined", "similar", "other"]


def test_the_step_says_how_many_notes_have_the_word_and_how_its_factor_is_computed():
    (*_, last) = staged(ranking(similar=8.0, diary=1.0, short=3.0), diary=2, short=2)
    step = last.trail[-1]
    assert step == Scaled("whole", 1.0 / 10.0, '2 notes have "fox" whole or joined with others')
    assert step.arithmetic.filled() == "1 / (1.25 * 8)"
    (*_, last) = staged(ranking(joined=8.0, diary=1.0), diary=2, joined=1)
    assert last.trail[-1] == Scaled("whole", 1.0 / 10.0, '1 note has "fox" whole')


def test_nothing_changes_where_the_order_is_right():
    found = ranking(diary=9.0, joined=6.0, similar=2.0)
    assert staged(found, diary=2, joined=1) == found


def test_nothing_changes_without_a_single_word_or_a_note_that_has_it():
    found = ranking(diary=1.0, similar=8.0)
    assert staged(found, word="", diary=2) == found
    assert staged(found) == found
    assert staged(Ranking()) == Ranking()


def test_a_hit_without_a_score_gets_a_millionth_of_the_best_one():
    found = staged(ranking(diary=0.0, similar=8.0), diary=2)
    first, second = found
    assert first.trail[-1] == Replaced("whole", 8e-6, 'it has the word "fox"')
    assert first.trail[-1].arithmetic.filled() == "1e-06 * 8"
    assert second.score == pytest.approx(8e-6 / 1.25)


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0.0, 1e6), min_size=1),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([1, 2])),
)
def test_higher_tiers_come_first_and_a_tier_keeps_its_order(scores, tiers):
    before = ranking(**scores)
    after = staged(before, **tiers)
    places = [tiers.get(hit.id, 0) for hit in after]
    assert places == sorted(places, reverse=True) or before.hits[0].score == 0
    for hit in after:
        assert replay(hit.trail) == hit.score
        assert hit.score <= max(scores.values())
    for tier in (0, 1, 2):
        kept = [
            hit.id for hit in after if tiers.get(hit.id, 0) == tier and scores[hit.id] > 1e-6 * max(scores.values())
        ]
        assert [scores[name] for name in kept] == sorted((scores[name] for name in kept), reverse=True)
