"""The trail: all changes of a score, in order. The score *is* the replay of its trail.

    Found     sets the score to a source's raw score
    Fused     adds `amount` (the first one after a Found starts from 0: fusion replaces raw scores)
    Scaled    multiplies by `factor`
    Replaced  sets the score to `value`

The function that changes a score writes the step at the same time (`Hit.then`), with the arithmetic of its number, so
an explanation cannot differ from the ranking that it explains.
"""

import re
from collections.abc import Iterable, Mapping
from typing import assert_never

from attrs import field, frozen

from search.answer.term_score import TermScore

_NAME = re.compile(r"[a-z_]\w*")
_DIGITS = 5  # significant digits in a line for people


@frozen
class Arithmetic:
    """How a step's number was computed: `formula` gives it from `numbers`.

    The formula is written as in Python, with the functions min, max, sqrt, log, log2 and tanh. Its names are those of
    `numbers`, and four that the trail itself has: `score`, the score before the step; in a `Fused` step also its `rank`
    and `weight`, and `raw`, which its source found the note with. `numbers` can also have what a condition compared,
    such as the cosine that a stage requires.
    """

    formula: str
    numbers: Mapping[str, float]

    def filled(self, **known: float) -> str:
        """The formula with a number for each name.

        >>> Arithmetic("weight / (k + rank)", {"k": 60}).filled(weight=0.5, rank=1)
        '0.5 / (60 + 1)'
        """
        numbers = {**self.numbers, **known}

        def number(found: re.Match[str]) -> str:
            name = found.group()
            return f"{numbers[name]:.{_DIGITS}g}" if name in numbers else name

        return _NAME.sub(number, self.formula)


@frozen
class Found:
    """A source found the note; `raw` is on that source's own scale (BM25F: 0 and up, cosine: -1..1).

    `arithmetic` is None for what was measured, such as a cosine. `terms` are the addends of a BM25F score, computed
    only if an explanation was requested.
    """

    source: str
    raw: float
    arithmetic: Arithmetic | None = field(default=None, eq=False)  # equal steps do the same to a score
    terms: tuple[TermScore, ...] = ()


@frozen
class Fused:
    """Fusion added `amount` for `rank` (from 1) in `source`, which has this `weight` (0..1)."""

    source: str
    rank: int
    weight: float
    amount: float
    arithmetic: Arithmetic | None = field(default=None, eq=False)


@frozen
class Scaled:
    """A stage multiplied the score; `by` names the stage, `why` is a clause for people."""

    by: str
    factor: float
    why: str
    arithmetic: Arithmetic | None = field(default=None, eq=False)


@frozen
class Replaced:
    """A stage such as normalization replaced the score; `by` names the stage, `why` is a clause for people."""

    by: str
    value: float
    why: str
    arithmetic: Arithmetic | None = field(default=None, eq=False)


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
