"""Blocking work in the server's own threads, each piece of work with a flag that stops it.

pygls reads its input through its own thread pool, so handlers that run there starve the reader, and cancellations are
never seen. Here a cancelled request is answered at once, its flag tells the thread to stop at the next check, and work
that has not started never starts.

When settings change during work, the vault's engine is closed and replaced by one with the new settings. The work then
runs again on the new engine.
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

N_THREADS = 4  # the engine serializes most work itself; more threads would only queue there
N_ATTEMPTS = 20  # at one piece of work; settings do not change that often during one request


async def _at_once() -> None:
    pass


class Workers:
    """A pool of threads and the stop flags of the work in them."""

    def __init__(self, n_threads: int = N_THREADS, *, ready: Callable[[], Awaitable[None]] = _at_once) -> None:
        """`ready` is awaited before each piece of work."""
        self._ready = ready
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="vaultseek")
        self._stops: set[Event] = set()
        self._is_closed = False

    async def run(self, work: Callable[[Budget], T]) -> T:
        """What `work` returns. If the awaiting task is cancelled, the budget passed to `work` is cancelled too.

        Raises:
            VaultClosed: the vault was closed during each of 20 attempts.
            Cancelled: the workers were closed.
        """
        stop = Event()
        self._stops.add(stop)
        try:
            for _ in range(N_ATTEMPTS - 1):
                with contextlib.suppress(VaultClosed):
                    return await self._once(work, stop)
                if stop.is_set():  # no one waits for the result any more
                    raise Cancelled
            return await self._once(work, stop)
        finally:
            stop.set()
            self._stops.discard(stop)

    async def _once(self, work: Callable[[Budget], T], stop: Event) -> T:
        await self._ready()
        if self._is_closed:
            raise Cancelled
        return await asyncio.get_running_loop().run_in_executor(self._pool, _begin, work, stop)

    def submit(self, work: Callable[[], None]) -> None:
        """Run `work` without waiting for its result; does nothing once the pool is closed. From any thread."""
        with contextlib.suppress(RuntimeError):  # the pool is closed
            self._pool.submit(work)

    def cancel_all(self) -> None:
        """Tell all running work to stop; returns at once."""
        for stop in tuple(self._stops):
            stop.set()

    def close(self) -> None:
        """Stop all work and accept no more; returns at once."""
        self._is_closed = True
        self.cancel_all()
        self._pool.shutdown(wait=False, cancel_futures=True)


def _begin(work: Callable[[Budget], T], stop: Event) -> T:
    budget = Budget(is_cancelled=stop.is_set)
    budget.check()  # the request may have been cancelled while this waited for a thread
    try:
        return work(budget)
    except Cancelled:
        if stop.is_set():
            raise
        raise VaultClosed("") from None  # closing the vault is the only other thing that stops work
