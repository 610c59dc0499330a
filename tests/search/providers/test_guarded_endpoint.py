"""Endpoints behind their circuit breaker: which failures are remembered, over real requests."""

import pytest

from search.budget import Budget
from search.errors import ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_chat import RemoteChat
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.retry_policy import RetryPolicy
from tests.kit.fake_endpoint import Answer

SOON = RetryPolicy(sleep=lambda _s: None)


def test_failure_of_an_embedder_is_remembered_with_its_reason(fake):
    made = RemoteEmbedder(Connection.to(Endpoint(base_url=fake.base_url, model="m")), SOON)
    fake.rule = lambda _asked: Answer.error(401, "who are you?")
    for _ in range(3):
        with pytest.raises(ProviderError, match="denied access") as caught:
            made.embed_query("oak", budget=Budget.of(10))
    assert len(fake.asked) == 1
    assert "(asked again in 5 s)" in str(caught.value)
    assert caught.value.is_retriable


def test_bad_text_is_no_failure_of_the_endpoint(fake):
    made = RemoteEmbedder(Connection.to(Endpoint(base_url=fake.base_url, model="m")), SOON)
    fake.rule = lambda asked: Answer.error(500, "oh") if any("bad" in text for text in asked.texts) else None
    assert made.embed_all(["oak", "bad", "elm"], budget=Budget.of(10)).failure is None
    assert made.embed_query("oak", budget=Budget.of(10)).any()


def test_endpoint_that_refuses_every_text_is_left_alone(fake):
    made = RemoteEmbedder(Connection.to(Endpoint(base_url=fake.base_url, model="m")), SOON)
    fake.rule = lambda _asked: Answer.error(400, "Pooling type 'none' is not OAI compatible")
    for _ in range(3):
        with pytest.raises(ProviderError, match="Pooling type"):
            made.embed_query("oak", budget=Budget.of(10))
    assert len(fake.asked) == 2  # the text and the probe


def test_failure_of_a_chat_is_remembered(fake):
    chat = RemoteChat(Connection.to(Endpoint(base_url=fake.base_url, model="m")), SOON)
    fake.rule = lambda _asked: Answer.error(404, "no such model")
    for _ in range(3):
        with pytest.raises(ProviderError, match="no such model"):
            chat.complete("s", "u", max_tokens=5, budget=Budget.of(10))
    assert len(fake.asked) == 1


def test_finding_out_the_dimensions_takes_no_longer_than_a_request(fake):
    made = RemoteEmbedder(Connection.to(Endpoint(base_url=fake.base_url, model="m", timeout_s=0.2)))
    fake.rule = lambda _asked: Answer(hangs=True)
    with pytest.raises(ProviderError, match=r"took more than 0|no time is left"):
        _ = made.n_dimensions
