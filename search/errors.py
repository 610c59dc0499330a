"""All errors that a caller can act on, in one tree.

    VaultseekError
    ├── ConfigError      a setting or option has a value that is not allowed
    │   └── UnknownName  there is no setting of this name
    ├── VaultError       a folder cannot be searched (missing, a file, no permission)
    │   └── VaultClosed  its engine was closed, before the call or during it
    ├── StoreError       a stored vector file cannot be used
    └── ProviderError    a model or an endpoint failed

Neither the text of a query nor the text in a vault ever raises an error: problems with them become a `Notice`.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from attrs import Attribute

_LONGEST_NAME = 100  # characters of a name that are compared


class VaultseekError(Exception):
    """The root of the tree; its text can be shown to a user.

    It can be pickled, as by a pool of processes: with its text and fields, since Python would pass only the text to
    `__init__`, which wants the fields.
    """

    def __reduce__(self) -> tuple[object, ...]:
        return _without_init, (type(self), *self.args), self.__dict__


def _without_init(of: type[VaultseekError], *args: object) -> VaultseekError:
    return of.__new__(of, *args)


class ConfigError(VaultseekError):
    """A setting, option or parameter has a value that is not allowed; values are never replaced by a guess."""

    def __init__(self, path: str, value: object, allowed: str) -> None:
        """`path` names the field as the sender wrote it, `allowed` describes the allowed values."""
        super().__init__(f"{path}: {shorten(value)} is not allowed; allowed is {allowed}")
        self.path = path
        self.value = value
        self.allowed = allowed


class UnknownName(ConfigError):  # noqa: N818 - it names what is wrong with the field, as `VaultClosed` does
    """There is no setting of this name, whatever its value is."""

    def __init__(self, path: str, names: Iterable[str], *, hint: str = "") -> None:
        """`path` ends with the unknown name. The message has the hint, else the most similar of `names`, else all."""
        known = tuple(names)
        name = path.rpartition(".")[2]
        allowed = one_of(known)
        near = f"; {hint}" if hint else did_you_mean(name, known) or f"; allowed is {allowed}"
        VaultseekError.__init__(self, f"{path}: there is no such setting{near}")
        self.path = path
        self.value = name
        self.allowed = allowed


class VaultError(VaultseekError):
    """A vault's folder cannot be read."""

    def __init__(self, path: str, reason: str) -> None:
        """`path` is the folder as the caller passed it; the message is 'PATH: REASON'."""
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class VaultClosed(VaultError):  # noqa: N818 - like `Cancelled` it names an event: neither vault nor query is at fault
    """The engine was closed and answers no more calls; open another engine on the same folder to go on."""

    def __init__(self, path: str) -> None:
        """`path` is the folder as the caller passed it."""
        super().__init__(path, "the vault was closed")


class StoreError(VaultseekError):
    """A stored vector file, or one line of it, cannot be used."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        """`line` counts from 1; 0 means the whole file."""
        super().__init__(f"{file}:{line}: {reason}" if line else f"{file}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason


class ProviderError(VaultseekError):
    """A model or an endpoint failed."""

    def __init__(self, provider: str, reason: str, *, is_retriable: bool) -> None:
        """`is_retriable` says whether the same call may succeed later."""
        super().__init__(f"{provider}: {reason}")
        self.provider = provider
        self.reason = reason
        self.is_retriable = is_retriable


def one_of(names: Iterable[str], given: str = "") -> str:
    """The allowed values where one of `names` is expected; suggests the name that `given` may be a misspelling of.

    >>> one_of(["balanced", "graph-spread"], "spread"), one_of(["balanced", "graph-spread"], "x")
    ('one of balanced, graph-spread; did you mean graph-spread?', 'one of balanced, graph-spread')
    """
    known = tuple(names)
    return f"one of {', '.join(known)}{did_you_mean(given, known)}"


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """The question at the end of a message whether the most similar of `names` was meant; empty if none is similar.

    >>> did_you_mean("maxresult", ["maxResults", "mode"]), did_you_mean("x", ["mode"])
    ('; did you mean maxResults?', '')
    """
    known = {name.lower(): name for name in names}
    near = get_close_matches(given[:_LONGEST_NAME].lower(), known, n=1)
    return f"; did you mean {known[near[0]]}?" if near else ""


def shorten(value: object, *, limit: int = 80) -> str:
    """The repr of a value, cut to `limit` characters.

    None, True and False are written as in JSON, since the reader may not know Python.

    >>> shorten("x" * 200, limit=10), shorten(None), shorten(True)
    ("'xxxxxxxx…", 'null', 'true')
    """
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    text = repr(value[: limit + 1] if isinstance(value, str) else value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def whole_number(low: int, high: int, unit: str = "") -> "Callable[[object, Attribute[int], object], None]":
    """A validator for attrs: a whole number in a closed range.

    Raises:
        ConfigError: from the validator, for any other value.
    """

    def validate(_instance: object, attribute: "Attribute[int]", value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ConfigError(attribute.name, value, f"a whole number{unit}, {low:,} to {high:,}")

    return validate


def number(low: float, high: float, unit: str = "") -> "Callable[[object, Attribute[float], object], None]":
    """A validator for attrs: a number in a closed range, which NaN is not. Raises as `whole_number`."""

    def validate(_instance: object, attribute: "Attribute[float]", value: object) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ConfigError(attribute.name, value, f"a number{unit}, {low:g} to {high:g}")

    return validate


def true_or_false(_instance: object, attribute: "Attribute[bool]", value: object) -> None:
    """A validator for attrs: a boolean. Raises as `whole_number`."""
    if not isinstance(value, bool):
        raise ConfigError(attribute.name, value, "true or false")
