"""The limits of one answer: its size, its time, and the budget of the search that waits for it."""

import time

from attrs import field, frozen

from search.budget import Budget


class TooLargeError(Exception):
    """The answer is longer than allowed."""


class TooSlowError(Exception):
    """The answer takes longer than allowed."""


class CompressedError(Exception):
    """The answer is compressed, so its real size is unknown."""


@frozen(kw_only=True)
class Limits:
    """`timeout_s` counts from the moment of construction."""

    n_bytes: int
    timeout_s: float
    budget: Budget
    _started: float = field(factory=time.monotonic, init=False)

    def check(self, n_bytes: int) -> None:
        """Check an answer of which `n_bytes` have arrived; raises one of the exceptions above, or `Cancelled`."""
        self.budget.check()
        if n_bytes > self.n_bytes:
            raise TooLargeError
        if time.monotonic() - self._started > self.timeout_s:
            raise TooSlowError


def took_more(limits: Limits) -> str:
    """The reason of the failure if an endpoint exceeded the time limit."""
    return f"took more than {max(0.1, round(limits.timeout_s, 1)):g} s"
