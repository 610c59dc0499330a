"""A call that goes on in a thread of its own, while its caller does something else or stops to wait for it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from attrs import field, frozen

from search.budget import Budget

T = TypeVar("T")

_LOOK_S = 0.02  # how soon a caller sees that it was cancelled


@frozen(eq=False)
class Beside(Generic[T]):
    """What a call gave or raised, once it is there. A thread that nobody waits for any more ends with its call."""

    _done: threading.Event = field(factory=threading.Event, init=False, repr=False)
    _given: list[T] = field(factory=list, init=False, repr=False)
    _raised: list[BaseException] = field(factory=list, init=False, repr=False)

    @classmethod
    def start(cls, call: Callable[[], T], *, name: str) -> "Beside[T]":
        """Begin the call; the thread is called `name`."""
        beside = cls()
        threading.Thread(target=beside._run, args=(call,), name=name, daemon=True).start()
        return beside

    def is_done_within(self, budget: Budget) -> bool:
        """Wait until the call has ended or the budget is spent; whether it has ended.

        Raises:
            Cancelled: nobody waits any more.
        """
        while not self._done.wait(_LOOK_S):
            budget.check()
            if budget.is_spent:
                return self._done.is_set()
        return True

    def result(self) -> T:
        """What the call gave; raises what it raised. To be asked when it has ended."""
        if self._raised:
            raise self._raised[0]
        return self._given[0]

    def _run(self, call: Callable[[], T]) -> None:
        try:
            self._given.append(call())
        except BaseException as error:  # noqa: BLE001 - it is raised again where the result is asked for
            self._raised.append(error)
        finally:
            self._done.set()
