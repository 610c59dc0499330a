"""What is said where the system refuses a file of a store: what failed, why, and what helps."""

import errno
from pathlib import Path

from search.errors import StoreError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def refused(path: Path | str, what: str, error: OSError) -> StoreError:
    """The error for a file or folder that cannot be `what` ("read", "written", ...).

    >>> str(refused("/cache/v", "written", OSError(errno.ENOSPC, "No space left on device")))
    '/cache/v: cannot be written: No space left on device; it works again when there is room'
    """
    mend = (
        "it works again when there is room"
        if error.errno in _FULL
        else "see to its permissions, or name another folder for vectors (VAULTSEEK_CACHE, or the setting indexFolder)"
    )
    return StoreError(str(path), 0, f"cannot be {what}: {error.strerror or error}; {mend}")
