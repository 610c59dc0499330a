"""Quantiles of how long searches take."""

from collections.abc import Iterable
from math import ceil


def quantile(values: Iterable[float], share: float) -> float:
    """The smallest of the values that at least `share` (0..1) of them do not exceed; 0 for no values.

    >>> quantile([3.0, 1.0, 2.0], 0.5), quantile([], 0.5)
    (2.0, 0.0)
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(0, ceil(share * len(ordered)) - 1)]
