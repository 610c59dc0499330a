"""The attachments of a vault: which of them are still to be parsed, and what is known of the others.

A file is first known by its name. `extract` hashes its content, and has it parsed unless a file with the same content
was: in this vault, at any time, under any name. Nothing here reads a file before that.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from search.ids import FileType, NoteId, extracted_type
from search.notice import Notice, NoticeKind
from search.vault.attachments.child import Child
from search.vault.attachments.extracted import failed, to_json
from search.vault.attachments.store import TextStore
from search.vault.reader import bytes_of, open_regular
from search.vault.walk import Stat

MAX_BYTES = 100 * 1024 * 1024
_PARSER = {"pdf": "pypdfium2"}  # type -> the package that reads it, for types that the standard library does not read


class Attachments:
    """The state of a vault's attachments. Any thread may call its methods; one at a time calls `extract`."""

    def __init__(self, folder: Path | None = None) -> None:
        """Texts are kept in `folder`, or in memory; starts nothing."""
        self.store = TextStore(folder)
        self.child = Child()
        self.problem = ""  # why no file can be parsed
        self._lock = Lock()
        self._pending: dict[NoteId, None] = {}
        self._contents: dict[NoteId, tuple[Stat, str]] = {}  # what `extract` found; a file may have changed since
        self._n_unread = 0
        self._unread = frozenset(kind for kind, package in _PARSER.items() if not can_import(package))

    @property
    def pending(self) -> tuple[NoteId, ...]:
        """The files that are still to be parsed, in this order."""
        with self._lock:
            return tuple(self._pending)

    @property
    def unsaved(self) -> tuple[NoteId, ...]:
        """The files that another process has to parse again, as their texts are in this one only."""
        with self._lock:
            return tuple(i for i, (_, content) in self._contents.items() if self.store.is_unsaved(content))

    def count_unread(self, paths: Iterable[NoteId]) -> None:
        """Count the files of the vault for which no parser is installed."""
        self._n_unread = sum(not self.is_read(path) for path in paths) if self._unread else 0

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is not searched, all together: what is pending or has no parser."""
        found = []
        if self.problem:
            message = f"PDF and office files are found by their names only: {self.problem}."
            found.append(Notice(NoticeKind.DEGRADED, "attachments-unread", message))
        elif n_pending := len(self.pending):
            message = f"{counted(n_pending, 'PDF or office file')} still being read, and found by name only until then."
            found.append(Notice(NoticeKind.PARTIAL, "attachments-pending", message))
        if n_unread := self._n_unread:
            message = (
                f"{counted(n_unread, 'PDF file')} found by name only; pip install 'vaultseek[attachments]' reads them."
            )
            found.append(Notice(NoticeKind.NOTE, "attachments-extra", message))
        return tuple(found)

    def is_read(self, note_id: NoteId) -> bool:
        """Whether the text of such a file can be read at all."""
        return extracted_type(note_id) not in self._unread

    def known(self, note_id: NoteId, stat: Stat, content: str) -> tuple[str, str]:
        """The content and the JSON of a file in this state; "" twice, and the file is pending, if they are not known.

        `content` is that of the file in this state, if the caller knows it.
        """
        with self._lock:
            found, of_file = self._contents.get(note_id, (None, ""))
        content = of_file if found == stat else content
        if content and (text := self.store.get(content)) is not None:
            return content, text
        if self.is_read(note_id):
            with self._lock:
                self._pending[note_id] = None
        return "", ""

    def prefer(self, note_ids: Iterable[NoteId]) -> None:
        """Have these files parsed next, as far as they are pending."""
        with self._lock:
            first = dict.fromkeys(note_id for note_id in note_ids if note_id in self._pending)
            self._pending = first | self._pending

    def forget(self, note_id: NoteId) -> None:
        """Expect nothing more of a file, which is gone or has changed."""
        with self._lock:
            self._pending.pop(note_id, None)
            self._contents.pop(note_id, None)

    def extract(self, root: str, note_id: NoteId, path: str, *, is_fresh: Callable[[Stat], bool]) -> bool:
        """Find the text of a pending file, whose real path is `path`; afterwards it is pending no more.

        False, and it stays pending, if it `is_fresh`: another write could leave the same state. A file that changes
        meanwhile has no text until the next sweep returns it.

        Raises:
            NoChildError: no parser can be started; the file stays pending.
        """
        stat: Stat | None = None
        try:
            with open_regular(path, root) as (descriptor, info):
                stat = Stat.of(info)
                if is_fresh(stat):
                    return False
                content = self._content(note_id, descriptor, stat.size)
        except OSError as error:
            stat = stat or _state_of(path)  # else the file would be pending again at once, and so on
            content = f"unread_{error.errno}"
            self.store.put(content, to_json(failed(f"it cannot be read ({error.strerror or error})")), is_final=False)
        with self._lock:
            self._pending.pop(note_id, None)
            if stat is not None:
                self._contents[note_id] = stat, content
        return True

    def _content(self, note_id: NoteId, descriptor: int, size: int) -> str:
        kind = extracted_type(note_id)
        if kind is None or size > MAX_BYTES:
            content = f"large_{size}"
            self.store.put(
                content, to_json(failed(f"it is larger than {MAX_BYTES // 1024 // 1024} MB")), is_final=False
            )
            return content
        content = _name(kind, _digest(bytes_of(descriptor, size)))
        if self.store.get(content) is None:
            answer = self.child.extract(kind, size, lambda: _same(bytes_of(descriptor, size), content))
            self.store.put(content, answer.text, is_final=answer.is_final)
        return content


def _state_of(path: str) -> Stat | None:
    """The state of a file that cannot be opened; None if it is gone."""
    try:
        return Stat.of(os.lstat(path))
    except OSError:
        return None


def can_import(package: str) -> bool:
    """Whether a package is installed, and a child process could import it."""
    return not getattr(sys, "frozen", False) and importlib.util.find_spec(package) is not None


def counted(n_files: int, what: str) -> str:
    """How many there are of something, with the verb.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file is', '1,200 files are')
    """
    return f"1 {what} is" if n_files == 1 else f"{n_files:,} {what}s are"


def _name(kind: FileType, digest: str) -> str:
    """The name of a content, which is also that of a file in the cache folder; types are parsed differently."""
    return f"{kind}_{digest}"


def _digest(chunks: Iterator[bytes]) -> str:
    digest = blake2b(digest_size=16)
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _same(chunks: Iterator[bytes], content: str) -> Iterator[bytes]:
    """The bytes, which must be those that `content` names.

    Raises:
        OSError: they are others.
    """
    digest = blake2b(digest_size=16)
    for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if not content.endswith(digest.hexdigest()):
        raise OSError(0, "it changes while it is read")
