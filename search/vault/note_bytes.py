"""Notes as bytes, for the snapshot."""

import zlib

from search.cache.plain_values import pack, unpack
from search.ids import NoteId
from search.vault.note import Heading, Link, LinkKind, Note

_LEVEL = 1  # of zlib: the fastest; a better one saves a tenth of the bytes


def pack_note(note: Note) -> bytes:
    """The note as bytes. Only the same version of Python can read them, see `marshal`."""
    headings = [(heading.level, heading.text, heading.line) for heading in note.headings]
    links = [
        (link.target, link.line, link.kind.value, link.heading, link.block, link.shown, link.name)
        for link in note.links
    ]
    parts = (
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
    )
    return zlib.compress(pack(parts), _LEVEL)


def unpack_note(data: bytes) -> Note:
    """The note that `pack_note` made into `data`."""
    (id_, title, aliases, tags, properties, headings, links, n_lines, body_line, modified, size_bytes) = unpack(
        zlib.decompress(data)
    )
    return Note(
        NoteId(id_),
        title,
        aliases,
        tags,
        properties,
        tuple(Heading(*parts) for parts in headings),
        tuple(
            Link(target, line, LinkKind(kind), heading, block, shown, name)
            for target, line, kind, heading, block, shown, name in links
        ),
        n_lines,
        body_line,
        modified,
        size_bytes,
    )
