"""Who may use the model, and when."""

import threading

import pytest

from search.background import Beside
from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import ProviderError
from search.semantic.scheduler import Scheduler


def test_work_behind_waits_for_searches_and_goes_on_after_them():
    turns = Scheduler(resume_after_s=0.0)
    with turns.searching(), turns.searching():
        waiting = Beside.start(lambda: turns.wait_until_idle(UNLIMITED), name="waiting")
        assert not waiting.is_done_within(Budget.of(0.05))
    assert waiting.is_done_within(Budget.of(20))
    assert waiting.result() is None


def test_work_behind_goes_on_a_little_after_a_search():
    turns = Scheduler(resume_after_s=60.0)
    with turns.searching():
        pass
    waiting = Beside.start(lambda: turns.wait_until_idle(UNLIMITED), name="waiting")
    assert not waiting.is_done_within(Budget.of(0.05))
    turns.close()
    assert waiting.is_done_within(Budget.of(20))
    with pytest.raises(Cancelled):
        waiting.result()


def test_a_search_cancels_the_work_behind_and_so_does_closing():
    turns = Scheduler(resume_after_s=0.0)
    calm = turns.background_budget(UNLIMITED)
    calm.check()
    with turns.searching(), pytest.raises(Cancelled):
        calm.check()
    calm.check()
    turns.close()
    with pytest.raises(Cancelled):
        calm.check()


def test_who_waits_for_the_model_gives_up_with_its_budget():
    turns = Scheduler(resume_after_s=0.0)
    is_held, release = threading.Event(), threading.Event()

    def hold():
        with turns.using("words@1", UNLIMITED):
            is_held.set()
            release.wait(20)

    holding = Beside.start(hold, name="holding")
    assert is_held.wait(20)
    with pytest.raises(ProviderError, match="is still busy"), turns.using("words@1", Budget.of(0.0)):
        pass
    with pytest.raises(Cancelled), turns.using("words@1", Budget(is_cancelled=lambda: True)):
        pass
    release.set()
    assert holding.is_done_within(Budget.of(20))
    with turns.using("words@1", Budget.of(0.0)):
        pass
