"""Work in a thread of its own, of which only the latest counts: newer work under a name replaces older that waits.

The thread does one piece of work at a time, and ends when nothing waits.
"""

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread

from attrs import define, field

logger = logging.getLogger(__name__)


@define(eq=False)
class _Work:
    run: Callable[[], None]
    done: Event = field(factory=Event)


@define(eq=False)
class LatestWork:
    """Any thread may call the methods; only `wait` waits for work."""

    _waiting: dict[str, _Work] = field(factory=dict)
    _running: tuple[str, _Work] | None = None
    _lock: Lock = field(factory=Lock)

    def put(self, name: str, run: Callable[[], None]) -> None:
        """Have `run` called, unless newer work of this name comes first. If it raises, that is logged."""
        with self._lock:
            if name in self._waiting:
                self._waiting[name].run = run
                return
            has_thread = self._running is not None or bool(self._waiting)
            self._waiting[name] = _Work(run)
        if not has_thread:
            Thread(target=self._work, name="vaultseek-latest", daemon=True).start()

    def has(self, name: str) -> bool:
        """Whether work of this name waits or runs."""
        with self._lock:
            return name in self._waiting or (self._running is not None and self._running[0] == name)

    def drop(self, name: str) -> None:
        """Forget work that waits."""
        with self._lock:
            dropped = self._waiting.get(name)
            if dropped is not None:
                dropped.run = _nothing  # its turn still comes, for threads in `wait`

    def wait(self) -> None:
        """Wait until all work has ended that waits or runs now."""
        with self._lock:
            work = [*self._waiting.values(), *([self._running[1]] if self._running else [])]
        for one in work:
            one.done.wait()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running = None
                    return
                name = next(iter(self._waiting))
                work = self._waiting.pop(name)
                self._running = name, work
            try:
                work.run()
            except Exception:
                logger.exception("%s failed", name)
            finally:
                work.done.set()


def _nothing() -> None:
    pass
