"""Gives freed memory back to the operating system. Does nothing unless the C library is glibc.

glibc keeps freed memory for later allocations. After reading 10,000 notes, that is a third of the process's memory, and
a language server that is idle afterwards may never need it again.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # options of mallopt(3)
_LARGE_BYTES = 1024 * 1024  # about the size of the posting list of a word that nearly every note contains
_KEPT_BYTES = 2 * 1024 * 1024


def configure_allocator() -> None:
    """Have the process return freed blocks of more than 1 MiB at once, and keep at most 2 MiB of other freed memory.

    By default glibc raises its own threshold with the first large array, and then keeps all of them: 20 MB more after
    200 queries. A threshold of 256 KiB saves another 2 MB, but the kernel clears each new block, and the slowest
    queries take an eighth longer (medians over a vault of 10,000 notes). Reading a vault takes a tenth longer with any
    fixed threshold, so call this after reading.
    """
    if (set_option := _function("mallopt")) is not None:
        set_option(_MMAP_THRESHOLD, _LARGE_BYTES)
        set_option(_TRIM_THRESHOLD, _KEPT_BYTES)


def trim_heap() -> bool:
    """Give unused memory back now; whether there was any. Takes some milliseconds. Never raises."""
    trim = _function("malloc_trim")
    return trim is not None and bool(trim(0))


def _function(name: str) -> Callable[..., Any] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[..., Any] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):  # the C library is not glibc
        return None
    return found
