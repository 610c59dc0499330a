"""Hostile endpoints: what they cost has limits, and nothing reaches an address that the user did not configure."""

import gc
import io
import json
import logging
import socket
import threading
import time
import traceback
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.budget import Budget, Cancelled
from search.errors import ConfigError, ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_chat import RemoteChat
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.retry_policy import RetryPolicy
from tests.kit.fake_endpoint import Answer, embeddings, serve
from tests.kit.raw_server import drip, serve_raw, serve_tls

pytestmark = pytest.mark.slow

pytest.importorskip("openai", reason="the extra `remote` is not installed")
openai_client = pytest.importorskip("search.providers.openai_client")

KEY = "sk-canary-0123456789"
ONCE = RetryPolicy(n_tries=1, sleep=lambda _s: None)


def embedder(base_url, *, key=KEY, **options):
    return RemoteEmbedder(
        Connection.to(Endpoint(base_url=base_url, model="m", key_variable="MY_KEY", **options), key), ONCE
    )


def reason_of(base_url, *, seconds=5.0, key=KEY, **options) -> str:
    """The reason in the error if an endpoint gives no vector."""
    with pytest.raises(ProviderError) as caught:
        embedder(base_url, key=key, **options).embed_query("oak", budget=Budget.of(seconds))
    assert key not in "".join(traceback.format_exception(caught.value))
    return caught.value.reason


# Time


