"""Asking a reranker while somebody waits: cache, guard, limits. Time is a number that the test holds."""

import threading

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from search.budget import Budget, Cancelled
from search.errors import ProviderError
from search.ids import NoteId
from search.providers.guarded_reranker import GuardedReranker, LatencyGuard, Reranking

PASSAGES = {NoteId("oak.md"): "oak", NoteId("elm.md"): "elm"}


@define
class Clock:
    """Seconds that a test moves on."""

    now: float = 100.0

    def __call__(self):
        """The time."""
        return self.now


@define
class Judge:
    """Scores by length; takes `takes_s` of the clock's time for it."""

    clock: Clock
    takes_s: float = 0.1
    asked: list = field(factory=list)
    says: object = None
    model: str = "judge"

    def rerank(self, query, passages, *, budget):
        """As the port says."""
        assert budget.deadline is not None
        self.asked.append((query, tuple(passages)))
        self.clock.now += self.takes_s
        if isinstance(self.says, BaseException):
            raise self.says
        return self.says if self.says is not None else tuple(float(len(passage)) for passage in passages)


@pytest.fixture
def clock():
    return Clock()


def made(clock, *, takes_s=0.1, says=None, **settings):
    judge = Judge(clock, takes_s, says=says)
    return judge, GuardedReranker(judge, Reranking(**settings))


def score(patient, clock, query="oak", passages=PASSAGES, **budget):
    return patient.score(query, passages, budget=Budget(clock=clock, **budget))


def test_each_passage_gets_the_models_score(clock):
    _, patient = made(clock)
    found = score(patient, clock, passages={NoteId("a.md"): "x", NoteId("b.md"): "xyz"})
    assert found.scores == {"a.md": 1.0, "b.md": 3.0}
    assert not found.notices


def test_the_same_query_over_the_same_passages_is_asked_once_in_five_minutes(clock):
    judge, patient = made(clock)
    for _ in range(3):
        assert score(patient, clock).scores
    assert len(judge.asked) == 1
    clock.now += 301
    score(patient, clock)
    assert len(judge.asked) == 2


@pytest.mark.parametrize(
    ("query", "passages"),
    [
        ("oaks", PASSAGES),
        ("oak", {NoteId("oak.md"): "oak!", NoteId("elm.md"): "elm"}),
        ("oak", {NoteId("oak2.md"): "oak", NoteId("elm.md"): "elm"}),
    ],
)
def test_what_differs_in_query_note_or_text_is_asked_anew(clock, query, passages):
    judge, patient = made(clock)
    score(patient, clock)
    score(patient, clock, query, passages)
    assert len(judge.asked) == 2


def test_another_model_is_asked_anew(clock):
    judge, patient = made(clock)
    score(patient, clock)
    judge.model = "other"
    score(patient, clock)
    assert len(judge.asked) == 2


def test_the_cache_is_bounded(clock):
    judge, patient = made(clock, cache_size=1)
    for query in ("oak", "elm", "oak"):
        score(patient, clock, query)
    assert len(judge.asked) == 3


@pytest.mark.parametrize(("query", "passages"), [("oak", {NoteId("a.md"): "x"}), (" ", PASSAGES), ("oak", {})])
def test_where_nothing_can_change_nobody_is_asked(clock, query, passages):
    judge, patient = made(clock)
    assert not score(patient, clock, query, passages).scores
    assert not judge.asked


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (ProviderError("judge", "cannot be reached", is_retriable=True), "judge: cannot be reached"),
        (ValueError("sk-secret"), "failed (ValueError)"),
        ((1.0,), "left out passages"),
    ],
)
def test_a_failure_is_a_notice_and_no_score(clock, says, words):
    _, patient = made(clock, says=says)
    found = score(patient, clock)
    assert not found.scores
    (notice,) = found.notices
    assert notice.code == "rerank-failed"
    assert words in notice.message
    assert "secret" not in notice.message


def test_a_failure_is_not_remembered(clock):
    judge, patient = made(clock, says=ValueError())
    score(patient, clock)
    judge.says = None
    assert score(patient, clock).scores


