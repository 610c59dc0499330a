"""A function that runs in a background thread, so that its caller can stop waiting for it at any time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import evolve, field, frozen

from search.budget import UNLIMITED, Budget

T = TypeVar("T")

_POLL_S = 0.02  # how often a waiting caller checks whether it was cancelled


@frozen(eq=False)
class BackgroundCall(Generic[T]):
    """One call of a function in a daemon thread.

    A caller that no longer needs the result abandons the call; leaving a `with` block does so. The function notices
    this when it next checks the budget that it was given. The thread ends with the function, and no one waits for it.
    """

    _done: threading.Event = field(factory=threading.Event, init=False, repr=False)
    _abandoned: threading.Event = field(factory=threading.Event, init=False, repr=False)
    _results: list[T] = field(factory=list, init=False, repr=False)
    _errors: list[BaseException] = field(factory=list, init=False, repr=False)

    @classmethod
    def start(cls, function: Callable[[Budget], T], *, name: str, budget: Budget = UNLIMITED) -> "BackgroundCall[T]":
        """Call `function` in a thread called `name`. It gets `budget`, which abandoning the call cancels as well."""
        call = cls()
        own = evolve(budget, is_cancelled=lambda: call._abandoned.is_set() or budget.is_cancelled())
        threading.Thread(target=call._run, args=(function, own), name=name, daemon=True).start()
        return call

    def is_done_within(self, budget: Budget, *, grace_s: float = 0.0) -> bool:
        """Wait until the call has ended or `budget` is spent; return whether the call has ended.

        `grace_s` more seconds give a function with the same deadline the time to say what it was waiting for.

        Raises:
            Cancelled: `budget` was cancelled. The call goes on until it is abandoned.
        """
        while not self._done.wait(_POLL_S):
            budget.check()
            if budget.deadline is not None and budget.clock() >= budget.deadline + grace_s:
                return self._done.is_set()
        return True

    def result(self) -> T:
        """What the function returned; raises what the function raised. Only valid once the call has ended."""
        if self._errors:
            raise self._errors[0]
        return self._results[0]

    def abandon(self) -> None:
        """Cancel the budget of the function. Does nothing once the call has ended."""
        self._abandoned.set()

    def __enter__(self) -> "BackgroundCall[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.abandon()

    def _run(self, function: Callable[[Budget], T], budget: Budget) -> None:
        try:
            self._results.append(function(budget))
        except BaseException as error:  # noqa: BLE001 - `result` raises it in the thread of the caller
            self._errors.append(error)
        finally:
            self._done.set()
