"""What the cursor points at: a position in a text becomes a link, a tag or a heading of a note.

A position past the end of a line means that end, and a position past the end of the text points at nothing. Neither is
an error, since some clients count columns in a unit that was never agreed on.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from attrs import frozen
from lsprotocol import types as lsp

from lsp_server.documents import read_lines
from lsp_server.open_vault import OpenVault
from lsp_server.server import VaultseekServer
from lsp_server.wire.lines import PositionEncoding, to_index, units, without_end
from search.budget import Budget
from search.ids import NoteId, has_lines_of_file
from search.vault.note import Heading, Note
from search.vault.spans import Span, span_at, spans_in

if TYPE_CHECKING:
    from search.engine import Engine  # imports numpy, which starting does not need
    from search.navigation.library import Library

T = TypeVar("T")
PATIENCE_S = 0.5  # a hover must not wait until a whole vault is read
QUICK_S = 0.05  # how long to wait for notes before checking whether those read so far are enough


@frozen(kw_only=True)
class Pointed:
    """A note, the line under the cursor, and what is there: `span` is a link or a tag, `heading` the line's heading.

    `number` is the line in the text that the engine has read, `shown_number` in the editor's; they differ only until a
    long text that was edited is read again.
    """

    vault: OpenVault
    engine: "Engine"
    library: "Library"
    note: Note
    line: str
    number: int
    shown_number: int
    span: Span | None
    heading: Heading | None
    budget: Budget  # of the request

    def wait_for_notes(self) -> None:
        """Wait a little for the remaining notes, for answers that depend on them; the library is updated in place."""
        if not self.library.is_complete:
            self.engine.library(budget=self.budget, patience_s=PATIENCE_S)


Params = lsp.HoverParams | lsp.DefinitionParams | lsp.ReferenceParams


async def at_cursor(ls: VaultseekServer, params: Params, answer: Callable[[Pointed], T | None]) -> T | None:
    """What `answer`, called in a worker thread, says about the place under the cursor; None if nothing is there."""

    def work(budget: Budget) -> T | None:
        at = _pointed_at(ls, params.text_document.uri, params.position, budget)
        return None if at is None else answer(at)

    return await ls.hover_workers.run(work)


def _pointed_at(ls: VaultseekServer, uri: str, position: lsp.Position, budget: Budget) -> Pointed | None:
    """What is at a position; None for plain text, for other files and for folders that are not searched.

    None too in a file such as a canvas, in which a line is no place, see `has_lines_of_file`.
    While the vault is still being read, it is enough that the note itself is known; see `Pointed.wait_for_notes`.
    """
    found = ls.session.find_note(uri)
    if found is None or found[0].refusal():
        return None
    vault, note_id = found
    engine = vault.quick_engine(ls.session.documents)
    library = engine.library(budget=budget, patience_s=QUICK_S)
    if note_id not in library.notes and not library.is_complete:
        library = engine.library(budget=budget, patience_s=PATIENCE_S)
    shown = lines_of(ls, uri, vault, note_id)
    document = vault.text_read(note_id)
    lines = shown if document is None else document.lines
    note = library.notes.get(note_id)
    number = _same_line(shown, lines, position.line)
    if note is None or number is None or not has_lines_of_file(note_id):
        return None
    line = without_end(lines[number])
    column = to_index(line, position.character, ls.encoding)
    span = span_at(spans_in(note, [without_end(text) for text in lines], [number]), column)
    heading = next((heading for heading in note.headings if heading.line == number), None)
    if span is None and heading is None:
        return None
    return Pointed(
        vault=vault,
        engine=engine,
        library=library,
        note=note,
        line=line,
        number=number,
        shown_number=position.line,
        span=span,
        heading=heading,
        budget=budget,
    )


def _same_line(shown: Sequence[str], read: Sequence[str], number: int) -> int | None:
    """The number of a shown line in the text that was read, unless it is the line that was edited since.

    >>> [_same_line(["new", "elm", "ash"], ["elm", "ash"], number) for number in range(4)]
    [None, 0, 1, None]
    """
    if number >= len(shown):
        return None
    places = (number, number + len(read) - len(shown))  # the edit is below, or above
    return next((at for at in places if 0 <= at < len(read) and read[at] == shown[number]), None)


def lines_of(ls: VaultseekServer, uri: str, vault: OpenVault, note: NoteId) -> tuple[str, ...]:
    """The lines of a note with their ends: from the editor if the note is open, else from disk."""
    document = ls.session.documents.get(uri)
    return read_lines(vault.root, note) if document is None else document.lines


def range_on(line: str, number: int, start: int, end: int, encoding: PositionEncoding) -> lsp.Range:
    """The range of characters `start` to `end` of a line, in the agreed encoding."""
    first, last = (units(line[:at], encoding) for at in (start, end))
    return lsp.Range(lsp.Position(number, first), lsp.Position(number, last))
