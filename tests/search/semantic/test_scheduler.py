"""Who may use the model, and when."""

import threading

import pytest

from search.background import BackgroundCall
from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import ProviderError
from search.semantic.scheduler import Scheduler


def test_background_work_waits_for_searches_and_continues_after_them():
    scheduler = Scheduler(resume_after_s=0.0)
    with scheduler.searching(), scheduler.searching():
        waiting = BackgroundCall.start(scheduler.wait_until_idle, name="waiting")
        assert not waiting.is_done_within(Budget.of(0.05))
    assert waiting.is_done_within(Budget.of(20))
    assert waiting.result() is None


def test_background_work_continues_only_some_time_after_a_search():
    scheduler = Scheduler(resume_after_s=60.0)
    with scheduler.searching():
        pass
    waiting = BackgroundCall.start(scheduler.wait_until_idle, name="waiting")
    assert not waiting.is_done_within(Budget.of(0.05))
    scheduler.close()
    assert waiting.is_done_within(Budget.of(20))
    with pytest.raises(Cancelled):
        waiting.result()


def test_a_search_cancels_background_work_and_so_does_closing():
    scheduler = Scheduler(resume_after_s=0.0)
    budget = scheduler.background_budget(UNLIMITED)
    budget.check()
    with scheduler.searching(), pytest.raises(Cancelled):
        budget.check()
    budget.check()
    scheduler.close()
    with pytest.raises(Cancelled):
        budget.check()


def test_waiting_for_the_model_ends_with_the_budget():
    scheduler = Scheduler(resume_after_s=0.0)
    is_held, release = threading.Event(), threading.Event()

    def hold(_budget):
        with scheduler.using("words@1", UNLIMITED):
            is_held.set()
            release.wait(20)

    holding = BackgroundCall.start(hold, name="holding")
    assert is_held.wait(20)
    with scheduler.if_free() as is_free:
        assert not is_free
    with pytest.raises(ProviderError, match="is still busy"), scheduler.using("words@1", Budget.of(0.0)):
        pass
    with pytest.raises(Cancelled), scheduler.using("words@1", Budget(is_cancelled=lambda: True)):
        pass
    release.set()
    assert holding.is_done_within(Budget.of(20))
    with scheduler.using("words@1", Budget.of(0.0)):
        pass
    with scheduler.if_free() as is_free:
        assert is_free
