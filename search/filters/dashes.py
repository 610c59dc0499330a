"""Find out which `-words` of a query are text: an option of a command (`tar -xvf`) or a negative number (`frost -5`).

A `-word` is text if some note contains it, with its dash, after the word in front of it: directly after it, or in the
same line if it is short or a number. Short options and numbers are often pasted and seldom excluded.
"""

import re
from collections.abc import Callable, Iterator

from search.analysis.fold import fold
from search.budget import Budget
from search.ids import NoteId
from search.query import Exclusion, ParsedQuery

_MAX_NOTES = 500  # read for one `-word`; a note that contains both words is rarely one of so many
_LONGEST_OPTION = 4  # characters with the dash
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_NUMBER = re.compile(r"-[\d.,]*\d")
_BEGINS = r"(?<![^\s(\[{`'\"|])"
_AROUND = "()[]{}\"'“”„`.,;:"


def text_dashes(
    parsed: ParsedQuery,
    *,
    may_hold: Callable[[str], frozenset[NoteId] | None],
    text_of: Callable[[NoteId], str],
    budget: Budget,
) -> frozenset[int]:
    """Where in the query's text a `-` belongs to the word behind it.

    `may_hold(text)` returns a superset of the notes that contain a folded text, or None for "unknown". Reads only notes
    that may contain both words, and at most 500 of them for each `-word`.

    Raises:
        Cancelled: the budget was cancelled.
    """

    def is_text(one: Exclusion) -> bool:
        typed, before = _comparable(parsed.text[one.start : one.end]), _comparable(one.before)
        number = _NUMBER.match(typed)
        option = number[0] if number else typed.rstrip(_AROUND)
        before = before.strip(_AROUND) or before
        known = [notes for text in (option, before) if (notes := may_hold(text)) is not None]
        if not known or one.before in {"OR", "AND", "NOT"}:
            return False
        is_near = number is not None or len(option) <= _LONGEST_OPTION
        pattern = re.compile(_pattern(option, before, is_near=is_near))
        return any(pattern.search(text) for text in _texts(sorted(frozenset.intersection(*known))[:_MAX_NOTES], option))

    def _texts(notes: list[NoteId], option: str) -> Iterator[str]:
        for note in notes:
            budget.check()
            text = _comparable(text_of(note))
            if option in text:
                yield text

    return frozenset(one.start for one in parsed.exclusions if one.before and is_text(one))


def _comparable(text: str) -> str:
    return fold(text).translate(_DASHES)


def _pattern(option: str, before: str, *, is_near: bool) -> str:
    between = r"(?!\w)[^\n]{0,200}?" if is_near else r"[^\S\n]+"
    return rf"(?<!\w){re.escape(before)}{between}{_BEGINS}{re.escape(option)}(?!\w)"
