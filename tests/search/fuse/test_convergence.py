"""The bonus for notes that several sources found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused, Scaled, replay
from search.fuse.convergence import reward_convergence
from search.fuse.rrf import Rrf


def hit(name, *sources):
    raw = [Found(source, 1.0) for source in sources]
    return Hit.found(name, *raw, *(Fused(source, 1, 1.0, 0.5) for source in sources))


def test_a_note_found_by_two_sources_gains_and_its_trail_says_why():
    found = reward_convergence(Ranking.of([hit("oak", "lexical", "semantic"), hit("elm", "lexical")]), 0.1)
    assert {one.id: one.score for one in found} == pytest.approx({"oak": 1.1, "elm": 0.5})
    assert found.hits[0].trail[-1] == Scaled("convergence", 1.1, "found by 2 sources")


def test_without_a_bonus_nothing_changes():
    before = Ranking.of([hit("oak", "lexical", "semantic")])
    assert reward_convergence(before, 0.0) == before


@given(st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from("xyz"), min_size=1)), st.floats(0, 1))
def test_the_gain_is_between_zero_and_the_bonus(sources, bonus):
    before = Ranking.of(hit(name, *sorted(found)) for name, found in sources.items())
    for one in reward_convergence(before, bonus):
        old = before.hits[before.ranks[one.id] - 1].score
        assert old <= one.score <= old * (1 + bonus) * (1 + 1e-12)
        assert one.score == replay(one.trail)


@pytest.mark.parametrize("bonus", [-0.1, 1.1])
def test_the_bonus_is_bounded(bonus):
    with pytest.raises(ValueError, match="must be"):
        Rrf(convergence=bonus)


def test_sources_that_are_alike_count_as_one():
    found = Ranking.of([hit("oak", "gist", "semantic"), hit("elm", "gist", "lexical")])
    rewarded = {one.id: one.score for one in reward_convergence(found, 0.1, alike=("gist", "semantic"))}
    before = {one.id: one.score for one in found}
    assert rewarded == {"oak": before["oak"], "elm": pytest.approx(before["elm"] * 1.1)}
