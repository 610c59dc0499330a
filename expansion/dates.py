"""The dates in a query: "January 5th", "yesterday", "last week", "2024-01", in several languages.

One pass from left to right: at each word, the longest date that any language finds there is taken. A word with another
meaning ("may", "march") is a date only next to a day, a year or a word such as "in". A day without a year means that
day in every year, a month without a year the latest such month.

    sure      the words can only mean a date; only a query of such words may be treated as nothing but a date
    relative  counted from today; the notes of that time do not contain the words themselves ("last", "week")

Pure: the caller passes in today's date.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import MAXYEAR, MINYEAR, date, timedelta

from attrs import frozen

from expansion.date_words import DateWords
from search.analysis.fold import fold
from search.analysis.stop_words import is_stop_word

MAX_DATES = 16  # in a query; more dates than this make it a text rather than a query
_YEARS_BACK = 50  # how far back a day without a year is looked for
_ISO_DAY = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
_BASIC_DAY = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")  # day or month first: both readings if both are possible
_ISO_MONTH = re.compile(r"(\d{4})-(\d{2})")
_ISO_WEEK = re.compile(r"(\d{4})-?w(\d{2})")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_YEAR = re.compile(r"(?:19|20)\d{2}")
_NUMBER = re.compile(r"\d{1,3}")


@frozen
class DateSpan:
    """Days from `first` to `last`, both included."""

    first: date
    last: date


@frozen
class DateMention:
    """One date in a query, as typed. A day of every year has several spans, newest first."""

    text: str
    spans: tuple[DateSpan, ...]
    is_sure: bool = True
    is_relative: bool = False


@frozen
class QueryDates:
    """All dates in a query. `is_whole` says that the query contains nothing else except stop words and fillers."""

    dates: tuple[DateMention, ...] = ()
    is_whole: bool = False

    @property
    def drops_words(self) -> bool:
        """Whether notes should not be searched for the query's words: "last week" is not about weeks."""
        return self.is_whole and all(mention.is_relative for mention in self.dates)


def read_dates(text: str, *, today: date, languages: Sequence[DateWords]) -> QueryDates:
    """The dates in `text`. Never raises."""
    shown = [stripped for word in text.split() if (stripped := word.strip(",;:!?()[]\"'„“”«»…").rstrip("."))]
    words = [fold(word).replace("’", "'") for word in shown]
    found: list[DateMention] = []
    is_whole, at = True, 0
    while at < len(words) and len(found) < MAX_DATES:
        longest = max(_all_at(words, at, today, languages), key=lambda item: item[0], default=None)
        if longest is None:
            is_whole &= is_stop_word(words[at]) or any(words[at] in known.fillers for known in languages)
            at += 1
        else:
            n_words, spans, is_sure, is_relative = longest
            found.append(DateMention(" ".join(shown[at : at + n_words]), spans, is_sure, is_relative))
            at += n_words
    is_date = bool(found) and is_whole and at == len(words) and all(mention.is_sure for mention in found)
    return QueryDates(tuple(found), is_date)


_Match = tuple[int, tuple[DateSpan, ...], bool, bool]  # number of words, spans, is sure, is relative


def _all_at(words: Sequence[str], at: int, today: date, languages: Sequence[DateWords]) -> Iterator[_Match]:
    """Every date that begins with the word at `at`, without those outside the calendar."""
    if numeric := _numeric(words[at]):
        yield 1, numeric, True, False
    for known in languages:
        rest = words[at:]
        for read in (_offset, _ago, _counted, _unit, _weekday, _day_of_month, _month):
            try:
                found = read(rest, today, known)
            except (OverflowError, ValueError):  # the year 0, or the 31st of June
                continue
            if found is not None and found[1]:
                yield found


def _numeric(word: str) -> tuple[DateSpan, ...]:
    """A date in figures; both readings, newest first, if it is ambiguous."""
    if match := _ISO_DAY.fullmatch(word) or _BASIC_DAY.fullmatch(word):
        return _day_if_valid(match[1], match[2], match[3])
    if match := _DOTTED.fullmatch(word):
        return _day_if_valid(match[3], match[2], match[1])
    if match := _SLASHED.fullmatch(word):
        both = {*_day_if_valid(match[3], match[2], match[1]), *_day_if_valid(match[3], match[1], match[2])}
        return tuple(sorted(both, key=lambda span: span.first, reverse=True))
    try:
        if match := _ISO_MONTH.fullmatch(word):
            return (_month_of(int(match[1]), int(match[2])),)
        if match := _ISO_WEEK.fullmatch(word):
            return (_days(date.fromisocalendar(int(match[1]), int(match[2]), 1), 7),)
    except ValueError:
        pass
    return ()


def _day_if_valid(year: str, month: str, day: str) -> tuple[DateSpan, ...]:
    """The span of a day; none if the calendar has no such day."""
    try:
        return (_days(date(int(year), int(month), int(day))),)
    except ValueError:
        return ()


def _offset(words: Sequence[str], today: date, known: DateWords) -> _Match | None:
    """Yesterday."""
    for n_words in range(min(len(words), 4), 0, -1):
        days = known.offsets.get(tuple(words[:n_words]))
        if days is not None:
            return n_words, (_days(today + timedelta(days)),), True, True
    return None


def _ago(words: Sequence[str], today: date, known: DateWords) -> _Match | None:
    """Three days ago: that day; two weeks ago: that week."""
    if not known.ago or len(words) < len(known.ago):
        return None
    n_units, unit = 0, ""
    for form, word in zip(known.ago, words, strict=False):
        if form == "{n}":
            n_units = _count(word, known)
        elif form == "{unit}":
            unit = known.units.get(word, "")
        elif form != word:
            return None
    return (len(known.ago), (_whole(unit, -n_units, today),), True, True) if n_units and unit else None


