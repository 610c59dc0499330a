"""Unit: every score as a share of the best one. The only normalizer that keeps ratios."""

from collections.abc import Sequence

from search.normalize.order import rescale_in_order


def to_unit(scores: Sequence[float]) -> tuple[float, ...]:
    """`score / max`, so that the top is 1.0, in the order of `scores`; 0..1.

    For scores from 0 up, as BM25's. What lies below counts as 0, and where nothing lies above 0 the best is 1.0 all the
    same; even then different scores stay different (in the last bits), equal ones equal. None: none.

    >>> to_unit([8.0, 4.0, 2.0])
    (1.0, 0.5, 0.25)
    """
    top = max(scores, default=0.0)
    return rescale_in_order(
        scores, lambda score: 1.0 if score == top else score / top if top > 0 else 0.0, low=0.0, high=1.0
    )
