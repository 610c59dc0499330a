"""Memory that is no longer needed, given back to the machine. Elsewhere than with glibc nothing is done.

glibc keeps what was freed for later. After 10,000 notes that is a third of the process, and for an editor's server,
which then rests, later may never come.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_LARGE_BYTES = 1024 * 1024  # the postings of a word that every note has, or nearly
_KEPT_BYTES = 2 * 1024 * 1024


def return_large_blocks() -> None:
    """Have what is larger than 1 MiB mapped by itself and unmapped when freed, for the rest of the process.

    And no more than 2 MiB of what else was freed is kept. Left alone, glibc learns from the first large array to keep
    all of them: 20 MB more after 200 queries. A limit of 256 KiB saves 2 MB more, but as every array is then cleared by
    the kernel first, the dearest queries take an eighth longer (medians of a vault of 10,000 notes). Reading a vault
    takes a tenth longer under any limit, so this is for when it has been read.
    """
    if (set_option := _function("mallopt")) is not None:
        set_option(_MMAP_THRESHOLD, _LARGE_BYTES)
        set_option(_TRIM_THRESHOLD, _KEPT_BYTES)


def give_back() -> bool:
    """Ask the allocator for what it does not use; whether it gave anything. Takes some milliseconds, never raises."""
    trim = _function("malloc_trim")
    return trim is not None and bool(trim(0))


def _function(name: str) -> Callable[..., Any] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[..., Any] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError):  # another C library than glibc
        return None
    return found
