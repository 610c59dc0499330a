"""Dates written in a moment.js pattern, which is how Obsidian names daily notes.

Only patterns that a date alone can fill are supported. A pattern with a time of day gives None, because such a name
cannot be derived from a date.
"""

import re
from datetime import date

from expansion.date_words import DateWords

_TOKENS = re.compile(
    r"\[([^\]]*)\]|(\\.)|(YYYYYY|YYYY|YY|Y|GGGG|GG|gggg|gg|Qo|Q|MMMM|MMM|MM|Mo|M|DDDD|DDDo|DDD|DD|Do|D"
    r"|dddd|ddd|dd|do|d|E|e|WW|Wo|W|ww|wo|w|[HhkmsSaAXxzZNL])|(.)",
    re.DOTALL,
)


def write_date(day: date, pattern: str, names: DateWords) -> str | None:
    """`day` in `pattern`, with the names of one language; None if the pattern contains a time of day.

    >>> write_date(date(2024, 1, 5), "YYYY/MM/[day] DD", DateWords())
    '2024/01/day 05'
    """
    written: list[str] = []
    for quoted, escaped, token, other in _TOKENS.findall(pattern):
        if token:
            text = _written(day, token, names)
            if text is None:
                return None
            written.append(text)
        else:
            written.append(quoted or escaped[1:] or other)
    return "".join(written)


def _written(day: date, token: str, names: DateWords) -> str | None:
    numbers = _numbers(day)
    if token[-1] == "o":
        return _ordinal(numbers[token[:-1]])
    if token in numbers:
        return str(numbers[token])
    years = {"YYYY": day.year, "GGGG": day.isocalendar().year, "gggg": _locale_week(day)[0]}
    padded = {"YYYYYY": f"{day.year:+07d}", "MM": f"{day.month:02d}", "DD": f"{day.day:02d}"}
    padded |= {"DDDD": f"{numbers['DDD']:03d}", "WW": f"{numbers['W']:02d}", "ww": f"{numbers['w']:02d}"}
    padded |= {name: f"{year:04d}" for name, year in years.items()}
    padded |= {name[:2]: f"{year % 100:02d}" for name, year in years.items()}
    return padded.get(token) or _named(day, token, names)


def _numbers(day: date) -> dict[str, int]:
    return {
        "Y": day.year,
        "Q": (day.month + 2) // 3,
        "M": day.month,
        "D": day.day,
        "DDD": day.timetuple().tm_yday,
        "d": day.isoweekday() % 7,
        "e": day.isoweekday() % 7,
        "E": day.isoweekday(),
        "W": day.isocalendar().week,
        "w": _locale_week(day)[1],
    }


def _named(day: date, token: str, names: DateWords) -> str | None:
    months, short, weekdays = names.month_names, names.month_short_names, names.weekday_names
    match token:
        case "MMMM" if months:
            return months[day.month - 1].capitalize()
        case "MMM" if short:
            return short[day.month - 1].capitalize()
        case "dddd" if weekdays:
            return weekdays[day.weekday()].capitalize()
        case "ddd" if weekdays:
            return weekdays[day.weekday()][:3].capitalize()
        case "dd" if weekdays:
            return weekdays[day.weekday()][:2].capitalize()
        case _:
            return None


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _locale_week(day: date) -> tuple[int, int]:
    """Year and week as moment.js counts them by default: weeks begin on Sunday, the first one contains 1 January."""
    to_saturday = date.fromordinal(min(date.max.toordinal(), day.toordinal() + 6 - day.isoweekday() % 7))
    year = to_saturday.year
    return year, (to_saturday.timetuple().tm_yday + 6) // 7
