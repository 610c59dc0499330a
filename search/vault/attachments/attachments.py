"""The attachments of a vault: which of them are still to be parsed, and what is known of the others.

At first, only the name of a file is known. `extract` reads the file and has it parsed, unless the text of the same
content is kept already, from whatever file of the vault it came. Nothing else here reads a file.

A *content id* names a text in the store: the type and the hash of the file's content, since types are parsed
differently. For a file that is not parsed, it stands for the reason, and for an image without text, for its size. Of an
image only a sample is read and hashed, since nothing else of it is parsed.
"""

import importlib.util
import os
from collections.abc import Callable, Container, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from threading import Lock

from search.ids import IMAGE, FileType, NoteId, extracted_type
from search.notice import Notice, NoticeKind
from search.vault.attachments.child import Child
from search.vault.attachments.extracted import failed, to_json
from search.vault.attachments.image_sample import sample_of
from search.vault.attachments.plain_image import content_id_of, json_of
from search.vault.attachments.store import TextStore
from search.vault.reader import bytes_of, open_regular
from search.vault.walk import Stat

MAX_BYTES = 100 * 1024 * 1024  # of a file; a larger one is found by its name only
_PARSER: dict[FileType, str] = {"pdf": "pypdfium2"}  # type -> the package that parses it; the others need none


class Attachments:
    """The state of a vault's attachments. Any thread may call its methods; one at a time calls `extract`."""

    def __init__(self, folder: Path | None = None, *, keeps: bool = True) -> None:
        """Starts nothing. Texts are kept in `folder`, which is only read without `keeps`; without one, in memory."""
        self.store = TextStore(folder, keeps=keeps)
        self.child = Child()
        self.problem = ""  # why no file can be parsed
        self._lock = Lock()
        self._pending: dict[NoteId, None] = {}  # documents
        self._images: dict[NoteId, None] = {}  # images that are pending: they are many, and documents come first
        self._extracted: dict[NoteId, tuple[Stat, str]] = {}  # file -> its state then, its content id
        self._without_parser = types_without_parser()
        self._unparsed: set[NoteId] = set()  # files for which no parser is installed

    @property
    def pending(self) -> tuple[NoteId, ...]:
        """The files that are still to be parsed, in this order."""
        with self._lock:
            return (*self._pending, *self._images)

    @property
    def unsaved(self) -> tuple[NoteId, ...]:
        """The files that another process has to parse again, as their texts are in this one only."""
        with self._lock:
            return tuple(i for i, (_, content_id) in self._extracted.items() if self.store.is_unsaved(content_id))

    def sweep(self, files: Container[NoteId], found: Iterable[NoteId]) -> None:
        """Note what a sweep listed, for `notices`: all `files` of the vault, and those among them that may be new."""
        if self._without_parser:
            left = {path for path in self._unparsed if path in files}
            self._unparsed = left.union(path for path in found if not self.can_read(path))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """One notice for all pending files, and one for all files without a parser."""
        found = []
        if self.problem:
            message = f"PDF and office files and images are found by their names only: {self.problem}."
            found.append(Notice(NoticeKind.DEGRADED, "attachments-unread", message))
        elif pending := self.pending:
            n_images = len(self._images)
            kinds = ((len(pending) - n_images, "PDF or office file"), (n_images, "image"))
            counts = " and ".join(counted(n_files, name) for n_files, name in kinds if n_files)
            message = f"{counts} {_are(len(pending))} still being read, and found by name only until then."
            found.append(Notice(NoticeKind.PARTIAL, "attachments-pending", message))
        if n_files := len(self._unparsed):
            files = f"{counted(n_files, 'PDF file')} {_are(n_files)}"
            message = (
                f"{files} found by name only, since the package pypdfium2 is not installed; "
                "`vaultseek doctor` names the command that adds it."
            )
            found.append(Notice(NoticeKind.NOTE, "attachments-extra", message))
        return tuple(found)

    def can_read(self, note_id: NoteId) -> bool:
        """Whether no parser is missing for the type of this file."""
        return extracted_type(note_id) not in self._without_parser

    def known(self, note_id: NoteId, stat: Stat, content_id: str) -> tuple[str, str]:
        """The content id and the JSON of a file in this state; if they are not known, "" twice, and it is pending.

        `content_id` is the one that the caller knows for this state, from a snapshot; else "".
        """
        with self._lock:
            extracted_in, extracted_id = self._extracted.get(note_id, (None, ""))
        content_id = extracted_id if extracted_in == stat else content_id
        if content_id and (text := self._text(content_id)) is not None:
            return content_id, text
        if self.can_read(note_id):
            with self._lock:
                self._queue(note_id)[note_id] = None
        return "", ""

    def _queue(self, note_id: NoteId) -> dict[NoteId, None]:
        return self._images if extracted_type(note_id) == IMAGE else self._pending

    def _text(self, content_id: str) -> str | None:
        return json_of(content_id) or self.store.get(content_id)

    def prefer(self, note_ids: Iterable[NoteId]) -> None:
        """Have these files parsed next, in this order; those that are not pending are ignored."""
        with self._lock:
            wanted = tuple(note_ids)
            self._pending = {i: None for i in wanted if i in self._pending} | self._pending
            self._images = {i: None for i in wanted if i in self._images} | self._images

    def forget(self, note_id: NoteId) -> None:
        """Forget a file that is gone."""
        with self._lock:
            self._queue(note_id).pop(note_id, None)
            self._extracted.pop(note_id, None)

    def extract(self, root: str, note_id: NoteId, path: str, *, is_fresh: Callable[[Stat], bool]) -> bool:
        """Put the text of a pending file into the store, or the reason why it has none; then it is no longer pending.

        `path` is the file behind a link. False, and the file stays pending, if its state `is_fresh`: another write
        could leave the same state. A file that changes meanwhile has no text until the next sweep returns it.

        Raises:
            NoChildError: no parser can be started; the file stays pending.
        """
        stat: Stat | None = None
        try:
            with open_regular(path, root) as (descriptor, info):
                stat = Stat.of(info)
                if is_fresh(stat):
                    return False
                content_id = self._extract(note_id, descriptor, stat.size)
        except OSError as error:
            stat = stat or _state_of(path)  # else the file would be pending again at once, and so on
            content_id = f"unread_{error.errno}"
            problem = f"it cannot be read ({error.strerror or error})"
            self.store.put(content_id, to_json(failed(problem)), is_final=False)
        with self._lock:
            self._queue(note_id).pop(note_id, None)
            if stat is not None:
                self._extracted[note_id] = stat, content_id
        return True

    def _extract(self, note_id: NoteId, descriptor: int, size: int) -> str:
        """The content id of an open file, under which the store then has its text."""
        kind = extracted_type(note_id)
        if kind == IMAGE:
            return self._extract_image(sample_of(descriptor, size))
        if kind is None or size > MAX_BYTES:
            content_id = f"large_{size}"
            problem = f"it is larger than {MAX_BYTES // 1024 // 1024} MB"
            self.store.put(content_id, to_json(failed(problem)), is_final=False)
            return content_id
        content_id = _content_id(kind, _digest(bytes_of(descriptor, size)))
        if self.store.get(content_id) is None:
            answer = self.child.extract(kind, size, lambda: _same(bytes_of(descriptor, size), content_id))
            self.store.put(content_id, answer.text, is_final=answer.is_final)
        return content_id

    def _extract_image(self, sample: bytes) -> str:
        """The content id of an image, under which the store has its text, unless it has none."""
        content_id = _content_id(IMAGE, _digest(iter([sample])))
        if self.store.get(content_id) is None:
            answer = self.child.extract(IMAGE, len(sample), lambda: [sample])
            if plain := content_id_of(answer.text):
                return plain
            self.store.put(content_id, answer.text, is_final=answer.is_final)
        return content_id


