"""The snapshot of a vault: what a process read, kept in the user's cache folder so that the next one need not read it.

It is a cache of reading. A note in it counts only while its file still has the state (size, times, inode) in which it
was read, as within one process. Without a snapshot all notes are read. A snapshot that is damaged, or that was written
by another version of Vaultseek or Python or under other settings for reading, counts as absent.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from attrs import frozen

import search
from search.cache.byte_planes import from_planes, to_planes
from search.cache.plain_values import pack, unpack
from search.cache.snapshot_file import Section, read_sections, split_list, write_sections
from search.ids import NoteId
from search.index.corpus import Corpus, Sequence16, pack_sequences, unpack_sequence
from search.index.postings import Postings
from search.notice import Notice, NoticeKind
from search.vault.attachments.attachments import types_without_parser
from search.vault.note import Note
from search.vault.note_bytes import pack_notes, unpack_note
from search.vault.packed import Packed, PackedDict, PackedGroup, in_groups
from search.vault.settings import VaultSettings
from search.vault.vault import Vault, VaultReading
from search.vault.walk import Stat

_FORMAT = 3
# Values that are packed together: one alone takes twice the bytes, and larger groups take longer to unpack for one.
_N_NOTES, _N_SEQUENCES = 8, 16
_UNREAD = [-1] * len(Stat._fields)  # stands for the state of a file that is to be read again
_NOT_SHORT = np.iinfo(np.uint16).max  # stands for the length of a note that is not short
# The folders whose code makes what is in a snapshot; "" is `search` itself, which has the types of files.
_CODE = ("", "analysis", "cache", "graph", "index", "vault", "vault/attachments", "vault/kinds")


@frozen(eq=False)
class Snapshot:
    """A corpus and what was read of a vault, at one moment; later changes do not reach it."""

    sections: Mapping[str, bytes]  # the other parts of the corpus, by name, see `Corpus.saved`
    postings: Postings
    notes: Mapping[NoteId, Note | Packed[Note]]
    sequences: Mapping[NoteId, Sequence16 | Packed[Sequence16]]
    languages: Mapping[NoteId, str]
    short: Mapping[NoteId, int]  # note -> its characters, see `Corpus.short`
    read: Mapping[NoteId, Stat]  # the state in which each file was read
    notices: Mapping[NoteId, tuple[Notice, ...]]


def take_snapshot(corpus: Corpus, vault: Vault) -> Snapshot:
    """Take a snapshot, which `write_snapshot` can then write without the lock.

    The caller holds the lock of the corpus, for about 50 ms with 10,000 notes.
    """
    reading = vault.reading()
    newest, notes = reading.notes.packed_items(), dict(corpus.notes.packed_items())
    # A note that was read but is not yet in the corpus is left out as unread, so the next start reads its file again.
    read = {note: stat for note, stat in reading.read.items() if notes.get(note) is newest[note]}
    return Snapshot(
        sections=corpus.saved(),
        postings=corpus.postings,
        notes=notes,
        sequences=dict(corpus.sequences.packed_items()),
        languages=corpus.languages.saved(),
        short=dict(corpus.short),
        read=read,
        notices={note: notices for note, notices in reading.notices.items() if note in read},
    )


def write_snapshot(path: Path, snapshot: Snapshot, settings: VaultSettings) -> None:
    """Write a snapshot in place of an earlier one; needs no lock.

    Raises:
        OSError: the file cannot be written; an earlier one is as it was.
    """
    write_sections(path, _made_by(settings), _sections(snapshot))


def _sections(snapshot: Snapshot) -> Iterator[tuple[str, Section]]:
    """The sections, made one by one: together they take as much memory as the vault, compressed far less."""
    notices = {
        note: [(notice.kind.value, notice.code, notice.message, notice.subject) for notice in of_note]
        for note, of_note in snapshot.notices.items()
    }
    postings = snapshot.postings.compacted()
    yield from snapshot.sections.items()
    yield from postings.saved()
    yield from _columns(snapshot, postings.notes)
    yield "notices", pack(notices)
    yield "notes", [pack_notes(group) for group in in_groups(snapshot.notes, postings.notes, _N_NOTES)]
    yield (
        "sequences",
        [pack_sequences(group) for group in in_groups(snapshot.sequences, postings.notes, _N_SEQUENCES)],
    )


def load_snapshot(path: Path, corpus: Corpus, vault: Vault) -> bool:
    """Fill an empty corpus and a vault that has read nothing yet; False, and no change, without a usable snapshot.

    The caller holds the lock of the corpus.
    """
    sections = read_sections(path, _made_by(vault.settings))
    if sections is None:
        return False
    postings = Postings.restored(sections)
    packed_notes = [PackedGroup(data, unpack_note) for data in split_list(sections["notes"])]
    packed_sequences = [PackedGroup(data, unpack_sequence, at_once=True) for data in split_list(sections["sequences"])]
    notes = PackedDict.of_groups(postings.notes, packed_notes, _N_NOTES)
    sequences = PackedDict.of_groups(postings.notes, packed_sequences, _N_SEQUENCES)
    languages, short, read = _from_columns(sections, postings.notes)
    notices = {
        note: tuple(Notice(NoticeKind(kind), *rest) for kind, *rest in of_note)
        for note, of_note in unpack(sections["notices"]).items()
    }
    corpus.restore(sections, postings, notes, sequences, languages=languages, short=short)
    vault.restore(VaultReading(notes.copy(), read, notices))
    return True


def _columns(snapshot: Snapshot, notes: Sequence[NoteId]) -> Iterator[tuple[str, bytes]]:
    """The sections that have one value for each note, in the order of `notes`."""
    of_notes = [snapshot.languages.get(note, "") for note in notes]
    names = sorted(set(of_notes))
    numbers = {name: number for number, name in enumerate(names)}
    yield "language names", pack(names)
    yield "note languages", bytes(numbers[name] for name in of_notes)
    yield "short", to_planes(np.array([snapshot.short.get(note, _NOT_SHORT) for note in notes], np.uint16))
    stats = np.array([snapshot.read.get(note, _UNREAD) for note in notes], np.int64).reshape(len(notes), len(_UNREAD))
    yield "stats", to_planes(stats.T)


def _from_columns(
    sections: Mapping[str, bytes], notes: Sequence[NoteId]
) -> tuple[dict[NoteId, str], dict[NoteId, int], dict[NoteId, Stat]]:
    """The languages, the lengths of short notes and the states of files that `_columns` wrote."""
    names = unpack(sections["language names"])
    numbers = sections["note languages"]
    lengths = from_planes(sections["short"], np.dtype(np.uint16)).tolist()
    stats = from_planes(sections["stats"], np.dtype(np.int64)).reshape(len(_UNREAD), len(notes)).T.tolist()
    return (
        {note: names[number] for note, number in zip(notes, numbers, strict=True) if names[number]},
        {note: length for note, length in zip(notes, lengths, strict=True) if length != _NOT_SHORT},
        {note: Stat._make(stat) for note, stat in zip(notes, stats, strict=True) if stat != _UNREAD},
    )


def _made_by(settings: VaultSettings) -> str:
    """A hash of all that decides what a snapshot contains: format, code, Python, and the settings for reading."""
    which_notes = (settings.include, settings.exclude, settings.allow, settings.deny, settings.honour_obsidian_ignore)
    of_files = (sorted(settings.file_types), settings.max_note_bytes)
    made_by = (
        _FORMAT,
        sorted(types_without_parser()),
        _code_files(),
        sys.version,
        sys.byteorder,
        (*which_notes, *of_files),
    )
    return blake2b(repr(made_by).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _code_files() -> tuple[tuple[str, int, int], ...]:
    """Path, size and time of each file of `_CODE`, so that changed code never uses what earlier code read."""
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
