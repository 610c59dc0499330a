"""One file of a vault, read and understood, with what a person should know about how that went.

Never fails for what a file holds: what is no UTF-8 is guessed, what is too large is cut, and what the parser stumbles
over is text.
"""

import os
import time

from attrs import evolve, frozen

from search.errors import VaultError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.vault.markdown import Parsed, parse_note
from search.vault.note import Note
from search.vault.reader import decode, read_bytes
from search.vault.walk import Stat, resolve_inside


@frozen
class File:
    """A note's file as it was read; `digest` tells one content from another."""

    id: NoteId
    text: str
    stat: Stat
    is_cut: bool
    remark: str  # on its encoding; empty where there is nothing to say
    digest: int


def load_file(root: str, note_id: NoteId, *, limit_bytes: int, is_link: bool) -> File:
    """Read a note, at most `limit_bytes` of it; a link only where it leads into the vault.

    Raises:
        OSError: it is gone, leads out, or cannot be read.
    """
    path = resolve_inside(root, note_id) if is_link else f"{root}/{note_id}"
    if path is None:
        raise FileNotFoundError
    data, info = read_bytes(path, limit=limit_bytes)
    decoded = decode(data)
    return File(note_id, decoded.text, Stat.of(info), info.st_size > limit_bytes, decoded.remark, hash(data))


def parse_file(file: File, *, limit_bytes: int) -> Parsed:
    """What is in a file, with a notice where it was cut or is no UTF-8."""
    parsed = parse_text(file.id, file.text, modified=file.stat.mtime_ns / 1e9, size_bytes=file.stat.size)
    notices = list(parsed.notices)
    if file.is_cut:
        message = f"{file.id}: {file.stat.size:,} bytes; only the first {limit_bytes:,} are searched"
        notices.append(Notice(NoticeKind.TRUNCATED, "note-too-large", message, file.id))
    if file.remark:
        message = f"{file.id}: not valid UTF-8 ({file.remark})"
        notices.append(Notice(NoticeKind.CORRECTED, "encoding", message, file.id))
    return evolve(parsed, notices=tuple(notices)) if notices else parsed


def parse_text(note_id: NoteId, text: str, *, modified: float, size_bytes: int) -> Parsed:
    """What the parser makes of a note. A mistake of the parser's own costs that note its structure, not the vault."""
    try:
        return parse_note(note_id, text, modified=modified, size_bytes=size_bytes)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other notes must be found
        message = f"{note_id}: read as plain text, for it cannot be parsed ({type(error).__name__})"
        name = note_id.rpartition("/")[2].rpartition(".")[0]
        note = Note(note_id, name, modified=modified, size_bytes=size_bytes, n_lines=text.count("\n") + 1)
        return Parsed(note, text, (Notice(NoticeKind.DEGRADED, "unparsed", message, note_id),))


def may_change_unseen(stat: Stat) -> bool:
    """Whether the file was written so lately that a second write could leave the same times behind.

    File systems stamp with the kernel's tick, 10 ms at most; some know whole seconds or every other one only.
    """
    tick_ns = 2_000_000_000 if stat.mtime_ns % 1_000_000_000 == 0 else 20_000_000
    return time.time_ns() - stat.mtime_ns < tick_ns


def require_folder(path: str, given: str) -> None:
    """Pass if the folder may be listed.

    Raises:
        VaultError: it may not; `given` is what the message calls it.
    """
    try:
        with os.scandir(path):
            return
    except OSError as error:
        raise VaultError(given, reason_of(error)) from error


def reason_of(error: OSError) -> str:
    """Why a file or folder cannot be had, in words that go behind its name."""
    if isinstance(error, FileNotFoundError):
        return "no such folder"
    if isinstance(error, NotADirectoryError):
        return "a file, not a folder"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    return error.strerror or str(error)
