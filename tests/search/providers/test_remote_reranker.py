"""Rerankers behind endpoints of every form, and behind endpoints that misbehave."""

import pytest

from search.budget import UNLIMITED, Budget, Cancelled
from search.errors import ConfigError, ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.failure import Failure
from search.providers.remote_reranker import RemoteReranker, read_scores
from tests.kit.fake_endpoint import Answer, rerank

pytestmark = pytest.mark.slow

PASSAGES = ["the elm", "how oaks are felled", "the oak and the elm"]


def reranker(fake, **options):
    return RemoteReranker(Connection.to(Endpoint(base_url=fake.base_url, model="judge", **options), "sk-canary"))


def score(fake, passages=PASSAGES, budget=UNLIMITED, **options):
    return reranker(fake, **options).rerank("the elm oak", passages, budget=budget)


@pytest.mark.parametrize("shape", ["results", "data", "bare"])
def test_every_form_of_request_and_answer_is_supported(fake, shape):
    """Jina, Cohere, vLLM and llama.cpp: `results`. Voyage: `data`. text-embeddings-inference: a bare list."""
    fake.rerank_shape = shape
    assert score(fake) == pytest.approx((2 / 3, 0, 1))
    assert fake.asked[-1].path == "/v1/rerank"
    assert fake.asked[-1].headers["authorization"] == "Bearer sk-canary"


def test_request_has_only_fields_that_all_servers_know(fake):
    score(fake)
    assert fake.asked[0].body == {"model": "judge", "query": "the elm oak", "documents": PASSAGES}


def test_field_that_works_is_remembered(fake):
    fake.rerank_shape = "bare"
    made = reranker(fake)
    for _ in range(2):
        made.rerank("elm", PASSAGES, budget=UNLIMITED)
    assert [set(asked.body) & {"documents", "texts"} for asked in fake.asked] == [{"documents"}, {"texts"}, {"texts"}]
    assert fake.asked[-1].body["truncate"] is True
    assert made.model == f"judge at {fake.base_url}"


def test_passages_are_sent_in_batches(fake):
    assert score(fake, batch_size=2) == pytest.approx((2 / 3, 0, 1))
    assert [len(asked.body["documents"]) for asked in fake.asked] == [2, 1]


def test_passages_that_are_too_long_are_halved_until_they_fit(fake):
    fake.rule = lambda asked: (
        Answer.error(500, "input is too large to process") if max(map(len, asked.body["documents"])) > 300 else None
    )
    assert score(fake, ["the elm " + "x" * 1000, "oak"]) == pytest.approx((2 / 3, 1 / 3))
    assert len(fake.asked) == 3


def test_passages_that_are_always_too_long_fail_after_a_few_requests(fake):
    fake.rule = lambda _: Answer.error(413, "too long")
    with pytest.raises(ProviderError, match="too long"):
        score(fake)
    assert len(fake.asked) == 4


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(b"<html>"), "a web page"),
        (Answer.json({}), "no scores"),
        (Answer.json([]), "no scores"),
        (Answer.json(7), "no scores"),
        (rerank(["x", 1, 2]), "invalid indexes or scores"),
        (rerank([None, 1, 2]), "invalid indexes or scores"),
        (rerank([True, 1, 2]), "invalid indexes or scores"),
        (rerank([float("nan"), 1, 2]), "invalid indexes or scores"),
        (rerank([10**400, 1, 2]), "invalid indexes or scores"),
        (rerank([1, 2, 3, 4]), "invalid indexes or scores"),
        (Answer.json([1, 2]), "invalid indexes or scores"),
        (Answer.json([{"index": True, "score": 1}]), "invalid indexes or scores"),
        (Answer.json([{"index": 0, "score": 1}, {"index": 0, "score": 2}]), "invalid indexes or scores"),
        (Answer.json([{"index": -1, "score": 1}]), "invalid indexes or scores"),
        (Answer(b"x" * 10_000_000), "more than the"),
        (Answer.json({}, cuts="1"), "no scores"),
        (Answer(b'{"results"', cuts=True), "closed the connection"),
        (Answer.error(401, "sk-canary is wrong"), r"\[key\] is wrong"),
        (Answer.error(429, "slow down", retry_after="1"), "limits the rate"),
        (Answer.error(500, "oops"), r"failed \(500\)"),
        (Answer(b"", 302, (("location", "http://elsewhere.example/"),)), "redirects"),
    ],
)
def test_bad_answer_is_an_error_without_the_key_and_not_retried(fake, answer, words):
    fake.script.append(answer)
    with pytest.raises(ProviderError, match=words) as caught:
        score(fake)
    assert "sk-canary" not in str(caught.value)
    assert len(fake.asked) == 1


def test_error_is_the_first_one_if_both_fields_are_refused(fake):
    fake.rule = lambda asked: Answer.error(400, f"no model for {'documents' if 'documents' in asked.body else 'texts'}")
    with pytest.raises(ProviderError, match="no model for documents"):
        score(fake)


def test_passages_that_are_too_long_with_the_second_field_are_halved(fake):
    fake.rerank_shape = "bare"
    fake.rule = lambda asked: (
        Answer.error(413, "too long") if max(map(len, asked.body.get("texts", [""]))) > 300 else None
    )
    assert score(fake, ["the elm " + "x" * 500, "oak"]) == pytest.approx((2 / 3, 1 / 3))


def test_answer_with_fewer_scores_than_passages_is_refused():
    body = Answer.json([{"index": 2, "score": -3}, {"index": 0, "score": 4.5}]).body
    failure = read_scores(body, n_passages=3)
    assert isinstance(failure, Failure)
    assert failure.reason == "gave 2 scores for 3 passages"


def test_empty_answer_is_a_failure():
    assert isinstance(read_scores(b"", n_passages=1), Failure)


def test_silent_server_is_waited_for_until_the_time_limit(fake):
    fake.script.append(Answer(hangs=True))
    with pytest.raises(ProviderError, match="took more than"):
        score(fake, timeout_s=0.1)


def test_cancelled_search_sends_nothing(fake):
    with pytest.raises(Cancelled):
        score(fake, budget=Budget(is_cancelled=lambda: True))
    assert not fake.asked


def test_text_that_json_cannot_encode_is_repaired(fake):
    assert len(score(fake, ["a\ud800b\0c", "elm"])) == 2
    assert fake.asked[0].body["documents"][0] == "a?b c"


def test_key_that_cannot_be_sent_is_rejected_at_once():
    with pytest.raises(ConfigError):
        RemoteReranker(Connection.to(Endpoint(base_url="http://localhost:1/v1", model="m"), "a b"))
