"""Keeps answers within a number of tokens, as `analysis/token_estimate` estimates them."""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from search.analysis.token_estimate import estimate_tokens

T = TypeVar("T")
TOKENS_PER_RESULT = 90  # of a list of results: a path, a title, a heading and two short excerpts


def n_tokens_of(data: object) -> int:
    """The estimated tokens of a value as JSON without blanks."""
    return estimate_tokens(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def first_within(max_tokens: int, sizes: Sequence[int], make: Callable[[int], T], cost: Callable[[T], int]) -> T:
    """The value that `make` makes of the first size whose cost is at most `max_tokens`, else of the last size.

    `sizes` must not be empty, and should fall.
    """
    for size in sizes:
        made = make(size)
        if cost(made) <= max_tokens:
            break
    return made
