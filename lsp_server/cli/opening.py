"""Opens a file of the vault with the system's program for its type, as a click in the file manager does.

No shell is involved, and the program gets an absolute path, so no name of a file can pass for an option, an address or
a command. A file that could be a program itself is refused, since the system would run it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from search.errors import VaultseekError
from search.ids import OPENED_EXTENSIONS

_WAIT_S = 2.0  # an opener that fails says so at once; one that shows the file itself goes on


def open_with_system(root: Path, note: str) -> None:
    """Open a file of the vault.

    Raises:
        VaultseekError: it is no document, it is gone, or the system has no program for it.
    """
    path = _document(root, note)
    if sys.platform == "win32":
        try:
            os.startfile(path)  # noqa: S606 - the system's own way, without a shell
        except OSError as error:
            raise VaultseekError(f"{note}: the system cannot open it ({error.strerror})") from error
        return
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    program = shutil.which(opener)
    if program is None:
        raise VaultseekError(f"{note}: {opener}, which opens files on this system, is not installed")
    null = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - an absolute path of a document, see `_document`
        [program, str(path)], stdin=null, stdout=null, stderr=null, start_new_session=True
    )
    try:
        code = process.wait(_WAIT_S)
    except subprocess.TimeoutExpired:
        return
    if code != 0:
        raise VaultseekError(f"{note}: {opener} cannot open it (exit code {code})")


def _document(root: Path, note: str) -> Path:
    """The absolute path of a file, behind a symbolic link the one that it leads to."""
    try:
        path = (root / note).resolve(strict=True)
    except OSError as error:
        raise VaultseekError(f"{note}: it cannot be opened ({error.strerror})") from error
    if not path.is_relative_to(root.resolve()) or not path.is_file():
        raise VaultseekError(f"{note}: it is no file of the vault")
    if not all(name.lower().endswith(OPENED_EXTENSIONS) for name in (note, path.name)):
        raise VaultseekError(f"{note}: it is not opened, since a file of its type could be a program itself")
    return path
