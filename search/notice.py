"""Notices: what was left out, corrected or degraded. They are part of the answer, never an exception."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from attrs import evolve, frozen


class NoticeKind(StrEnum):
    """How an answer differs from what the query asked for."""

    DEGRADED = "degraded"  # a source failed; the others answered
    SKIPPED = "skipped"  # something was not read
    TRUNCATED = "truncated"  # something was cut because it exceeded a limit
    CORRECTED = "corrected"  # the input was corrected before use
    PARTIAL = "partial"  # not all notes have been read yet
    NOTE = "note"  # nothing is missing from the answer, but the query or the request may ask for something else


@frozen
class Notice:
    """One sentence for the user, with a code that programs can rely on."""

    kind: NoticeKind
    code: str  # kebab-case, stable: "regex-timeout"
    message: str
    subject: str = ""  # what it is about: a note's path, a span of the query, or the name of an option


_MOST_SENTENCES = 3  # messages of one code that are joined


def one_of_each(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """One notice for each code, in order: the first, whose message goes on with the next two and counts the others."""
    by_code: dict[str, dict[str, Notice]] = {}
    for notice in notices:
        by_code.setdefault(notice.code, {}).setdefault(notice.message, notice)
    return tuple(_joined(list(alike.values())) for alike in by_code.values())


def _joined(alike: Sequence[Notice]) -> Notice:
    if len(alike) == 1:
        return alike[0]
    n_others = len(alike) - _MOST_SENTENCES
    others = [f"And {n_others} more like {'it' if n_others == 1 else 'these'}."] if n_others > 0 else []
    return evolve(alike[0], message=" ".join([notice.message for notice in alike[:_MOST_SENTENCES]] + others))
