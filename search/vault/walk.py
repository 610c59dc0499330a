"""Which notes lie in a folder, with what tells whether they changed: one `lstat` a file, no file opened.

Folders behind symbolic links are never entered: where they lead inside the vault is walked under its own name, and
what lies outside is not the vault's. So no loop can occur, and no note comes twice.
"""

import os
import stat
from collections.abc import Callable, Iterable
from typing import NamedTuple

from attrs import frozen

from search.ids import NoteId
from search.vault.paths import is_note_name

_PASSED_OVER = frozenset({"node_modules"})


class Stat(NamedTuple):
    """A note's file, as far as the file system tells; while it is equal, so is the text.

    Inode and change time are there for editors that save by renaming and for tools that put an old mtime back.
    """

    mtime_ns: int
    size: int
    inode: int
    ctime_ns: int

    @classmethod
    def of(cls, info: os.stat_result) -> "Stat":
        """What the file system says of a file, as far as it matters here."""
        return cls._make((info.st_mtime_ns, info.st_size, info.st_ino, info.st_ctime_ns))


@frozen
class WalkResult:
    """What a walk met: the notes, and what was left out or could not be read, each path with the reason."""

    stats: dict[NoteId, Stat]
    skipped: dict[str, str]
    links: frozenset[NoteId]  # the notes that are symbolic links to a file within the vault


def walk(
    root: str,
    *,
    why_skip_file: Callable[[str], str] | None = None,
    why_skip_folder: Callable[[str], str] | None = None,
    check: Callable[[], None] = lambda: None,
) -> WalkResult:
    """All notes below `root`, in no particular order.

    `why_skip_file` (asked for each note) and `why_skip_folder` answer for a path below the vault with the reason to leave
    it out, or "". `check` is called once a folder and may raise. Dot-files and dot-folders, `node_modules`, editors'
    leftovers (`.#x`, `x~`, `#x#`), links that dangle or lead out, and what is no regular file are passed over.

    Raises:
        OSError: `root` itself cannot be listed.
    """
    stats: dict[NoteId, Stat] = {}
    skipped: dict[str, str] = {}
    links: list[NoteId] = []
    folders = [""]
    while folders:
        prefix = folders.pop()
        check()
        try:
            with os.scandir(root + "/" + prefix) as entries:
                _take(entries, prefix, stats, folders, links)
        except OSError as error:
            if not prefix:
                raise
            skipped[prefix.rstrip("/")] = f"the folder cannot be read ({error.strerror or error})"
        if why_skip_folder is not None:
            _prune(folders, prefix, why_skip_folder, skipped)
    linked = _inside(root, [link for link in links if is_note_name(link)])
    skipped |= _leading_out(root, links)
    stats |= linked
    if why_skip_file is not None:
        for path in list(stats):
            if reason := why_skip_file(path):
                skipped[path] = reason
                del stats[path]
    return WalkResult(stats, skipped, frozenset(linked.keys() & stats.keys()))


def _take(
    entries: Iterable[os.DirEntry[str]],
    prefix: str,
    stats: dict[NoteId, Stat],
    folders: list[str],
    links: list[NoteId],
) -> None:
    """One folder's entries. Every sweep runs through here for each note: no call too many."""
    for entry in entries:
        name = entry.name
        if name[0] == ".":
            continue
        is_note = name.endswith(".md") or is_note_name(name)
        if is_note and entry.is_file(follow_symlinks=False):
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:  # gone since it was listed
                continue
            stats[NoteId(prefix + name)] = Stat.of(info)
        elif entry.is_dir(follow_symlinks=False):
            if name not in _PASSED_OVER:
                folders.append(f"{prefix}{name}/")
        elif entry.is_symlink():
            links.append(NoteId(prefix + name))


def _prune(folders: list[str], prefix: str, why_skip_folder: Callable[[str], str], skipped: dict[str, str]) -> None:
    """Takes the folders just found below `prefix` out of the walk where they are to be left out."""
    for at in range(len(folders) - 1, -1, -1):
        if not folders[at].startswith(prefix) or folders[at] == prefix:
            break
        if reason := why_skip_folder(folders[at][:-1]):
            skipped[folders[at][:-1]] = reason
            del folders[at]


def _inside(root: str, links: list[NoteId]) -> dict[NoteId, Stat]:
    """The links that stand for a file of the vault which is no note by its own name; each such file once."""
    found: dict[NoteId, Stat] = {}
    seen: set[tuple[int, int]] = set()
    for link in sorted(links):
        target = resolve_in_vault(root, link)
        if target is None or is_note_name(target):
            continue
        try:
            info = os.stat(target)
        except OSError:
            continue
        if stat.S_ISREG(info.st_mode) and (info.st_dev, info.st_ino) not in seen:
            seen.add((info.st_dev, info.st_ino))
            found[link] = Stat.of(info)
    return found


def _leading_out(root: str, links: list[NoteId]) -> dict[str, str]:
    """The links to notes and folders outside of the vault, which are not followed, each with that for a reason."""
    real_root = os.path.realpath(root).rstrip(os.sep) + os.sep
    return {
        link: "a link out of the vault"
        for link in links
        if not (os.path.realpath(f"{root}/{link}") + os.sep).startswith(real_root)
        and (os.path.isfile if is_note_name(link) else os.path.isdir)(f"{root}/{link}")
    }


def resolve_in_vault(root: str, path: str) -> str | None:
    """The real path of `path` below `root`; None when it lies outside, or in a folder that is passed over."""
    real_root = os.path.realpath(root)
    target = os.path.realpath(f"{root}/{path}")
    if not target.startswith(real_root.rstrip(os.sep) + os.sep):
        return None
    return None if is_ignored_path(target[len(real_root) :].replace(os.sep, "/").strip("/")) else target


def is_ignored_path(path: str) -> bool:
    """Whether no walk meets `path` (below the vault), for the name of the file itself or of a folder above it.

    >>> is_passed_over(".trash/a.md"), is_passed_over("v1..2/a.md")
    (True, False)
    """
    rooted = f"/{path}/"
    return "/." in rooted or any(f"/{name}/" in rooted for name in _PASSED_OVER)
