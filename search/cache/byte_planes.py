"""Arrays as bytes that compress well: first the lowest byte of each number, then the next one of each, and so on."""

from typing import Any

import numpy as np
import numpy.typing as npt


def planes(numbers: npt.NDArray[Any]) -> bytes:
    """The bytes of an array, plane by plane."""
    return np.ascontiguousarray(numbers).view(np.uint8).reshape(-1, numbers.dtype.itemsize).T.tobytes()


def from_planes(data: bytes, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The flat array whose planes are `data`."""
    shuffled = np.frombuffer(data, np.uint8).reshape(dtype.itemsize, -1)
    return np.ascontiguousarray(shuffled.T).view(dtype).ravel()
