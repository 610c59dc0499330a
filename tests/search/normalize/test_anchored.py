"""The anchored scale, which has two fixed points."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.normalize.anchored import anchored_arithmetic, to_anchored


@pytest.mark.parametrize(
    ("score", "value"), [(-1.0, 0.0), (0.2, 0.0), (0.4, 0.45), (0.6, 0.9), (0.8, 0.95), (1.0, 1.0), (1.1, 1.0)]
)
def test_the_scale_is_linear_between_its_anchors(score, value):
    assert to_anchored([score], low=0.2, high=0.6) == pytest.approx((value,))


def test_no_scores_give_none():
    assert to_anchored([], low=0.0, high=0.5) == ()


@given(st.lists(st.floats(-1, 1)))
def test_order_and_range_are_kept(scores):
    values = to_anchored(scores, low=0.2, high=0.6)
    assert all(0.0 <= value <= 1.0 for value in values)
    ordered = sorted(zip(scores, values, strict=True))
    assert all(a <= b for (_, a), (_, b) in pairwise(ordered))


def test_a_value_does_not_depend_on_the_other_scores():
    assert to_anchored([0.3], low=0.2, high=0.6)[0] == to_anchored([0.9, 0.3, 0.1], low=0.2, high=0.6)[1]


def test_a_sure_score_can_be_the_highest_and_rounding_can_exceed_it():
    assert to_anchored([0.6, 1.0, 1.0000001], low=0.2, high=1.0) == (0.45, 0.9, 1.0)


@pytest.mark.parametrize("score", [-0.3, 0.2, 0.4, 0.6, 0.61, 1.0, 1.2])
def test_the_arithmetic_gives_the_value_and_is_shared_by_scores_of_one_range(score):
    low, high = 0.2, 0.6
    how = anchored_arithmetic(score, low=low, high=high)
    assert eval(how.filled(score=score)) == pytest.approx(to_anchored([score], low=low, high=high)[0])  # noqa: S307
    assert how is anchored_arithmetic(score, low=low, high=high)
