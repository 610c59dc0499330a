"""How often and how long a failed request is tried again: a bounded number of times, and never past the budget.

Waiting happens in short naps, so that a cancelled search is over at once. The clock and the nap can be exchanged.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from attrs import evolve, field, frozen

from search.budget import Budget
from search.providers.failure import Failure, FailureKind

T = TypeVar("T")

NAP_S = 0.05


@frozen(kw_only=True)
class Patience:
    """How a run waits for an endpoint.

    n_tries: How often a request is sent that the endpoint breaks or does not get, 1 or more; 3.
    n_waits: How often in a row it may send us away because of its rate limit; 10.
    first_wait_s: The wait before the second try where the endpoint names none; each further one is twice as long; 0.5.
    longest_wait_s: A longer wait than that ends the run, to be resumed another time; 120.
    """

    n_tries: int = 3
    n_waits: int = 10
    first_wait_s: float = 0.5
    longest_wait_s: float = 120.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def once(self) -> "Patience":
        """The same for a single try."""
        return evolve(self, n_tries=1, n_waits=0)

    def call(self, attempt: Callable[[], T | Failure], budget: Budget) -> T | Failure:
        """The first success of `attempt`, or the failure that nothing more can be done about.

        Raises:
            Cancelled: nobody waits any more.
        """
        n_broken = n_busy = 0
        while True:
            budget.check()
            answer = attempt()
            if not isinstance(answer, Failure):
                return answer
            if answer.kind is FailureKind.BUSY:
                n_busy += 1
                is_last = n_busy > self.n_waits
            elif answer.kind in {FailureKind.BROKEN, FailureKind.SLOW, FailureKind.UNREACHABLE}:
                n_broken += 1
                is_last = n_broken >= self._tries(answer.kind, is_awaited=budget.deadline is not None)
            else:
                is_last = True
            if is_last:
                return answer
            asked = answer.retry_after_s
            wait_s = self.first_wait_s * 2.0 ** (n_broken + n_busy - 1) if asked is None else asked
            left_s = remaining_s(budget)
            if wait_s > self.longest_wait_s or (left_s is not None and wait_s >= left_s):
                return (
                    answer if asked is None else evolve(answer, reason=f"{answer.reason}; asks to wait {wait_s:,.0f} s")
                )
            self._wait(wait_s, budget)

    def _tries(self, kind: FailureKind, *, is_awaited: bool) -> int:
        if kind is FailureKind.UNREACHABLE and is_awaited:
            return 1  # nobody is there now, and words can answer
        # What took too long once will again; asking for less at once helps more than asking a third time.
        return min(2, self.n_tries) if kind is FailureKind.SLOW else self.n_tries

    def _wait(self, seconds: float, budget: Budget) -> None:
        while seconds > 0:
            budget.check()
            self.sleep(min(NAP_S, seconds))
            seconds -= NAP_S


def remaining_s(budget: Budget) -> float | None:
    """The seconds until the budget is spent, 0 when it is; None for a budget without end."""
    return None if budget.deadline is None else max(0.0, budget.deadline - budget.clock())
