"""Texts that are kept for excerpts and filters, within a limit of memory.

Never hands out a text for a file in another state than it was put for.
"""

from collections import OrderedDict
from sys import getsizeof

from search.ids import NoteId
from search.vault.walk import Stat


class TextCache:
    """Texts by note and the state of its file, the least recently used go first."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._n_bytes = 0
        self._texts: OrderedDict[NoteId, tuple[Stat, str]] = OrderedDict()

    def get(self, note_id: NoteId, stat: Stat | None) -> str | None:
        """The text, if it was put for a file in this state."""
        entry = self._texts.get(note_id)
        if entry is None or entry[0] != stat:
            return None
        self._texts.move_to_end(note_id)
        return entry[1]

    def put(self, note_id: NoteId, stat: Stat, text: str) -> None:
        """Keep a text, and let others go until all fit; one that alone is too large is not kept."""
        self.drop(note_id)
        self._texts[note_id] = stat, text
        self._n_bytes += getsizeof(text)
        while self._n_bytes > self._limit:
            self.drop(next(iter(self._texts)))

    def drop(self, note_id: NoteId) -> None:
        """Let a text go."""
        if entry := self._texts.pop(note_id, None):
            self._n_bytes -= getsizeof(entry[1])
