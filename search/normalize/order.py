"""The promise of every normalizer: scores keep their order and stay in the range.

Rounding can map two different scores to the same number, and then their ids would decide the order. The trick: scale
the distinct scores, and separate those that became equal by the smallest step between floats. Equal scores stay equal.
"""

from collections.abc import Callable, Sequence
from math import inf, nextafter


def rescale_in_order(
    scores: Sequence[float], scale: Callable[[float], float], *, low: float, high: float
) -> tuple[float, ...]:
    """`scale` of each score, clipped to `low..high`; higher scores get higher values, equal scores the same value.

    `scale` must never decrease, and the range must contain more floats than there are scores. The results are in the
    order of `scores`.
    """
    distinct = sorted(set(scores))
    values = [min(max(scale(score), low), high) for score in distinct]
    for at in range(1, len(values)):
        values[at] = max(values[at], nextafter(values[at - 1], inf))
    if values:
        values[-1] = min(values[-1], high)  # the steps upwards may have left the range: step back down from its end
    for at in range(len(values) - 2, -1, -1):
        values[at] = min(values[at], nextafter(values[at + 1], -inf))
    value_of = dict(zip(distinct, values, strict=True))
    return tuple(value_of[score] for score in scores)
