"""Turns notes into bytes for the snapshot, and back into equal notes."""

from collections.abc import Iterable
from typing import Any

from search.cache.plain_values import pack, pack_compressed, unpack
from search.ids import NoteId
from search.vault.note import Heading, Link, LinkKind, Note


def pack_notes(notes: Iterable[Note]) -> bytes:
    """The notes as the data of a `PackedGroup`, in their order."""
    return pack_compressed([pack(_parts(note)) for note in notes])


def unpack_note(data: bytes) -> Note:
    """One of the notes that `pack_notes` packed."""
    return _note(*unpack(data))


def _parts(note: Note) -> tuple[object, ...]:
    headings = [(heading.level, heading.text, heading.line) for heading in note.headings]
    links = [
        (link.target, link.line, link.kind.value, link.heading, link.block, link.shown, link.name)
        for link in note.links
    ]
    return (
        note.id,
        note.title,
        note.aliases,
        note.tags,
        note.properties,
        headings,
        links,
        note.n_lines,
        note.body_line,
        note.modified,
        note.size_bytes,
        note.pages,
        note.content_id,
    )


def _note(  # noqa: PLR0917 - the parts of a note
    id_: str,
    title: str,
    aliases: tuple[str, ...],
    tags: tuple[str, ...],
    properties: tuple[tuple[str, tuple[str, ...]], ...],
    headings: list[tuple[int, str, int]],
    links: list[tuple[str, int, str, str, str, str, str]],
    *others: Any,  # noqa: ANN401 - lines, body line, time of modification, size, pages, content id
) -> Note:
    return Note(
        NoteId(id_),
        title,
        aliases,
        tags,
        properties,
        tuple(Heading(*heading) for heading in headings),
        tuple(Link(target, line, LinkKind(kind), *more) for target, line, kind, *more in links),
        *others,
    )
