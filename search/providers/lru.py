"""A bounded cache in memory, which drops the least recently used value first."""

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from attrs import field, frozen

K = TypeVar("K")
V = TypeVar("V")


@frozen(eq=False)
class LruCache(Generic[K, V]):
    """At most `max_size` values. Threads may share it."""

    max_size: int = 512
    _values: OrderedDict[K, V] = field(factory=OrderedDict, init=False, repr=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)

    def __len__(self) -> int:
        """The number of cached values."""
        return len(self._values)

    def get(self, key: K) -> V | None:
        """The value under this key, None if there is none. It counts as the most recently used from now on."""
        with self._lock:
            found = self._values.get(key)
            if found is not None:
                self._values.move_to_end(key)
            return found

    def put(self, key: K, value: V) -> None:
        """Keep a value; it replaces the value that this key had."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self.max_size:
                self._values.popitem(last=False)
