"""A cache of the texts of notes, for excerpts and filters, with a limit of memory.

Never returns a text if the state of its file has changed.
"""

from collections import OrderedDict
from sys import getsizeof

from search.ids import NoteId
from search.vault.walk import Stat


class TextCache:
    """Texts by note and state of its file; evicts the least recently used."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._n_bytes = 0
        self._texts: OrderedDict[NoteId, tuple[Stat, str]] = OrderedDict()

    def get(self, note_id: NoteId, stat: Stat | None) -> str | None:
        """The text that was put for the note with its file in this state, or None."""
        entry = self._texts.get(note_id)
        if entry is None or entry[0] != stat:
            return None
        self._texts.move_to_end(note_id)
        return entry[1]

    def put(self, note_id: NoteId, stat: Stat, text: str) -> None:
        """Add a text, and drop others until all fit into the limit; a text larger than the limit is not kept."""
        self.drop(note_id)
        self._texts[note_id] = stat, text
        self._n_bytes += getsizeof(text)
        while self._n_bytes > self._limit:
            self.drop(next(iter(self._texts)))

    def drop(self, note_id: NoteId) -> None:
        """Remove a text."""
        if entry := self._texts.pop(note_id, None):
            self._n_bytes -= getsizeof(entry[1])
