"""The texts that are open in the editor; an open text replaces the file on disk.

An edit creates a new document that shares all untouched lines with the old one, so a keystroke in a note of several
megabytes costs one line, not a new split of the whole note. The event loop only notes the edits in their order; a
worker thread applies them when it first needs the lines.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from threading import Lock

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


Change = TextDocumentContentChangeEvent


class Document:
    """One version of an open text. `path` is None for a text without a file, such as an untitled buffer.

    It is made in no time: its lines are computed when they are first asked for, by a worker thread, from the lines of
    the version before it and the edits since then.
    """

    def __init__(self, uri: str, version: int, text: str, sent_path: Path | None = None) -> None:
        self.uri = uri
        self.version = version
        self._sent_path = sent_path
        self._lock = Lock()  # of all versions of the text
        self._text: str | None = text  # as sent; None if there are lines or edits instead
        self._before: Document | None = None
        self._change: tuple[Change, PositionEncoding] | None = None
        self._lines: tuple[str, ...] | None = None

    @cached_property
    def path(self) -> Path | None:
        """The file, as it is spelled on disk."""
        return None if self._sent_path is None else spelled_on_disk(self._sent_path)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines with their ends, as `split_lines` gives them; untouched lines are shared with other versions."""
        with self._lock:
            if self._lines is None:
                self._lines = self._computed()
                self._before = self._change = self._text = None
            return self._lines

    def prepare(self) -> None:
        """Compute the lines. For worker threads."""
        _ = self.lines

    def _computed(self) -> tuple[str, ...]:
        edits: list[tuple[Change, PositionEncoding]] = []
        version = self
        while version._lines is None and version._before is not None and version._change is not None:
            edits.append(version._change)
            version = version._before
        known, sent = version._lines, version._text  # noqa: SLF001 an earlier version's
        lines = tuple(split_lines(sent or "")) if known is None else known
        for change, encoding in reversed(edits):
            lines = _edited(lines, change, encoding)
        return lines

    @cached_property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)

    def edited(self, change: Change, version: int, encoding: PositionEncoding) -> "Document":
        """The document after one change. Positions outside the text are moved to the nearest position inside."""
        is_part = isinstance(change, TextDocumentContentChangePartial)
        after = Document(self.uri, version, "" if is_part else change.text, self._sent_path)
        if is_part:
            after._lock = self._lock
            after._before = self
            after._change = change, encoding
        if "path" in self.__dict__:
            after.__dict__["path"] = self.path
        return after


def _edited(lines: tuple[str, ...], change: Change, encoding: PositionEncoding) -> tuple[str, ...]:
    if not isinstance(change, TextDocumentContentChangePartial):
        return tuple(split_lines(change.text))
    start, end = sorted((_place(lines, change.range.start, encoding), _place(lines, change.range.end, encoding)))
    first = start[0]
    head = lines[first][: start[1]]
    tail = lines[end[0]][end[1] :]
    if first and lines[first - 1].endswith("\r"):  # a line feed inserted after it joins that line end
        first -= 1
        head = lines[first] + head
    middle = split_lines(head + change.text + tail)
    if tail.endswith(("\r", "\n")):
        middle.pop()  # the empty line after the last line end is the beginning of the next line
    return (*lines[:first], *middle, *lines[end[0] + 1 :])


def _place(lines: tuple[str, ...], position: Position, encoding: PositionEncoding) -> tuple[int, int]:
    if position.line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    return position.line, to_index(without_end(lines[position.line]), position.character, encoding)


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
        text = item.text.removeprefix("\ufeff")
        self._documents[_key(item.uri)] = Document(item.uri, item.version, text, None if path is None else Path(path))

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
