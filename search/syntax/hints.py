"""Suggestions for plain words that look like mistyped syntax; they are shown and never change how a query is read."""

import re

from search.errors import one_of
from search.ids import FILE_TYPES, MARKDOWN
from search.query import Operator

_LIKE_OPERATOR = re.compile(r"([A-Za-z]{2,}(?:-[A-Za-z]+)*):(?=[^\s/:])")
_SHORTEST, _LONGEST = 3, 12  # letters: a shorter name may be a drive (`C:`), a longer one is not a mistyped operator
_NO_OPERATOR = frozenset({"http", "https", "mailto", "tel", "urn", "doi", "isbn", "data", "obsidian", "javascript"})
_OTHER_NAMES = {
    "heading": Operator.SECTION,
    "title": Operator.FILE,
    "name": Operator.FILE,
    "filename": Operator.FILE,
    "dir": Operator.FOLDER,
    "directory": Operator.FOLDER,
    "todo": Operator.TASK_TODO,
    "done": Operator.TASK_DONE,
    "text": Operator.CONTENT,
    "body": Operator.CONTENT,
    "case": Operator.MATCH_CASE,
}
_OF_OTHER_LANGUAGES = {
    "AND": "terms next to each other need no AND",
    "&&": "terms next to each other need no &&",
    "NOT": "to exclude a word, put - in front of it",
    "||": "OR joins alternatives",
}
_ALLOWED = ", ".join(f"{name}:" for name in Operator)
_IN_CAPITALS = re.compile(r"([A-Za-z-]{3,12}):(?!//)")
_ENDS_IN_BRACKET = re.compile(r"(?!\d+\))\w.*\)$")  # neither `:)` nor `1)`
_NAMES = frozenset(str(operator) for operator in Operator)


def syntax_hint(word: str) -> str | None:
    """The end of the sentence "WORD at column N ..." about a word that looks like syntax; None for nearly all words.

    A word looks like an operator if it is `name:value` with a name in lower case or with one capital at its beginning.
    Addresses, times and ports (`https://a`, `12:30`, `localhost:8080`), `BUG:x` and `a::b` do not.

    >>> syntax_hint("tga:work")
    'is read as a word; did you mean tag:?'
    >>> syntax_hint("Line:/x/")
    'is read as a word; did you mean line:?'
    """
    if hint := _OF_OTHER_LANGUAGES.get(word):
        return f"is read as a word; {hint}"
    if message := _about_brackets(word):
        return message
    match = _IN_CAPITALS.match(word)
    if match and match[1] != match[1].lower() and match[1].lower() in _NAMES:
        return f"is read as a word; did you mean {match[1].lower()}:?"
    match = _LIKE_OPERATOR.match(word)
    if match and _SHORTEST <= len(match[1]) <= _LONGEST:
        return _about_operator(match[1], is_port=word[match.end()].isdigit())
    return None


def _about_operator(typed: str, *, is_port: bool) -> str | None:
    if typed.lower() == Operator.TYPE:
        return f"is read as a word; type: takes {one_of((MARKDOWN, *FILE_TYPES))}; a property is [type:value]"
    if other := _OTHER_NAMES.get(typed.lower()):
        return f"is read as a word; did you mean {other}:? Allowed are {_ALLOWED} and [property:value]"
    if operator := _operator_like(typed):
        return f"is read as a word; did you mean {operator}:?"
    if typed[1:].islower() and not is_port and typed.lower() not in _NO_OPERATOR:
        return f"is read as a word; {typed}: is not an operator; allowed are {_ALLOWED} and [property:value]"
    return None


def _about_brackets(word: str) -> str | None:
    if word.startswith(")"):
        return "has no opening bracket and is read as a word"
    if _ENDS_IN_BRACKET.match(word) and word.count(")") > word.count("("):
        return "ends with a bracket that was never opened and is read as a word"
    if word.startswith("[:"):
        return "has no property name before the colon and is read as a word"
    return None


def _operator_like(typed: str) -> Operator | None:
    """The operator whose name differs by at most one edit, case aside."""
    name = typed.lower()
    return next((operator for operator in Operator if _is_one_edit(name, operator)), None)


def _is_one_edit(typed: str, name: str) -> bool:
    """Whether the texts are equal, or differ by a letter added, left out or replaced, or by two neighbours swapped."""
    shorter = min(len(typed), len(name))
    start = next((n for n in range(shorter) if typed[n] != name[n]), shorter)
    typed, name = typed[start:], name[start:]
    while typed and name and typed[-1] == name[-1]:
        typed, name = typed[:-1], name[:-1]
    return max(len(typed), len(name)) <= 1 or (len(typed) == 2 and typed == name[::-1])
