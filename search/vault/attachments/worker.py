"""The child process that parses attachments, one after the other, for as long as its input is open.

A hostile file may crash the parser, make it loop, or take it over. So the process gives up what it does not need before
it reads the first byte of a file: on Linux it can open no file or connection and start no process, and its memory and
its processor time for each file are limited. macOS has some of these limits. Windows has none; there, only the parent's
clock and its limit for answers remain.

A request is a line with the type and the size of a file, then its bytes. The answer is a line with a size, then JSON.
"""

import codecs
import contextlib
import os
import sys
from typing import BinaryIO

from search.vault.attachments.extracted import failed, to_json
from search.vault.attachments.frames import CPU_S, MAX_LINE, READY
from search.vault.attachments.parse import extract

if sys.platform != "win32":
    import resource

MAX_MEMORY = 1024 * 1024 * 1024  # bytes of address space; parsing a PDF of 100 MB takes half of them
_NICE = 10
# Python loads an encoding when it is first used, which is too late once no file can be opened.
_ENCODINGS = ("ascii", "cp437", "cp1252", "latin-1", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


def main() -> None:
    """Answer requests until the input ends."""
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    for name in _ENCODINGS:
        codecs.lookup(name)
    with contextlib.suppress(ImportError):
        import pypdfium2  # noqa: F401, PLC0415 - an extra; loaded before files can no longer be opened
    _give_up_rights()
    answers.write(READY)
    answers.flush()
    while line := source.readline(MAX_LINE):
        file_type, size = line.decode("ascii").split()
        _allow_time()
        _answer(answers, _extracted(file_type, source.read(int(size))))


def _extracted(file_type: str, data: bytes) -> bytes:
    found = extract(file_type, data)
    try:
        return to_json(found).encode()
    except MemoryError:
        return to_json(failed("reading it takes too much memory")).encode()


def _answer(answers: BinaryIO, data: bytes) -> None:
    answers.write(b"%d\n" % len(data))
    answers.write(data)
    answers.flush()


def _give_up_rights() -> None:
    """Set limits that the process cannot raise again, as far as the system has them."""
    if sys.platform != "win32":
        os.nice(_NICE)
        limits = {
            resource.RLIMIT_AS: MAX_MEMORY,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_FSIZE: 0,
            resource.RLIMIT_NOFILE: 0,  # those that are open stay open
            resource.RLIMIT_NPROC: 0,
        }
        for name, limit in limits.items():
            with contextlib.suppress(ValueError, OSError):  # macOS accepts only some of them
                resource.setrlimit(name, (limit, limit))


def _allow_time() -> None:
    """Allow `CPU_S` more seconds of the processor; after them the system ends the process."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + CPU_S, most))
