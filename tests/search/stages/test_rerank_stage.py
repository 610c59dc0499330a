"""The best hits are reordered by a reranker's scores, above all others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused, replay
from search.stages import Context
from search.stages.rerank import Rerank, rerank_best


def ranking(**scores):
    return Ranking.of(
        Hit.found(f"{name}.md", Found("lexical", s), Fused("lexical", 1, 1.0, s)) for name, s in scores.items()
    )


def order(found):
    return [hit.id.removesuffix(".md") for hit in found]


def test_the_best_hits_take_the_rerankers_order_and_the_rest_stays_below():
    found = rerank_best(
        ranking(oak=0.9, elm=0.8, ash=0.7, fir=0.1),
        Rerank(top_n=3),
        Context(rerank_scores={"oak.md": -4.0, "elm.md": -9.0, "ash.md": 2.5, "fir.md": 99.0}),
    )
    assert order(found) == ["ash", "oak", "elm", "fir"]
    assert found.hits[0].score == pytest.approx(0.9)  # the score of the former best hit
    assert found.hits[3].score == 0.1
    assert found.hits[0].trail[-1].why == "the reranker's 2.5, among 3 passages"


@pytest.mark.parametrize("scores", [{}, {"oak.md": 1.0}, {"gone.md": 1.0, "lost.md": 2.0}])
def test_fewer_than_two_scores_change_nothing(scores):
    before = ranking(oak=0.9, elm=0.8)
    assert rerank_best(before, Rerank(), Context(rerank_scores=scores)) == before


def test_a_hit_without_a_reranker_score_comes_after_those_with_one():
    found = rerank_best(ranking(oak=3, elm=2, ash=1), Rerank(), Context(rerank_scores={"elm.md": 0.1, "ash.md": 0.7}))
    assert order(found) == ["ash", "elm", "oak"]


@pytest.mark.parametrize("top_n", [1, 101, 2.5])
def test_a_top_n_out_of_range_is_refused(top_n):
    with pytest.raises((ValueError, TypeError)):
        Rerank(top_n=top_n)


NAMES = st.sampled_from([f"n{at}.md" for at in range(12)])
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


@given(
    st.dictionaries(NAMES, st.just(0.0) | st.floats(1e-6, 1e3), max_size=12),
    st.dictionaries(NAMES, NUMBERS),
    st.integers(2, 12),
)
def test_reranked_hits_come_first_in_the_rerankers_order(scores, given_scores, top_n):
    before = Ranking.of(Hit.found(name, Found("lexical", s)) for name, s in scores.items())
    after = rerank_best(before, Rerank(top_n=top_n), Context(rerank_scores=given_scores))
    assert {hit.id for hit in after} == {hit.id for hit in before}
    assert all(hit.score == replay(hit.trail) for hit in after)
    read = [hit.id for hit in before.top(top_n) if hit.id in given_scores]
    if len(read) < 2:
        assert after == before
        return
    first = [hit.id for hit in after][: len(read)]
    assert set(first) == set(read)
    assert [given_scores[name] for name in first] == sorted((given_scores[name] for name in read), reverse=True)
