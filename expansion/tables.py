"""Tables of word data in TOML: those in the package, and files with which a user or a vault extends them.

Files are read without trust. A table knows its path, so that an error names the place of a bad value. A file adds to
the packaged table of the same form: it adds keys, lengthens lists and replaces other values.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from attrs import frozen

from search.analysis.fold import fold
from search.errors import ConfigError
from search.vault.reader import read_bytes

MAX_BYTES = 256 * 1024  # of a file: room for some thousand acronyms
_MAX_WORDS = 5_000  # of a list


@frozen
class TomlTable:
    """A table and its path, such as `intents.fix_bug`."""

    path: str
    values: Mapping[str, object]

    def at(self, name: str) -> "TomlTable":
        """The table under a key.

        Raises:
            ConfigError: the value is missing or not a table.
        """
        found = self.values.get(name)
        if not isinstance(found, dict):
            raise ConfigError(f"{self.path}.{name}", found, "a table")
        return TomlTable(f"{self.path}.{name}", found)

    def mapping(self, name: str) -> Mapping[str, object]:
        """The entries of the table under a key, none if the key is missing. Raises as `at`."""
        return self.at(name).values if name in self.values else {}

    def only(self, *names: str) -> "TomlTable":
        """This table, if all its keys are among `names`; a misspelt key would otherwise be ignored.

        Raises:
            ConfigError: there is another key.
        """
        for key, value in self.values.items():
            if key not in names:
                raise ConfigError(f"{self.path}.{key}", value, f"one of the names {', '.join(names)}")
        return self

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty if it is missing.

        Raises:
            ConfigError: the value is something else, or too long.
        """
        found = self.values.get(name, [])
        if not isinstance(found, list) or len(found) > _MAX_WORDS or not all(isinstance(one, str) for one in found):
            raise ConfigError(f"{self.path}.{name}", found, f"a list of at most {_MAX_WORDS:,} texts")
        return tuple(found)

    def words(self, name: str) -> frozenset[str]:
        """A list of texts, folded. Raises as `texts`."""
        return frozenset(fold(word) for word in self.texts(name))

    def text(self, name: str) -> str:
        """A text, empty if it is missing.

        Raises:
            ConfigError: the value is something else.
        """
        found = self.values.get(name, "")
        if not isinstance(found, str):
            raise ConfigError(f"{self.path}.{name}", found, "a text")
        return found

    def numbers(self, name: str, *, low: float, high: float) -> Mapping[str, float]:
        """A table of numbers from `low` to `high`, empty if it is missing.

        Raises:
            ConfigError: the value is not a table, or one of its values is not such a number.
        """
        found: dict[str, float] = {}
        for key, value in self.mapping(name).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise ConfigError(f"{self.path}.{name}.{key}", value, f"a number, {low:g}..{high:g}")
            found[key] = float(value)
        return found


@lru_cache(maxsize=8)
def packaged(name: str) -> TomlTable:
    """A packaged table."""
    return TomlTable(name, tomllib.loads((files("expansion") / "data" / f"{name}.toml").read_text(encoding="utf-8")))


def read_file(file: Path, *, vault: Path | None = None) -> TomlTable | None:
    """The table in a file, None if the file does not exist. A file of a `vault` must be in it by its real path.

    Raises:
        ConfigError: the file cannot be read, is not a regular file, is too long, or is not TOML.
    """
    try:
        data, _ = read_bytes(str(file), limit=MAX_BYTES + 1, root=None if vault is None else str(vault))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        allowed = "a regular file that can be read" + ("" if vault is None else ", inside the vault")
        raise ConfigError(str(file), error.strerror or str(error), allowed) from error
    if len(data) > MAX_BYTES:
        raise ConfigError(str(file), f"{len(data):,} bytes and more", f"a file of at most {MAX_BYTES:,} bytes")
    try:
        return TomlTable(str(file), tomllib.loads(data.decode()))
    except (ValueError, RecursionError) as error:
        raise ConfigError(str(file), str(error), "a file in TOML") from error


def extended(table: TomlTable, more: TomlTable) -> TomlTable:
    """`table` extended by `more`, which adds keys, lengthens lists and replaces other values."""
    return TomlTable(table.path, _merged(table.values, more.values))


def _merged(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    merged = dict(old)
    for key, value in new.items():
        known = merged.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            merged[key] = _merged(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            merged[key] = [*known, *(one for one in value if one not in known)]
        else:
            merged[key] = value
    return merged
