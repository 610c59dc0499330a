"""A circuit breaker: a service that failed is left alone for a while, so that not every search waits for it.

    closed      calls pass. `n_failures` failures in a row open the circuit, and so does a 95th percentile of the
                latencies above `max_p95_ms`
    open        calls are refused for `pause_s`; every further failure doubles the pause, up to `max_pause_s`
    half-open   after the pause one trial call passes, without retries. A success closes the circuit, a failure or a
                slow answer opens it again

Failures that say nothing about the service do not count: a text that is too long, a rate limit, a timeout that the
caller set too short. A caller with a deadline is refused at once; a caller without one waits for the end of the pause,
`pause_s` at most, and then makes the trial call.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil, inf
from typing import TypeVar

from attrs import define, field

from search.budget import Budget
from search.providers.failure import Failure, FailureKind
from search.providers.retry_policy import RetryPolicy

T = TypeVar("T")

_FAIR_S = 4.0  # a timeout says nothing about a service that was given less time than this
_N_LATENCIES = 100
_MIN_LATENCIES = 20  # with fewer, a single outlier would be the 95th percentile


@define(eq=False)
class GuardedCall:
    """One use of a service. It may take several requests; the caller reports how it ended."""

    _policy: RetryPolicy
    _budget: Budget
    refusal: Failure | None = None  # why no request may be sent
    is_trial: bool = False
    failure: Failure | None = None
    is_over: bool = False

    def ask(self, attempt: Callable[[], T | Failure]) -> T | Failure:
        """The result of `attempt`, retried as the policy allows; while the circuit is open, the refusal.

        Raises:
            Cancelled: the budget was cancelled.
        """
        return self._policy.call(attempt, self._budget) if self.refusal is None else self.refusal

    def end(self, failure: Failure | None) -> None:
        """Report how the call ended; None means success."""
        self.failure, self.is_over = failure, True


@define(eq=False, kw_only=True)
class CircuitBreaker:
    """The recent failures and latencies of one service. Threads may share it; times come from the callers' budgets.

    n_failures: Failures in a row that open the circuit; 1.
    pause_s: Seconds until the first trial call; 5.
    max_pause_s: The longest pause; 60.
    max_p95_ms: 95 % of the last 100 answers must come within this time; no limit by default.
    """

    n_failures: int = 1
    pause_s: float = 5.0
    max_pause_s: float = 60.0
    max_p95_ms: float = inf
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _latencies_ms: "deque[float]" = field(factory=lambda: deque(maxlen=_N_LATENCIES), init=False, repr=False)
    _n_failed: int = field(default=0, init=False)  # in a row
    _reason: str = field(default="", init=False)  # why the circuit is open; empty while it is closed
    _last_pause_s: float = field(default=0.0, init=False)
    _open_until: float = field(default=0.0, init=False)
    _has_trial: bool = field(default=False, init=False)

    @property
    def p95_ms(self) -> float:
        """The 95th percentile of the latencies of the last 100 answers (nearest rank); 0 without answers."""
        ordered = sorted(self._latencies_ms)
        return ordered[ceil(0.95 * len(ordered)) - 1] if ordered else 0.0

    def ask(self, attempt: Callable[[], T | Failure], policy: RetryPolicy, budget: Budget) -> T | Failure:
        """The result of a call that consists of a single request, see `GuardedCall.ask`."""
        with self.call(policy, budget) as call:
            answer = call.ask(attempt)
            call.end(answer if isinstance(answer, Failure) else None)
        return answer

    @contextmanager
    def call(self, policy: RetryPolicy, budget: Budget) -> Iterator[GuardedCall]:
        """One use of the service, which may be refused.

        Raises:
            Cancelled: the budget was cancelled.
        """
        if budget.deadline is None:
            self._wait_for_pause(policy, budget)
        began, given_s = budget.clock(), budget.remaining_s
        call = self._begin(policy, budget, began)
        try:
            yield call
        finally:
            if call.refusal is None:
                self._end(call, given_s, began, budget.clock())

    def _wait_for_pause(self, policy: RetryPolicy, budget: Budget) -> None:
        if self._reason:
            policy.wait(min(self.pause_s, self._open_until - budget.clock()), budget)
        with self._lock:
            self._open_until = min(self._open_until, budget.clock())

    def _begin(self, policy: RetryPolicy, budget: Budget, now: float) -> GuardedCall:
        with self._lock:
            if not self._reason:
                return GuardedCall(policy, budget)
            left_s = self._open_until - now
            if left_s > 0 or self._has_trial:
                again = f"asked again in {left_s:,.0f} s" if left_s >= 1 else "asked again soon"
                refusal = Failure(FailureKind.RESTING, f"{self._reason} ({again})")
                return GuardedCall(policy, budget, refusal=refusal)
            self._has_trial = True
            return GuardedCall(policy.once, budget, is_trial=True)

    def _end(self, call: GuardedCall, given_s: float | None, began: float, now: float) -> None:
        with self._lock:
            self._has_trial &= not call.is_trial
            if not call.is_over:
                return  # it was cancelled, or raised an exception
            match call.failure:
                case None | Failure(kind=FailureKind.SIZE | FailureKind.REFUSED):
                    self._count_success((now - began) * 1000.0, now)
                case Failure(kind=FailureKind.SLOW) if given_s is not None and given_s < _FAIR_S:
                    pass
                case Failure(kind=FailureKind.BROKEN | FailureKind.UNREACHABLE | FailureKind.FINAL | FailureKind.SLOW):
                    self._count_failure(call.failure.reason, now)

    def _count_success(self, latency_ms: float, now: float) -> None:
        was_open = bool(self._reason)
        if was_open:
            self._latencies_ms.clear()
        self._n_failed, self._reason = 0, ""
        self._latencies_ms.append(latency_ms)
        p95_ms = self.p95_ms
        if p95_ms > self.max_p95_ms and (was_open or len(self._latencies_ms) >= _MIN_LATENCIES):
            self._open(f"took {p95_ms:,.0f} ms lately, and {self.max_p95_ms:,.0f} are allowed", now)

    def _count_failure(self, reason: str, now: float) -> None:
        self._n_failed += 1
        if self._reason or self._n_failed >= self.n_failures:
            self._open(reason, now)

    def _open(self, reason: str, now: float) -> None:
        self._last_pause_s = min(self.max_pause_s, 2.0 * self._last_pause_s) if self._reason else self.pause_s
        self._reason, self._open_until = reason, now + self._last_pause_s
