"""Notes by number and numbers by note, in a quarter of the memory that a dictionary takes.

The trick: a note's number stands beside the hash of its name, sorted by hash; the names stand once, by number, and tell
notes of one hash apart. What changed of late is kept in a small dictionary that goes before, until it is worth sorting.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from search.ids import NoteId

_GONE = -1
_MIN_RECENT = 256  # fewer changes are not worth sorting for


class Numbering:
    """A number to each note, in the order in which they came; a number is given once and never again."""

    def __init__(self) -> None:
        self._names: list[NoteId] = []  # by number; also of notes that are gone
        self._hashes: npt.NDArray[np.int64] = np.empty(0, np.int64)  # ascending
        self._numbers: npt.NDArray[np.int32] = np.empty(0, np.int32)  # in the order of the hashes
        self._recent: dict[NoteId, int] = {}
        self._n_placed = 0  # names that can be found; the others were added since
        self._n_living = 0

    def __len__(self) -> int:
        """How many notes there are."""
        return self._n_living

    def __contains__(self, note: NoteId) -> bool:
        """Whether the note is here."""
        return self.get(note) is not None

    def __iter__(self) -> Iterator[NoteId]:
        """The notes, by their numbers."""
        return (self._names[number] for number in np.sort(self._living()))

    @property
    def n_given(self) -> int:
        """How many numbers were given: those of notes that are gone too."""
        return len(self._names)

    def get(self, note: NoteId) -> int | None:
        """The note's number."""
        if note in self._recent:
            number = self._recent[note]
            return None if number == _GONE else number
        key = hash(note)
        at = int(np.searchsorted(self._hashes, key))
        while at < len(self._hashes) and self._hashes[at] == key:
            number = int(self._numbers[at])
            if self._names[number] == note:
                return number
            at += 1
        return None

    def name(self, number: int) -> NoteId:
        """The note that has or had a number."""
        return self._names[number]

    def add(self, notes: Sequence[NoteId]) -> None:
        """Give the next numbers to notes that are not here; they are found once `place` was called."""
        self._names.extend(notes)
        self._n_living += len(notes)

    def place(self) -> None:
        """Let what was added be found."""
        first, end = self._n_placed, len(self._names)
        if end - first + len(self._recent) > max(_MIN_RECENT, len(self._hashes) // 4):
            self._settle()
        else:
            self._recent.update(zip(self._names[first:], range(first, end), strict=True))
        self._n_placed = end

    def pop(self, note: NoteId) -> int | None:
        """Forget a note; gives the number that it had."""
        number = self.get(note)
        if number is not None:
            self._recent[note] = _GONE
            self._n_living -= 1
        return number

    def rename(self, old: NoteId, new: NoteId) -> None:
        """Call a note that is here by a name that is not."""
        number = self.pop(old)
        if number is not None:
            self._names[number] = new
            self._recent[new] = number
            self._n_living += 1

    def copy(self) -> "Numbering":
        """The same, from now on apart."""
        copied = Numbering()
        copied._names, copied._recent = self._names.copy(), self._recent.copy()
        copied._hashes, copied._numbers = self._hashes, self._numbers  # never written to, only replaced
        copied._n_placed, copied._n_living = self._n_placed, self._n_living
        return copied

    def _settle(self) -> None:
        """Sort what changed of late among the rest; makes no object for each note, as they would leave holes."""
        living = self._living()
        hashes = np.fromiter((hash(self._names[number]) for number in living), np.int64, len(living))
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._numbers, self._recent = hashes[order], living[order], {}

    def _living(self) -> npt.NDArray[np.int32]:
        settled = self._numbers
        if self._recent:
            settled = settled[[self._names[number] not in self._recent for number in settled]]
        recent = np.array([number for number in self._recent.values() if number != _GONE], np.int32)
        return np.concatenate((settled, recent, np.arange(self._n_placed, len(self._names), dtype=np.int32)))