def types_without_parser() -> frozenset[FileType]:
    """The types whose files cannot be read because no parser is installed."""
    return frozenset(kind for kind, package in _PARSER.items() if not can_import(package))


def _state_of(path: str) -> Stat | None:
    """The state of a file that cannot be opened; None if it is gone."""
    try:
        return Stat.of(os.lstat(path))
    except OSError:
        return None


def can_import(package: str) -> bool:
    """Whether a child process could import a package."""
    return importlib.util.find_spec(package) is not None


def counted(n_files: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{n_files:,} {what}{'' if n_files == 1 else 's'}"


def _are(n_files: int) -> str:
    return "is" if n_files == 1 else "are"


def _content_id(kind: FileType, digest: str) -> str:
    """The content id, which is also the name of a file in the cache folder."""
    return f"{kind}_{digest}"


def _digest(chunks: Iterator[bytes]) -> str:
    digest = blake2b(digest_size=16)
    for chunk in chunks:
        digest.update(chunk)
    return digest.hexdigest()


def _same(chunks: Iterator[bytes], content_id: str) -> Iterator[bytes]:
    """The chunks, which must be those of the content.

    Raises:
        OSError: they are others.
    """
    digest = blake2b(digest_size=16)
    for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if not content_id.endswith(digest.hexdigest()):
        raise OSError(0, "it changes while it is read")
