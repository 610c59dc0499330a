"""File URIs and paths: the only code that takes URIs apart or compares them.

Editors spell the same file in many ways (`file:///c%3A/`, `file:///C:/`, with or without escapes), so the rest of the
program uses the decoded path as the key. A name keeps its Unicode form and its bytes: NFD names and names that are not
UTF-8 survive a round trip unchanged.
"""

import os
import posixpath
import re
import unicodedata
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import quote, unquote

_FILE_URI = re.compile(r"file:(?://([^/?#]*)|(?!//))(/[^?#]*)", re.IGNORECASE)
_DRIVE = re.compile(r"/[A-Za-z]:")


def to_uri(path: PurePath) -> str:
    """The URI of an absolute path; everything but letters, digits, `-._~` and slashes is escaped.

    >>> to_uri(PurePosixPath("/notes/50 % of #1.md"))
    'file:///notes/50%20%25%20of%20%231.md'
    >>> to_uri(PureWindowsPath("C:/notes"))
    'file:///c:/notes'
    """
    text = path.as_posix()
    if not isinstance(path, PureWindowsPath):
        errors = "surrogateescape" if is_name(text) else "surrogatepass"
        return "file://" + quote(text, safe="/", errors=errors)
    if text.startswith("//"):
        return "file:" + quote(text, safe="/", errors="surrogatepass")
    return f"file:///{text[0].lower()}:{quote(text[2:], safe='/', errors='surrogatepass')}"


def is_name(text: str) -> bool:
    """Whether a POSIX system can have a file of this name: lone surrogates, which JSON can hold, have no bytes."""
    try:
        text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def to_path(uri: str, *, flavour: type[PurePath] | None = None) -> PurePath | None:
    """The absolute path that a URI names, without `.` and `..`; None for a URI that names no file on this machine.

    `flavour` is PurePosixPath or PureWindowsPath; None means that of this system.

    >>> to_path("file:///c%3A/a%20b", flavour=PureWindowsPath)
    PureWindowsPath('C:/a b')
    >>> to_path("untitled:Untitled-1") is None
    True
    """
    match = _FILE_URI.match(uri)
    if match is None:
        return None
    is_windows = os.name == "nt" if flavour is None else issubclass(flavour, PureWindowsPath)
    host = unquote(match[1] or "")
    path = unquote(match[2], errors="surrogatepass" if is_windows else "surrogateescape")
    if not (is_windows or is_name(path)) or "\0" in path:
        return None
    return _windows_path(host, path) if is_windows else _posix_path(host, path)


def _posix_path(host: str, path: str) -> PurePosixPath | None:
    if host.lower() not in ("", "localhost"):
        return None
    return PurePosixPath("/" + posixpath.normpath(path).lstrip("/"))


def _windows_path(host: str, path: str) -> PureWindowsPath | None:
    path = posixpath.normpath(path.replace("\\", "/"))
    if host and host.lower() != "localhost":
        return PureWindowsPath(f"//{host}/{path.lstrip('/')}")
    if _DRIVE.match(path) is None:
        return None
    return PureWindowsPath(f"{path[1].upper()}:/{path[3:].lstrip('/')}")


def spelled_on_disk(path: Path) -> Path:
    """`path` with its last name in the Unicode form (NFC or NFD) that exists on disk, if the given form does not."""
    for form in ("NFC", "NFD"):
        other = path.with_name(unicodedata.normalize(form, path.name)) if path.name else path
        if other.name != path.name and not os.path.lexists(path) and os.path.lexists(other):
            return other
    return path
