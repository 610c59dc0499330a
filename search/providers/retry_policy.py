"""How often and for how long a failed request is retried: a limited number of times, within the caller's budget.

Waiting happens in short naps, so that a cancelled search ends at once. Nothing else in this package repeats a request
that failed; batches, chats and rerankers only change a request that the endpoint refused.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from attrs import evolve, field, frozen

from search.budget import Budget
from search.providers.failure import Failure, FailureKind

T = TypeVar("T")

_NAP_S = 0.05
_MAX_SLOW_TRIES = 2  # a request that timed out twice will time out again; a smaller batch helps, a third try does not


@frozen(kw_only=True)
class RetryPolicy:
    """How a run retries the requests to one endpoint.

    n_tries: How often a request is sent if the endpoint fails or cannot be reached, 1 or more; 3.
    n_waits: How many rate limits in a row are waited for; 10.
    first_wait_s: The wait before the second try if the endpoint asks for none; doubles with each further try; 0.5.
    longest_wait_s: If a longer wait is needed, the request fails instead; 120.
    sleep: Waits for a number of seconds; tests replace it.
    """

    n_tries: int = 3
    n_waits: int = 10
    first_wait_s: float = 0.5
    longest_wait_s: float = 120.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def once(self) -> "RetryPolicy":
        """The same policy without retries."""
        return evolve(self, n_tries=1, n_waits=0)

    def call(self, attempt: Callable[[], T | Failure], budget: Budget) -> T | Failure:
        """The first success of `attempt`, or its last failure if retrying does not help or is not allowed.

        Raises:
            Cancelled: the budget was cancelled.
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
                is_last = n_broken >= self._tries(answer.kind, has_deadline=budget.deadline is not None)
            else:
                is_last = True
            if is_last:
                return answer
            asked_s = answer.retry_after_s
            wait_s = self.first_wait_s * 2.0 ** (n_broken + n_busy - 1) if asked_s is None else asked_s
            left_s = budget.remaining_s
            if wait_s > self.longest_wait_s or (left_s is not None and wait_s >= left_s):
                if asked_s is None:
                    return answer
                return evolve(answer, reason=f"{answer.reason}; asks to wait {wait_s:,.0f} s")
            self.wait(wait_s, budget)

    def wait(self, seconds: float, budget: Budget) -> None:
        """Wait for this many seconds; not at all for 0 or fewer.

        Raises:
            Cancelled: the budget was cancelled.
        """
        while seconds > 0:
            budget.check()
            self.sleep(min(_NAP_S, seconds))
            seconds -= _NAP_S

    def _tries(self, kind: FailureKind, *, has_deadline: bool) -> int:
        if kind is FailureKind.UNREACHABLE and has_deadline:
            return 1  # a user is waiting, and the search can answer without the model
        return min(_MAX_SLOW_TRIES, self.n_tries) if kind is FailureKind.SLOW else self.n_tries
