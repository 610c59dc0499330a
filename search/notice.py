"""Notices: what was left out, corrected or degraded. They are part of the answer, never an exception."""

from enum import StrEnum

from attrs import frozen


class NoticeKind(StrEnum):
    """How an answer differs from what the query asked for."""

    DEGRADED = "degraded"  # a source failed; the others answered
    SKIPPED = "skipped"  # something was not read
    TRUNCATED = "truncated"  # something was cut because it exceeded a limit
    CORRECTED = "corrected"  # the input was corrected before use
    PARTIAL = "partial"  # not all notes have been read yet


@frozen
class Notice:
    """One sentence for the user, with a code that programs can rely on."""

    kind: NoticeKind
    code: str  # kebab-case, stable: "regex-timeout"
    message: str
    subject: str = ""  # what it is about: a note's path, a span of the query, or the name of an option