HTTP = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
TALKS = {
    "silence": lambda _connection, closing: closing.wait(20),
    "headers that drip": drip(HTTP + b"x-drip: "),
    "headers without end": drip(HTTP, b"x-more: y\r\n"),
    "a body that drips": drip(HTTP + b"content-length: 50000\r\n\r\n", b" "),
    "chunks without end": drip(HTTP + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "promises to go on": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_endless_answer_ends_with_the_budget(talk):
    with serve_raw(talk) as address:
        began = time.monotonic()
        assert reason_of(address, seconds=0.3)
        assert time.monotonic() - began < 2


@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_endless_answer_ends_at_once_for_a_cancelled_search(talk):
    stop = threading.Event()
    timer = threading.Timer(0.1, stop.set)
    with serve_raw(talk) as address:
        began = time.monotonic()
        timer.start()
        with pytest.raises(Cancelled):
            embedder(address).embed_query("oak", budget=Budget.of(30, is_cancelled=stop.is_set))
        assert time.monotonic() - began < 2


def test_endless_name_lookup_ends_with_the_budget(monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_arguments, **_options: release.wait(20) or [])
    assert "took more than" in reason_of("http://nowhere.example/v1", seconds=1.0)
    release.set()


def test_abandoned_request_leaves_no_thread_and_the_next_one_is_answered(fake):
    made = embedder(fake.base_url)
    fake.script.append(Answer(hangs=True))
    with pytest.raises(ProviderError):
        made.embed_query("oak", budget=Budget.of(1.0))
    for thread in threading.enumerate():
        if thread.name == "vault-request":
            thread.join(5)
            assert not thread.is_alive()
    assert made.embed_query("oak", budget=Budget.of(5)).any()


def test_cancelled_requests_leave_no_client_in_memory(fake):
    made = embedder(fake.base_url)
    fake.rule = lambda _asked: Answer(hangs=True)
    for n in range(1, 4):
        with pytest.raises(Cancelled):
            made.embed_query("oak", budget=Budget(is_cancelled=lambda n=n: len(fake.asked) == n))
    for thread in threading.enumerate():
        if thread.name == "vault-request":
            thread.join(5)
    gc.collect()
    assert [each for each in gc.get_objects() if isinstance(each, openai_client.Client) and each._is_abandoned] == []


# Where things go


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_neither_key_nor_text_follows_a_redirect(fake, status):
    with serve() as elsewhere:
        fake.rule = lambda _asked: Answer(status=status, headers=(("location", f"{elsewhere.base_url}/embeddings"),))
        assert f"redirects to {elsewhere.base_url}/embeddings, but redirects are not followed" in reason_of(
            fake.base_url
        )
        assert elsewhere.asked == []


def test_redirect_to_the_same_host_is_not_followed(fake):
    fake.rule = lambda _asked: Answer(status=307, headers=(("location", "/v2/embeddings"),))
    assert "redirects to /v2/embeddings" in reason_of(fake.base_url)
    assert len(fake.asked) == 1


def test_proxy_of_the_environment_gets_nothing(fake, monkeypatch):
    with serve() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.base_url.removesuffix("/v1"))
        assert embedder(fake.base_url).embed_query("oak", budget=Budget.of(5)).any()
        assert proxy.asked == []


def test_environment_variables_of_the_package_are_ignored(fake, monkeypatch):
    with serve() as elsewhere:
        monkeypatch.setenv("OPENAI_BASE_URL", elsewhere.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-other: sk-other")
        assert embedder(fake.base_url, key="").embed_query("oak", budget=Budget.of(5)).any()
        assert elsewhere.asked == []
        assert "sk-other" not in repr(fake.asked)


# Encryption


def test_self_signed_certificate_is_not_trusted_and_the_error_says_what_to_do(tmp_path):
    with serve_tls(tmp_path) as address:
        said = reason_of(address)
        assert "certificate that is not trusted (self-signed certificate)" in said.replace("self signed", "self-signed")
        assert "SSL_CERT_FILE" in said


def test_certificate_in_ssl_cert_file_is_trusted(tmp_path, monkeypatch):
    with serve_tls(tmp_path) as address:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        monkeypatch.setattr(openai_client, "_ssl_context", openai_client._ssl_context.__wrapped__)  # read anew
        assert "does not know this address" in reason_of(address)


def test_tls_with_a_plain_http_server_is_explained(fake):
    assert "or does it need http://?" in reason_of(fake.base_url.replace("http", "https"))


def test_plain_http_with_a_tls_server_is_an_error(tmp_path):
    with serve_tls(tmp_path) as address:
        assert reason_of(address.replace("https", "http"))


# Answers


def numbers(*vectors):
    """An answer with these vectors as JSON, including `NaN`."""
    data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return Answer(json.dumps({"data": data}).encode())


ANSWERS = {
    "a web page": (Answer(b"<!doctype html><title>Login</title>"), "answered with a web page; is base_url right?"),
    "a stream": (Answer(b'data: {"choices": []}\n\n' * 3), "answered with a stream, which was not requested"),
    "NaN": (numbers([float("nan"), 1.0]), "a component that is not a number"),
    "infinity": (numbers([float("inf"), 1.0]), "a component that is not a number"),
    "all zero": (numbers([0.0, 0.0]), "is zero"),
    "no numbers at all": (numbers([]), "not a list of numbers"),
    "texts": (numbers(["1", "2"]), "not a list of numbers"),
    "deep JSON": (Answer(b"[" * 100_000), "not JSON"),
    "10 MB": (Answer(b" " * 10_000_000), "sent more than the"),
    "compressed": (Answer(b"x", headers=(("content-encoding", "gzip"),)), "compressed its answer"),
    "nothing": (Answer(b""), "answered with nothing"),
    "too many": (numbers([1.0], [1.0]), "sent 2 vectors for 1 text"),
    "no content": (Answer(b"", status=204), "answered with nothing"),
}


@pytest.mark.parametrize(("answer", "words"), ANSWERS.values(), ids=ANSWERS)
def test_unusable_answer_is_explained(fake, answer, words):
    fake.rule = lambda _asked: answer
    assert words in reason_of(fake.base_url)


def test_vectors_of_another_length_are_refused(fake):
    """The first vector decides the length."""
    fake.script.append(embeddings([[1.0, 0.0]]))
    fake.rule = lambda asked: embeddings([[1.0, 0.0, 0.0]] * len(asked.texts))
    made = embedder(fake.base_url)
    made.embed_query("ash")
    found = made.embed_all(["oak", "elm"])
    assert not found.vectors.any()
    assert "sent a vector of 3 dimensions where 2 are expected; set dimensions" in str(found.failure)


# The key


KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40).map(
    "zq{}".format
)  # no word
ECHOES = (
    lambda key: Answer.error(401, f"Incorrect API key provided: {key}"),
    lambda key: Answer.error(400, f"{key}{key}"),
    lambda key: Answer.error(500, f"Bearer {key.upper()} {key.lower()}"),
    lambda key: Answer.json({"error": {key: [key]}}, 404),
    lambda key: Answer.json({"detail": [{"loc": key}]}, 422),
    lambda key: Answer.json({"error": {"message": "x", "code": key}}, 404),
    lambda key: Answer.json({key: key}),
    lambda key: Answer.json({"data": [{"index": key, "embedding": key}]}),
    lambda key: Answer(f"<html>{key}".encode()),
    lambda key: Answer(status=302, headers=(("location", f"http://127.0.0.1/{quote(key, safe='')}?k={quote(key)}"),)),
)


@given(KEYS, st.sampled_from(ECHOES))
@settings(max_examples=25, deadline=None)
def test_key_in_an_error_of_the_endpoint_is_not_shown(key, echo):
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger().addHandler(handler)
    with serve() as fake:
        fake.rule = lambda _asked: echo(key)
        chat = RemoteChat(Connection.to(Endpoint(base_url=fake.base_url, model="m"), key), ONCE)
        said = [reason_of(fake.base_url, key=key)]
        with pytest.raises(ProviderError) as caught:
            chat.complete("s", "u", max_tokens=5, budget=Budget.of(5))
    logging.getLogger().removeHandler(handler)
    said += ["".join(traceback.format_exception(caught.value)), repr(chat), logged.getvalue()]
    forms = {key, key.lower(), key.upper(), json.dumps(key)[1:-1], quote(key, safe="")}
    assert not any(form in text for text in said for form in forms)


# Settings


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "FILE://localhost/etc/passwd",
        "gopher://h/v1",
        "http+unix://%2Fvar%2Frun/v1",
        "javascript:alert(1)",
        "//h/v1",
        "http:///v1",
        "http://:80/v1",
        "http://h:99999/v1",
        "http://[::1/v1",
        "http://h/v1\r\nx-evil: 1",
        "http://h/\u2028v1",
        "http://h/\ud800",
        "http://h\\@evil.example/v1",
        "http://u@h/v1",
        "http://h/v1/embeddings",
        "http://h/v1/chat/completions/",
    ],
)
def test_other_addresses_are_rejected(address):
    with pytest.raises(ConfigError, match="base_url"):
        Endpoint(base_url=address, model="m")


@pytest.mark.parametrize("model", ["", " ", "a b", "a\nb", "\ud800", "m\u200b", "m\u202e", "\u2028", "x" * 201, "\0"])
def test_model_name_with_invisible_characters_is_rejected(model):
    with pytest.raises(ConfigError, match="model"):
        Endpoint(base_url="http://h/v1", model=model)


@pytest.mark.parametrize(
    "model", ["hf.co/BAAI/bge-m3:Q4_K_M", "../../etc", "模型", "a'b\"c", "{m}", "%2e%2e", "$(id)", "m?k=v#f"]
)
def test_any_other_model_name_is_sent_unchanged(fake, model):
    made = RemoteEmbedder(Connection.to(Endpoint(base_url=fake.base_url, model=model)))
    assert made.embed_query("oak", budget=Budget.of(5)).any()
    assert fake.asked[0].body["model"] == model
    assert fake.asked[0].path == "/v1/embeddings"


@pytest.mark.parametrize("prefix", ["\ud800", "a\0b"])
def test_prefix_that_cannot_be_sent_is_rejected(prefix):
    with pytest.raises(ConfigError, match="query_prefix"):
        Endpoint(base_url="http://h/v1", model="m", query_prefix=prefix)
