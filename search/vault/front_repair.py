"""Repairs front matter that is no valid YAML, where it can only be meant in one way: `title: Plan: part two`.

People do not write YAML, they write a key and a text. Each entry (a key and the lines that belong to it) that is no
valid YAML by itself gets quotes around its text. An entry that may be meant in another way, such as an open bracket or
quote, is not repaired, and then nothing is.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

MAX_LINES = 300  # each entry is read by itself, which takes some 50 µs
_HEAD = re.compile(r"([^\W\d_][\w-]*(?: [\w-]+)*)[ ]*:(?!//)[ \t]*+(.*)")
_DASH = re.compile(r"([ \t]*)-[ \t]+(\S.*)")
_ALIAS = re.compile(r"\*[^\s,\[\]{}*]+")
_CLOSING = {"[": "]", "{": "}"}
_BLOCK_OR_TAG = re.compile(r"[&!]|[|>][-+\d]*\s*(?:#.*)?$")  # "> quoted" and "|bar" are text


def repaired(lines: Sequence[str], *, is_valid: Callable[[str], bool]) -> list[str] | None:
    """The lines with quotes around texts that YAML cannot read, as many as before; None if that does not help.

    `is_valid` says whether a text of some lines is valid YAML.

    >>> repaired(["title: Plan: two", "tags: [a]"], is_valid=lambda text: "Plan" not in text)
    ["title: 'Plan: two'", 'tags: [a]']
    """
    if len(lines) > MAX_LINES:
        return None
    found: list[str] = []
    for entry in _entries(lines):
        if is_valid("\n".join(entry) + "\n"):
            found += entry
        elif (mended := _mended(entry, is_valid)) is not None:
            found += mended
        else:
            return None
    return found


def _entries(lines: Sequence[str]) -> Iterator[list[str]]:
    """Runs of lines that begin with a key at the margin."""
    entry: list[str] = []
    for line in lines:
        if entry and _HEAD.match(line):
            yield entry
            entry = []
        entry.append(line)
    if entry:
        yield entry


def _mended(entry: Sequence[str], is_valid: Callable[[str], bool]) -> list[str] | None:
    head = _HEAD.fullmatch(entry[0].rstrip())
    rest = list(entry[1:])
    if head is None:
        return None
    if head[2] and not any(map(_has_text, rest)):
        value = head[2] if is_valid(f"x: {head[2]}\n") else _quoted(head[2])
        return None if value is None else [f"{head[1]}: {value}", *rest]
    items = [_DASH.fullmatch(line.rstrip()) for line in rest]
    if head[2] or len({item[1] for item in items if item}) != 1:  # a list within a list is more than text
        return None
    found = [f"{head[1]}:"]
    for line, item in zip(rest, items, strict=True):
        if item is None and _has_text(line):
            return None
        value = "" if item is None else item[2] if is_valid(f"x:\n- {item[2]}\n") else _quoted(item[2])
        if value is None:
            return None
        found.append(f"  - {value}" if value else "")
    return found


def _has_text(line: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return line.strip()[:1] not in {"", "#"}


def _quoted(value: str) -> str | None:
    """The value in quotes; None if it may be meant as something else than text."""
    first = value[0]
    if first in _CLOSING:
        inside = value[1:-1]
        if first == "[" and value[-1] == "]" and not set(inside) & set("[]{}\"'"):
            return f"[{', '.join(_in_quotes(item.strip()) for item in inside.split(',') if item.strip())}]"
        return _in_quotes(value) if 0 < _closes_at(value) < len(value) - 1 else None
    if first in "\"'":
        inside = value[1:-1]
        if value[-1] == first and len(value) > 1 and inside.count(first) <= 1:
            return _in_quotes(inside)
        return _in_quotes(value) if value.count(first) > 1 else None
    return None if _BLOCK_OR_TAG.match(value) or _ALIAS.fullmatch(value) else _in_quotes(value)


def _closes_at(value: str) -> int:
    """Where the bracket that the value begins with is closed; -1 if it is not."""
    depths = accumulate((char == value[0]) - (char == _CLOSING[value[0]]) for char in value)
    return next((at for at, depth in enumerate(depths) if depth == 0), -1)


def _in_quotes(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
