"""An endpoint that failed is left alone, and asked again when it may be there again."""

import threading

import pytest

from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import ProviderError
from search.providers.endpoint import Endpoint
from search.providers.failure import Failure, FailureKind
from search.providers.openai_compatible import open_remote_chat, open_remote_embedder
from search.providers.patience import Patience
from search.providers.rest import Rest
from tests.kit.fake_endpoint import Answer, serve

DOWN = Failure(FailureKind.BROKEN, "failed (503)")


class Endpointed:
    """A rest on a clock of its own, and an endpoint that answers with the next of its answers."""

    def __init__(self, **settings):
        self.now = 0.0
        self.rest = Rest(clock=lambda: self.now, **settings)
        self.patience = Patience(sleep=self.sleep)
        self.n_asked = 0

    def sleep(self, seconds):
        """Let time pass."""
        self.now += seconds

    def ask(self, answer, *, given_s=10.0):
        """What a call gives to whom the endpoint would give `answer`."""
        budget = UNLIMITED if given_s is None else Budget(deadline=self.now + given_s, clock=lambda: self.now)

        def attempt():
            self.n_asked += 1
            return answer

        with self.rest.call(self.patience, budget) as call:
            found = call.ask(attempt, budget)
            call.ended(found if isinstance(found, Failure) else None)
        return found


def test_what_failed_is_not_asked_again_until_it_has_rested():
    one = Endpointed()
    one.ask(DOWN)
    n_tried = one.n_asked
    refused = one.ask("well")
    assert refused.kind is FailureKind.RESTING
    assert refused.reason == "failed (503) (asked again in 5 s)"
    assert one.n_asked == n_tried
    one.now += 5.0
    assert one.ask("well") == "well"
    assert one.ask("well") == "well"


def test_each_failure_in_a_row_doubles_the_rest_up_to_the_longest():
    one = Endpointed(first_s=2.0, longest_s=7.0)
    rests = []
    for _ in range(4):
        one.ask(DOWN)
        rests.append(one.ask("").reason.rpartition("in ")[2].rstrip(")"))
        one.now += 7.0
    assert rests == ["2 s", "4 s", "7 s", "7 s"]


def test_after_a_rest_it_is_tried_once_and_a_success_forgets_all():
    one = Endpointed()
    one.ask(DOWN)
    assert one.n_asked == 3
    one.now += 5.0
    one.ask(DOWN)
    assert one.n_asked == 4
    one.now += 10.0
    assert one.ask("well") == "well"
    one.ask(DOWN)
    assert one.n_asked == 8
    assert one.ask("").reason.endswith("in 5 s)")


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
def test_what_says_nothing_of_the_endpoint_does_not_count(failure, given_s):
    one = Endpointed()
    one.ask(failure, given_s=given_s)
    assert one.ask("well") == "well"


def test_who_waits_does_not_wait_for_one_that_is_not_there():
    gone = Failure(FailureKind.UNREACHABLE, "cannot be reached; is it running?")
    one = Endpointed()
    one.ask(gone)
    assert (one.n_asked, one.now) == (1, 0.0)
    assert one.ask("well").reason == "cannot be reached; is it running? (asked again in 5 s)"
    one.ask(gone, given_s=None)
    assert one.n_asked == 2


def test_silence_counts_for_who_gave_it_time():
    one = Endpointed()
    one.ask(Failure(FailureKind.SLOW, "took more than 5 s"), given_s=5.0)
    assert one.ask("well").kind is FailureKind.RESTING


def test_who_has_no_deadline_waits_for_the_rest():
    one = Endpointed()
    one.ask(DOWN)
    began = one.now
    assert one.ask("well", given_s=None) == "well"
    assert one.now - began == pytest.approx(5.0, abs=0.1)


def test_a_cancelled_wait_ends_at_once():
    one = Endpointed()
    one.ask(DOWN)
    budget = Budget(is_cancelled=lambda: True)
    with pytest.raises(Cancelled), one.rest.call(one.patience, budget):
        pass


def test_while_one_tries_all_others_are_refused():
    one = Endpointed()
    one.ask(DOWN)
    one.now += 5.0
    budget = Budget(deadline=100.0, clock=lambda: one.now)
    with one.rest.call(one.patience, budget) as trial:
        assert trial.refusal is None
        assert one.ask("").reason.endswith("(asked again soon)")
        trial.ended(None)
    assert one.ask("well") == "well"


def test_a_trial_that_is_cancelled_lets_the_next_one_try():
    one = Endpointed()
    one.ask(DOWN)
    one.now += 5.0
    with pytest.raises(Cancelled), one.rest.call(one.patience, Budget(deadline=100.0, clock=lambda: one.now)):
        raise Cancelled
    assert one.ask("well") == "well"


def test_threads_share_a_rest():
    one = Endpointed()
    threads = [threading.Thread(target=lambda: one.ask("well")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one.n_asked == 8


# Of real endpoints


@pytest.fixture
def fake():
    pytest.importorskip("openai", reason="the extra `remote` is not installed")
    with serve() as endpoint:
        yield endpoint


SOON = Patience(sleep=lambda _s: None)


def test_an_embedder_s_failure_is_remembered_with_its_reason(fake):
    made = open_remote_embedder(Endpoint(base_url=fake.base_url, model="m"), patience=SOON)
    fake.rule = lambda _asked: Answer.error(401, "who are you?")
    for _ in range(3):
        with pytest.raises(ProviderError, match="does not let us in") as caught:
            made.embed_query("oak", budget=Budget.of(10))
    assert len(fake.asked) == 1
    assert "(asked again in 5 s)" in str(caught.value)
    assert caught.value.is_retriable


def test_a_bad_text_is_no_failure_of_the_endpoint(fake):
    made = open_remote_embedder(Endpoint(base_url=fake.base_url, model="m"), patience=SOON)
    fake.rule = lambda asked: Answer.error(500, "oh") if any("bad" in text for text in asked.texts) else None
    assert made.embed_all(["oak", "bad", "elm"], budget=Budget.of(10)).failure is None
    assert made.embed_query("oak", budget=Budget.of(10)).any()


def test_one_that_refuses_whatever_it_is_asked_is_left_alone(fake):
    made = open_remote_embedder(Endpoint(base_url=fake.base_url, model="m"), patience=SOON)
    fake.rule = lambda _asked: Answer.error(400, "Pooling type 'none' is not OAI compatible")
    for _ in range(3):
        with pytest.raises(ProviderError, match="Pooling type"):
            made.embed_query("oak", budget=Budget.of(10))
    assert len(fake.asked) == 2  # the text, and one that nobody could refuse


def test_a_chat_s_failure_is_remembered(fake):
    chat = open_remote_chat(Endpoint(base_url=fake.base_url, model="m"), patience=SOON)
    fake.rule = lambda _asked: Answer.error(404, "no such model")
    for _ in range(3):
        with pytest.raises(ProviderError, match="no such model"):
            chat.complete("s", "u", max_tokens=5, budget=Budget.of(10))
    assert len(fake.asked) == 1


def test_looking_for_the_dimensions_takes_no_longer_than_a_request(fake):
    made = open_remote_embedder(Endpoint(base_url=fake.base_url, model="m", timeout_s=0.2))
    fake.rule = lambda _asked: Answer(hangs=True)
    with pytest.raises(ProviderError, match=r"took more than 0|no time is left"):
        _ = made.n_dimensions
