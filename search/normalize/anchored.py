"""Anchored: two fixed points of a source's own scale, so that what a score is worth does not depend on its neighbours.

Min-max makes the best of a bad lot a full hit; here a cosine that says little is worth little, however few say more.
"""

from collections.abc import Sequence

_SURE = 0.9  # what a score at `high` is worth: better ones still are told apart


def to_anchored(scores: Sequence[float], *, low: float, high: float, most: float = 1.0) -> tuple[float, ...]:
    """Scores of `low` and less become 0, `high` becomes 0.9, `most` and more 1, and between these the line is straight.

    In the order of `scores`; `low < high < most`. None: none.

    >>> to_anchored([0.1, 0.4, 0.6, 1.0], low=0.2, high=0.6)
    (0.0, 0.45, 0.9, 1.0)
    """

    def value(score: float) -> float:
        if score <= high:
            return max(0.0, _SURE * (score - low) / (high - low))
        return min(1.0, _SURE + (1.0 - _SURE) * (score - high) / (most - high))

    return tuple(round(value(score), 12) for score in scores)
