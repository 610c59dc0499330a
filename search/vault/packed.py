"""Values that stay packed bytes until they are first used, and mappings of such values.

A snapshot has a value for each note, and most queries need few of them. Unpacking all of them would take longer than
the rest of a start. Several values are packed together, as a group, which takes half the bytes. What was unpacked stays
in memory, so of a group of large values only those are unpacked that were asked for.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from threading import Lock
from typing import Generic, TypeVar

from search.cache.plain_values import unpack_compressed

K = TypeVar("K")
V = TypeVar("V")

_LOCK = Lock()  # one for all groups, since unpacking a group is quick


class PackedGroup(Generic[V]):
    """Several values in packed form. Threads and mappings can share a group: all of them get the same objects.

    `data` is a compressed list of bytes, each of which `read` turns into a value. A value is read when it is first
    needed and then kept; with `at_once`, all values of the group are, which suits small ones that are needed together.
    """

    __slots__ = ("_at_once", "_data", "_read", "_values")

    def __init__(self, data: bytes | memoryview, read: Callable[[bytes], V], *, at_once: bool = False) -> None:
        self._data = data
        self._read = read
        self._at_once = at_once
        self._values: dict[int, V] | None = None

    def value(self, at: int) -> V:
        """The value at the place `at`, from 0."""
        values = self._values
        if values is None or at not in values:
            with _LOCK:
                values = self._values = {} if self._values is None else self._values
                parts = unpack_compressed(self._data) if at not in values else ()
                for place in range(len(parts)) if self._at_once else (at,):
                    if place not in values:
                        values[place] = self._read(parts[place])
                if len(values) == len(parts):
                    self._data = b""
        return values[at]

    def transient_value(self, at: int) -> V:
        """The value at the place `at`; if it had to be read, it is not kept."""
        with _LOCK:
            known = self._values or {}
            return known[at] if at in known else self._read(unpack_compressed(self._data)[at])

    def transient_values(self) -> Sequence[V]:
        """All values; those that had to be read are not kept."""
        with _LOCK:
            known = self._values or {}
            if not self._data:
                return [known[at] for at in range(len(known))]
            parts = unpack_compressed(self._data)
            return [known[at] if at in known else self._read(part) for at, part in enumerate(parts)]


class Packed(Generic[V]):
    """The value at the place `at` of a group, from 0."""

    __slots__ = ("at", "group")

    def __init__(self, group: PackedGroup[V], at: int) -> None:
        self.group = group
        self.at = at


class PackedDict(MutableMapping[K, V]):
    """A dictionary whose values may be packed: they are unpacked when they are read, except by `packed_items`."""

    def __init__(self, items: Mapping[K, V | Packed[V]] | None = None) -> None:
        self._items: dict[K, V | Packed[V]] = dict(items or {})

    @classmethod
    def of_groups(cls, keys: Sequence[K], groups: Sequence[PackedGroup[V]], n_each: int) -> "PackedDict[K, V]":
        """A dictionary of `keys` and, in the same order, the values of groups of `n_each`; the last may have fewer."""
        return cls({key: Packed(groups[at // n_each], at % n_each) for at, key in enumerate(keys)})

    def __getitem__(self, key: K) -> V:
        value = self._items[key]
        return value.group.value(value.at) if isinstance(value, Packed) else value

    def transient(self, key: K) -> V:
        """The value of `key`; if it is packed, it stays so: for values that are looked at once."""
        value = self._items[key]
        return value.group.transient_value(value.at) if isinstance(value, Packed) else value

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
        """The values as they are kept, packed or not; a view, so copy it before the dictionary changes."""
        return self._items


def in_groups(items: Mapping[K, V | Packed[V]], keys: Sequence[K], n_each: int) -> Iterator[list[V]]:
    """The values of `keys`, `n_each` at a time; keeps at most one group of `items` unpacked meanwhile.

    Raises:
        KeyError: `items` has no such key.
    """
    group: PackedGroup[V] | None = None
    values: Sequence[V] = ()
    for start in range(0, len(keys), n_each):
        together: list[V] = []
        for key in keys[start : start + n_each]:
            item = items[key]
            if isinstance(item, Packed):
                if item.group is not group:
                    group, values = item.group, item.group.transient_values()
                together.append(values[item.at])
            else:
                together.append(item)
        yield together
