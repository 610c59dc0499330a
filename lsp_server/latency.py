"""How long recent searches took."""

from collections import deque
from collections.abc import Iterable

N_KEPT = 100


class RecentLatencies:
    """The durations of the last answers; one thread may add while another reads."""

    def __init__(self) -> None:
        self._kept_ms: deque[float] = deque(maxlen=N_KEPT)

    def add(self, took_ms: float) -> None:
        """Record one answer."""
        self._kept_ms.append(took_ms)

    @property
    def kept_ms(self) -> tuple[float, ...]:
        """The last 100 durations in milliseconds, oldest first."""
        return tuple(self._kept_ms)


def quantile(values: Iterable[float], share: float) -> float:
    """The smallest value that is not exceeded by at least `share` (0..1) of all values; 0 for no values.

    >>> quantile([3.0, 1.0, 2.0], 0.5), quantile([], 0.5)
    (2.0, 0.0)
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
