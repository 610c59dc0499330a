"""How long a call may take, and whether it was cancelled.

Long work checks its budget between steps; a check takes well under a microsecond.
`Cancelled` is a BaseException, so that no `except Exception` can swallow it.
"""

import time
from collections.abc import Callable

from attrs import evolve, field, frozen


class Cancelled(BaseException):
    """The caller has cancelled the call and no longer waits for its result."""


def _never() -> bool:
    return False


@frozen(kw_only=True)
class Budget:
    """A deadline (seconds on the monotonic clock, None for no deadline) and a cancel flag."""

    deadline: float | None = None
    is_cancelled: Callable[[], bool] = _never
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    @classmethod
    def of(cls, seconds: float | None, *, is_cancelled: Callable[[], bool] = _never) -> "Budget":
        """A budget that ends `seconds` from now; None never ends."""
        return cls(deadline=None if seconds is None else time.monotonic() + seconds, is_cancelled=is_cancelled)

    def check(self) -> None:
        """Raise `Cancelled` if the call was cancelled. A deadline that has passed does not raise: see `is_spent`."""
        if self.is_cancelled():
            raise Cancelled

    @property
    def is_spent(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and self.clock() >= self.deadline

    @property
    def remaining_s(self) -> float | None:
        """The seconds until the deadline, 0 once it has passed; None without a deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - self.clock())

    def within(self, seconds: float) -> "Budget":
        """This budget with a deadline at most `seconds` from now."""
        end = self.clock() + seconds
        return evolve(self, deadline=end if self.deadline is None else min(end, self.deadline))


UNLIMITED = Budget()
