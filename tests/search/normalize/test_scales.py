"""Min-max, z-score and unit: numbers worked out by hand, order and range."""

from math import nextafter, sqrt, tanh

import pytest

from search.normalize.minmax import to_minmax
from search.normalize.scale import Scale, rescale
from search.normalize.unit import to_unit
from search.normalize.zscore import to_zscore

ALL = [to_minmax, to_zscore, to_unit]


def test_min_max_by_hand():
    assert to_minmax([10, 5, 0]) == pytest.approx((0.98, 0.5, 0.02))
    assert to_minmax([33.7378, 1.3114, 0.5]) == pytest.approx(
        (0.98, 0.02 + 0.96 * (1.3114 - 0.5) / (33.7378 - 0.5), 0.02)
    )
    assert to_minmax([33.7378, 1.3114, 0.5])[1] == pytest.approx(0.0434, abs=5e-5)


def test_zscore_by_hand():
    scores = [10, 5, 2, 1, 0.5]
    mean = sum(scores) / 5
    sigma = sqrt(sum((score - mean) ** 2 for score in scores) / 5)
    assert to_zscore(scores) == pytest.approx([0.5 + 0.5 * tanh((score - mean) / sigma / 2.5) for score in scores])
    assert to_zscore(scores) == pytest.approx((0.8075, 0.5734, 0.4045, 0.3511, 0.3256), abs=5e-5)


def test_an_outlier_is_clipped():
    assert to_zscore([1000.0, *[1.0] * 999])[0] == 0.98


def test_unit_by_hand():
    assert to_unit([8, 4, 2, 0]) == (1.0, 0.5, 0.25, 0.0)


@pytest.mark.parametrize("equal", [[7.0], [7.0, 7.0, 7.0], [0.0], [-3.0, -3.0]])
def test_a_single_score_or_equal_scores_become_the_middle_and_with_unit_the_top(equal):
    assert to_minmax(equal) == to_zscore(equal) == (0.5,) * len(equal)
    assert to_unit(equal) == (1.0,) * len(equal)


@pytest.mark.parametrize("to_scale", ALL)
def test_no_scores_give_no_results(to_scale):
    assert to_scale([]) == ()


@pytest.mark.parametrize("to_scale", ALL)
@pytest.mark.parametrize(
    "scores",
    [
        [1e300, 1.0, nextafter(1.0, 0.0), nextafter(1.0, 2.0)],
        [1.7e308, 0.0, -1.7e308],
        [5e-324, 0.0],
        [1e-323, 5e-324, 0.0],
        [1.0, nextafter(1.0, 2.0)],
        [-1.0, -2.0, -3.0],
        [0.0, -1.0],
        [1e200, nextafter(1e200, 0.0), -1e200, nextafter(-1e200, 0.0)],
    ],
)
def test_scores_that_rounding_would_make_equal_stay_apart(to_scale, scores):
    values = to_scale(scores)
    assert len(set(values)) == len(scores)
    assert sorted(scores) == [score for _, score in sorted(zip(values, scores, strict=True))]
    assert min(values) >= 0.0
    assert max(values) <= 1.0


def test_a_scale_is_chosen_by_name():
    scores = [3.0, 2.0, 0.5]
    assert rescale(scores, Scale.MINMAX) == to_minmax(scores)
    assert rescale(scores, Scale.ZSCORE) == to_zscore(scores)
    assert rescale(scores, Scale.UNIT) == to_unit(scores)
