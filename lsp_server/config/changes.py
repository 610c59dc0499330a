"""Changes of settings, applied in the order in which the client announced them.

A client may send a change and a request at the same moment, and the server may have to ask the client for the new
settings first. The request waits for them, but not for long, since a client may never answer. Once the client has
answered, the request waits until the settings are in use: that takes long only while the search core is still being
imported. A late answer to an earlier question never undoes a later change.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator

logger = logging.getLogger(__name__)

PATIENCE_S = 1.0
"""How long after a change requests wait for the client's answer; a running editor answers within about 10 ms."""


class SettingsChanges:
    """The changes that are being applied, and the number of the latest one in use."""

    def __init__(self) -> None:
        self._n_announced = 0
        self._in_use = 0  # the number of a change
        self._pending: set[asyncio.Task[None]] = set()  # the changes that are being applied
        self._asking: set[asyncio.Task[None] | None] = set()  # pending changes that wait for the client's answer
        self._until = 0.0  # when requests stop waiting for the client, by the loop's clock

    def begin(self, change: Callable[[int], Coroutine[object, object, None]]) -> None:
        """Start applying a change; it receives its number, which it passes to `claim`."""
        loop = asyncio.get_running_loop()
        self._n_announced += 1
        task = loop.create_task(change(self._n_announced))
        self._pending.add(task)
        task.add_done_callback(self._end)
        self._until = loop.time() + PATIENCE_S

    def _end(self, task: "asyncio.Task[None]") -> None:
        self._pending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Settings could not be applied", exc_info=error)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Mark the current change as waiting for the client while the context is open."""
        task = asyncio.current_task()
        self._asking.add(task)
        try:
            yield
        finally:
            self._asking.discard(task)

    def claim(self, number: int) -> bool:
        """Whether this change may be used: False if a later one is in use. After it no earlier change may be used."""
        self._in_use = max(self._in_use, number)
        return self._in_use == number

    async def settled(self) -> None:
        """Wait until all announced changes are in use, or until the client has taken too long to answer."""
        left_s = self._until - asyncio.get_running_loop().time()
        if self._pending and left_s > 0:
            await asyncio.wait(tuple(self._pending), timeout=left_s)
        if answered := self._pending - self._asking:
            await asyncio.wait(tuple(answered))
