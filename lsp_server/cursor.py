"""What an editor points at: a place in a text becomes a link, a tag or a heading of a note.

A position past a line's end is its end, one past the text's end points at nothing; neither is an error, since clients
count columns in units that they never told of.
"""

from typing import TYPE_CHECKING

from attrs import frozen
from lsprotocol import types as lsp

from lsp_server.documents import read_lines
from lsp_server.lines import Encoding, to_index, units, without_end
from lsp_server.protocol import VaultseekServer
from lsp_server.session import Vault
from search.budget import Budget
from search.ids import NoteId
from search.vault.note import Heading, Note
from search.vault.spans import Span, span_at, spans_on

if TYPE_CHECKING:
    from search.navigation.library import Library  # takes numpy with it, which no start needs

PATIENCE_S = 0.5  # who points at something does not wait for a vault to be read
QUICK_S = 0.05  # how long before it is looked whether what was read so far will do
LINE_BYTES = 16 * 2**20


@frozen(kw_only=True)
class Pointed:
    """A note of a vault, the line that was pointed at, and what stands there: a link or tag, else perhaps a heading."""

    vault: Vault
    library: "Library"
    note: Note
    line: str
    number: int
    span: Span | None
    heading: Heading | None


def pointed_at(ls: VaultseekServer, uri: str, position: lsp.Position, budget: Budget) -> Pointed | None:
    """None where nothing stands that is ours: another file, a folder that is not searched, plain text. For threads.

    Of a vault that is still being read it is enough that the note itself is known; see `wait_for_notes`.
    """
    held = ls.session.holding(uri)
    if held is None or held[0].refusal():
        return None
    vault, note_id = held
    engine = vault.engine(ls.session.documents)
    library = engine.library(budget=budget, patience_s=QUICK_S)
    if note_id not in library.notes and not library.is_complete:
        library = engine.library(budget=budget, patience_s=PATIENCE_S)
    note = library.notes.get(note_id)
    lines = lines_of(ls, uri, vault, note_id)
    if note is None or position.line >= len(lines):
        return None
    number = position.line
    line = without_end(lines[number])
    column = to_index(line, position.character, ls.encoding)
    span = span_at(spans_on(note, [without_end(text) for text in lines], [number]), column)
    heading = next((found for found in note.headings if found.line == number), None)
    if span is None and heading is None:
        return None
    return Pointed(vault=vault, library=library, note=note, line=line, number=number, span=span, heading=heading)


def wait_for_notes(ls: VaultseekServer, at: Pointed, budget: Budget) -> None:
    """For what depends on other notes: wait a little until all were read; the library shows what came."""
    if not at.library.is_complete:
        at.vault.engine(ls.session.documents).library(budget=budget, patience_s=PATIENCE_S)


def lines_of(ls: VaultseekServer, uri: str, vault: Vault, note: NoteId) -> tuple[str, ...]:
    """The lines of a note as the editor has them, with their ends; of one that is not open, as they are on disk."""
    document = ls.session.documents.get(uri)
    return read_lines(vault.root / note, limit_bytes=LINE_BYTES) if document is None else document.lines


def range_on(line: str, number: int, start: int, end: int, encoding: Encoding) -> lsp.Range:
    """The range of characters `start` to `end` of a line, in the agreed unit."""
    first, last = (units(line[:at], encoding) for at in (start, end))
    return lsp.Range(lsp.Position(number, first), lsp.Position(number, last))
