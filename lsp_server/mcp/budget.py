"""How much a model reads: tokens are estimated, since every model counts its own.

A quarter of the bytes in UTF-8 is close for English prose and rather high for other scripts, so an answer is seldom
longer than it may be.
"""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from attrs import frozen

S = TypeVar("S")
T = TypeVar("T")
_BYTES = 4  # of one token
TOKENS_A_RESULT = 90  # of a list: a path, a title, a heading, and two short excerpts


def n_tokens(text: str) -> int:
    """The estimated tokens of a text.

    >>> n_tokens("four words of text"), n_tokens("望远镜")
    (5, 3)
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES)


def n_tokens_of(data: object) -> int:
    """The estimated tokens of a value as JSON without blanks."""
    return n_tokens(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


@frozen
class Size:
    """How much of a list is shown: so many results, with texts of so many characters."""

    n_results: int
    width: int


def sizes_of(n_results: int, widths: Sequence[int]) -> list[Size]:
    """Falling sizes: first shorter texts, then fewer results, since a path cannot be cut; one is always shown."""
    fewer = (Size(n, widths[-1]) for n in range(n_results - 1, 0, -1))
    return [*(Size(n_results, width) for width in widths), *fewer]


def first_within(budget: int, sizes: Sequence[S], make: Callable[[S], T], cost: Callable[[T], int]) -> T:
    """The value made with the first of falling `sizes` that costs no more than the budget; else with the last size."""
    for size in sizes:
        made = make(size)
        if cost(made) <= budget:
            break
    return made
