"""Calls in background threads: results, errors, waiting and abandoning."""

import threading

import pytest

from search.background import BackgroundCall
from search.budget import UNLIMITED, Budget, Cancelled


def test_result_is_available_once_the_call_has_ended():
    call = BackgroundCall.start(lambda _: 7, name="seven")
    assert call.is_done_within(UNLIMITED)
    assert call.result() == 7


@pytest.mark.parametrize("error", [ValueError("no"), Cancelled(), KeyboardInterrupt()])
def test_result_raises_what_the_function_raised(error):
    def fail(_budget):
        raise error

    call = BackgroundCall.start(fail, name="failing")
    assert call.is_done_within(UNLIMITED)
    with pytest.raises(type(error)):
        call.result()


def test_caller_waits_until_its_budget_is_spent_or_cancelled():
    release = threading.Event()
    call = BackgroundCall.start(lambda _: release.wait(20), name="waiting")
    assert not call.is_done_within(Budget.of(0.0))
    with pytest.raises(Cancelled):
        call.is_done_within(Budget(is_cancelled=lambda: True))
    release.set()
    assert call.is_done_within(UNLIMITED)
    assert call.result() is True


def test_function_gets_the_deadline_and_the_cancellation_of_the_callers_budget():
    given = Budget(deadline=5.0, clock=lambda: 1.0, is_cancelled=lambda: True)
    call = BackgroundCall.start(lambda own: (own.remaining_s, own.is_cancelled()), name="asking", budget=given)
    assert call.is_done_within(UNLIMITED)
    assert call.result() == (4.0, True)


def test_leaving_the_with_block_cancels_the_budget_of_the_function():
    is_left = threading.Event()

    def wait(own):
        own.check()
        is_left.wait(20)
        own.check()

    with BackgroundCall.start(wait, name="waiting") as call:
        assert not call.is_done_within(Budget.of(0.0))
    is_left.set()
    assert call.is_done_within(UNLIMITED)
    with pytest.raises(Cancelled):
        call.result()
