"""A clock that tests set."""

import pytest


class Clock:
    """Seconds, advanced by the test."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def clock():
    return Clock()
