"""An endpoint that failed is left alone for a while, so that not every search waits for it anew.

    rest = min(longest_s, first_s * 2^(failures in a row - 1))

After a rest one call tries, once; until it knows more, all others are refused. A success ends it. What says nothing of
the endpoint does not count: a text that is too long, a rate limit, too short a time.

Who waits for an answer (has a deadline) is refused at once; who does not waits for the rest, `first_s` at most.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from attrs import define, field

from search.budget import Budget
from search.providers.failure import Failure, FailureKind
from search.providers.patience import NAP_S, Patience, remaining_s

T = TypeVar("T")

_TELLING = {FailureKind.BROKEN, FailureKind.UNREACHABLE, FailureKind.FINAL, FailureKind.SLOW}
_FAIR_S = 4.0  # who gave an endpoint less learns nothing of it by its silence
_ALIVE = {None, FailureKind.SIZE, FailureKind.REFUSED}


@define(eq=False)
class Call:
    """One use of the endpoint; whoever makes it says what became of it."""

    _patience: Patience
    refusal: Failure | None = None  # why nothing may be asked
    failure: Failure | None = None
    is_over: bool = False

    def ask(self, attempt: Callable[[], T | Failure], budget: Budget) -> T | Failure:
        """What `attempt` gives, tried as often as may be; the refusal where there is one.

        Raises:
            Cancelled: nobody waits any more.
        """
        return self._patience.call(attempt, budget) if self.refusal is None else self.refusal

    def ended(self, failure: Failure | None) -> None:
        """It ended so, None for well."""
        self.failure, self.is_over = failure, True


@define(eq=False)
class Rest:
    """What is remembered of an endpoint's failures; threads may share it. Times are seconds of `clock`."""

    first_s: float = 5.0
    longest_s: float = 60.0
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _why: Failure | None = field(default=None, init=False)
    _n_failed: int = field(default=0, init=False)  # in a row
    _until: float = field(default=0.0, init=False)
    _is_trying: bool = field(default=False, init=False)

    @contextmanager
    def call(self, patience: Patience, budget: Budget) -> Iterator[Call]:
        """A use of the endpoint, or a refusal of it.

        Raises:
            Cancelled: nobody waits any more.
        """
        if budget.deadline is None:
            self._wait(patience, budget)
        given_s = remaining_s(budget)
        call = self._begin(patience)
        try:
            yield call
        finally:
            self._end(call, given_s)

    def _wait(self, patience: Patience, budget: Budget) -> None:
        left_s = min(self.first_s, self._until - self.clock()) if self._why is not None else 0.0
        while left_s > 0:
            budget.check()
            patience.sleep(min(NAP_S, left_s))
            left_s -= NAP_S
        with self._lock:
            self._until = min(self._until, self.clock())

    def _begin(self, patience: Patience) -> Call:
        with self._lock:
            if self._why is None:
                return Call(patience)
            left_s = self._until - self.clock()
            if left_s > 0 or self._is_trying:
                again = f"asked again in {left_s:,.0f} s" if left_s >= 1 else "asked again soon"
                reason = f"{self._why.reason} ({again})"
                return Call(patience, refusal=Failure(FailureKind.RESTING, reason))
            self._is_trying = True
            return Call(patience.once)

    def _end(self, call: Call, given_s: float | None) -> None:
        if call.refusal is not None:
            return
        with self._lock:
            self._is_trying = False
            kind = None if call.failure is None else call.failure.kind
            if not call.is_over:
                return  # it was cancelled, or is a mistake of ours
            if kind in _ALIVE:
                self._why, self._n_failed = None, 0
            elif kind in _TELLING and not (kind is FailureKind.SLOW and given_s is not None and given_s < _FAIR_S):
                self._n_failed += 1
                self._why = call.failure
                self._until = self.clock() + min(self.longest_s, self.first_s * 2.0 ** (self._n_failed - 1))
