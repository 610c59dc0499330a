"""Reads and parses one file of a vault, with notices about any problems.

The content of a file never makes it fail: the encoding of text that is not UTF-8 is guessed, a file that is too large
is cut, a file that the parser cannot handle is read as plain text, and one that takes too long is put aside.
"""

import os
import stat
import time
from collections.abc import Callable

from attrs import evolve, frozen

from search.budget import UNLIMITED, Budget
from search.errors import VaultError
from search.ids import NoteId, is_by_name, is_unopened
from search.notice import Notice, NoticeKind
from search.vault.kinds.parse import parse_other
from search.vault.kinds.registry import read_for
from search.vault.limits import LONG, TooSlow, require_time
from search.vault.markdown import ParsedNote, parse_note
from search.vault.note import Note, file_name
from search.vault.reader import decode, read_bytes
from search.vault.walk import Stat, resolve_in_vault

BUDGET_S = 2.0
"""Processor seconds of the parsing thread for one note, so that a busy computer changes no answer. On most computers,
the counts in `limits` end the work before."""


@frozen
class File:
    """A note's file as it was read. `digest` is a hash of its content, valid in this process only."""

    id: NoteId
    text: str  # as it is in the file; of an attachment, the JSON of its text
    stat: Stat
    is_cut: bool
    problem: str  # with its encoding, or ""
    digest: int
    content_id: str = ""  # of an attachment whose text was extracted


def load_file(root: str, note_id: NoteId, *, limit_bytes: int, is_link: bool) -> File:
    """Read at most `limit_bytes` of a note; follow a symbolic link only to a file inside the vault.

    A file in which nothing is read is not opened.

    Raises:
        OSError: the file does not exist, is a link out of the vault, or cannot be read.
    """
    if is_unopened(note_id):
        info = os.lstat(f"{root}/{note_id}")
        if not stat.S_ISREG(info.st_mode):
            raise FileNotFoundError
        return File(note_id, "", Stat.of(info), is_cut=False, problem="", digest=0)
    data, info = raw_bytes(root, note_id, limit_bytes=limit_bytes, is_link=is_link)
    decoded = decode(data)
    return File(note_id, decoded.text, Stat.of(info), info.st_size > limit_bytes, decoded.problem, hash(data))


def load_attachment(root: str, note_id: NoteId, known: Callable[[Stat], tuple[str, str]], *, is_link: bool) -> File:
    """An attachment's file without reading it; `known` returns its content id and JSON by its state, or "" for each.

    Raises:
        OSError: the file does not exist, or is a link out of the vault.
    """
    state = Stat.of(os.lstat(real_path(root, note_id, is_link=is_link)))
    content_id, text = known(state)
    digest = hash((state, content_id))
    return File(note_id, text, state, is_cut=False, problem="", digest=digest, content_id=content_id)


def real_path(root: str, note_id: NoteId, *, is_link: bool) -> str:
    """The path of a note's file; of a symbolic link, the path that it leads to.

    Raises:
        FileNotFoundError: it is a link out of the vault.
    """
    path = resolve_in_vault(root, note_id) if is_link else f"{root}/{note_id}"
    if path is None:
        raise FileNotFoundError
    return path


def raw_bytes(root: str, note_id: NoteId, *, limit_bytes: int, is_link: bool) -> tuple[bytes, os.stat_result]:
    """The bytes that `load_file` decodes, and the file's stat; raises as it does."""
    return read_bytes(real_path(root, note_id, is_link=is_link), limit=limit_bytes, root=root or "/")


def parse_file(file: File, *, limit_bytes: int) -> ParsedNote:
    """The note in a file, with a notice if the file was cut or is not UTF-8."""
    parsed = parse_text(file.id, file.text, modified=file.stat.mtime_ns / 1e9, size_bytes=file.stat.size)
    notices = list(parsed.notices)
    if file.is_cut:
        message = f"{file.id}: {file.stat.size:,} bytes; only the first {limit_bytes:,} are searched"
        others = [notice for notice in notices if notice.code != "file-unread"]
        if len(others) < len(notices):  # JSON without its end; that it is not valid would mislead
            message = f"{file.id}: {file.stat.size:,} bytes, more than {limit_bytes:,}; it is found by its name only"
            notices = others
        notices.append(Notice(NoticeKind.TRUNCATED, "note-too-large", message, file.id))
    if file.problem:
        message = f"{file.id}: not valid UTF-8 ({file.problem})"
        notices.append(Notice(NoticeKind.CORRECTED, "encoding", message, file.id))
    if file.content_id:
        parsed = evolve(parsed, note=evolve(parsed.note, content_id=file.content_id))
    return evolve(parsed, notices=tuple(notices)) if notices else parsed


def parse_text(
    note_id: NoteId, text: str, *, modified: float, size_bytes: int, clock: Callable[[], float] = time.thread_time
) -> ParsedNote:
    """The parsed note, whatever the type of its file.

    If the parser fails, the note is plain text with a notice, and other notes are not affected. If it takes more than
    `BUDGET_S` by `clock`, the note has only its name and a notice.
    """
    name = note_id.rpartition("/")[2] if is_by_name(note_id) else ""
    if name and not text:
        return ParsedNote(Note(note_id, name, modified=modified, size_bytes=size_bytes), "", ())
    budget = Budget(deadline=clock() + BUDGET_S, clock=clock) if len(text) > LONG else UNLIMITED
    try:
        if read := read_for(note_id):
            parsed = parse_other(read, note_id, text, modified=modified, size_bytes=size_bytes, budget=budget)
        else:
            parsed = parse_note(note_id, text, modified=modified, size_bytes=size_bytes, budget=budget)
        require_time(budget)
    except TooSlow:
        message = f"{note_id}: reading it takes more than {BUDGET_S:g} s; it is found by its name only until it changes"
        body, notice = "", Notice(NoticeKind.SKIPPED, "note-slow", message, note_id)
    except Exception as error:  # noqa: BLE001 - a bug in the parser must not make the vault unsearchable
        message = f"{note_id}: read as plain text, because it cannot be parsed ({type(error).__name__})"
        body, notice = text, Notice(NoticeKind.DEGRADED, "unparsed", message, note_id)
    else:
        return evolve(parsed, note=evolve(parsed.note, title=name)) if name else parsed
    n_lines = text.count("\n") + 1
    note = Note(note_id, file_name(note_id), modified=modified, size_bytes=size_bytes, n_lines=n_lines)
    return ParsedNote(note, body, (notice,))


def may_change_unseen(stat: Stat) -> bool:
    """Whether the file was written so recently that another write could leave the same times.

    File systems take their times from the kernel's tick, at most 10 ms; some store whole or even seconds only.
    """
    tick_ns = 2_000_000_000 if stat.mtime_ns % 1_000_000_000 == 0 else 20_000_000
    return time.time_ns() - stat.mtime_ns < tick_ns


def require_folder(path: str, given: str) -> None:
    """Check that the folder can be listed.

    Raises:
        VaultError: it cannot be listed; the message calls it `given`, which is the path as the user wrote it.
    """
    try:
        with os.scandir(path):
            return
    except OSError as error:
        raise VaultError(given, reason_of(error)) from error


def reason_of(error: OSError) -> str:
    """Why a file or folder cannot be read, to be shown after its name."""
    if isinstance(error, FileNotFoundError):
        return "no such folder"
    if isinstance(error, NotADirectoryError):
        return "a file, not a folder"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    return error.strerror or str(error)
