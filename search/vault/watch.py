"""Watches a vault's folders, so that a vault in which nothing changes need not be swept.

It only tells that something changed; what changed, a sweep finds out. Each folder is watched by itself where the system
would follow symbolic links out of the vault otherwise. Folders that cannot be watched, such as those on a network
drive, are swept as if there were no watch.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

_STEP_MS = 15  # how long events are collected: a saved file is known 30 ms later
_DEBOUNCE_MS = 200  # the longest time for that, while files change all the time
_IDLE_MS = 1000  # how often the thread looks whether it was stopped
_SETTINGS = ".obsidian"
# File systems that tell nothing of what other machines change, and those whose events are known to be incomplete.
_REMOTE: Final = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "fuse", "vboxsf", "drvfs", "lustre", "gfs", "ocfs")


class Watch:
    """Calls `on_change` from a thread of its own when a file or folder changes. All methods may be called anywhere."""

    def __init__(self, root: str, on_change: Callable[[], None], clock: Callable[[], float] = time.monotonic) -> None:
        """Watches nothing until the first call of `watch`."""
        self.problem = ""  # why nothing is watched; a sweep is needed each time
        self._root = root
        self._on_change = on_change
        self._clock = clock
        self._folders: frozenset[str] = frozenset()
        self._since: float | None = None
        self._stopped: threading.Event | None = None  # of the thread at work
        self._lock = threading.Lock()

    @property
    def since(self) -> float | None:
        """From when on every change is told, by the clock; None while nothing is watched."""
        return self._since

    def watch(self, folders: Collection[str]) -> None:
        """Watch these folders, relative to the vault and without those below them; "" is the vault itself.

        Returns at once; `since` is set when the folders are watched.
        """
        wanted = frozenset(folders)
        with self._lock:
            if wanted == self._folders or self.problem:
                return
            if not self._folders and (kind := remote_file_system(self._root)):
                self.problem = f"a file system of the type {kind} does not tell all changes"
                return
            self._folders, self._since = wanted, None
            if self._stopped is not None:
                self._stopped.set()
            self._stopped = threading.Event()
            thread = threading.Thread(target=self._run, args=(wanted, self._stopped), name="vault-watch", daemon=True)
            thread.start()

    def close(self) -> None:
        """Stop watching."""
        with self._lock:
            self._since = None
            self.problem = "closed"
            if self._stopped is not None:
                self._stopped.set()

    def _run(self, folders: frozenset[str], stopped: threading.Event) -> None:
        try:
            from watchfiles._rust_notify import RustNotify  # noqa: PLC0415 - 70 ms, and only a server watches

            is_each = sys.platform.startswith("linux")  # there, watching a folder with all below it follows links
            paths = self._paths(folders) if is_each else [self._root]
            with RustNotify(
                paths,
                debug=False,
                force_polling=False,
                poll_delay_ms=0,
                recursive=not is_each,
                ignore_permission_denied=True,
            ) as notify:
                self._set_since(stopped)
                while not stopped.is_set():
                    found = notify.watch(_DEBOUNCE_MS, _STEP_MS, _IDLE_MS, stopped)
                    if isinstance(found, set) and any(is_of_vault(path, self._root) for _, path in found):
                        self._on_change()
        except Exception as error:  # noqa: BLE001 - whatever it is, sweeping still works
            with self._lock:
                if not stopped.is_set():
                    self._since, self.problem = None, str(error) or type(error).__name__

    def _paths(self, folders: frozenset[str]) -> list[str]:
        """The folders, and the one with Obsidian's settings, unless it is a link."""
        settings = f"{self._root}/{_SETTINGS}"
        is_own = os.path.isdir(settings) and not os.path.islink(settings)
        return [*(f"{self._root}/{folder}" for folder in sorted(folders)), *([settings] if is_own else [])]

    def _set_since(self, stopped: threading.Event) -> None:
        with self._lock:
            if not stopped.is_set():
                self._since = self._clock()


def is_of_vault(path: str, root: str) -> bool:
    """Whether a change at `path` can change what is searched: not in folders whose name begins with a dot.

    The list of excluded files in Obsidian's settings can, too.

    >>> is_of_vault("/v/a.md", "/v"), is_of_vault("/v/.git/index", "/v"), is_of_vault("/v/.obsidian/app.json", "/v")
    (True, False, True)
    """
    path = path.replace("\\", "/")
    below = path.removeprefix(root)
    return not path.startswith(root) or "/." not in below or below == f"/{_SETTINGS}/app.json"


def remote_file_system(root: str, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The type of the file system at `root` if it is a remote one; "" for a local one, or if it cannot be told."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        return ""
    mounted = [line.split(" ") for line in lines]
    at = {parts[1].encode().decode("unicode_escape"): parts[2] for parts in mounted if len(parts) > 2}
    real = Path(root or "/").resolve()
    kind = next((at[str(folder)] for folder in (real, *real.parents) if str(folder) in at), "")
    return kind if kind.startswith(_REMOTE) else ""
