"""Set operations on arrays of numbers.

They replace numpy's `unique` and `setdiff1d`, which cost more than a search can spare: their first call imports
`numpy.ma` in 12 ms, and on 10,000 numbers numpy 2.4 takes 2.1 ms and 2.0 ms, against 0.17 ms and 0.25 ms here.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

_Number = TypeVar("_Number", np.uint32, np.int64, np.uint64)


def is_first(numbers: npt.NDArray[_Number]) -> npt.NDArray[np.bool_]:
    """Whether each number differs from the one before it; True for the first.

    >>> is_first(np.array([3, 3, 5])).tolist()
    [True, False, True]
    """
    differs = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=differs[1:])
    return differs


def distinct(numbers: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """Each number once, in ascending order.

    >>> distinct(np.array([5, 3, 5])).tolist()
    [3, 5]
    """
    ordered = np.sort(numbers)
    return ordered[is_first(ordered)]


def without(numbers: npt.NDArray[_Number], others: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """The numbers that are not among `others`, in their order, with duplicates; `others` must be sorted.

    >>> without(np.array([7, 3, 5, 3]), np.array([3, 4])).tolist()
    [7, 5]
    """
    if not len(others):
        return numbers
    at = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
    left: npt.NDArray[_Number] = numbers[others[at] != numbers]
    return left
