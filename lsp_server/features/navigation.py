"""`textDocument/definition` and `textDocument/references` for links, tags and headings.

Links are resolved by the same resolver that builds the link graph for ranking.
"""

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from lsp_server.features.cursor import Pointed, at_cursor, range_on
from lsp_server.server import VaultseekServer
from search.ids import NoteId, has_lines_of_file
from search.vault.note import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from search.navigation.library import LinkSpot, Mention

N_LOCATIONS = 1000  # a tag can have more, but no editor's list is usable beyond that


async def definition(ls: VaultseekServer, params: lsp.DefinitionParams) -> list[lsp.Location] | None:
    """The target of a link, the note with the name of a tag, or the heading under the cursor."""
    return await at_cursor(ls, params, lambda at: _definition(ls, at))


async def references(ls: VaultseekServer, params: lsp.ReferenceParams) -> list[lsp.Location] | None:
    """All links with the same target, links to a heading, or all places of a tag."""
    return await at_cursor(ls, params, lambda at: _references(ls, params, at))


def _definition(ls: VaultseekServer, at: Pointed) -> list[lsp.Location] | None:
    if at.span is None:
        return [_location(ls, at, _here(at))]
    link = at.span.link or Link(at.span.tag, at.number)
    spot = at.library.spot_of(at.note.id, link)
    if spot is None:
        at.wait_for_notes()
        spot = at.library.spot_of(at.note.id, link)
    return None if spot is None else [_location(ls, at, spot)]


def _references(ls: VaultseekServer, params: lsp.ReferenceParams, at: Pointed) -> list[lsp.Location] | None:
    at.wait_for_notes()
    if at.span is not None and at.span.tag:
        return _mentions(ls, at, at.library.mentions_of(at.span.tag))
    link = at.span.link if at.span is not None else None
    spot = at.library.spot_of(at.note.id, link) if link is not None else _here(at)
    known = None if spot is None else at.library.notes.get(spot.note)
    if spot is None or known is None:
        return None
    own = [_location(ls, at, spot)] if params.context.include_declaration else []
    return own + _mentions(ls, at, at.library.links_to(known, _place(at, link)))


def _place(at: Pointed, link: Link | None) -> Link | int | None:
    """The place whose links are wanted; None for the whole note, which also its first heading stands for."""
    if link is not None:
        return link if link.heading or link.block else None
    return None if at.heading == at.note.headings[0] else at.number


def _here(at: Pointed) -> "LinkSpot":
    from search.navigation.library import LinkSpot  # noqa: PLC0415 it imports numpy, which starting does not need

    return LinkSpot(note=at.note.id, line=at.number)


def _location(ls: VaultseekServer, at: Pointed, spot: "LinkSpot") -> lsp.Location:
    if not has_lines_of_file(spot.note):
        return _beginning(at, spot.note)
    line = at.library.line(spot.note, spot.line)
    return lsp.Location(at.vault.uri_of(spot.note), range_on(line, spot.line, 0, len(line), ls.encoding))


def _beginning(at: Pointed, note: NoteId) -> lsp.Location:
    return lsp.Location(at.vault.uri_of(note), lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0)))


def _mentions(ls: VaultseekServer, at: Pointed, found: "Iterable[Mention]") -> list[lsp.Location]:
    locations: list[lsp.Location] = []
    for item in found:
        at.budget.check()
        if len(locations) == N_LOCATIONS:
            break
        if not has_lines_of_file(item.note):
            locations.append(_beginning(at, item.note))
            continue
        place = range_on(item.text, item.span.line, item.span.start, item.span.end, ls.encoding)
        locations.append(lsp.Location(at.vault.uri_of(item.note), place))
    return locations
