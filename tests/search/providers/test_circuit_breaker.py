"""The circuit breaker by itself: when it opens, how long it stays open, and what the trial call decides."""

import threading
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.budget import Budget, Cancelled
from search.providers.circuit_breaker import CircuitBreaker
from search.providers.failure import Failure, FailureKind
from search.providers.retry_policy import RetryPolicy

DOWN = Failure(FailureKind.BROKEN, "failed (503)")


class Service:
    """A service that gives the answers it is told to, a circuit breaker in front of it, and a clock for both."""

    def __init__(self, **settings):
        self.now = 0.0
        self.breaker = CircuitBreaker(**settings)
        self.policy = RetryPolicy(sleep=self.pass_time)
        self.n_asked = 0

    def pass_time(self, seconds):
        """Advance the clock."""
        self.now += seconds

    def budget(self, given_s=10.0):
        """A budget on the service's clock."""
        return Budget(deadline=None if given_s is None else self.now + given_s, clock=lambda: self.now)

    def ask(self, answer, *, given_s=10.0, takes_ms=0.0):
        """The result of a call to which the service would answer with `answer`."""

        def attempt():
            self.n_asked += 1
            self.now += takes_ms / 1000.0
            return answer

        return self.breaker.ask(attempt, self.policy, self.budget(given_s))

    def is_open(self):
        """Whether a call is refused now."""
        with self.breaker.call(self.policy, self.budget()) as call:
            return call.refusal is not None


def test_failed_service_is_not_asked_during_the_pause():
    service = Service()
    service.ask(DOWN)
    n_tried = service.n_asked
    refusal = service.ask("well")
    assert refusal.kind is FailureKind.RESTING
    assert refusal.reason == "failed (503) (asked again in 5 s)"
    assert service.n_asked == n_tried
    service.now += 5.0
    assert service.ask("well") == "well"
    assert service.ask("well") == "well"


def test_each_failure_in_a_row_doubles_the_pause_up_to_the_longest():
    service = Service(pause_s=2.0, max_pause_s=7.0)
    pauses = []
    for _ in range(4):
        service.ask(DOWN)
        pauses.append(service.ask("").reason.rpartition("in ")[2].rstrip(")"))
        service.now += 7.0
    assert pauses == ["2 s", "4 s", "7 s", "7 s"]


def test_failures_that_go_on_for_days_keep_the_longest_pause():
    service = Service()
    for _ in range(1500):
        service.ask(DOWN)
        service.now += 60.0
    service.ask(DOWN)
    assert service.ask("").reason.endswith("in 60 s)")


def test_trial_call_is_not_retried_and_its_success_forgets_all_failures():
    service = Service()
    service.ask(DOWN)
    assert service.n_asked == 3
    service.now += 5.0
    service.ask(DOWN)
    assert service.n_asked == 4
    service.now += 10.0
    assert service.ask("well") == "well"
    service.ask(DOWN)
    assert service.n_asked == 8
    assert service.ask("").reason.endswith("in 5 s)")


@pytest.mark.parametrize(
    ("failure", "given_s"),
    [
        (Failure(FailureKind.SIZE, "too long"), 10.0),
        (Failure(FailureKind.REFUSED, "no"), 10.0),
        (Failure(FailureKind.BUSY, "limits"), 10.0),
        (Failure(FailureKind.SPENT, "no time"), 10.0),
        (Failure(FailureKind.SLOW, "took more than 2 s"), 2.0),
    ],
)
def test_failure_that_says_nothing_about_the_service_does_not_count(failure, given_s):
    service = Service()
    service.ask(failure, given_s=given_s)
    assert service.ask("well") == "well"


def test_caller_with_a_deadline_tries_an_unreachable_service_once():
    gone = Failure(FailureKind.UNREACHABLE, "cannot be reached; is it running?")
    service = Service()
    service.ask(gone)
    assert (service.n_asked, service.now) == (1, 0.0)
    assert service.ask("well").reason == "cannot be reached; is it running? (asked again in 5 s)"
    service.ask(gone, given_s=None)
    assert service.n_asked == 2