def _counted(words: Sequence[str], today: date, known: DateWords) -> _Match | None:
    """The last 7 days, today included."""
    if len(words) < 3 or words[0] not in known.last | known.past:
        return None
    n_units, unit = _count(words[1], known), known.units.get(words[2], "")
    return (3, (DateSpan(_back(n_units, unit, today), today),), True, True) if n_units and unit else None


def _unit(words: Sequence[str], today: date, known: DateWords) -> _Match | None:
    """Last week, past week, this month, next year."""
    if len(words) < 2:
        return None
    if words[1] in known.last_after and (unit := known.units.get(words[0], "")):
        return 2, (_whole(unit, -1, today),), True, True
    unit = known.units.get(words[1], "")
    if not unit or unit == "day":
        return None
    if words[0] in known.past:
        return 2, (DateSpan(_back(1, unit, today), today),), True, True
    step = _step(words[0], known)
    return None if step is None else (2, (_whole(unit, step, today),), True, True)


def _weekday(words: Sequence[str], today: date, known: DateWords) -> _Match | None:
    """Monday, on Monday: the latest one, which may be today; last Monday: before today; next Monday: after today."""
    head = len(words) > 1 and (words[0] in known.in_ or _step(words[0], known) is not None)
    weekday = known.weekdays.get(words[1] if head else words[0])
    if weekday is None:
        return None
    back = (today.weekday() - weekday) % 7
    match _step(words[0], known) if head else None:
        case -1:
            day = today - timedelta(back or 7)
        case 1:
            day = today + timedelta(7 - back)
        case _:
            day = today - timedelta(back)
    return (2 if head else 1), (_days(day),), head, True


def _day_of_month(words: Sequence[str], today: date, known: DateWords) -> _Match | None:
    """January 5th, on 5 January, 5th of January; of one year or of every year."""
    head = int(len(words) > 2 and words[0] in known.in_)
    rest = words[head:]
    month, n_words = known.months.get(rest[0]), 2
    if month is not None and len(rest) > 1:
        day = _ordinal(rest[1], known)
    else:
        day = _ordinal(rest[0], known)
        n_words = 3 if len(rest) > 2 and rest[1] in known.of else 2
        month = known.months.get(rest[n_words - 1]) if len(rest) >= n_words else None
    if not day or month is None:
        return None
    if len(rest) > n_words and _YEAR.fullmatch(rest[n_words]):
        return head + n_words + 1, (_days(date(int(rest[n_words]), month, day)),), True, False
    years = range(today.year + 1, max(MINYEAR, today.year - _YEARS_BACK) - 1, -1)
    spans = tuple(_days(date(year, month, day)) for year in years if _exists(year, month, day))
    return head + n_words, spans, True, False


def _exists(year: int, month: int, day: int) -> bool:
    return MINYEAR <= year <= MAXYEAR and day <= monthrange(year, month)[1]


def _month(words: Sequence[str], today: date, known: DateWords) -> _Match | None:
    """January 2024, in January, in 2024, last January; the name of a month alone is not sure."""
    head = words[0] in known.in_ or _step(words[0], known) is not None
    rest = words[1:] if head else words
    if not rest:
        return None
    if words[0] in known.in_ and _YEAR.fullmatch(rest[0]):
        return 2, (DateSpan(date(int(rest[0]), 1, 1), date(int(rest[0]), 12, 31)),), True, False
    month = known.months.get(rest[0])
    if month is None:
        return None
    if len(rest) > 1 and _YEAR.fullmatch(rest[1]):
        return head + 2, (_month_of(int(rest[1]), month),), True, False
    if not head and rest[0] not in known.full_months:
        return None
    step = (_step(words[0], known) or 0) if head else 0
    year = today.year - (month > today.month or (step < 0 and month == today.month))
    return head + 1, (_month_of(year + (step > 0), month),), head, False


def _step(word: str, known: DateWords) -> int | None:
    return -1 if word in known.last else 0 if word in known.this else 1 if word in known.next else None


def _count(word: str, known: DateWords) -> int:
    return int(word) if _NUMBER.fullmatch(word) else known.numbers.get(word, 0)


def _ordinal(word: str, known: DateWords) -> int:
    match = known.ordinal.fullmatch(word)
    return int(match[1]) if match and 1 <= int(match[1]) <= 31 else 0


def _days(first: date, n_days: int = 1) -> DateSpan:
    return DateSpan(first, first + timedelta(n_days - 1))


def _month_of(year: int, month: int) -> DateSpan:
    return DateSpan(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def _whole(unit: str, step: int, today: date) -> DateSpan:
    """The calendar unit (day, week, month, year) that is `step` units away from the current one."""
    match unit:
        case "day":
            return _days(today + timedelta(step))
        case "week":
            return _days(today + timedelta(7 * step - today.weekday()), 7)
        case "month":
            months = today.year * 12 + today.month - 1 + step
            return _month_of(months // 12, months % 12 + 1)
        case _:
            year = today.year + step
            if not MINYEAR <= year <= MAXYEAR:
                raise ValueError(year)
            return DateSpan(date(year, 1, 1), date(year, 12, 31))


def _back(n_units: int, unit: str, today: date) -> date:
    """The first day of the last `n_units` units, today included."""
    n_days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit]
    return today - timedelta(n_units * n_days - 1)
