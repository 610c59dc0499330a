"""Changes of settings, in the order in which the client told of them.

A client sends a change and a question in one breath, and may have to be asked for the new settings first: the question
waits for that, though not for long, since a client may never say. What it has said is waited for to the end: to make
use of it takes a while only where the search core is still being loaded. What was told of later is never undone by the
late answer to an earlier question.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator

logger = logging.getLogger(__name__)

PATIENCE_S = 1.0
"""How long after a change questions wait for it; an editor that is up answers within some ten milliseconds."""


class Changes:
    """What is on its way, and which change is in use."""

    def __init__(self) -> None:
        self._n_told = 0
        self._in_use = 0  # the number of a change
        self._open: set[asyncio.Task[None]] = set()
        self._asking: set[asyncio.Task[None] | None] = set()  # of these, those that wait for the client
        self._until = 0.0  # when nothing waits any more, by the loop's clock

    def begin(self, change: Callable[[int], Coroutine[object, object, None]]) -> None:
        """Let a change come into use; it is handed its number, which `supersede` wants."""
        loop = asyncio.get_running_loop()
        self._n_told += 1
        task = loop.create_task(change(self._n_told))
        self._open.add(task)
        task.add_done_callback(self._end)
        self._until = loop.time() + PATIENCE_S

    def _end(self, task: "asyncio.Task[None]") -> None:
        self._open.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("Settings could not be used", exc_info=error)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """While this is held, the current change waits for the client."""
        task = asyncio.current_task()
        self._asking.add(task)
        try:
            yield
        finally:
            self._asking.discard(task)

    def supersede(self, number: int) -> bool:
        """Whether a change is to be used: no later one is. From now on no earlier one will be."""
        self._in_use = max(self._in_use, number)
        return self._in_use == number

    async def settled(self) -> None:
        """Wait until all changes that were told of are in use, or until the client has taken too long."""
        left_s = self._until - asyncio.get_running_loop().time()
        if self._open and left_s > 0:
            await asyncio.wait(tuple(self._open), timeout=left_s)
        if heard := self._open - self._asking:
            await asyncio.wait(tuple(heard))