def test_timeout_counts_if_the_service_was_given_a_fair_time():
    service = Service()
    service.ask(Failure(FailureKind.SLOW, "took more than 5 s"), given_s=5.0)
    assert service.ask("well").kind is FailureKind.RESTING


def test_caller_without_a_deadline_waits_for_the_end_of_the_pause():
    service = Service()
    service.ask(DOWN)
    began = service.now
    assert service.ask("well", given_s=None) == "well"
    assert service.now - began == pytest.approx(5.0, abs=0.1)


def test_cancelled_wait_for_the_pause_ends_at_once():
    service = Service()
    service.ask(DOWN)
    budget = Budget(is_cancelled=lambda: True, clock=lambda: service.now)
    with pytest.raises(Cancelled), service.breaker.call(service.policy, budget):
        pass


def test_other_calls_are_refused_during_the_trial_call():
    service = Service()
    service.ask(DOWN)
    service.now += 5.0
    with service.breaker.call(service.policy, service.budget()) as trial:
        assert trial.refusal is None
        assert service.ask("").reason.endswith("(asked again soon)")
        trial.end(None)
    assert service.ask("well") == "well"


def test_older_call_that_is_cancelled_during_the_trial_call_permits_no_second_trial():
    service = Service()
    older = ExitStack()
    older.enter_context(service.breaker.call(service.policy, service.budget()))
    service.ask(DOWN)
    service.now += 5.0
    with service.breaker.call(service.policy, service.budget()):
        older.close()
        assert service.ask("").kind is FailureKind.RESTING


def test_cancelled_trial_call_permits_another_trial():
    service = Service()
    service.ask(DOWN)
    service.now += 5.0
    with pytest.raises(Cancelled), service.breaker.call(service.policy, service.budget()):
        raise Cancelled
    assert service.ask("well") == "well"


def test_threads_share_a_circuit_breaker():
    service = Service()
    threads = [threading.Thread(target=lambda: service.ask("well")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert service.n_asked == 8


def test_only_the_set_number_of_failures_in_a_row_opens_the_circuit():
    service = Service(n_failures=3)
    for answer in (DOWN, DOWN, "well", DOWN, DOWN):
        service.ask(answer)
    assert not service.is_open()
    service.ask(DOWN)
    assert service.is_open()


def test_circuit_opens_by_the_95th_percentile_of_the_last_hundred_answers():
    service = Service(max_p95_ms=500.0, pause_s=60.0)
    assert service.breaker.p95_ms == 0.0
    for takes_ms in [100.0] * 19 + [900.0] * 1 + [100.0] * 80:
        service.ask("well", takes_ms=takes_ms)
    assert service.breaker.p95_ms == pytest.approx(100.0)
    for _ in range(4):
        service.ask("well", takes_ms=900.0)
    assert not service.is_open(), "5 of 100 answers were slow"
    service.ask("well", takes_ms=900.0)
    assert service.breaker.p95_ms == pytest.approx(900.0)
    assert service.ask("").reason == "took 900 ms lately, and 500 are allowed (asked again in 60 s)"


def test_few_slow_answers_do_not_open_the_circuit():
    service = Service(max_p95_ms=500.0)
    for _ in range(19):
        service.ask("well", takes_ms=900.0)
    assert not service.is_open()
    service.ask("well", takes_ms=900.0)
    assert service.is_open()


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2000), st.integers(0, 30)), max_size=150))
def test_pause_is_never_longer_than_the_longest_and_one_quick_answer_ends_it(events):
    service = Service(n_failures=3, max_p95_ms=500.0, pause_s=60.0, max_pause_s=60.0)
    for is_answer, takes_ms, seconds in events:
        service.now += seconds
        service.ask("well" if is_answer else DOWN, takes_ms=takes_ms)
    if service.is_open():
        service.now += 60.0
        assert not service.is_open()
        assert service.ask("well", takes_ms=1.0) == "well"
        assert not service.is_open()
