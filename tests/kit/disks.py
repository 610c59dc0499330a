"""Small disks for tests: real file systems where the system lets a test mount one, else folders."""

import contextlib
import os
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


@frozen
class Folder:
    """A folder that stands for a disk where none can be mounted."""

    path: Path

    def make_read_only(self) -> None:
        """From now on, nothing in it can be changed."""
        for path in (*self.path.rglob("*"), self.path):
            path.chmod(0o500 if path.is_dir() else 0o400)


@contextlib.contextmanager
def folder(path: Path, _n_bytes: int) -> Iterator[Folder]:
    """A new folder; skips the test for those who may write whatever the permissions say."""
    path.mkdir()
    probe = path / "probe"
    probe.mkdir(0o500)
    is_refused = not os.access(probe, os.W_OK)
    probe.rmdir()
    if not is_refused:
        pytest.skip("permissions do not stop this user")
    try:
        yield Folder(path)
    finally:
        path.chmod(0o700)
        for inner in path.rglob("*"):
            inner.chmod(0o700)


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
