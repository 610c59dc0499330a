"""A query on its way to an answer: what was asked, how it was understood, and what it is besides its words."""

import time
from collections.abc import Sequence

from attrs import frozen

from search.analysis.tokens import runs
from search.answer.explain import quote
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.query import NOTHING_UNDERSTOOD, ExpandedQuery, ParsedQuery, Query, Understood
from search.ranking.rank import Meaning

AS_TYPED = ExpandedQuery(original="")


@frozen
class Request:
    """A query understood, with what its filter lets in."""

    query: Query
    parsed: ParsedQuery
    allowed: frozenset[NoteId] | None
    notices: tuple[Notice, ...]
    is_complete: bool
    expanded: ExpandedQuery = AS_TYPED
    understood: Understood = NOTHING_UNDERSTOOD
    concepts: tuple[str, ...] = ()


@frozen(eq=False)
class Enrichment:
    """What a query is besides its words; false where it is nothing."""

    meaning: Meaning | None = None
    expanded: ExpandedQuery = AS_TYPED
    notices: Sequence[Notice] = ()
    concepts: tuple[str, ...] = ()  # words of the vault that its meaning was searched together with

    @property
    def suggestions(self) -> tuple[str, ...]:
        """What a chat model would look for, words that were typed among it."""
        return (*self.expanded.terms, *self.expanded.variants[1:])

    def __bool__(self) -> bool:
        return self.meaning is not None or bool(self.suggestions)


class Stopwatch:
    """Milliseconds of each step, by its name; a step that is taken twice has both times."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        """Name what the time since the last lap went into."""
        now = time.perf_counter()
        self.laps[step] = self.laps.get(step, 0.0) + (now - self._last) * 1000.0
        self._last = now


def wordless(parsed: ParsedQuery) -> tuple[Notice, ...]:
    """What is said of a query such as "-" or "!!", which only a name can agree with."""
    if not parsed.terms or any(runs(term.text) for term in parsed.terms):
        return ()
    message = f"There is no letter, digit or symbol to look for in {quote(parsed.text.strip())}."
    return (Notice(NoticeKind.SKIPPED, "no-words", message, f"0:{len(parsed.text)}"),)


def question_of(parsed: ParsedQuery) -> str:
    """What is asked, as words: filters decide what may be found, and mean nothing."""
    return " ".join(term.text for term in parsed.terms)
