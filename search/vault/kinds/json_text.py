"""Reads untrusted JSON: within limits, and returns the reason where it cannot be read. Never raises."""

import json

from search.vault.embedded_data import drop_embedded_data
from search.vault.lines import to_lf

# No other thread runs while JSON is parsed: each limit is reached in 0.1 s.
MAX_VALUES = 250_000  # counted by `[`, `{` and `,`
MAX_KEYS = 150_000  # of objects, counted by `:` and pairs of `"`; different keys take longest


def read_json(text: str) -> tuple[object, str]:
    """The value and "", or None and why the text could not be read.

    >>> read_json('{"a": [1]}'), read_json("[1")[1], read_json("[" * 100_000)[1]
    (({'a': [1]}, ''), 'not valid JSON (line 1)', 'JSON that is nested too deeply')
    """
    if sum(map(text.count, "[{,")) > MAX_VALUES:
        return None, f"JSON with more than {MAX_VALUES:,} values"
    if min(text.count(":"), text.count('"') // 2) > MAX_KEYS:
        return None, f"JSON with more than {MAX_KEYS:,} keys"
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        return None, f"not valid JSON (line {error.lineno})"
    except RecursionError:
        return None, "JSON that is nested too deeply"
    except ValueError:  # a number of too many digits
        return None, "not valid JSON"


def read_object(text: str, what: str) -> tuple[dict[str, object], str]:
    """The object that a `what` is, and "", or why it could not be read. An empty file is one without anything in it.

    >>> read_object('{"a": 1}', "canvas"), read_object(" ", "canvas"), read_object("[]", "canvas")
    (({'a': 1}, ''), ({}, ''), ({}, 'JSON that is no canvas'))
    """
    if not text.strip():
        return {}, ""
    value, problem = read_json(text)
    return (value, "") if isinstance(value, dict) else ({}, problem or f"JSON that is no {what}")


def objects_in(value: object, name: str) -> list[dict[str, object]]:
    """The objects in the list `value[name]`; none if there is no such list."""
    found = value.get(name) if isinstance(value, dict) else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def text_in(value: dict[str, object], name: str) -> str:
    """The text `value[name]` as `clean` makes it; "" if it is no text."""
    found = value.get(name)
    return clean(found) if isinstance(found, str) else ""


def clean(text: str) -> str:
    """A text from JSON with LF line breaks and without embedded data."""
    return drop_embedded_data(to_lf(text))[0]
