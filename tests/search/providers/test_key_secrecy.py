"""The key goes to the endpoint and appears nowhere else: in no error, no log, no repr."""

import traceback

import pytest

from search.errors import ConfigError, ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_embedder import RemoteEmbedder
from tests.kit.fake_endpoint import Answer
from tests.kit.remote_embedder import KEY, open_embedder

pytestmark = pytest.mark.slow


def test_only_our_headers_and_our_key_are_sent(fake, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-foreign: secret" if "HEADERS" in name else "foreign-secret")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    open_embedder(fake).embed_query("oak")
    open_embedder(fake, key="").embed_query("oak")
    allowed = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
    assert set(fake.asked[0].headers) == allowed | {"authorization"}
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert set(fake.asked[1].headers) == allowed


ECHO = [
    Answer.error(401, f"Incorrect API key provided: {KEY}"),
    Answer.error(400, KEY),
    Answer.error(500, KEY * 200),
    Answer.error(429, KEY, retry_after="3600"),
    Answer.error(302, KEY, location=f"http://evil.example/{KEY}"),
    Answer.json({"error": {"message": "x", "code": KEY}}, 404),
    Answer.json({"error": {KEY: KEY}}, 404),
    Answer.json({"detail": [{"loc": KEY}]}, 422),
    Answer(f"<html>{KEY}".encode()),
    Answer(f"<html>{KEY}".encode(), status=404),
    Answer.json({KEY: KEY}),
    Answer.json({"data": [{"index": KEY, "embedding": KEY}]}),
    Answer(KEY.encode(), cuts=True),
    Answer(KEY.encode() * 100, drips=True),
    Answer(b"{}", headers=(("content-encoding", KEY),)),
]


@pytest.mark.parametrize("answer", ECHO)
def test_key_is_in_no_error_no_log_and_no_repr(fake, answer, caplog):
    caplog.set_level("DEBUG")
    fake.rule = lambda _asked: answer
    made = open_embedder(fake, timeout_s=0.2)
    found = made.embed_all(["oak"])
    assert found.failure is not None
    with pytest.raises(ProviderError) as caught:
        made.embed_query("oak")
    shown = "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    for text in (shown, repr(caught.value), repr(found), repr(made), caplog.text):
        assert KEY not in text


@pytest.mark.parametrize("key", ["sk-canary\nx", "sk-canary\u00e9", "sk canary"])
def test_key_that_cannot_be_sent_is_rejected_without_repeating_it(key):
    with pytest.raises(ConfigError, match=r"\$MY_KEY") as caught:
        RemoteEmbedder(Connection.to(Endpoint(base_url="http://h/v1", model="m", key_variable="MY_KEY"), key))
    assert "canary" not in str(caught.value) + repr(caught.value.__dict__)


def test_white_space_around_a_key_is_not_sent(fake):
    open_embedder(fake, key=f" {KEY}\n").embed_query("oak")
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_text_of_an_unexpected_error_is_not_shown(fake, monkeypatch):
    made = open_embedder(fake)
    made.embed_query("oak")

    def fail(*_arguments):
        raise ValueError(KEY)

    monkeypatch.setattr("search.providers.openai_client.Client.post", fail)
    with pytest.raises(ProviderError, match=r"cannot be used \(ValueError\)") as caught:
        made.embed_query("oak")
    assert KEY not in str(caught.value)
