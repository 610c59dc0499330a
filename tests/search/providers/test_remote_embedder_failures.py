"""An embedder whose endpoint refuses, limits, fails or hangs: what is retried, what is given up, what is kept."""

import numpy as np
import pytest

from search.budget import Budget, Cancelled
from search.errors import ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.retry_policy import RetryPolicy
from tests.kit.fake_endpoint import Answer, hashed
from tests.kit.remote_embedder import TEXTS, Naps, open_embedder

pytestmark = pytest.mark.slow

pytest.importorskip("openai", reason="the extra `remote` is not installed")


def at_most(n_texts=1000, n_characters=10**6, status=400):
    def rule(asked):
        if len(asked.texts) > n_texts:
            return Answer.error(status, f"batch size exceeds the limit of {n_texts}")
        if max(map(len, asked.texts)) > n_characters:
            return Answer.error(status, "the input is too large to process, maximum context length exceeded")
        return None

    return rule


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_batch_refused_for_its_size_is_halved_and_the_size_is_remembered(fake, status):
    fake.rule = at_most(n_texts=2, status=status)
    made = open_embedder(fake, batch_size=8)
    assert not made.embed_all(TEXTS).missing
    assert [len(asked.texts) for asked in fake.asked] == [7, 4, 2, 2, 3, 2, 1]
    n_before = len(fake.asked)
    made.embed_all(TEXTS)
    assert [len(asked.texts) for asked in fake.asked[n_before:]] == [2, 2, 2, 1]


def test_vector_of_a_text_that_is_too_long_is_the_weighted_mean_of_its_halves(fake):
    fake.rule = at_most(n_characters=40)
    text = "oak " * 10 + "elm " * 6
    found = open_embedder(fake).embed_all(["ash", text, "fir"])
    assert not found.missing
    halves = [np.array(hashed(part)) * len(part) for part in ("oak " * 8, "oak " * 2 + "elm " * 6)]
    mean = sum(halves) / np.linalg.norm(sum(halves))
    assert float(found.vectors[1] @ mean) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(found.vectors[1]) == pytest.approx(1, abs=1e-5)


def test_text_that_is_always_too_long_has_no_vector(fake):
    fake.rule = lambda asked: Answer.error(400, "too long") if any("oak" in text for text in asked.texts) else None
    found = open_embedder(fake).embed_all(["elm", "oak " * 50, "ash"])
    assert [(missing.position, missing.is_retriable) for missing in found.missing] == [(1, False)]
    assert "too long" in found.missing[0].reason
    assert found.failure is None


@pytest.mark.parametrize("status", [400, 422, 500])
def test_bad_text_does_not_end_the_run(fake, status):
    fake.rule = lambda asked: Answer.error(status, "cannot") if any("ash" in text for text in asked.texts) else None
    found = open_embedder(fake).embed_all(TEXTS)
    assert [missing.position for missing in found.missing] == [2]
    assert found.missing[0].is_retriable is (status == 500)
    assert np.count_nonzero(np.linalg.norm(found.vectors, axis=1)) == 6


def test_endpoint_that_refuses_everything_ends_the_run_soon(fake):
    fake.rule = lambda _asked: Answer.error(400, "no")
    found = open_embedder(fake).embed_all(["elm oak"] * 1000)
    assert "refused the request (400): no" in str(found.failure)
    assert len(found.missing) == 1000
    assert len(fake.asked) < 10


@pytest.mark.parametrize("header", [{"retry_after": "30"}, {"retry_after_ms": "30000"}])
def test_rate_limit_is_waited_for_as_long_as_it_asks(fake, header):
    naps = Naps()
    fake.script.append(Answer.error(429, "slow down", **header))
    assert not open_embedder(fake, naps=naps).embed_all(TEXTS).missing
    assert naps.total == pytest.approx(30)


@pytest.mark.parametrize("said", ["", "soon", "nan", "-5", "inf"])
def test_rate_limit_without_a_valid_time_is_waited_for_a_little(fake, said):
    naps = Naps()
    fake.script.append(Answer.error(429, "slow down", retry_after=said))
    open_embedder(fake, naps=naps).embed_query("oak")
    assert naps.total == pytest.approx(0 if said == "-5" else 0.5)


