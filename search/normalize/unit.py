"""Unit: every score as a share of the best one. The only normalizer that keeps ratios."""

from collections.abc import Sequence

from search.answer.trail import Arithmetic
from search.normalize.order import rescale_in_order


def to_unit(scores: Sequence[float]) -> tuple[float, ...]:
    """`score / max`, so that the best is 1.0, in the order of `scores`; 0..1.

    Meant for scores of 0 or more, such as BM25. Negative scores count as 0; if no score is above 0, the best still
    becomes 1.0. Different scores stay different, if only in the last bits; equal ones stay equal. No scores: no result.

    >>> to_unit([8.0, 4.0, 2.0])
    (1.0, 0.5, 0.25)
    """
    top = max(scores, default=0.0)
    return rescale_in_order(
        scores, lambda score: 1.0 if score == top else score / top if top > 0 else 0.0, low=0.0, high=1.0
    )


def unit_arithmetic(scores: Sequence[float], *, of: str = "score") -> Arithmetic:
    """How `to_unit` computes the value of each of these scores, which the formula calls `of`.

    >>> unit_arithmetic([8.0, 4.0]).filled(score=4.0)
    '4 / 8'
    """
    highest = max(scores, default=0.0)
    if highest <= 0:
        return Arithmetic(f"1 if {of} == highest else 0", {"highest": highest})
    return Arithmetic(f"{of} / highest" if min(scores) >= 0 else f"max(0, {of}) / highest", {"highest": highest})
