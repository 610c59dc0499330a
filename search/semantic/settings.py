"""When and how a vault's notes get their vectors."""

from enum import StrEnum
from pathlib import PurePath

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.errors import ConfigError


def _absolute(_owner: object, _attribute: object, value: str) -> None:
    if value and not value.startswith("~") and not PurePath(value).is_absolute():
        raise ConfigError("folder", value, "an absolute path")


class AutoIndex(StrEnum):
    """When vectors are made without being asked for."""

    NEVER = "never"  # by command only
    ON_STARTUP = "onStartup"  # as soon as the vault is read, which an editor's server then does at once
    ON_MODE_SWITCH = "onModeSwitch"  # from the first query that asks for hybrid or vector search by name
    ON_SEARCH = "onSearch"  # with the first query


@frozen(kw_only=True)
class Indexing:
    """When and how the notes get their vectors.

    auto_index: never, onStartup, onModeSwitch or onSearch; onSearch (nobody waits, and what is never asked costs none).
    n_first: notes that a query has embedded before it is answered, 1..200; 30, of the 20 to 50 that give 90 % of the
        gain (Cranfield, nDCG@10: 20 notes .479, 50 notes .486, all .484, words alone .427).
    patience_s: seconds that the answer waits for them, 0..60; 2.
    patience_alone_s: the same where words found nothing, so that there is nothing else to show, 0..600; 10.
    resume_after_s: seconds without a search until the thread behind goes on, 0..60; 0.5, so that typing is not held up.
    is_filling: whether there is such a thread; a program that ends with its answer has none.
    folder: where vectors are kept, each vault's in a folder of its own; the user's cache folder where it is empty.
    """

    auto_index: AutoIndex = field(default=AutoIndex.ON_SEARCH, validator=instance_of(AutoIndex))
    n_first: int = field(default=30, validator=[instance_of(int), ge(1), le(200)])
    patience_s: float = field(default=2.0, validator=[ge(0.0), le(60.0)])
    patience_alone_s: float = field(default=10.0, validator=[ge(0.0), le(600.0)])
    resume_after_s: float = field(default=0.5, validator=[ge(0.0), le(60.0)])
    is_filling: bool = True
    folder: str = field(default="", validator=_absolute)
