"""Arrays as bytes that compress well: plane by plane, a plane being the bytes at one place in all numbers.

Neighbouring numbers often share all bytes but the lowest, so most planes repeat the same byte.
"""

from typing import Any

import numpy as np
import numpy.typing as npt


def to_planes(numbers: npt.NDArray[Any]) -> bytes:
    """The bytes of an array, plane by plane in the machine's byte order; its shape and type are not kept."""
    return np.ascontiguousarray(numbers).view(np.uint8).reshape(-1, numbers.dtype.itemsize).T.tobytes()


def from_planes(data: bytes, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The array that `to_planes` turned into `data`, flat."""
    planes = np.frombuffer(data, np.uint8).reshape(dtype.itemsize, -1)
    numbers = np.empty(planes.size, np.uint8)
    for at, plane in enumerate(planes):  # two or three times as fast as one transposed copy
        numbers[at :: dtype.itemsize] = plane
    return numbers.view(dtype)
