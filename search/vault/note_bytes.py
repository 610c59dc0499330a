"""Turns notes into bytes for the snapshot, and back into equal notes."""

from collections.abc import Iterable

from search.cache.plain_values import pack, pack_compressed, unpack
from search.vault.note import Note


def pack_notes(notes: Iterable[Note]) -> bytes:
    """The notes as the data of a `PackedGroup`, in their order."""
    return pack_compressed([pack(_parts(note)) for note in notes])


def unpack_note(data: bytes) -> Note:
    """One of the notes that `pack_notes` packed."""
    return Note(*unpack(data))


def _parts(note: Note) -> tuple[object, ...]:
    return (
        note.id,
        note.title,
        note.aliases,
        note.tags,
        note.properties,
        note.packed_headings,
        note.packed_links,
        note.n_lines,
        note.body_line,
        note.modified,
        note.size_bytes,
        note.pages,
        note.content_id,
    )