def test_rate_limit_beyond_the_budget_ends_the_run_and_keeps_its_vectors(fake):
    budget = Budget(deadline=5.0, clock=lambda: 0.0)
    fake.script.append(fake.proper)
    fake.script.append(Answer.error(429, "slow down", retry_after="3600"))
    found = open_embedder(fake, batch_size=4).embed_all(TEXTS, budget=budget)
    assert [missing.position for missing in found.missing] == [4, 5, 6]
    assert all(missing.is_retriable for missing in found.missing)
    assert found.failure.is_retriable
    assert "asks to wait 3,600 s" in str(found.failure)


def test_endless_rate_limit_ends_the_run(fake):
    fake.rule = lambda _asked: Answer.error(429, "slow down", retry_after="1")
    with pytest.raises(ProviderError, match="limits the rate"):
        open_embedder(fake).embed_query("oak")
    assert len(fake.asked) == RetryPolicy().n_waits + 1


def test_cancelled_run_does_not_wait_for_a_rate_limit(fake):
    naps = Naps()
    fake.script.append(Answer.error(429, "", retry_after="60"))
    with pytest.raises(Cancelled):
        open_embedder(fake, naps=naps).embed_all(TEXTS, budget=Budget(is_cancelled=lambda: naps.total > 1))
    assert naps.total < 2


def test_missing_credit_is_not_waited_for(fake):
    fake.script.append(Answer.json({"error": {"message": "sorry", "code": "insufficient_quota"}}, 429))
    with pytest.raises(ProviderError, match="no credit") as caught:
        open_embedder(fake).embed_query("oak")
    assert not caught.value.is_retriable
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    "bad", [Answer.error(500, "oops"), Answer.error(503, "loading"), Answer.error(409, ""), Answer(b"{", cuts=True)]
)
def test_temporary_failure_is_retried(fake, bad):
    naps = Naps()
    fake.script.extend([bad, bad])
    open_embedder(fake, naps=naps).embed_query("oak")
    assert naps.total == pytest.approx(0.5 + 1.0)


def test_permanent_failure_is_given_up(fake):
    fake.rule = lambda _asked: Answer.error(500, "oops")
    with pytest.raises(ProviderError, match=r"failed \(500\): oops") as caught:
        open_embedder(fake).embed_query("oak")
    assert caught.value.is_retriable


def test_run_keeps_its_vectors_if_the_endpoint_goes_down(fake):
    fake.script.append(fake.proper)
    fake.rule = lambda _asked: Answer.error(502, "gone")
    found = open_embedder(fake, batch_size=4).embed_all(TEXTS)
    assert [missing.position for missing in found.missing] == [4, 5, 6]
    assert found.failure.is_retriable
    with pytest.raises(ProviderError, match="gone"):
        open_embedder(fake).embed_passages(TEXTS)


def test_unreachable_endpoint_is_a_retriable_error(fake):
    made = RemoteEmbedder(
        Connection.to(Endpoint(base_url="http://127.0.0.1:9/v1", model="m")), RetryPolicy(sleep=Naps())
    )
    with pytest.raises(ProviderError, match="cannot be reached") as caught:
        made.embed_query("oak")
    assert caught.value.is_retriable


@pytest.mark.parametrize(
    "bad", [Answer(b" " * 5000, drips=True), Answer(b" " * 5000, status=500, drips=True), Answer(hangs=True)]
)
def test_answer_that_drips_or_never_comes_is_cut_off(fake, bad):
    fake.rule = lambda _asked: bad
    with pytest.raises(ProviderError, match=r"took more than 0\.1 s") as caught:
        open_embedder(fake, timeout_s=0.1).embed_query("oak")
    assert caught.value.is_retriable


def test_slow_batch_is_halved(fake):
    fake.rule = lambda asked: Answer.error(504, "too slow") if len(asked.texts) > 2 else None
    assert not open_embedder(fake, batch_size=4).embed_all(TEXTS).missing
