"""When and how a vault's notes are embedded."""

from enum import StrEnum
from pathlib import PurePath

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.errors import ConfigError


def _absolute(_owner: object, _attribute: object, value: str) -> None:
    if value and not value.startswith("~") and not PurePath(value).is_absolute():
        raise ConfigError("folder", value, "an absolute path")


class AutoIndex(StrEnum):
    """When notes are embedded automatically."""

    NEVER = "never"  # only by the index command
    ON_STARTUP = "onStartup"  # as soon as the vault has been read, which the language server does at once
    ON_MODE_SWITCH = "onModeSwitch"  # from the first query that selects hybrid or vector search explicitly
    ON_SEARCH = "onSearch"  # from the first query


@frozen(kw_only=True)
class Indexing:
    """When and how the notes are embedded.

    auto_index: never, onStartup, onModeSwitch or onSearch. Default onSearch: no query waits for the whole vault, and a
        vault that is never searched costs nothing.
    n_first: number of notes to embed before a query is answered, 1..200. Default 30: 20 to 50 notes give 90 % of the
        gain (Cranfield, nDCG@10: 20 notes .479, 50 notes .486, all .484, keyword search .427).
    patience_s: seconds that a query waits for these notes, 0..60. Default 2.
    patience_alone_s: seconds that a query waits if keyword search found nothing and there is no other answer to show,
        0..600. Default 10.
    resume_after_s: seconds without a search before the background indexer continues, 0..60. Default 0.5, so that it
        does not slow down a user who is typing.
    in_background: whether the background indexer runs. A program that exits after its answer switches it off.
    keeps: whether the choice of a model and the texts of attachments are kept for the next start. A program that only
        plans writes nothing at all.
    folder: where vectors are kept, each vault in its own subfolder. Empty: the user's cache folder.
    """

    auto_index: AutoIndex = field(default=AutoIndex.ON_SEARCH, validator=instance_of(AutoIndex))
    n_first: int = field(default=30, validator=[instance_of(int), ge(1), le(200)])
    patience_s: float = field(default=2.0, validator=[ge(0.0), le(60.0)])
    patience_alone_s: float = field(default=10.0, validator=[ge(0.0), le(600.0)])
    resume_after_s: float = field(default=0.5, validator=[ge(0.0), le(60.0)])
    in_background: bool = True
    keeps: bool = True
    folder: str = field(default="", validator=_absolute)
