"""Plain values as bytes: texts (also with lone surrogates), numbers, tuples, lists and dictionaries.

Only for files that Vaultseek itself wrote, with a checksum, in a folder that only the user can write to. Reading is ten
times as fast as with JSON, and unlike a pickle such bytes cannot name code to run.
"""

import marshal
import zlib
from typing import Any

_LEVEL = 1  # of zlib: the fastest; the best would save only a tenth of the bytes


def pack(value: Any) -> bytes:  # noqa: ANN401 - any plain value
    """The value as bytes, which only the same version of Python reads."""
    return marshal.dumps(value)


def unpack(data: bytes) -> Any:  # noqa: ANN401 - the caller knows what it packed
    """The value that `pack` turned into `data`."""
    return marshal.loads(data)  # noqa: S302 - only bytes that `pack` made, with a checksum


def pack_compressed(value: Any) -> bytes:  # noqa: ANN401 - any plain value
    """The value as compressed bytes: for small values that are kept each by itself."""
    return zlib.compress(pack(value), _LEVEL)


def unpack_compressed(data: bytes | memoryview) -> Any:  # noqa: ANN401 - the caller knows what it packed
    """The value that `pack_compressed` made into `data`."""
    return unpack(zlib.decompress(data))
