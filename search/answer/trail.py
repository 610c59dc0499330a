"""Each thing that happened to a score, in order. The score *is* the fold of its trail.

    Found     sets the score to what a source measured
    Fused     adds `amount` (the first one after a Found starts from 0: fusion takes the place of raw scores)
    Scaled    multiplies by `factor`
    Replaced  sets the score to `value`

The function that changes a score writes the step in the same line (`Hit.then`), so no explanation can drift from
the ranking that it explains.
"""

from collections.abc import Iterable
from typing import assert_never

from attrs import frozen


@frozen
class Found:
    """A source found the note; `raw` is on that source's own scale (BM25F: 0 and up, cosine: -1..1)."""

    source: str
    raw: float


@frozen
class Fused:
    """Fusion gave `amount` for standing at `rank` (from 1) in `source`, which weighs `weight` (0..1)."""

    source: str
    rank: int
    weight: float
    amount: float


@frozen
class Scaled:
    """The score was multiplied; `by` names the stage, `why` is one clause for a person."""

    by: str
    factor: float
    why: str


@frozen
class Replaced:
    """The score was set anew, as by a normalization; `by` names the stage."""

    by: str
    value: float
    why: str


Step = Found | Fused | Scaled | Replaced
Trail = tuple[Step, ...]


def replay(trail: Iterable[Step]) -> float:
    """Recompute a score from its trail; an empty trail gives 0.

    >>> replay((Found("lexical", 7.0), Fused("lexical", 1, 1.0, 0.5), Scaled("folder", 1.1, "2 of 4 notes")))
    0.55
    """
    score = 0.0
    has_raw = False
    for step in trail:
        match step:
            case Found(raw=raw):
                score, has_raw = raw, True
            case Fused(amount=amount):
                score, has_raw = (amount if has_raw else score + amount), False
            case Scaled(factor=factor):
                score *= factor
            case Replaced(value=value):
                score, has_raw = value, False
            case _:
                assert_never(step)
    return score


def before_normalization(trail: Trail) -> Trail:
    """The trail up to its last `Replaced` step, or all of it where there is none."""
    for at in range(len(trail) - 1, -1, -1):
        if isinstance(trail[at], Replaced):
            return trail[:at]
    return trail
