"""Starts the child process that parses attachments, and ends it when a file takes too long.

The process is started with the first file and kept for the next ones. A file that ends it costs only itself: it is
blamed only if it was the first file of its process, since an earlier one may have damaged it.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from threading import Event, Lock, Timer
from typing import IO

from attrs import frozen

from search.vault.attachments.extracted import MAX_JSON, failed, is_from_json, to_json
from search.vault.attachments.frames import ARGUMENT, CPU_S, MAX_LINE, READY

PATIENCE_S = 300.0  # for one file, on a busy computer; mostly `CPU_S` ends the process before
_START = "import sys; sys.path[:] = sys.argv[1:]; from search.vault.attachments.worker import main; main()"
_START_S = 60.0  # for a process to become ready, on a busy computer
_END_S = 10.0  # for a process that sent no answer to end by itself
_KILLED_S = 1.0  # for a killed process to end; one that waits for a disk ends later
_OUT_OF_TIME = 24  # SIGXCPU on Linux and macOS
_FROM_OUTSIDE = frozenset({-1, -2, -9, -15})  # SIGHUP, SIGINT, SIGKILL, SIGTERM: no parser ends by them


class NoChildError(Exception):
    """The process cannot be started; the message says why."""


@frozen
class ParserAnswer:
    """What the child process found, as JSON; `is_final` if it would find the same next time, so that it can be kept."""

    text: str
    is_final: bool = True


class Child:
    """The child process. One thread at a time asks it; any thread may close it."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._process: subprocess.Popen[bytes] | None = None
        self._is_used = False  # whether the process has read a file
        self._lock = Lock()  # guards `_process` and `_is_used`
        self._is_closed = False

    def extract(self, file_type: str, size: int, chunks: Callable[[], Iterable[bytes]]) -> ParserAnswer:
        """The text of a file of `size` bytes; `chunks` returns its content from the beginning, each time it is called.

        Raises:
            NoChildError: the process cannot be started, or was closed.
            OSError: the file cannot be read; raised by `chunks`.
        """
        process, is_used = self._started()
        try:
            if not is_used:
                self._wait_until_ready(process)
            with _within(PATIENCE_S, process) as is_late:
                answer = _ask(process, file_type, size, chunks())
        except BaseException:
            self._drop(process)
            raise
        if answer is not None:
            return ParserAnswer(answer)
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(_END_S)  # so that the exit code is its own, and not that of our kill
        self._drop(process)
        if self._is_closed:
            raise NoChildError("it was closed")
        if is_used and not is_late.is_set() and code != -_OUT_OF_TIME:
            return self.extract(file_type, size, chunks)  # in a new process
        return _lost(code, is_late=is_late.is_set())

    def rest(self) -> None:
        """End the process; the next file starts another one."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            _end(process)

    def close(self) -> None:
        """End the process for good, also while it works."""
        self._is_closed = True
        self.rest()

    def _started(self) -> "tuple[subprocess.Popen[bytes], bool]":
        """The process, and whether it has read a file before; a new one may not be ready yet."""
        with self._lock:
            if self._is_closed:
                raise NoChildError("it was closed")
            if self._process is None:
                self._process, self._is_used = _start(), False
            is_used, self._is_used = self._is_used, True
            return self._process, is_used

    def _wait_until_ready(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait for a new process without holding the lock, so that another thread can end it meanwhile.

        Raises:
            NoChildError: it ends before it is ready, or was closed.
        """
        line = b""
        with _within(_START_S, process), contextlib.suppress(OSError, ValueError):  # another thread closed the pipe
            line = process.stdout.readline(MAX_LINE) if process.stdout else b""
        if self._is_closed:
            raise NoChildError("it was closed")
        if line != READY:
            raise NoChildError("the process for parsing ends at once")

    def _drop(self, process: "subprocess.Popen[bytes]") -> None:
        with self._lock:
            if self._process is process:
                self._process = None
        _end(process)


def _start() -> "subprocess.Popen[bytes]":
    """A new process.

    A vault may hold a file with the name of a module. So the process runs in the root folder and imports only from the
    absolute paths in `sys.path`. It gets no environment, which may hold keys.

    Raises:
        NoChildError: it cannot be started.
    """
    try:
        return subprocess.Popen(  # noqa: S603 - our own program
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.abspath(os.sep),
            env={} if os.name == "posix" else None,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise NoChildError(f"the process for parsing cannot be started: {error.strerror or error}") from error


def _command() -> list[str]:
    """The command that runs `worker`. A standalone program has no Python, so it starts itself (`.ci/standalone`)."""
    if getattr(sys, "frozen", False):
        return [sys.executable, ARGUMENT]
    return [sys.executable, "-I", "-S", "-B", "-c", _START, *(folder for folder in sys.path if os.path.isabs(folder))]


@contextlib.contextmanager
def _within(seconds: float, process: "subprocess.Popen[bytes]") -> Iterator[Event]:
    """Kill the process after some seconds, so that reading from it ends; the event says whether that happened."""
    is_late = Event()

    def end() -> None:
        is_late.set()
        process.kill()

    timer = Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()


def _ask(process: "subprocess.Popen[bytes]", file_type: str, size: int, chunks: Iterable[bytes]) -> str | None:
    """The answer of the process; None if it ended or sent anything but a valid answer. `chunks` may raise OSError."""
    if process.stdin is None or process.stdout is None:
        return None
    request = f"{file_type} {size}\n".encode("ascii")
    if not all(_is_sent(process.stdin, piece) for piece in chain([request], chunks)):
        return None
    try:
        line = process.stdout.readline(MAX_LINE)
        n_bytes = int(line) if line.strip().isdigit() else -1
        if not 0 <= n_bytes <= MAX_JSON:
            return None
        data = process.stdout.read(n_bytes)
        text = data.decode() if len(data) == n_bytes else ""
        return text if is_from_json(text) else None
    except (OSError, ValueError):
        return None


def _is_sent(pipe: IO[bytes], data: bytes) -> bool:
    """Send data; False if the process has ended, or another thread has closed the pipe."""
    try:
        pipe.write(data)
        pipe.flush()
    except (OSError, ValueError):  # ValueError: the pipe is closed
        return False
    return True


def _lost(code: int | None, *, is_late: bool) -> ParserAnswer:
    """The answer for a file that ended the process."""
    if is_late:
        return ParserAnswer(to_json(failed(f"reading it takes more than {PATIENCE_S:.0f} s")), is_final=False)
    if code == -_OUT_OF_TIME:
        return ParserAnswer(to_json(failed(f"reading it takes more than {CPU_S} s of computing time")))
    is_final = code not in _FROM_OUTSIDE
    return ParserAnswer(to_json(failed("its parser crashed or needs too much memory")), is_final=is_final)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process and free its pipes."""
    process.kill()
    try:
        process.wait(_KILLED_S)
    except subprocess.TimeoutExpired:
        return  # closing a pipe could wait for it too
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
