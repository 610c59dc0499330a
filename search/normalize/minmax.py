"""Min-max: the lowest score becomes `low`, the highest `high`, and the others lie proportionally in between.

The default range excludes 0 and 1, so that no result looks worthless and none looks certain (designs/3).
"""

from collections.abc import Sequence
from math import isinf

from search.answer.trail import Arithmetic
from search.normalize.order import rescale_in_order


def to_minmax(scores: Sequence[float], *, low: float = 0.02, high: float = 0.98) -> tuple[float, ...]:
    """`low + (high - low) * (score - min) / (max - min)`, in the order of `scores`.

    A single score or all equal: the middle, 0.5. No scores: no results. Different scores stay different, equal ones
    equal.

    >>> to_minmax([10.0, 5.0, 0.0])
    (0.98, 0.5, 0.02)
    """
    if not scores:
        return ()
    least, most = min(scores), max(scores)
    if least == most:
        return ((low + high) / 2,) * len(scores)
    halve = 0.5 if isinf(most - least) else 1.0  # the difference of extremely large floats overflows
    span = most * halve - least * halve
    return rescale_in_order(
        scores, lambda score: low + (high - low) * ((score * halve - least * halve) / span), low=low, high=high
    )


def minmax_arithmetic(scores: Sequence[float], *, low: float, high: float, of: str = "score") -> Arithmetic:
    """How `to_minmax` computes the value of each of these scores, which the formula calls `of`.

    >>> minmax_arithmetic([10.0, 5.0, 0.0], low=0.02, high=0.98).filled(score=5.0)
    '0.02 + (0.98 - 0.02) * (5 - 0) / (10 - 0)'
    """
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    numbers = {"low": low, "high": high, "lowest": lowest, "highest": highest}
    if lowest == highest:
        return Arithmetic("(low + high) / 2", numbers)
    return Arithmetic(f"low + (high - low) * ({of} - lowest) / (highest - lowest)", numbers)
