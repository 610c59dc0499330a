"""Blocking work in threads of our own, with a flag that stops it.

The framework reads its input through its own pool, so handlers that run there starve the reader: cancellations are
never seen. Here a cancelled request is answered at once, its flag tells the thread to stop at its next check, and work
that has not begun never does.

Settings may change while work is under way, and the vault that it asks is closed for one with other settings: then the
work is done anew, with what it finds by then.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from search.budget import Budget, Cancelled
from search.errors import VaultClosed

T = TypeVar("T")

N_THREADS = 4  # the engine takes turns inside; more would only queue there
N_TIMES = 20  # settings that change so often while one question is asked are played with


async def _at_once() -> None:
    pass


class Workers:
    """The threads, and the flags of what they work on."""

    def __init__(self, n_threads: int = N_THREADS, *, ready: Callable[[], Awaitable[None]] = _at_once) -> None:
        """`ready` is awaited before each piece of work."""
        self._ready = ready
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="vaultseek")
        self._stops: set[Event] = set()

    async def run(self, work: Callable[[Budget], T]) -> T:
        """What `work` returns; when the awaiting task is cancelled, the budget that `work` was given is cancelled.

        Raises:
            VaultClosed: it was closed each time, some twenty times.
        """
        stop = Event()
        self._stops.add(stop)
        try:
            for _ in range(N_TIMES - 1):
                with contextlib.suppress(VaultClosed):
                    return await self._once(work, stop)
                if stop.is_set():  # nobody waits any more
                    raise Cancelled
            return await self._once(work, stop)
        finally:
            stop.set()
            self._stops.discard(stop)

    async def _once(self, work: Callable[[Budget], T], stop: Event) -> T:
        await self._ready()
        return await asyncio.get_running_loop().run_in_executor(self._pool, _begin, work, stop)

    def submit(self, work: Callable[[], None]) -> None:
        """Do something that nobody waits for.

        Raises:
            RuntimeError: the threads were closed.
        """
        self._pool.submit(work)

    def cancel_all(self) -> None:
        """Tell all that runs to stop; returns at once."""
        for stop in tuple(self._stops):
            stop.set()

    def close(self) -> None:
        """Stop everything and take no more; returns at once."""
        self.cancel_all()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _begin(work: Callable[[Budget], T], stop: Event) -> T:
    budget = Budget(is_cancelled=stop.is_set)
    budget.check()  # it may have been cancelled between its turn and now
    try:
        return work(budget)
    except Cancelled:
        if stop.is_set():
            raise
        raise VaultClosed("") from None  # nobody else stops work
