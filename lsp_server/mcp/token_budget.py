"""Keeps answers within a number of tokens, as `analysis/token_estimate` estimates them."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from attrs import frozen

from search.analysis.token_estimate import estimate_tokens

S = TypeVar("S")
T = TypeVar("T")
TOKENS_PER_RESULT = 90  # of a list of results: a path, a title, a heading and two short excerpts


def n_tokens_of(data: object) -> int:
    """The estimated tokens of a value as JSON without blanks."""
    return estimate_tokens(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


@frozen
class Size:
    """How much of a list is shown: so many results, with texts of so many characters."""

    n_results: int
    width: int


def sizes_of(n_results: int, widths: Sequence[int]) -> list[Size]:
    """Falling sizes: first shorter texts, then fewer results, since a path cannot be cut; one is always shown."""
    fewer = (Size(n, widths[-1]) for n in range(n_results - 1, 0, -1))
    return [*(Size(n_results, width) for width in widths), *fewer]


def first_within(max_tokens: int, sizes: Sequence[S], make: Callable[[S], T], cost: Callable[[T], int]) -> T:
    """The value that `make` makes of the first size whose cost is at most `max_tokens`, else of the last size.

    `sizes` must not be empty, and should fall.
    """
    for size in sizes:
        made = make(size)
        if cost(made) <= max_tokens:
            break
    return made
