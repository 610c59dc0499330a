"""The texts that are open in the editor; an open text replaces the file on disk.

A document is a value: an edit creates a new one that shares all untouched lines with the old one. So a worker thread
reads its document without locks, and a keystroke in a note of several megabytes costs one line, not a new split of the
whole note.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from attrs import evolve, frozen
from lsprotocol.types import (
    Position,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
    TextDocumentItem,
)

from lsp_server.wire.lines import PositionEncoding, split_lines, to_index, without_end
from lsp_server.wire.uris import spelled_on_disk, to_path
from search.ids import NoteId

NOTE_BYTES = 16 * 2**20
"""How many bytes of a note are read from disk to compute columns."""


@frozen
class Document:
    """One version of an open text. `path` is None for a text without a file, such as an untitled buffer."""

    uri: str
    version: int
    lines: tuple[str, ...]  # with their ends, as `split_lines` gives them
    path: Path | None = None

    @cached_property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    def edited(self, change: TextDocumentContentChangeEvent, version: int, encoding: PositionEncoding) -> "Document":
        """The document after one change. Positions outside the text are moved to the nearest position inside."""
        if not isinstance(change, TextDocumentContentChangePartial):
            return evolve(self, version=version, lines=tuple(split_lines(change.text)))
        start, end = sorted((self._place(change.range.start, encoding), self._place(change.range.end, encoding)))
        first = start[0]
        head = self.lines[first][: start[1]]
        tail = self.lines[end[0]][end[1] :]
        if first and self.lines[first - 1].endswith("\r"):  # a line feed inserted after it joins that line end
            first -= 1
            head = self.lines[first] + head
        middle = split_lines(head + change.text + tail)
        if tail.endswith(("\r", "\n")):
            middle.pop()  # the empty line after the last line end is the beginning of the next line
        return evolve(self, version=version, lines=(*self.lines[:first], *middle, *self.lines[end[0] + 1 :]))

    def _place(self, position: Position, encoding: PositionEncoding) -> tuple[int, int]:
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        return position.line, to_index(without_end(self.lines[position.line]), position.character, encoding)


class Documents:
    """All open documents, by their file's path or, without a file, by their URI."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        """A snapshot that any thread can iterate over."""
        return iter(tuple(self._documents.values()))

    def get(self, uri: str) -> Document | None:
        """The open document, or None."""
        return self._documents.get(_key(uri))

    def open(self, item: TextDocumentItem) -> None:
        """Add a text, or replace it if it is already open."""
        path = to_path(item.uri)
        on_disk = None if path is None else spelled_on_disk(Path(path))
        text = item.text.removeprefix("\ufeff")
        self._documents[_key(item.uri)] = Document(item.uri, item.version, tuple(split_lines(text)), on_disk)

    def change(
        self, uri: str, version: int, changes: list[TextDocumentContentChangeEvent], encoding: PositionEncoding
    ) -> bool:
        """Apply changes in order, each to the result of the previous one; False if the text is not open."""
        document = self.get(uri)
        if document is None:
            return False
        for change in changes:
            document = document.edited(change, version, encoding)
        self._documents[_key(uri)] = document
        return True

    def close(self, uri: str) -> None:
        """Forget the text; from now on the file on disk counts."""
        self._documents.pop(_key(uri), None)


def _key(uri: str) -> str:
    path = to_path(uri)
    return uri if path is None else str(path)


def read_lines(root: Path, note: NoteId, *, limit_bytes: int = NOTE_BYTES) -> tuple[str, ...]:
    """The lines of a note of the vault at `root`, for computing columns; empty if it cannot be read.

    Never raises. A file that is missing, unreadable or longer than `limit_bytes` can make a column wrong, but the
    answer is still given.
    """
    from search.vault.file import load_file  # noqa: PLC0415 starting a server needs no parser

    try:
        is_link = (root / note).is_symlink()
        return tuple(split_lines(load_file(str(root), note, limit_bytes=limit_bytes, is_link=is_link).text))
    except OSError:
        return ()
