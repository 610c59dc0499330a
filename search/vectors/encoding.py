"""How a note's vectors stand in a file: rows of bytes, each encoding with its own size and loss.

    q8    float32 scale + int8 a dimension: 388 bytes for 384 dimensions; see `quantize` for the error
    f16   float16 a dimension: relative error 2**-11 at most, for components of 6e-5 to 65504 (clipped beyond)
    f32   float32 a dimension: no loss

Numbers are little-endian on every machine.
"""

from enum import StrEnum

import numpy as np

from search.vectors.cosine import Floats, Quantized, dequantize, quantize

_F16_MAX = 65504.0


class Encoding(StrEnum):
    """What a file's rows consist of."""

    Q8 = "q8"
    F16 = "f16"
    F32 = "f32"


def row_bytes(encoding: Encoding, n_dimensions: int) -> int:
    """The size of one row.

    >>> row_bytes(Encoding.Q8, 384)
    388
    """
    match encoding:
        case Encoding.Q8:
            return 4 + n_dimensions
        case Encoding.F16:
            return 2 * n_dimensions
        case Encoding.F32:
            return 4 * n_dimensions


def encode_rows(vectors: Floats, encoding: Encoding) -> bytes:
    """The rows as bytes, one after the other; no rows give b""."""
    match encoding:
        case Encoding.Q8:
            return _pack(quantize(vectors))
        case Encoding.F16:
            return np.clip(vectors, -_F16_MAX, _F16_MAX).astype("<f2").tobytes()
        case Encoding.F32:
            return vectors.astype("<f4").tobytes()


def decode_rows(data: bytes, encoding: Encoding, n_dimensions: int) -> Floats:
    """The rows as floats, shape (n, n_dimensions); `data` holds whole rows."""
    match encoding:
        case Encoding.Q8:
            return dequantize(_unpack(data, n_dimensions))
        case Encoding.F16:
            return np.frombuffer(data, "<f2").astype(np.float32).reshape(-1, n_dimensions)
        case Encoding.F32:
            return np.frombuffer(data, "<f4").astype(np.float32).reshape(-1, n_dimensions)


def decode_quantized(data: bytes, encoding: Encoding, n_dimensions: int) -> Quantized:
    """The rows as int8 and scales: for q8 exactly what stands in the file."""
    if encoding is Encoding.Q8:
        return _unpack(data, n_dimensions)
    return quantize(decode_rows(data, encoding, n_dimensions))


def _pack(quantized: Quantized) -> bytes:
    packed = np.empty((len(quantized), 4 + quantized.rows.shape[1]), np.uint8)
    packed[:, :4] = quantized.scales.astype("<f4")[:, None].view(np.uint8)
    packed[:, 4:] = quantized.rows.view(np.uint8)
    return packed.tobytes()


def _unpack(data: bytes, n_dimensions: int) -> Quantized:
    packed = np.frombuffer(data, np.uint8).reshape(-1, 4 + n_dimensions)
    scales = np.ascontiguousarray(packed[:, :4]).view("<f4").reshape(-1).astype(np.float32)
    return Quantized(packed[:, 4:].view(np.int8), scales)
