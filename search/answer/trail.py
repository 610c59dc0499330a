"""The trail: all changes of a score, in order. The score *is* the replay of its trail.

    Found     sets the score to a source's raw score
    Fused     adds `amount` (the first one after a Found starts from 0: fusion replaces raw scores)
    Scaled    multiplies by `factor`
    Replaced  sets the score to `value`

The function that changes a score writes the step at the same time (`Hit.then`), so an explanation cannot differ from
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
    """Fusion added `amount` for `rank` (from 1) in `source`, which has this `weight` (0..1)."""

    source: str
    rank: int
    weight: float
    amount: float


@frozen
class Scaled:
    """A stage multiplied the score; `by` names the stage, `why` is a clause for people."""

    by: str
    factor: float
    why: str


@frozen
class Replaced:
    """A stage such as normalization replaced the score; `by` names the stage, `why` is a clause for people."""

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
    """The trail up to its last `Replaced` step, or the whole trail if it has none."""
    for at in range(len(trail) - 1, -1, -1):
        if isinstance(trail[at], Replaced):
            return trail[:at]
    return trail
