"""Asking a reranker while a user waits: cache, circuit breaker, time limit. The tests hold the clock."""

import threading

import pytest
from attrs import define, field

from search.budget import Budget, Cancelled
from search.errors import ProviderError
from search.ids import NoteId
from search.providers.guarded_reranker import GuardedReranker, Reranking

PASSAGES = {NoteId("oak.md"): "oak", NoteId("elm.md"): "elm"}


@define
class Clock:
    """Seconds that a test advances."""

    now: float = 100.0

    def __call__(self):
        """The time."""
        return self.now


@define
class Judge:
    """A reranker that scores by length and takes `takes_s` of the clock's time."""

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


def score(reranker, clock, query="oak", passages=PASSAGES, **budget):
    return reranker.score(query, passages, budget=Budget(clock=clock, **budget))


def test_each_passage_gets_the_score_of_the_model(clock):
    _, reranker = made(clock)
    found = score(reranker, clock, passages={NoteId("a.md"): "x", NoteId("b.md"): "xyz"})
    assert found.scores == {"a.md": 1.0, "b.md": 3.0}
    assert not found.notices


def test_same_query_over_the_same_passages_is_asked_once_in_five_minutes(clock):
    judge, reranker = made(clock)
    for _ in range(3):
        assert score(reranker, clock).scores
    assert len(judge.asked) == 1
    clock.now += 301
    score(reranker, clock)
    assert len(judge.asked) == 2


@pytest.mark.parametrize(
    ("query", "passages"),
    [
        ("oaks", PASSAGES),
        ("oak", {NoteId("oak.md"): "oak!", NoteId("elm.md"): "elm"}),
        ("oak", {NoteId("oak2.md"): "oak", NoteId("elm.md"): "elm"}),
    ],
)
def test_another_query_note_or_text_is_asked_again(clock, query, passages):
    judge, reranker = made(clock)
    score(reranker, clock)
    score(reranker, clock, query, passages)
    assert len(judge.asked) == 2


def test_another_model_is_asked_again(clock):
    judge, reranker = made(clock)
    score(reranker, clock)
    judge.model = "other"
    score(reranker, clock)
    assert len(judge.asked) == 2


def test_cache_is_bounded(clock):
    judge, reranker = made(clock, cache_size=1)
    for query in ("oak", "elm", "oak"):
        score(reranker, clock, query)
    assert len(judge.asked) == 3


@pytest.mark.parametrize(("query", "passages"), [("oak", {NoteId("a.md"): "x"}), (" ", PASSAGES), ("oak", {})])
def test_model_is_not_asked_if_the_order_cannot_change(clock, query, passages):
    judge, reranker = made(clock)
    assert not score(reranker, clock, query, passages).scores
    assert not judge.asked


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (ProviderError("judge", "cannot be reached", is_retriable=True), "judge: cannot be reached"),
        (ValueError("sk-secret"), "judge: failed (ValueError)"),
        ((1.0,), "judge: left out passages"),
    ],
)
def test_failure_gives_a_notice_and_no_scores(clock, says, words):
    _, reranker = made(clock, says=says)
    found = score(reranker, clock)
    assert not found.scores
    (notice,) = found.notices
    assert notice.code == "rerank-failed"
    assert words in notice.message
    assert "secret" not in notice.message


def test_failure_is_not_cached(clock):
    judge, reranker = made(clock, says=ValueError())
    score(reranker, clock)
    judge.says = None
    assert score(reranker, clock).scores


class Silent:
    """A reranker that answers when a test releases it, and records whether it was abandoned."""

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


def test_search_does_not_wait_longer_than_the_time_limit():
    silent = Silent()
    reranker = GuardedReranker(silent, Reranking(timeout_s=0.05))
    found = reranker.score("oak", PASSAGES, budget=Budget())
    assert "took more than 0.05 s" in found.notices[0].message
    silent.release.set()
    assert silent.saw.wait(5), "the request itself is abandoned too"


def test_cancelled_search_does_not_wait():
    reranker = GuardedReranker(Silent(), Reranking(timeout_s=60.0))
    with pytest.raises(Cancelled):
        reranker.score("oak", PASSAGES, budget=Budget(is_cancelled=lambda: True))


def test_model_is_not_asked_when_no_time_is_left_and_this_is_no_failure_of_the_model(clock):
    judge, reranker = made(clock)
    for _ in range(5):
        found = score(reranker, clock, deadline=clock.now)
        assert not found.scores
        assert found.notices[0].message == "The order was not refined: judge: was not asked: no time is left."
    assert not judge.asked
    assert score(reranker, clock).scores


def test_slow_reranker_is_left_alone_with_a_notice_until_it_is_quick_again(clock):
    judge, reranker = made(clock, takes_s=0.8, cache_size=0)
    for _ in range(20):
        assert score(reranker, clock).scores
    found = score(reranker, clock)
    assert len(judge.asked) == 20
    assert found.notices[0].code == "rerank-off"
    assert "took 800 ms lately, and 500 are allowed (asked again in 60 s)" in found.notices[0].message
    clock.now += 61  # the trial call is slow
    assert score(reranker, clock).scores
    assert score(reranker, clock).notices
    clock.now += 61
    judge.takes_s = 0.1
    assert score(reranker, clock).scores
    assert score(reranker, clock).scores
    assert len(judge.asked) == 23


def test_reranker_that_fails_three_times_in_a_row_is_left_alone(clock):
    judge, reranker = made(clock, says=ValueError())
    for _ in range(4):
        found = score(reranker, clock)
    assert len(judge.asked) == 3
    assert found.notices[0].code == "rerank-off"
    assert "judge: failed (ValueError) (asked again in 60 s)" in found.notices[0].message
    clock.now += 61
    score(reranker, clock)
    score(reranker, clock)
    assert len(judge.asked) == 4, "one failure after the pause is enough"


def test_cached_scores_are_given_while_the_reranker_is_left_alone(clock):
    judge, reranker = made(clock)
    score(reranker, clock, "remembered")
    judge.says = ValueError()
    for _ in range(3):
        score(reranker, clock)
    assert score(reranker, clock, "remembered").scores


@pytest.mark.parametrize(
    "settings",
    [{"timeout_s": 0}, {"n_characters": 50}, {"p95_threshold_ms": 5}, {"cache_ttl_s": -1}, {"cache_size": -1}],
)
def test_settings_are_bounded(settings):
    with pytest.raises(ValueError, match="must be"):
        Reranking(**settings)
