"""One writer at a time, across processes: an operating system lock on a small file.

The trick: the lock belongs to the open file, so it ends with its process, also after a crash, and there are no stale
locks to break. The process number in the file is only for the message.

The file is never deleted. Otherwise two processes could hold locks on two files of the same name.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import BinaryIO

from search.cache.private_files import make_private_folder
from search.errors import StoreError
from search.vectors.partitions import refused

_LOCK_OFFSET = 1 << 30  # on Windows no one can read a locked byte, so the locked byte is beyond the file's end

if sys.platform == "win32":  # pragma: no cover - each platform has only one of the two
    import msvcrt

    def _try_lock(file: BinaryIO) -> bool:
        file.seek(_LOCK_OFFSET)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(0)
        return True

else:  # pragma: no cover
    import fcntl

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class WriterLock:
    """Held from construction to `release`, or to the end of the process."""

    def __init__(self, path: Path) -> None:
        """Take the lock at once. Makes the file, and its folder, if they are missing; the folder is the user's alone.

        Raises:
            StoreError: another writer has the lock, or the file cannot be created, opened or locked.
        """
        try:
            make_private_folder(path.parent)
        except OSError as error:
            raise refused(path.parent, "created", error) from error
        with contextlib.suppress(OSError):
            path.parent.chmod(0o700)  # other users could read the folders of earlier versions
        try:
            self._file: BinaryIO = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        except OSError as error:
            raise refused(path, "opened", error) from error
        try:
            has_lock = _try_lock(self._file)
        except OSError as error:  # a file system without locks
            self._file.close()
            raise refused(path, "locked", error) from error
        if not has_lock:
            holder = self._file.read(20).decode("ascii", "replace").strip()
            self._file.close()
            raise StoreError(str(path), 0, _busy(holder))
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode("ascii"))

    def release(self) -> None:
        """Let other processes write; more than once is allowed."""
        self._file.close()


def _busy(holder: str) -> str:
    who = f"process {holder}" if holder.isdigit() else "another process"
    if holder == str(os.getpid()):
        who = "this same process"
    return f"{who} is writing to this store; it can be read now, and written to once that writer has ended"
