"""Quantiles of how long searches take."""

from collections.abc import Iterable


def quantile(values: Iterable[float], share: float) -> float:
    """The smallest value that is not exceeded by at least `share` (0..1) of all values; 0 for no values.

    >>> quantile([3.0, 1.0, 2.0], 0.5), quantile([], 0.5)
    (2.0, 0.0)
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
