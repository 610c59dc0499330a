"""Vectors as bytes, and the cosine of many such vectors to one query.

A row of floats becomes int8 numbers and one float32 scale, a quarter of the size. The trick of the search: a cosine
does not depend on a row's length, so the scale drops out and only the length of the int8 row is needed; rows are cast
to float32 in blocks that stay in the processor's cache, which is faster than a float32 matrix of the whole.

Never divides by zero: the cosine of a zero vector to anything is 0.
"""

import numpy as np
import numpy.typing as npt
from attrs import frozen

BLOCK_ROWS = 4096
_STEPS = 127  # int8 without -128, so that a vector and its negative quantize alike

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int8]


@frozen(eq=False)
class Quantized:
    """Vectors as `scales[i] * rows[i]`; `rows` has shape (n, d), `scales` shape (n,) and is never negative."""

    rows: Rows
    scales: Floats

    def __len__(self) -> int:
        """How many vectors."""
        return len(self.rows)


def quantize(vectors: Floats) -> Quantized:
    """Each row rounded to the nearest of 255 steps: scale = max|v| / 127, row = round(v / scale).

    No component is off by more than half a scale (and float32's own rounding). For a row v of d dimensions and a unit
    query u the dot product is off by at most sqrt(d) * scale / 2, the cosine by twice that over the length of v. A
    zero row, and one so small (below 1e-36) that a step of it would lose its digits, gives zeros. Finite input only.

    >>> quantize(np.array([[1.0, -0.5, 0.0]], np.float32)).rows.tolist()
    [[127, -64, 0]]
    """
    scales = np.abs(vectors).max(axis=1, initial=0.0) / np.float32(_STEPS)
    scales[scales < np.finfo(np.float32).tiny] = 0.0
    divisors = np.where(scales > 0.0, scales, np.float32(np.inf))
    return Quantized(np.rint(vectors / divisors[:, None]).astype(np.int8), scales)


def dequantize(quantized: Quantized) -> Floats:
    """The vectors again, as near as `quantize` says."""
    vectors: Floats = quantized.rows.astype(np.float32) * quantized.scales[:, None]
    return vectors


def inverse_lengths(rows: Rows) -> Floats:
    """1 / |row| for each row, 0 for a zero row: what turns a dot product with a unit query into a cosine."""
    squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float32, casting="unsafe")
    inverse: Floats = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0.0)
    return inverse


def unit(vector: Floats) -> Floats:
    """The vector at length 1; a zero vector stays zero. Numbers that are not finite raise ValueError."""
    exact = vector.astype(np.float64)
    length = float(np.linalg.norm(exact))
    if not np.isfinite(length):
        raise ValueError("a vector of finite numbers is needed")
    scaled: Floats = (exact / (length or 1.0)).astype(np.float32)
    return scaled


def cosines(rows: Rows, inverse: Floats, unit_query: Floats) -> Floats:
    """The cosine (-1..1) of each row to the query: (row . query) / |row|.

    `inverse` is `inverse_lengths(rows)`. Give at most about `BLOCK_ROWS` rows at once; none gives none.
    """
    found: Floats = (rows.astype(np.float32) @ unit_query) * inverse
    return np.clip(found, -1.0, 1.0, out=found)
