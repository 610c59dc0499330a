"""Texts on which a regular expression could be slow, derived from its structure.

A pattern is slow on a text that nearly matches in many ways: a part of the pattern repeated, behind what must precede
it and before something that does not fit. Each part of the pattern, at every depth, is such a unit.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

try:
    from re import _constants as sre
    from re import _parser as sre_parse
except ImportError:  # pragma: no cover - another Python
    import sre_constants as sre  # type: ignore[no-redef]
    import sre_parse  # type: ignore[no-redef]

MAX_UNIT = 40  # characters
N_TOGETHER = 4  # parts of a sequence that are repeated together, besides all of them
TAILS = ("", "!\0\n")
_WORD = "a word"
_REPEATS = {sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", None)}
_OF_CATEGORY = {
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "x",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_WORD: "-",
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_NOT_DIGIT: "x",
}
_PLAIN = "ax1 -[](){}<>\"'`*_#:/\\|.,!\t\n\u00e9\u3042\x01"


@frozen
class Attack:
    """A text of any length: `prefix`, `units` repeated one after the other, `tail`."""

    prefix: str
    units: tuple[str, ...]
    tail: str

    def text(self, length: int) -> str:
        """The text with about `length` characters."""
        share = length // len(self.units)
        return self.prefix + "".join(unit * (share // len(unit) or 1) for unit in self.units) + self.tail


def attacks_on(pattern: str, flags: int) -> list[Attack]:
    """The texts for one pattern, each once."""
    readable = pattern.replace(r"\X", ".").replace(r"\p{L}", "a")
    parsed = sre_parse.parse(readable, flags & (re.VERBOSE | re.IGNORECASE | re.DOTALL | re.MULTILINE))
    found = dict.fromkeys(
        Attack(prefix, units, tail)
        for prefix, units in _repeated(list(parsed), "")
        for tail in TAILS
        if all(0 < len(unit) <= MAX_UNIT for unit in units)
    )
    return list(found)


def _repeated(items: Sequence[Any], before: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Prefixes and units of a sequence of parts and of all sequences inside it; a word counts as one part."""
    items = _with_words(items)
    for start in range(len(items)):
        prefix = before + _example(items[:start])
        for stop in {*range(start + 1, min(start + N_TOGETHER, len(items)) + 1), len(items)}:
            unit = _example(items[start:stop])
            yield prefix, (unit,)
            yield "", (unit,)
        repeats = [_example([item]) for item in items[start:] if item[0] in _REPEATS]
        if len(repeats) > 1:
            yield prefix, tuple(repeats[:2])
            yield "", tuple(repeats[:2])
        for inner in _inside(items[start]):
            yield from _repeated(inner, prefix)


def _with_words(items: Sequence[Any]) -> list[Any]:
    """The parts, with each run of letters of a word as one part."""
    joined: list[Any] = []
    for kind, value in items:
        if kind is sre.LITERAL and chr(value).isalpha():
            before = joined.pop()[1] if joined and joined[-1][0] == _WORD else ""
            joined.append((_WORD, before + chr(value)))
        else:
            joined.append((kind, value))
    return joined


def _inside(item: Any) -> Iterable[Sequence[Any]]:
    kind, value = item
    if kind in _REPEATS:
        return [list(value[2])]
    if kind is sre.SUBPATTERN:
        return [list(value[-1])]
    if kind is sre.BRANCH:
        return [list(choice) for choice in value[1]]
    if kind in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(value[1])]
    if kind is getattr(sre, "ATOMIC_GROUP", None):
        return [list(value)]
    return []


def _example(items: Sequence[Any]) -> str:
    """A text that the parts match, each repetition as rarely as possible but at least once."""
    return "".join(map(_example_of, items))


def _example_of(item: Any) -> str:
    kind, value = item
    if kind in (_WORD, sre.LITERAL):
        return value if kind == _WORD else chr(value)
    if kind is sre.NOT_LITERAL:
        return "y" if chr(value) == "x" else "x"
    if kind is sre.ANY:
        return "x"
    if kind is sre.IN:
        return _member(value)
    if kind in _REPEATS:
        return _example(list(value[2])) * min(max(value[0], 1), MAX_UNIT)
    inside = list(_inside(item))
    return _example(inside[0]) if inside and kind not in (sre.ASSERT, sre.ASSERT_NOT) else ""


def _member(choices: Sequence[Any]) -> str:
    """A character of a set."""
    if choices[0][0] is sre.NEGATE:
        return next(char for char in _PLAIN if not any(_has(choice, char) for choice in choices[1:]))
    kind, value = choices[0]
    if kind is sre.RANGE:
        return chr(value[0])
    return chr(value) if kind is sre.LITERAL else _OF_CATEGORY[value]


def _has(choice: Any, char: str) -> bool:
    kind, value = choice
    if kind is sre.LITERAL:
        return chr(value) == char
    if kind is sre.RANGE:
        return value[0] <= ord(char) <= value[1]
    is_negated, tested = {
        sre.CATEGORY_SPACE: (False, str.isspace),
        sre.CATEGORY_NOT_SPACE: (True, str.isspace),
        sre.CATEGORY_WORD: (False, _is_word),
        sre.CATEGORY_NOT_WORD: (True, _is_word),
        sre.CATEGORY_DIGIT: (False, str.isdecimal),
        sre.CATEGORY_NOT_DIGIT: (True, str.isdecimal),
    }[value]
    return tested(char) is not is_negated


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
