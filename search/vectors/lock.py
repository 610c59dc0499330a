"""One writer at a time, across processes: a lock of the operating system on a small file.

The trick: the lock belongs to the open file, not to a process number written somewhere, so it ends with its process
however that dies, and there is no stale lock to be broken. The number in the file is for the message alone.

The file is never deleted: two processes could otherwise hold locks on two files of one name.
"""

import os
import sys
from pathlib import Path
from typing import BinaryIO

from search.errors import StoreError
from search.vectors.refusal import refused

_LOCK_OFFSET = 1 << 30  # Windows lets nobody read a locked byte: lock one that is never there

if sys.platform == "win32":  # pragma: no cover - one of the two is never there
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
        """Take the lock at once.

        Raises:
            StoreError: another writer has it, or the file cannot be made.
        """
        try:
            self._file: BinaryIO = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        except OSError as error:
            raise refused(path, "opened", error) from error
        try:
            has_it = _try_lock(self._file)
        except OSError as error:  # a file system without locks
            self._file.close()
            raise refused(path, "locked", error) from error
        if not has_it:
            holder = self._file.read(20).decode("ascii", "replace").strip()
            self._file.close()
            raise StoreError(str(path), 0, _busy(holder))
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode("ascii"))

    def release(self) -> None:
        """Let others write; twice is once."""
        self._file.close()


def _busy(holder: str) -> str:
    who = f"process {holder}" if holder.isdigit() else "another process"
    if holder == str(os.getpid()):
        who = "this same process"
    return f"{who} is writing to this store; it can be read meanwhile, and written to when that writer ends"
