"""Arrays of numbers as sets.

numpy's own `unique` and `setdiff1d` import `numpy.ma` when first called, which the first search would wait for, and
sort what is in order already.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

_Number = TypeVar("_Number", np.uint32, np.int64)


def is_first(numbers: npt.NDArray[_Number]) -> npt.NDArray[np.bool_]:
    """Where a number differs from the one before it.

    >>> is_first(np.array([3, 3, 5])).tolist()
    [True, False, True]
    """
    differs = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=differs[1:])
    return differs


def distinct(numbers: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Each number once, in order.

    >>> distinct(np.array([5, 3, 5])).tolist()
    [3, 5]
    """
    ordered = np.sort(numbers)
    return ordered[is_first(ordered)]


def without(numbers: npt.NDArray[_Number], others: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """The numbers that are not among `others`, which are in order.

    >>> without(np.array([7, 3, 5, 3]), np.array([3, 4])).tolist()
    [7, 5]
    """
    if not len(others):
        return numbers
    at = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
    left: npt.NDArray[_Number] = numbers[others[at] != numbers]
    return left
