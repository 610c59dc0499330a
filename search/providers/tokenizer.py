"""The common part of all tokenizers: text is split at blanks, and each run between blanks is cut into token ids.

The trick: the ids of short runs are cached, since texts repeat their words; and runs are cut only as far as needed, so
that the beginning of a very long text costs no more than a short text. Never raises.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice

_RUN = re.compile(r"[^ \t\n\r]+")
_MAX_CACHED = 40  # letters of a run that is cached; 16,384 runs take some 4 MB


class Tokenizer:
    """Turns text into the token ids of a model."""

    def __init__(self, cut: Callable[[str], Iterable[int]], *, start: int, end: int) -> None:
        """`cut` gives the ids of a run; `start` and `end` are put around the ids of a text."""
        self._cut = cut
        self._start, self._end = start, end
        self._cached = lru_cache(maxsize=16_384)(lambda run: tuple(cut(run)))

    def encode(self, text: str, *, limit: int) -> list[int]:
        """The ids of `text` between start and end, at most `limit` in total; the end of a longer text is left out."""
        return [self._start, *islice(self._ids(text), limit - 2), self._end]

    def count(self, text: str) -> int:
        """The number of ids that `encode` would give without a limit."""
        return sum(1 for _ in self._ids(text)) + 2

    def _ids(self, text: str) -> Iterator[int]:
        return chain.from_iterable(self._of_run(match[0]) for match in _RUN.finditer(text))

    def _of_run(self, run: str) -> Iterable[int]:
        return self._cached(run) if len(run) <= _MAX_CACHED else self._cut(run)
