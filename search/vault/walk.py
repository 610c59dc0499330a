"""Lists the notes in a folder with their file states, by one `lstat` for each file; opens no file.

Symbolic links to folders are never followed: a folder inside the vault is walked under its own name, and a folder
outside does not belong to the vault. So there are no loops, and no note occurs twice.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterable
from typing import NamedTuple

from attrs import frozen

from search.ids import IMAGE_EXTENSIONS, MARKDOWN_EXTENSIONS, NoteId

_KINDS = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket"}
_LEFT_BEHIND = ("~", ".tmp", ".temp", ".swp", ".bak", ".part", ".crdownload")
_OF_SYSTEMS = frozenset({"thumbs.db", "desktop.ini", "icon\r"})
_IGNORED_FOLDERS = frozenset({"node_modules"})


class Stat(NamedTuple):
    """The state of a note's file; as long as it is equal, the text is the same.

    Inode and change time cover editors that save by renaming, and tools that restore an old modification time.
    """

    mtime_ns: int
    size: int
    inode: int
    ctime_ns: int

    @classmethod
    def of(cls, info: os.stat_result) -> "Stat":
        """The state in the result of a stat call."""
        return cls._make((info.st_mtime_ns, info.st_size, info.st_ino, info.st_ctime_ns))


@frozen
class WalkResult:
    """The notes that a walk found, and the paths that it skipped, each with the reason."""

    stats: dict[NoteId, Stat]
    skipped: dict[str, str]
    links: frozenset[NoteId]  # the notes that are symbolic links to a file within the vault
    folders: tuple[str, ...] = ()  # the folders that were listed; "" is the vault itself


def walk(
    root: str,
    *,
    extensions: tuple[str, ...] = MARKDOWN_EXTENSIONS,
    named: tuple[str, ...] = (),
    why_skip_file: Callable[[str], str] | None = None,
    why_skip_folder: Callable[[str], str] | None = None,
    check: Callable[[], None] = lambda: None,
) -> WalkResult:
    """All files below `root` with one of these `extensions` (in lower case); their order is not defined.

    Files with an extension of `named` are no documents, so of these neither symbolic links nor what a system or an
    editor leaves behind are listed. Unless they are images, which are opened, their states have nothing but the inode:
    ten thousand cost ten milliseconds.

    `why_skip_file` and `why_skip_folder` return the reason to skip a path (relative to the vault), or "". `check` is
    called for each folder and may raise. Ignored are dot files and dot folders, `node_modules`, temporary files of
    editors (`.#x`, `x~`, `#x#`), and symbolic links that are broken or lead out of the vault. Anything else with the
    name of a note, such as a FIFO, is skipped with its kind as the reason.

    Raises:
        OSError: `root` itself cannot be listed.
    """
    stats: dict[NoteId, Stat] = {}
    skipped: dict[str, str] = {}
    links: list[NoteId] = []
    listed: list[str] = []
    folders = [""]
    while folders:
        prefix = folders.pop()
        check()
        if prefix and why_skip_folder is not None and (reason := why_skip_folder(prefix[:-1])):
            skipped[prefix[:-1]] = reason
            continue
        try:
            listed.append(prefix.rstrip("/"))
            with os.scandir(root + "/" + prefix) as entries:
                _list_folder(entries, prefix, (extensions, named), stats, folders=folders, links=links, skipped=skipped)
        except OSError as error:
            if not prefix:
                raise
            skipped[prefix.rstrip("/")] = f"the folder cannot be read ({error.strerror or error})"
    linked = _links_inside(root, links, extensions)
    skipped |= _links_outside(root, links, extensions)
    stats |= linked
    if why_skip_file is not None:
        for path in list(stats):
            if reason := why_skip_file(path):
                skipped[path] = reason
                del stats[path]
    return WalkResult(stats, skipped, frozenset(linked.keys() & stats.keys()), tuple(listed))


def _list_folder(
    entries: Iterable[os.DirEntry[str]],
    prefix: str,
    extensions: tuple[tuple[str, ...], tuple[str, ...]],
    stats: dict[NoteId, Stat],
    *,
    folders: list[str],
    links: list[NoteId],
    skipped: dict[str, str],
) -> None:
    """Add a folder's entries to one of the collections; fast, as every sweep calls it for all folders."""
    of_notes, of_named = extensions
    for entry in entries:
        name = entry.name
        if name[0] == ".":
            continue
        is_note = name.endswith(".md") or (lower := name.lower()).endswith(of_notes)
        is_listed = is_note or (of_named and lower.endswith(of_named) and not _is_left_behind(lower))
        if is_listed and entry.is_file(follow_symlinks=False):
            if not is_note and not lower.endswith(IMAGE_EXTENSIONS):
                stats[NoteId(prefix + name)] = Stat(0, 0, entry.inode(), 0)
                continue
            try:
                info = entry.stat(follow_symlinks=False)
            except OSError:  # deleted since it was listed
                continue
            stats[NoteId(prefix + name)] = Stat.of(info)
        elif entry.is_dir(follow_symlinks=False):
            if name not in _IGNORED_FOLDERS:
                folders.append(f"{prefix}{name}/")
        elif entry.is_symlink():
            links.append(NoteId(prefix + name))
        elif is_note:
            with contextlib.suppress(OSError):  # deleted since it was listed
                kind = stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode)
                skipped[prefix + name] = f"{_KINDS.get(kind, 'a device')}, not a regular file"


