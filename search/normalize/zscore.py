"""Z-score with tanh: how far a score lies from the mean, in standard deviations, bent into the range.

One outlier squeezes the rest less than under min-max. Clipped like min-max to 0.02..0.98 (designs/3), which 4.9
standard deviations reach.
"""

from collections.abc import Sequence
from math import fsum, sqrt, tanh

from search.normalize.order import rescale_in_order


def to_zscore(scores: Sequence[float], *, low: float = 0.02, high: float = 0.98) -> tuple[float, ...]:
    """`.5 + .5 * tanh(z / 2.5)` with `z = (score - mean) / sigma`, clipped to `low..high`, in the order of `scores`.

    `sigma` is that of the population (divided by n). One score, or all equal: 0.5. None: none. Different scores stay
    different, equal ones equal.

    >>> [round(score, 4) for score in to_zscore([10, 5, 2, 1, 0.5])]
    [0.8075, 0.5734, 0.4045, 0.3511, 0.3256]
    """
    largest = max(map(abs, scores), default=0.0)
    unit = largest or 1.0  # z does not depend on the unit; in this one no square can overflow or vanish
    mean = fsum(score / unit for score in scores) / max(len(scores), 1)
    sigma = sqrt(fsum((score / unit - mean) ** 2 for score in scores) / max(len(scores), 1))
    if sigma == 0.0:
        return rescale_in_order(scores, lambda _: 0.5, low=low, high=high)
    return rescale_in_order(
        scores, lambda score: 0.5 + 0.5 * tanh((score / unit - mean) / sigma / 2.5), low=low, high=high
    )
