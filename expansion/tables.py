"""Tables of data, as they come with the program and as a vault or a user extends them: TOML, read without trust.

A table knows where it stands, so that whoever reads it can name the place of what does not fit. A file of one's own
adds to the packaged one of the same form: keys of its tables are added, lists are lengthened, other values replaced.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from attrs import frozen

from search.analysis.fold import fold
from search.errors import ConfigError

MAX_BYTES = 256 * 1024  # of a file: some thousand acronyms
_MAX_WORDS = 5_000  # of a list


@frozen
class Table:
    """A table and the way to it, as `intents.fix_bug`."""

    path: str
    values: Mapping[str, object]

    def at(self, name: str) -> "Table":
        """The table below a key.

        Raises:
            ConfigError: there is something else.
        """
        found = self.values.get(name)
        if not isinstance(found, dict):
            raise ConfigError(f"{self.path}.{name}", found, "a table")
        return Table(f"{self.path}.{name}", found)

    def mapping(self, name: str) -> Mapping[str, object]:
        """The keys and values below a key, none where it is missing. Raises as `at`."""
        return self.at(name).values if name in self.values else {}

    def only(self, *names: str) -> "Table":
        """This table, if all of its keys are among `names`: a misspelt one would be passed over unseen.

        Raises:
            ConfigError: another key.
        """
        for key, value in self.values.items():
            if key not in names:
                raise ConfigError(f"{self.path}.{key}", value, f"one of the names {', '.join(names)}")
        return self

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty where it is missing.

        Raises:
            ConfigError: it is none.
        """
        found = self.values.get(name, [])
        if not isinstance(found, list) or len(found) > _MAX_WORDS or not all(isinstance(one, str) for one in found):
            raise ConfigError(f"{self.path}.{name}", found, f"a list of at most {_MAX_WORDS:,} texts")
        return tuple(found)

    def words(self, name: str) -> frozenset[str]:
        """A list of texts, folded. Raises as `texts`."""
        return frozenset(fold(word) for word in self.texts(name))

    def text(self, name: str) -> str:
        """A text, empty where it is missing.

        Raises:
            ConfigError: it is none.
        """
        found = self.values.get(name, "")
        if not isinstance(found, str):
            raise ConfigError(f"{self.path}.{name}", found, "a text")
        return found

    def numbers(self, name: str, *, low: float, high: float) -> Mapping[str, float]:
        """A table of numbers within bounds, empty where it is missing.

        Raises:
            ConfigError: it is none, or one lies outside.
        """
        found: dict[str, float] = {}
        for key, value in self.mapping(name).items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise ConfigError(f"{self.path}.{name}.{key}", value, f"a number, {low:g}..{high:g}")
            found[key] = float(value)
        return found


@lru_cache(maxsize=8)
def packaged(name: str) -> Table:
    """A table that comes with the program."""
    return Table(name, tomllib.loads((files("expansion") / "data" / f"{name}.toml").read_text(encoding="utf-8")))


def read_file(file: Path) -> Table | None:
    """The table in a file, None where there is no such file.

    Raises:
        ConfigError: it cannot be read, is too long, or is no TOML.
    """
    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(str(file), error.strerror or type(error).__name__, "a file that can be read") from error
    if len(data) > MAX_BYTES:
        raise ConfigError(str(file), f"{len(data):,} bytes and more", f"a file of at most {MAX_BYTES:,} bytes")
    try:
        return Table(str(file), tomllib.loads(data.decode()))
    except (ValueError, RecursionError) as error:
        raise ConfigError(str(file), str(error), "a file in TOML") from error


def extended(table: Table, more: Table) -> Table:
    """Both in one: `more` adds keys and lengthens lists, and its other values replace those of `table`."""
    return Table(table.path, _merged(table.values, more.values))


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
