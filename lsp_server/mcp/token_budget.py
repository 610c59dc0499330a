"""Keeps answers within a number of tokens, which are estimated, since every model has its own tokenizer.

A token is taken as four bytes of UTF-8, which is close for English prose and rather high for other scripts, so an
answer rarely exceeds its budget.
"""

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
_TOKEN_BYTES = 4
TOKENS_PER_RESULT = 90  # of a list of results: a path, a title, a heading and two short excerpts


def n_tokens(text: str) -> int:
    """The estimated tokens of a text, rounded up; 0 for an empty one.

    >>> n_tokens("four words of text"), n_tokens("望远镜")
    (5, 3)
    """
    return -(-len(text.encode("utf-8", "replace")) // _TOKEN_BYTES)


def n_tokens_of(data: object) -> int:
    """The estimated tokens of a value as JSON without blanks."""
    return n_tokens(json.dumps(data, ensure_ascii=False, separators=(",", ":")))


def first_within(max_tokens: int, sizes: Sequence[int], make: Callable[[int], T], cost: Callable[[T], int]) -> T:
    """The value that `make` makes of the first size whose cost is at most `max_tokens`, else of the last size.

    `sizes` must not be empty, and should fall.
    """
    for size in sizes:
        made = make(size)
        if cost(made) <= max_tokens:
            break
    return made
