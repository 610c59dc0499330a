"""What the answer to one request must keep to: a size, a time, and somebody who waits for it."""

import time

from attrs import field, frozen

from search.budget import Budget


class TooLargeError(Exception):
    """The answer goes on beyond its size."""


class TooSlowError(Exception):
    """The answer goes on beyond its time."""


class CompressedError(Exception):
    """The answer is compressed, so that its size says nothing."""


@frozen(kw_only=True)
class Limits:
    """`timeout_s` counts from now."""

    n_bytes: int
    timeout_s: float
    budget: Budget
    _started: float = field(factory=time.monotonic, init=False)

    def check(self, n_bytes: int) -> None:
        """Look at what has come so far; raises one of the exceptions above, or `Cancelled`."""
        self.budget.check()
        if n_bytes > self.n_bytes:
            raise TooLargeError
        if time.monotonic() - self._started > self.timeout_s:
            raise TooSlowError


def took_more(limits: Limits) -> str:
    """What is said of an endpoint that did not keep to the time."""
    return f"took more than {max(0.1, round(limits.timeout_s, 1)):g} s"
