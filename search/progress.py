"""Word of how far a long piece of work has come; whoever listens decides whether and how to show it."""

from typing import Protocol


class Progress(Protocol):
    """Called with counts, from the thread that works; must return at once and never raise."""

    def __call__(self, done: int, total: int) -> None:
        """`done` of `total` items are finished; `total` may grow."""


def silent(done: int, total: int) -> None:
    """Tell nobody."""
