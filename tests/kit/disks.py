"""Small disks for tests: real file systems where the system lets a test mount one."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

try:
    import resource
except ImportError:  # Windows
    resource = None


@frozen
class Disk:
    """A file system of its own in memory."""

    path: Path

    def make_read_only(self) -> None:
        """From now on, nothing on it can be changed."""
        subprocess.run(["mount", "-o", "remount,ro", self.path], check=True)

    def resize(self, n_bytes: int) -> None:
        """Let it hold so many bytes."""
        subprocess.run(["mount", "-o", f"remount,size={n_bytes}", self.path], check=True)


@contextlib.contextmanager
def mounted(path: Path, n_bytes: int) -> Iterator[Disk]:
    """A disk of so many bytes at a new folder; skips the test where none can be mounted."""
    path.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={n_bytes}", "tmpfs", path]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no disk can be mounted here")
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


@contextlib.contextmanager
def no_file_above(n_bytes: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes, as on a full disk."""
    if resource is None:
        pytest.skip("Windows has no limit for the size of a file")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
