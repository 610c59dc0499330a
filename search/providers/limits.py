"""The limits of one answer: its size, its time, and the budget of the search that waits for it."""

import time

from attrs import field, frozen

from search.budget import Budget
from search.providers.failure import Failure, FailureKind


class LimitError(Exception):
    """An answer broke its limits; `failure` says which one."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


@frozen(kw_only=True)
class Limits:
    """`timeout_s` counts from the moment of construction."""

    n_bytes: int
    timeout_s: float
    budget: Budget
    _started: float = field(factory=time.monotonic, init=False)

    def check(self, n_bytes: int) -> None:
        """Check an answer of which `n_bytes` have arrived; raises `LimitError` or `Cancelled`."""
        self.budget.check()
        if n_bytes > self.n_bytes:
            reason = f"sent more than the {self.n_bytes:,} bytes that an answer can have"
            raise LimitError(Failure(FailureKind.FINAL, reason))
        if time.monotonic() - self._started > self.timeout_s:
            raise LimitError(self.too_slow())

    def too_slow(self) -> Failure:
        """The failure of an endpoint that exceeds the time limit."""
        return Failure(FailureKind.SLOW, f"took more than {max(0.1, round(self.timeout_s, 1)):g} s")
