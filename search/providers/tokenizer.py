"""What all tokenizers share: text is parted at blanks, and each run between them is cut into numbers.

The trick: the numbers of short runs are remembered, since texts repeat their words; and no more is cut than is asked
for, so that the beginning of a very long text costs no more than a short one. Never raises.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice

_RUN = re.compile(r"[^ \t\n\r]+")
_MAX_REMEMBERED = 40  # letters of a run worth remembering; with 16,384 runs that is some 4 MB


class Tokenizer:
    """Text to the numbers of a model's vocabulary."""

    def __init__(self, cut: Callable[[str], Iterable[int]], *, start: int, end: int) -> None:
        """`cut` gives the numbers of a run; `start` and `end` stand around those of a text."""
        self._cut = cut
        self._start, self._end = start, end
        self._remembered = lru_cache(maxsize=16_384)(lambda run: tuple(cut(run)))

    def encode(self, text: str, *, limit: int) -> list[int]:
        """The numbers of `text` with the special ones around them; what exceeds `limit` in all is left out."""
        return [self._start, *islice(self._numbers(text), limit - 2), self._end]

    def count(self, text: str) -> int:
        """How many numbers `encode` would give without a limit."""
        return sum(1 for _ in self._numbers(text)) + 2

    def _numbers(self, text: str) -> Iterator[int]:
        return chain.from_iterable(self._of_run(match[0]) for match in _RUN.finditer(text))

    def _of_run(self, run: str) -> Iterable[int]:
        return self._remembered(run) if len(run) <= _MAX_REMEMBERED else self._cut(run)
