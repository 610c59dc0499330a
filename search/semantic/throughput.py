"""How fast embedding goes, told from what was done lately."""

import contextlib
import time
from collections.abc import Callable, Iterator

_REMEMBERED_CHUNKS = 500


class Throughput:
    """Seconds a chunk; what is long ago counts half."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._n_chunks = 0.0

    def seconds_for_chunks(self, n_chunks: int) -> float | None:
        """How long so many chunks will take; None where nothing was embedded that could tell."""
        return n_chunks * self._seconds / self._n_chunks if self._n_chunks else None if n_chunks else 0.0

    @contextlib.contextmanager
    def measuring(self, count: Callable[[], int]) -> Iterator[None]:
        """Time what is embedded inside; `count` says how many chunks there were so far."""
        began, n_before = time.perf_counter(), count()
        try:
            yield
        finally:
            n_chunks = count() - n_before
            if n_chunks:
                share = 0.5 if self._n_chunks > _REMEMBERED_CHUNKS else 1.0
                self._seconds = share * self._seconds + time.perf_counter() - began
                self._n_chunks = share * self._n_chunks + n_chunks
