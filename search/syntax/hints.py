"""Guesses that a plain word was meant as syntax: never acted upon, only said."""

import re

from search.query import Operator

_LIKE_OPERATOR = re.compile(r"([A-Za-z]{2,}(?:-[A-Za-z]+)*):(?=[^\s/:])")
_SHORTEST, _LONGEST = 3, 12  # letters: neither `C:` nor what is a word of its own
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
_ALLOWED = ", ".join(f"{name}:" for name in Operator)
_IN_CAPITALS = re.compile(r"([A-Za-z-]{3,12}):(?!//)")
_ENDS_TOO_OFTEN = re.compile(r"(?!\d+\))\w.*\)$")  # neither `:)` nor `1)`
_NAMES = frozenset(str(operator) for operator in Operator)


def syntax_hint(word: str) -> str | None:
    """What to say about a plain word, to complete the sentence "WORD at column N ..."; None for nearly all words.

    What looks like an operator is a word of small letters, or with a capital, in front of a colon with something right
    behind it; not an address, a time or a port (`https://a`, `12:30`, `localhost:8080`), nor `BUG:x` or `a::b`.

    >>> hint("tga:work")
    'is read as a word; did you mean tag:?'
    >>> hint("Line:/x/")
    'is read as a word; did you mean line:?'
    """
    if word == "AND":
        return "is read as a word; pieces that stand side by side need no AND"
    if said := _about_brackets(word):
        return said
    if (match := _IN_CAPITALS.match(word)) and match[1] != match[1].lower() and match[1].lower() in _NAMES:
        return f"is read as a word; did you mean {match[1].lower()}:?"
    if (match := _LIKE_OPERATOR.match(word)) and _SHORTEST <= len(match[1]) <= _LONGEST:
        if meant := _operator_like(match[1]):
            return f"is read as a word; did you mean {meant}:?"
        is_port = word[match.end()].isdigit()
        if match[1][1:].islower() and not is_port and match[1].lower() not in _NO_OPERATOR:
            return f"is read as a word; there is no {match[1]}:, only {_ALLOWED} and [property:value]"
    return None


def _about_brackets(word: str) -> str | None:
    if word.startswith(")"):
        return "closes nothing and is read as a word"
    if _ENDS_TOO_OFTEN.match(word) and word.count(")") > word.count("("):
        return "ends in a bracket that closes nothing and is read as a word"
    if word.startswith("[:"):
        return "has no property's name before the colon and is read as a word"
    return None


def _operator_like(typed: str) -> Operator | None:
    """The operator with another name, or one slip away: a letter more, less, other or swapped, or the case."""
    name = typed.lower()
    return _OTHER_NAMES.get(name) or next((operator for operator in Operator if _is_one_slip(name, operator)), None)


def _is_one_slip(typed: str, meant: str) -> bool:
    shorter = min(len(typed), len(meant))
    start = next((n for n in range(shorter) if typed[n] != meant[n]), shorter)
    typed, meant = typed[start:], meant[start:]
    while typed and meant and typed[-1] == meant[-1]:
        typed, meant = typed[:-1], meant[:-1]
    return max(len(typed), len(meant)) <= 1 or (len(typed) == 2 and typed == meant[::-1])
