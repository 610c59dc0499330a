"""Folders and files that only the user can read: they hold what notes say.

A file is written under another name and then renamed, so readers see a whole file or none; of several writers the last
one wins.
"""

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import mkstemp

_TEMPORARY = ".tmp"


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it, as far as they are missing; an existing one keeps its mode.

    Raises:
        OSError: the folder cannot be made, or something else has its name.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        if folder.parent == folder:
            raise
        make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def replace_file(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file in place of an earlier one; makes its folder.

    Raises:
        OSError: the file cannot be written; an earlier one is as it was.
    """
    make_private_folder(path.parent)
    remove_temporary(path)
    handle, name = mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=_TEMPORARY)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def remove_temporary(path: Path) -> None:
    """Remove the temporary files of writers that were killed.

    A writer still at work loses its file too. It then fails with OSError, which costs only time.
    """
    for left in path.parent.glob(f"{path.name}.*{_TEMPORARY}"):
        with contextlib.suppress(OSError):
            left.unlink()
