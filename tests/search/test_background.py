"""Calls in threads of their own."""

import threading

import pytest

from search.background import Beside
from search.budget import UNLIMITED, Budget, Cancelled


def test_what_a_call_gives_is_there_when_it_has_ended():
    beside = Beside.start(lambda: 7, name="seven")
    assert beside.is_done_within(UNLIMITED)
    assert beside.result() == 7


@pytest.mark.parametrize("error", [ValueError("no"), Cancelled(), KeyboardInterrupt()])
def test_what_a_call_raises_is_raised_where_it_is_asked_for(error):
    def fail():
        raise error

    beside = Beside.start(fail, name="failing")
    assert beside.is_done_within(UNLIMITED)
    with pytest.raises(type(error)):
        beside.result()


def test_a_caller_waits_no_longer_than_its_budget_or_until_it_is_cancelled():
    release = threading.Event()
    beside = Beside.start(lambda: release.wait(20), name="waiting")
    assert not beside.is_done_within(Budget.of(0.0))
    with pytest.raises(Cancelled):
        beside.is_done_within(Budget(is_cancelled=lambda: True))
    release.set()
    assert beside.is_done_within(UNLIMITED)
    assert beside.result() is True
