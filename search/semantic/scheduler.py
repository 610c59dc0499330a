"""Whose turn it is to use the model of a vault: a search's at once, that of the work behind it when all is calm.

One thread at a time uses the model or writes vectors. Who works behind stops for every search, and goes on a little
after the last one.
"""

import contextlib
import threading
import time
from collections.abc import Iterator

from attrs import define, evolve, field

from search.budget import Budget, Cancelled
from search.errors import ProviderError

LOOK_S = 0.05  # how soon a query that waits for the model sees that it was cancelled


@define(eq=False)
class Scheduler:
    """`resume_after_s`: how long it has been calm when the work behind goes on."""

    resume_after_s: float
    model: threading.RLock = field(factory=threading.RLock)  # held by whoever uses the model or writes vectors
    changed: threading.Condition = field(factory=threading.Condition)  # told of each search's end, and of closing
    n_asking: int = 0  # searches at this moment
    is_closed: bool = False
    _asked_at: float = 0.0

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """While this is held, nobody works behind."""
        with self.changed:
            self.n_asking += 1
        try:
            yield
        finally:
            with self.changed:
                self.n_asking -= 1
                self._asked_at = time.monotonic()
                self.changed.notify_all()

    @contextlib.contextmanager
    def using(self, model: str, budget: Budget) -> Iterator[None]:
        """Hold the model, unless who has it does not give it back in time: an endpoint may keep a thread waiting.

        Raises:
            ProviderError: it was not given back.
            Cancelled: nobody waits any more.
        """
        while not self.model.acquire(timeout=LOOK_S):
            budget.check()
            if budget.is_spent:
                raise ProviderError(model, "is still busy with other texts", is_retriable=True)
        try:
            yield
        finally:
            self.model.release()

    def behind(self, budget: Budget) -> Budget:
        """The budget of work that is not asked for now: cancelled by every search, and by closing."""
        return evolve(budget, is_cancelled=lambda: self.n_asking > 0 or self.is_closed or budget.is_cancelled())

    def until_closed(self, budget: Budget) -> Budget:
        """The budget of work that holds nobody up: cancelled by closing."""
        return evolve(budget, is_cancelled=lambda: self.is_closed or budget.is_cancelled())

    def wait_for_calm(self, budget: Budget) -> None:
        """Wait until there was no search for a while.

        Raises:
            Cancelled: the budget was cancelled, or all this was closed.
        """
        with self.changed:
            while not self.is_closed:
                budget.check()
                since = time.monotonic() - self._asked_at
                if self.n_asking == 0 and since >= self.resume_after_s:
                    return
                self.changed.wait(max(0.01, self.resume_after_s - since) if self.n_asking == 0 else 0.2)
        raise Cancelled

    def close(self) -> None:
        """Whoever works behind stops."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
