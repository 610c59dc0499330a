"""Who may use a vault's model, and when: searches first, background work once no search has run for a while.

One thread at a time uses the model or changes vectors, and holds `model_lock` for it. Background work stops for every
search and continues shortly after the last one.
"""

import contextlib
import threading
import time
from collections.abc import Iterator

from attrs import define, evolve, field

from search.budget import Budget, Cancelled
from search.errors import ProviderError

_POLL_S = 0.05  # how soon a thread that waits for the model notices that it was cancelled


@define(eq=False)
class Scheduler:
    """The order in which threads use one model. `resume_after_s`: how long background work waits after a search."""

    resume_after_s: float
    model_lock: threading.RLock = field(factory=threading.RLock)
    changed: threading.Condition = field(factory=threading.Condition)  # notified when a search ends, and on closing
    n_searching: int = 0  # searches running now
    is_closed: bool = False
    _searched_at: float = 0.0

    @contextlib.contextmanager
    def searching(self) -> Iterator[None]:
        """Keep background work stopped while this is held."""
        with self.changed:
            self.n_searching += 1
        try:
            yield
        finally:
            with self.changed:
                self.n_searching -= 1
                self._searched_at = time.monotonic()
                self.changed.notify_all()

    @contextlib.contextmanager
    def using(self, model: str, budget: Budget) -> Iterator[None]:
        """Hold the model lock. Waits within the budget, because an endpoint may keep another thread for long.

        Raises:
            ProviderError: the lock was not released in time; `model` is the name in the message.
            Cancelled: the budget was cancelled.
        """
        while not self.model_lock.acquire(timeout=_POLL_S):
            budget.check()
            if budget.is_spent:
                raise ProviderError(model, "is still busy with other texts", is_retriable=True)
        try:
            yield
        finally:
            self.model_lock.release()

    @contextlib.contextmanager
    def if_free(self) -> Iterator[bool]:
        """Hold the model lock if it is free now or in a moment; yields whether it is held."""
        is_held = self.model_lock.acquire(timeout=_POLL_S)
        try:
            yield is_held
        finally:
            if is_held:
                self.model_lock.release()

    def background_budget(self, budget: Budget) -> Budget:
        """A budget for background work: every search cancels it, and so does closing."""
        return evolve(budget, is_cancelled=lambda: self.n_searching > 0 or self.is_closed or budget.is_cancelled())

    def budget_until_closed(self, budget: Budget) -> Budget:
        """A budget for work that delays no search: only closing cancels it, apart from the budget itself."""
        return evolve(budget, is_cancelled=lambda: self.is_closed or budget.is_cancelled())

    def wait_until_idle(self, budget: Budget) -> None:
        """Wait until no search has run for `resume_after_s`.

        Raises:
            Cancelled: the budget was cancelled, or the scheduler was closed.
        """
        with self.changed:
            while not self.is_closed:
                budget.check()
                since = time.monotonic() - self._searched_at
                if self.n_searching == 0 and since >= self.resume_after_s:
                    return
                self.changed.wait(max(0.01, self.resume_after_s - since) if self.n_searching == 0 else 0.2)
        raise Cancelled

    def close(self) -> None:
        """Stop background work for good."""
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
