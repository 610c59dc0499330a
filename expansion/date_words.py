"""The words in dates, one table per language, from the packaged data and from users' files.

All words are folded here, once, so that queries match them regardless of case and accents.
"""

import re
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from expansion.tables import TomlTable
from search.analysis.fold import fold
from search.errors import ConfigError

UNITS = ("day", "week", "month", "year")
_KEYS = (
    *("months", "weekdays", "ambiguous", "offsets", "numbers", "units"),
    *("last", "last_after", "past", "this", "next", "ago", "in", "of", "ordinals", "fillers"),
)


@frozen(kw_only=True)
class DateWords:
    """The words of one language and what they mean: months 1..12, weekdays 0..6 from Monday, units by English name."""

    months: Mapping[str, int] = field(factory=dict)
    weekdays: Mapping[str, int] = field(factory=dict)
    month_names: tuple[str, ...] = ()  # full names as written, for the names of daily notes
    month_short_names: tuple[str, ...] = ()
    weekday_names: tuple[str, ...] = ()
    full_months: frozenset[str] = frozenset()  # full names that are dates even without another date word
    offsets: Mapping[tuple[str, ...], int] = field(factory=dict)
    numbers: Mapping[str, int] = field(factory=dict)
    units: Mapping[str, str] = field(factory=dict)
    last: frozenset[str] = frozenset()
    last_after: frozenset[str] = frozenset()
    past: frozenset[str] = frozenset()
    this: frozenset[str] = frozenset()
    next: frozenset[str] = frozenset()
    ago: tuple[str, ...] = ()
    in_: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()
    ordinal: "re.Pattern[str]" = re.compile(r"(\d{1,2})\.?")
    fillers: frozenset[str] = frozenset()


def read_date_words(table: TomlTable) -> tuple[DateWords, ...]:
    """The languages of a table, in its order.

    Raises:
        ConfigError: a list holds something other than words, or does not have one entry per month or weekday.
    """
    return tuple(_language(table.at(name)) for name in table.values)


def _language(table: TomlTable) -> DateWords:
    table.only(*_KEYS)
    months, weekdays = _lists(table, "months", 12), _lists(table, "weekdays", 7)
    units = table.at("units").only(*UNITS) if "units" in table.values else TomlTable(f"{table.path}.units", {})
    ambiguous = {fold(word) for word in table.texts("ambiguous")}
    offsets: dict[tuple[str, ...], int] = {}
    for phrase, days in table.mapping("offsets").items():
        if not isinstance(days, int) or isinstance(days, bool) or abs(days) > 366:
            raise ConfigError(f"{table.path}.offsets.{phrase}", days, "a whole number of days, -366..366")
        offsets[tuple(fold(phrase).split())] = days
    ending = "|".join(re.escape(fold(word)) for word in table.texts("ordinals"))
    return DateWords(
        months={fold(word): at for at, words in enumerate(months, start=1) for word in words},
        weekdays={fold(words[0]): at for at, words in enumerate(weekdays) if words},
        month_names=tuple(words[0] for words in months if words),
        month_short_names=tuple(words[1] if len(words) > 1 else words[0][:3] for words in months if words),
        weekday_names=tuple(words[0] for words in weekdays if words),
        full_months=frozenset(fold(words[0]) for words in months if words) - ambiguous,
        offsets=offsets,
        numbers={fold(word): at for at, word in enumerate(table.texts("numbers"), start=1)},
        units={fold(word): unit for unit in UNITS for word in units.texts(unit)},
        last=table.words("last"),
        last_after=table.words("last_after"),
        past=table.words("past"),
        this=table.words("this"),
        next=table.words("next"),
        ago=tuple(fold(table.text("ago")).split()),
        in_=table.words("in"),
        of=table.words("of"),
        ordinal=re.compile(rf"(\d{{1,2}})(?:{ending}|\.)?" if ending else r"(\d{1,2})\.?"),
        fillers=table.words("fillers"),
    )


def _lists(table: TomlTable, name: str, n_lists: int) -> list[tuple[str, ...]]:
    found: Any = table.values.get(name, [])
    is_right = isinstance(found, list) and len(found) in {0, n_lists}
    if not is_right or not all(isinstance(words, list) and words and all(map(_is_word, words)) for words in found):
        raise ConfigError(f"{table.path}.{name}", found, f"{n_lists} lists of words")
    return [tuple(words) for words in found]


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
