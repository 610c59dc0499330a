"""How long the last answers took."""

from collections import deque
from collections.abc import Iterable

N_KEPT = 100


class Speed:
    """The milliseconds of the last answers; one thread may add while another looks."""

    def __init__(self) -> None:
        self._kept: deque[float] = deque(maxlen=N_KEPT)

    def add(self, took_ms: float) -> None:
        """One more answer."""
        self._kept.append(took_ms)

    @property
    def kept(self) -> tuple[float, ...]:
        """Of the last 100 answers, oldest first."""
        return tuple(self._kept)


def quantile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least `share` (0..1) of all do not exceed; 0 of none.

    >>> quantile([3.0, 1.0, 2.0], 0.5), quantile([], 0.5)
    (2.0, 0.0)
    """
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
