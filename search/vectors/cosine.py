"""Vectors as int8 rows, and the cosine of many rows to one query.

A row of floats becomes int8 numbers and one float32 scale, a quarter of the size. The trick of the search: a cosine
does not depend on a row's length, so the scale drops out and only the length of the int8 row is needed. Rows are cast
to float32 some hundreds at a time, in one array that stays in the processor's cache: for a large one the kernel would
clear new pages in each search.

Never divides by zero: the cosine of a zero vector to any vector is 0.
"""

from typing import Self

import numpy as np
import numpy.typing as npt
from attrs import frozen

BLOCK_ROWS = 4096
_CAST_ROWS = 512
_STEPS = 127  # int8 without -128, so that a vector and its negative have the same steps

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int8]


@frozen(eq=False)
class Quantized:
    """Vectors as `scales[i] * rows[i]`; `rows` has shape (n, d), `scales` shape (n,) and no negative numbers."""

    rows: Rows
    scales: Floats

    @classmethod
    def from_bytes(cls, data: bytes, n_dimensions: int) -> Self:
        """The vectors that `to_bytes` wrote."""
        packed = np.frombuffer(data, np.uint8).reshape(-1, row_bytes(n_dimensions))
        scales = np.ascontiguousarray(packed[:, :4]).view("<f4").reshape(-1).astype(np.float32)
        return cls(packed[:, 4:].view(np.int8), scales)

    def to_bytes(self) -> bytes:
        """Each vector's scale as a little-endian float32, then its row; no vectors give b""."""
        packed = np.empty((len(self.rows), row_bytes(self.rows.shape[1])), np.uint8)
        packed[:, :4] = self.scales.astype("<f4")[:, None].view(np.uint8)
        packed[:, 4:] = self.rows.view(np.uint8)
        return packed.tobytes()


def row_bytes(n_dimensions: int) -> int:
    """The size of one vector in `Quantized.to_bytes`.

    >>> row_bytes(384)
    388
    """
    return 4 + n_dimensions


def quantize(vectors: Floats) -> Quantized:
    """Round each row to the nearest of 255 steps: scale = max|v| / 127, row = round(v / scale).

    No component is off by more than half a scale (plus the rounding of float32). For a row v of d dimensions and a
    unit query u the dot product is off by at most sqrt(d) * scale / 2, and the cosine by twice that over the length of
    v. A zero row gives zeros, and so does a row below 1e-36, whose steps would lose their digits. Input must be finite.

    >>> quantize(np.array([[1.0, -0.5, 0.0]], np.float32)).rows.tolist()
    [[127, -64, 0]]
    """
    scales = np.abs(vectors).max(axis=1, initial=0.0) / np.float32(_STEPS)
    scales[scales < np.finfo(np.float32).tiny] = 0.0
    divisors = np.where(scales > 0.0, scales, np.float32(np.inf))
    return Quantized(np.rint(vectors / divisors[:, None]).astype(np.int8), scales)


def dequantize(quantized: Quantized) -> Floats:
    """The vectors as floats, within the error that `quantize` states."""
    vectors: Floats = quantized.rows.astype(np.float32) * quantized.scales[:, None]
    return vectors


def inverse_lengths(rows: Rows) -> Floats:
    """1 / |row| for each row, 0 for a zero row: the factor from a dot product with a unit query to a cosine."""
    squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float32, casting="unsafe")
    inverse: Floats = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0.0)
    return inverse


def unit(vector: Floats) -> Floats:
    """The vector at length 1; a zero vector stays zero. Numbers that are not finite raise ValueError."""
    exact = vector.astype(np.float64)
    length = float(np.linalg.norm(exact))
    if not np.isfinite(length):
        raise ValueError("the vector must consist of finite numbers")
    scaled: Floats = (exact / (length or 1.0)).astype(np.float32)
    return scaled


def cosines(rows: Rows, inverse: Floats, unit_query: Floats) -> Floats:
    """The cosine (-1..1) of each row to the query: (row . query) / |row|.

    `inverse` is `inverse_lengths(rows)`; no rows give no cosines.
    """
    found = np.empty(len(rows), np.float32)
    cast = np.empty((min(len(rows), _CAST_ROWS), rows.shape[1]), np.float32)
    for start in range(0, len(rows), _CAST_ROWS):
        part = rows[start : start + _CAST_ROWS]
        cast[: len(part)] = part
        np.dot(cast[: len(part)], unit_query, out=found[start : start + len(part)])
    found *= inverse
    return np.clip(found, -1.0, 1.0, out=found)
