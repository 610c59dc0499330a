"""The normalizers by name, for settings."""

from collections.abc import Sequence
from enum import StrEnum
from typing import assert_never

from search.answer.trail import Arithmetic
from search.normalize.minmax import minmax_arithmetic, to_minmax
from search.normalize.order import rescale_in_order
from search.normalize.unit import to_unit, unit_arithmetic
from search.normalize.zscore import to_zscore, zscore_arithmetic


class Scale(StrEnum):
    """How scores are scaled to 0..1."""

    MINMAX = "minmax"
    ZSCORE = "zscore"
    UNIT = "unit"
    RAW = "raw"  # only clipped: for scores that mean the same in every query


def rescale(scores: Sequence[float], scale: Scale, *, low: float = 0.02, high: float = 0.98) -> tuple[float, ...]:
    """The scores on the given scale, in the order of `scores`; `low..high` is the range of min-max and z-score.

    >>> rescale([4.0, 2.0], Scale.UNIT)
    (1.0, 0.5)
    """
    match scale:
        case Scale.MINMAX:
            return to_minmax(scores, low=low, high=high)
        case Scale.ZSCORE:
            return to_zscore(scores, low=low, high=high)
        case Scale.UNIT:
            return to_unit(scores)
        case Scale.RAW:
            return rescale_in_order(scores, lambda score: score, low=0.0, high=1.0)
        case _:
            assert_never(scale)


def scale_arithmetic(
    scores: Sequence[float], scale: Scale, *, low: float = 0.02, high: float = 0.98, of: str = "score"
) -> Arithmetic:
    """How `rescale` computes the value of each of these scores, which the formula calls `of`."""
    match scale:
        case Scale.MINMAX:
            return minmax_arithmetic(scores, low=low, high=high, of=of)
        case Scale.ZSCORE:
            return zscore_arithmetic(scores, low=low, high=high, of=of)
        case Scale.UNIT:
            return unit_arithmetic(scores, of=of)
        case Scale.RAW:
            return Arithmetic(f"min(1, max(0, {of}))", {})
        case _:
            assert_never(scale)
