"""Values that stay packed bytes until they are first used, and mappings of such values.

A snapshot has a value for each note, and most queries need few of them. Unpacking all of them would take longer than
the rest of a start.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_LOCK = Lock()


class Packed(Generic[V]):
    """A value in packed form. May be shared by threads and mappings: all of them get the same object."""

    __slots__ = ("_unpack", "_value", "data")

    def __init__(self, data: bytes, unpack: Callable[[bytes], V]) -> None:
        self.data = data
        self._unpack = unpack
        self._value: V | None = None

    @property
    def value(self) -> V:
        """The value, unpacked once."""
        if self._value is None:
            with _LOCK:
                if self._value is None:
                    self._value = self._unpack(self.data)
        return self._value


class PackedDict(MutableMapping[K, V]):
    """A dictionary whose values may be packed. Only `packed_items` shows that they are."""

    def __init__(self, items: Mapping[K, V | Packed[V]] | None = None) -> None:
        self._items: dict[K, V | Packed[V]] = dict(items or {})

    def __getitem__(self, key: K) -> V:
        value = self._items[key]
        return value.value if isinstance(value, Packed) else value

    def __setitem__(self, key: K, value: V) -> None:
        self._items[key] = value

    def __delitem__(self, key: K) -> None:
        del self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def copy(self) -> "PackedDict[K, V]":
        """A copy that shares the values, packed ones too."""
        return PackedDict(self._items)

    def packed_items(self) -> Mapping[K, V | Packed[V]]:
        """The values as they are kept."""
        return self._items
