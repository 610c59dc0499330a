"""The snapshot of a vault: what a process read, kept in the user's cache folder so that the next one need not read it.

It is a cache of reading. A note in it counts only while the state of its file (size, times, inode) is the one in which
it was read, as within one process; without a snapshot, or with a damaged one, all notes are read. Another version of
the program, of Python or of the settings that govern reading does not read it.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt
from attrs import frozen

import search
from search.cache.byte_planes import from_planes, planes
from search.cache.plain_values import pack, unpack
from search.cache.snapshot_file import read_sections, split, write_sections
from search.ids import NoteId
from search.index.corpus import Corpus, Sequence16, pack_sequences, unpack_sequences
from search.index.postings import Postings
from search.notice import Notice, NoticeKind
from search.vault.note import Note
from search.vault.note_bytes import pack_notes, unpack_notes
from search.vault.packed import Packed, PackedDict, PackedGroup, in_groups
from search.vault.settings import VaultSettings
from search.vault.snapshot import Vault, VaultReading
from search.vault.walk import Stat

_FORMAT = 1
_N_TOGETHER = 8  # notes packed together: one alone takes twice the bytes, and more take longer to unpack for one
_UNREAD = [-1] * len(Stat._fields)
_CODE = ("analysis", "graph", "index", "vault")  # the folders of `search` that make what is in a snapshot


@frozen(eq=False)
class Snapshot:
    """A corpus and a vault at one moment."""

    sections: Mapping[str, bytes]
    postings: Postings
    notes: Mapping[NoteId, Note | Packed[Note]]
    sequences: Mapping[NoteId, Sequence16 | Packed[Sequence16]]
    read: Mapping[NoteId, Stat]
    notices: Mapping[NoteId, tuple[Notice, ...]]


def take_snapshot(corpus: Corpus, vault: Vault) -> Snapshot:
    """A snapshot; the caller holds the lock of the corpus. Takes 50 ms for 10,000 notes."""
    reading = vault.reading()
    newest, notes = reading.notes.packed_items(), dict(corpus.notes.packed_items())
    # A note that was read but is not yet in the corpus counts as unread.
    read = {note: stat for note, stat in reading.read.items() if notes.get(note) is newest[note]}
    return Snapshot(
        sections=corpus.saved(),
        postings=corpus.postings,
        notes=notes,
        sequences=dict(corpus.sequences.packed_items()),
        read=read,
        notices={note: notices for note, notices in reading.notices.items() if note in read},
    )


def write_snapshot(path: Path, snapshot: Snapshot, settings: VaultSettings) -> None:
    """Write a snapshot; needs no lock.

    Raises:
        OSError: it cannot be written.
    """
    notices = {
        note: [(notice.kind.value, notice.code, notice.message, notice.subject) for notice in of_note]
        for note, of_note in snapshot.notices.items()
    }
    postings = snapshot.postings.compacted()
    sections = {
        **snapshot.sections,
        **postings.saved(),
        "stats": planes(_stats(snapshot.read, postings.notes)),
        "notices": pack(notices),
    }
    notes = [pack_notes(group) for group in in_groups(snapshot.notes, postings.notes, _N_TOGETHER)]
    sequences = [pack_sequences(group) for group in in_groups(snapshot.sequences, postings.notes, _N_TOGETHER)]
    write_sections(path, _made_by(settings), {**sections, "notes": notes, "sequences": sequences})


def load_snapshot(path: Path, corpus: Corpus, vault: Vault) -> bool:
    """Restore an empty corpus and a vault that has read nothing; False if there is no snapshot that can be used.

    The caller holds the lock of the corpus.
    """
    sections = read_sections(path, _made_by(vault.settings))
    if sections is None:
        return False
    postings = Postings.restored(sections)
    packed_notes = [PackedGroup(data, unpack_notes) for data in split(sections["notes"])]
    packed_sequences = [PackedGroup(data, unpack_sequences) for data in split(sections["sequences"])]
    notes = PackedDict.of_groups(postings.notes, packed_notes, _N_TOGETHER)
    sequences = PackedDict.of_groups(postings.notes, packed_sequences, _N_TOGETHER)
    stats = from_planes(sections["stats"], np.dtype(np.int64)).reshape(len(Stat._fields), -1).T.tolist()
    read = {note: Stat._make(stat) for note, stat in zip(postings.notes, stats, strict=True) if stat != _UNREAD}
    notices = {
        note: tuple(Notice(NoticeKind(kind), *rest) for kind, *rest in of_note)
        for note, of_note in unpack(sections["notices"]).items()
    }
    corpus.restore(sections, postings, notes, sequences)
    vault.restore(VaultReading(notes.copy(), read, notices))
    return True


def _stats(read: Mapping[NoteId, Stat], notes: Sequence[NoteId]) -> npt.NDArray[np.int64]:
    """A row for each number of a file's state; a column of -1 for a note that counts as unread."""
    return np.array([read.get(note, _UNREAD) for note in notes], np.int64).reshape(len(notes), len(_UNREAD)).T


def _made_by(settings: VaultSettings) -> str:
    """A hash of what wrote a snapshot: format, code that reads notes, Python, and settings that govern reading."""
    governing = (settings.include, settings.exclude, settings.honour_obsidian_ignore, settings.max_note_bytes)
    made_by = (_FORMAT, _code(), sys.version, sys.byteorder, governing)
    return blake2b(repr(made_by).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _code() -> tuple[tuple[str, int, int], ...]:
    """The size and time of each file of the code, so that changed code never meets what earlier code read."""
    try:
        files = [
            entry
            for folder in _CODE
            for entry in os.scandir(Path(search.__file__).parent / folder)
            if entry.name.endswith(".py")
        ]
        return tuple(sorted((entry.path, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in files))
    except OSError:  # the code is in one file, as in a bundled program
        info = Path(sys.executable).stat()
        return ((sys.executable, info.st_size, info.st_mtime_ns),)