def _is_left_behind(name: str) -> bool:
    """Whether a system, an editor or a download leaves files of this name (in lower case) behind.

    >>> _is_left_behind("a.md~"), _is_left_behind("~$a.docx"), _is_left_behind("a.pdf")
    (True, True, False)
    """
    return (
        name.endswith(_LEFT_BEHIND)
        or name.startswith("~$")
        or (name[0] == "#" and name[-1] == "#")
        or name in _OF_SYSTEMS
    )


def _links_inside(root: str, links: list[NoteId], extensions: tuple[str, ...]) -> dict[NoteId, Stat]:
    """The symbolic links to files in the vault that are notes only by the name of the link; each such file once."""
    found: dict[NoteId, Stat] = {}
    seen: set[tuple[int, int]] = set()
    for link in sorted(link for link in links if link.lower().endswith(extensions)):
        target = resolve_in_vault(root, link)
        if target is None or target.lower().endswith(extensions):
            continue
        try:
            info = os.stat(target)
        except OSError:
            continue
        if stat.S_ISREG(info.st_mode) and (info.st_dev, info.st_ino) not in seen:
            seen.add((info.st_dev, info.st_ino))
            found[link] = Stat.of(info)
    return found


def _links_outside(root: str, links: list[NoteId], extensions: tuple[str, ...]) -> dict[str, str]:
    """The symbolic links to notes and folders outside the vault, which are not followed, each with the reason."""
    real_root = os.path.realpath(root).rstrip(os.sep) + os.sep
    return {
        link: "a link out of the vault"
        for link in links
        if not (os.path.realpath(f"{root}/{link}") + os.sep).startswith(real_root)
        and (os.path.isfile if link.lower().endswith(extensions) else os.path.isdir)(f"{root}/{link}")
    }


def resolve_in_vault(root: str, path: str) -> str | None:
    """The real path of `path` in `root`; None if it is outside of `root` or in an ignored folder."""
    real_root = os.path.realpath(root)
    target = os.path.realpath(f"{root}/{path}")
    if not target.startswith(real_root.rstrip(os.sep) + os.sep):
        return None
    return None if is_ignored_path(target[len(real_root) :].replace(os.sep, "/").strip("/")) else target


def is_ignored_path(path: str) -> bool:
    """Whether a walk ignores `path` (relative to the vault) because of the name of the file or of a folder above it.

    >>> is_ignored_path(".trash/a.md"), is_ignored_path("v1..2/a.md")
    (True, False)
    """
    rooted = f"/{path}/"
    return "/." in rooted or any(f"/{name}/" in rooted for name in _IGNORED_FOLDERS)
