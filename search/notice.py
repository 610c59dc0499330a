"""What was left out, mended or degraded: part of the answer, never an exception."""

from enum import StrEnum

from attrs import frozen


class NoticeKind(StrEnum):
    """How an answer differs from what was asked for."""

    DEGRADED = "degraded"  # a source failed; the others answered
    SKIPPED = "skipped"  # something was not read
    TRUNCATED = "truncated"  # there was more than a limit allows
    CORRECTED = "corrected"  # the input was mended before use
    PARTIAL = "partial"  # reading still goes on


@frozen
class Notice:
    """One sentence for a person, with a code that programs can rely on."""

    kind: NoticeKind
    code: str  # kebab-case, stable: "regex-timeout"
    message: str
    subject: str = ""  # the note's path, the query's span, the option's name
