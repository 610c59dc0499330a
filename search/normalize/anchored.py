"""Anchored: a scale with two fixed points, so that the value of a score does not depend on the other scores.

Min-max turns the best of several poor matches into a full match. Here a low cosine stays a low value, even if it is the
best one.
"""

from collections.abc import Sequence
from functools import lru_cache

from search.answer.trail import Arithmetic

SURE = 0.9  # the value of a score of `high`; the rest is left to tell better ones apart


def to_anchored(scores: Sequence[float], *, low: float, high: float, most: float = 1.0) -> tuple[float, ...]:
    """Scores up to `low` become 0, `high` becomes 0.9, `most` and more become 1; linear in between.

    Requires `low < high <= most`. The results are in the order of `scores`; no scores: no results.

    >>> to_anchored([0.1, 0.4, 0.6, 1.0], low=0.2, high=0.6)
    (0.0, 0.45, 0.9, 1.0)
    """
    return tuple(anchored(score, low, high, most) for score in scores)


def anchored(score: float, low: float, high: float, most: float = 1.0) -> float:
    """One value of `to_anchored`."""
    if score <= high:
        return round(max(0.0, SURE * (score - low) / (high - low)), 12)
    return 1.0 if score >= most else round(SURE + (1.0 - SURE) * (score - high) / (most - high), 12)


def anchored_arithmetic(score: float, *, low: float, high: float, of: str = "score") -> Arithmetic:
    """How `to_anchored` computes the value of this score, which the formula calls `of`; `most` is 1.

    >>> anchored_arithmetic(0.4, low=0.2, high=0.6).filled(score=0.4)
    '0.9 * (0.4 - 0.2) / (0.6 - 0.2)'
    """
    return _arithmetics(low, high, of)[(score >= low) + (score > high) + (score > 1)]


@lru_cache(maxsize=8)
def _arithmetics(low: float, high: float, of: str) -> Sequence[Arithmetic]:
    """The arithmetic of scores up to `low`, up to `high`, up to 1 and above: hundreds of hits share these four."""
    numbers = {"floor": low, "gate": high, "sure": SURE}
    below, above = f"sure * ({of} - floor) / (gate - floor)", f"sure + (1 - sure) * ({of} - gate) / (1 - gate)"
    return tuple(Arithmetic(formula, numbers) for formula in (f"max(0, {below})", below, above, f"min(1, {above})"))
