"""Compiles what stands between slashes, in one way for the reader that tests it and the filter that uses it.

The `regex` module, since it has a time limit; imported on first use.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

MAX_PATTERN = 1000  # characters; compiling takes time that grows faster than the length


class PatternError(Exception):
    """Why a text is no regular expression, in the compiler's words."""


class PatternMatch(Protocol):
    """A place where a pattern matches."""

    def span(self) -> tuple[int, int]:
        """Its half-open range."""


class Pattern(Protocol):
    """A compiled regular expression, as far as it is used here."""

    def finditer(self, string: str, /, *, timeout: float, concurrent: bool) -> Iterator[PatternMatch]:
        """The matches in order; raises TimeoutError after `timeout` seconds. `concurrent` lets other threads run."""


@lru_cache(maxsize=64)
def compile_pattern(pattern: str, *, is_case_sensitive: bool = False) -> Pattern:
    """`pattern` compiled; `^` and `$` stand for the ends of a line, as a note is a text of lines.

    Raises: PatternError.
    """
    import regex  # noqa: PLC0415 - a heavy import that most queries do without

    if len(pattern) > MAX_PATTERN:
        raise PatternError(f"longer than {MAX_PATTERN} characters")
    flags = regex.MULTILINE if is_case_sensitive else regex.MULTILINE | regex.IGNORECASE
    try:
        compiled: Pattern = regex.compile(pattern, flags)
    except RecursionError:
        raise PatternError("nested too deep") from None
    except (regex.error, OverflowError, ValueError) as error:
        raise PatternError(str(error)) from None
    return compiled
