"""Which notes hold a chunk with a given hash, so that text that was embedded once is not embedded again.

Most chunks have one owner: it stands bare in the dictionary, and a set takes its place only where there are several.
"""

from collections.abc import Iterable

from search.ids import NoteId


class ChunkOwners:
    """From a chunk's hash to the notes that hold it."""

    def __init__(self) -> None:
        self._owners: dict[bytes, NoteId | set[NoteId]] = {}

    def add(self, note: NoteId, hashes: Iterable[bytes]) -> None:
        """The note holds these chunks from now on."""
        for key in hashes:
            owner = self._owners.setdefault(key, note)
            if isinstance(owner, set):
                owner.add(note)
            elif owner != note:
                self._owners[key] = {owner, note}

    def discard(self, note: NoteId, hashes: Iterable[bytes]) -> None:
        """The note holds these chunks no more; what is not known is passed over."""
        for key in hashes:
            owner = self._owners.get(key)
            if isinstance(owner, set):
                owner.discard(note)
                if not owner:
                    del self._owners[key]
            elif owner == note:
                del self._owners[key]

    def one(self, key: bytes) -> NoteId | None:
        """Any note that holds the chunk."""
        owner = self._owners.get(key)
        return next(iter(owner)) if isinstance(owner, set) else owner
