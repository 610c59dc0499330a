"""Compiles the regular expressions of queries, in the same way for the parser that checks them and for the filter.

Uses the `regex` module, because its matching has a time limit; it is imported on first use.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

from search.analysis.repetition import repeats_too_much

MAX_PATTERN = 1000  # characters; the time to compile grows faster than the length


class PatternError(Exception):
    """A text is not a valid regular expression; the message is the compiler's."""


class PatternMatch(Protocol):
    """A place where a pattern matches."""

    def span(self) -> tuple[int, int]:
        """Its half-open range."""


class Pattern(Protocol):
    """The methods of a compiled regular expression that Vaultseek uses."""

    def finditer(self, string: str, /, *, timeout: float, concurrent: bool) -> Iterator[PatternMatch]:
        """The matches in order; raises TimeoutError after `timeout` seconds. `concurrent` releases the GIL."""


@lru_cache(maxsize=64)
def compile_pattern(pattern: str, *, is_case_sensitive: bool = False) -> Pattern:
    """`pattern` compiled; `^` and `$` match at the ends of each line.

    Raises:
        PatternError: it is invalid, nested too deeply, longer than `MAX_PATTERN`, or repeats its parts too often.
    """
    import regex  # noqa: PLC0415 - a slow import, and most queries have no pattern

    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"longer than {MAX_PATTERN} characters")
    if repeats_too_much(pattern):
        raise PatternError("repeats its parts too often")
    flags = regex.MULTILINE if is_case_sensitive else regex.MULTILINE | regex.IGNORECASE
    try:
        compiled: Pattern = regex.compile(pattern, flags)
    except RecursionError:
        raise PatternError("nested too deeply") from None
    except (regex.error, OverflowError, ValueError) as error:
        raise PatternError(str(error)) from None
    return compiled
