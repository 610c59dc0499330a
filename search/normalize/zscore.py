"""Z-score with tanh: how many standard deviations a score lies from the mean, squeezed into the range by tanh.

One outlier compresses the rest less than with min-max. Clipped to 0.02..0.98 like min-max (designs/3); a score 4.9
standard deviations from the mean reaches these limits.
"""

from collections.abc import Sequence
from math import fsum, sqrt, tanh

from search.answer.trail import Arithmetic
from search.normalize.order import rescale_in_order


def to_zscore(scores: Sequence[float], *, low: float = 0.02, high: float = 0.98) -> tuple[float, ...]:
    """`.5 + .5 * tanh(z / 2.5)` with `z = (score - mean) / sigma`, clipped to `low..high`, in the order of `scores`.

    `sigma` is the population's standard deviation (divided by n). A single score or all equal: 0.5. No scores: no
    results. Different scores stay different, equal ones equal.

    >>> [round(score, 4) for score in to_zscore([10, 5, 2, 1, 0.5])]
    [0.8075, 0.5734, 0.4045, 0.3511, 0.3256]
    """
    unit, mean, sigma = _spread(scores)
    if sigma == 0.0:
        return rescale_in_order(scores, lambda _: 0.5, low=low, high=high)
    return rescale_in_order(
        scores, lambda score: 0.5 + 0.5 * tanh((score / unit - mean) / sigma / 2.5), low=low, high=high
    )


def _spread(scores: Sequence[float]) -> tuple[float, float, float]:
    """A unit for the scores, and mean and sigma in this unit.

    z does not depend on the unit, and with the largest score as the unit no square overflows or underflows.
    """
    unit = max(map(abs, scores), default=0.0) or 1.0
    mean = fsum(score / unit for score in scores) / max(len(scores), 1)
    return unit, mean, sqrt(fsum((score / unit - mean) ** 2 for score in scores) / max(len(scores), 1))


def zscore_arithmetic(scores: Sequence[float], *, low: float, high: float, of: str = "score") -> Arithmetic:
    """How `to_zscore` computes the value of each of these scores, which the formula calls `of`.

    >>> zscore_arithmetic([10.0, 0.0], low=0.02, high=0.98).filled(score=10.0)
    'min(0.98, max(0.02, 0.5 + 0.5 * tanh((10 - 5) / 5 / 2.5)))'
    """
    unit, mean, sigma = _spread(scores)
    numbers = {"low": low, "high": high, "mean": mean * unit, "sigma": sigma * unit}
    if sigma == 0.0:
        return Arithmetic("0.5", numbers)
    return Arithmetic(f"min(high, max(low, 0.5 + 0.5 * tanh(({of} - mean) / sigma / 2.5)))", numbers)