class Silent:
    """Answers when it is told to, and sees whether it was given up."""

    model = "silent"

    def __init__(self):
        self.release, self.saw = threading.Event(), threading.Event()

    def rerank(self, _query, passages, *, budget):
        """As the port says, once it is released."""
        self.release.wait(10)
        try:
            budget.check()
        except Cancelled:
            self.saw.set()
            raise
        return (0.0,) * len(passages)


def test_nobody_waits_longer_than_the_time_that_was_set():
    silent = Silent()
    patient = GuardedReranker(silent, Reranking(timeout_s=0.05))
    found = patient.score("oak", PASSAGES, budget=Budget())
    assert "took more than 0.05 s" in found.notices[0].message
    silent.release.set()
    assert silent.saw.wait(5), "the request itself is given up too"


def test_a_cancelled_search_does_not_wait():
    patient = GuardedReranker(Silent(), Reranking(timeout_s=60.0))
    with pytest.raises(Cancelled):
        patient.score("oak", PASSAGES, budget=Budget(is_cancelled=lambda: True))


def test_a_deadline_that_comes_first_ends_the_waiting(clock):
    _, patient = made(clock)
    found = score(patient, clock, deadline=clock.now)
    assert not found.scores
    assert found.notices


def test_one_that_gets_slow_is_left_alone_and_told_of_until_it_is_quick_again(clock):
    judge, patient = made(clock, takes_s=0.8, cache_size=0)
    for _ in range(20):
        assert score(patient, clock).scores
    found = score(patient, clock)
    assert len(judge.asked) == 20
    assert found.notices[0].code == "rerank-off"
    assert "took 800 ms lately, and 500 are allowed" in found.notices[0].message
    clock.now += 61  # one call tries, and is slow
    assert score(patient, clock).scores
    assert score(patient, clock).notices
    clock.now += 61
    judge.takes_s = 0.1
    assert score(patient, clock).scores
    assert score(patient, clock).scores
    assert len(judge.asked) == 23


def test_one_that_fails_three_times_in_a_row_is_left_alone(clock):
    judge, patient = made(clock, says=ValueError())
    for _ in range(4):
        found = score(patient, clock)
    assert len(judge.asked) == 3
    assert "failed several times" in found.notices[0].message
    clock.now += 61
    score(patient, clock)
    score(patient, clock)
    assert len(judge.asked) == 4, "one failure after the rest is enough"


def test_remembered_scores_are_given_while_the_reranker_rests(clock):
    judge, patient = made(clock)
    score(patient, clock, "remembered")
    judge.says = ValueError()
    for _ in range(3):
        score(patient, clock)
    assert score(patient, clock, "remembered").scores


def test_the_guard_judges_by_the_95th_percentile_of_the_last_hundred():
    guard = LatencyGuard(500.0, 60.0)
    assert guard.p95_ms == 0
    for latency in [900.0] * 5 + [100.0] * 95:
        guard.latencies_ms.append(latency)
    assert guard.p95_ms == 100.0
    guard.latencies_ms.append(900.0)  # pushes a slow one out
    assert guard.p95_ms == 100.0
    guard.answered(900.0, 1.0)
    guard.answered(900.0, 1.0)
    guard.answered(900.0, 1.0)
    guard.answered(900.0, 1.0)
    guard.answered(900.0, 1.0)
    assert guard.p95_ms == 900.0
    assert guard.left_s(1.0) == 60.0


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 2000), st.integers(0, 30)), max_size=150))
def test_the_guard_never_rests_longer_than_it_says(events):
    guard, now = LatencyGuard(500.0, 60.0), 0
    for is_answer, latency_ms, pause_s in events:
        now += pause_s
        if guard.left_s(now) == 0:
            guard.answered(latency_ms, now) if is_answer else guard.failed(now)
        assert 0 <= guard.left_s(now) <= 60
        assert guard.left_s(now + 60) == 0
    if guard.left_s(now) > 0:
        guard.answered(1.0, now + 60)
        assert guard.left_s(now + 60) == 0, "one quick answer is enough"


@pytest.mark.parametrize(
    "settings",
    [{"timeout_s": 0}, {"n_characters": 50}, {"p95_threshold_ms": 5}, {"cache_ttl_s": -1}, {"cache_size": -1}],
)
def test_settings_are_bounded(settings):
    with pytest.raises(ValueError, match="must be"):
        Reranking(**settings)
