"""Everything that a caller can act on, in one tree.

    VaultseekError
    ├── ConfigError      a setting or option has a value that is not allowed
    ├── VaultError       a folder cannot be searched (missing, a file, no permission)
    │   └── VaultClosed  its engine was closed while it was asked, or before
    ├── StoreError       a stored vector file cannot be used
    └── ProviderError    a model or an endpoint failed

Text that a user typed into a query and text in a vault never raise: they become a `Notice`.
"""

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST_NAME = 100  # characters of a name that are compared


class VaultseekError(Exception):
    """The root of the tree; its text is fit to be shown to a user."""


class ConfigError(VaultseekError):
    """A setting, option or parameter that cannot be used; never lost, never guessed at."""

    def __init__(self, path: str, value: object, allowed: str) -> None:
        """`path` names the field as the sender wrote it, `allowed` says in words what would be right."""
        super().__init__(f"{path}: {shorten(value)} is not allowed; allowed is {allowed}")
        self.path = path
        self.value = value
        self.allowed = allowed


class VaultError(VaultseekError):
    """A vault's folder that cannot be read."""

    def __init__(self, path: str, reason: str) -> None:
        """`path` is the folder as given, `reason` completes the sentence 'PATH: REASON'."""
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class VaultClosed(VaultError):  # noqa: N818 - what happened, as `Cancelled`: no fault of the vault or the question
    """The engine that was asked answers nothing any more; another one of the same folder may."""

    def __init__(self, path: str) -> None:
        """`path` is the folder as given."""
        super().__init__(path, "the vault was closed")


class StoreError(VaultseekError):
    """A line of a stored file that cannot be used."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        """`line` counts from 1; 0 means the file as a whole."""
        super().__init__(f"{file}:{line}: {reason}" if line else f"{file}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason


class ProviderError(VaultseekError):
    """A model or endpoint that failed."""

    def __init__(self, provider: str, reason: str, *, is_retriable: bool) -> None:
        """`is_retriable` says whether the same call may succeed later."""
        super().__init__(f"{provider}: {reason}")
        self.provider = provider
        self.reason = reason
        self.is_retriable = is_retriable


def one_of(names: Iterable[str], given: str = "") -> str:
    """What is allowed where one of `names` is expected, with the name that `given` may be misspelt for.

    >>> one_of(["balanced", "graph-spread"], "spread"), one_of(["balanced", "graph-spread"], "x")
    ('one of balanced, graph-spread; did you mean graph-spread?', 'one of balanced, graph-spread')
    """
    known = tuple(names)
    near = get_close_matches(given[:_LONGEST_NAME].lower(), known, n=1)
    return f"one of {', '.join(known)}" + (f"; did you mean {near[0]}?" if near else "")


def shorten(value: object, *, limit: int = 80) -> str:
    """The repr of a value, cut in the middle of nowhere when longer than `limit` characters.

    What JSON writes otherwise is written as in JSON: who reads this may not know Python.

    >>> shorten("x" * 200, limit=10), shorten(None), shorten(True)
    ("'xxxxxxxx…", 'null', 'true')
    """
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    text = repr(value[: limit + 1] if isinstance(value, str) else value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
