"""What every normalizer promises: the order stays, and so does the range.

Rounding can make one number of two different scores, and then the ids would decide their order. The trick: work on the
distinct scores and part those that fell together by the smallest step that a float can take. Equal scores stay equal.
"""

from collections.abc import Callable, Sequence
from math import inf, nextafter


def rescale_in_order(
    scores: Sequence[float], scale: Callable[[float], float], *, low: float, high: float
) -> tuple[float, ...]:
    """`scale` of each score, clipped to `low..high`; a higher score gets a higher value, an equal one the same.

    `scale` never falls, and the range holds more floats than there are scores. Results stand as `scores` do.
    """
    distinct = sorted(set(scores))
    values = [min(max(scale(score), low), high) for score in distinct]
    for at in range(1, len(values)):
        values[at] = max(values[at], nextafter(values[at - 1], inf))
    if values:
        values[-1] = min(values[-1], high)  # the steps up may have left the range: the same from above
    for at in range(len(values) - 2, -1, -1):
        values[at] = min(values[at], nextafter(values[at + 1], -inf))
    value_of = dict(zip(distinct, values, strict=True))
    return tuple(value_of[score] for score in scores)
