"""Embeddings of an endpoint that misbehaves in every way we know of; needs the extra `remote`."""

import base64
import json
import math
import struct
import traceback
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from search.budget import Budget, Cancelled
from search.errors import ConfigError, ProviderError
from search.providers.endpoint import Endpoint
from search.providers.openai_compatible import open_remote_embedder
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.retry_policy import RetryPolicy
from search.providers.scripts import LATIN
from tests.kit.fake_endpoint import N_DIMENSIONS, Answer, embeddings, hashed, serve

pytest.importorskip("openai", reason="the extra `remote` is not installed")

KEY = "sk-canary-0123456789"


@pytest.fixture
def fake():
    with serve() as endpoint:
        yield endpoint


class Naps:
    """Counts what was slept; nothing sleeps."""

    def __init__(self):
        self.total = 0.0

    def __call__(self, seconds):
        """Do not sleep."""
        self.total += seconds


def embedder(fake, *, key=KEY, naps=None, policy=None, **options) -> RemoteEmbedder:
    endpoint = Endpoint(base_url=fake.base_url, model="fake", key_variable="MY_KEY", **options)
    return open_remote_embedder(endpoint, key=key, policy=policy or RetryPolicy(sleep=naps or Naps()))


def cosine_to(vector, text) -> float:
    return float(vector @ np.array(hashed(text), np.float32))


TEXTS = [f"note number {word}" for word in ("oak", "elm", "ash", "fir", "yew", "box", "bay")]


def test_vectors_come_back_in_order_in_batches(fake):
    found = embedder(fake, batch_size=3).embed_all(TEXTS)
    assert found.vectors.shape == (7, N_DIMENSIONS)
    assert all(
        cosine_to(row, text) == pytest.approx(1, abs=1e-5) for row, text in zip(found.vectors, TEXTS, strict=True)
    )
    assert [len(asked.texts) for asked in fake.asked] == [3, 3, 1]
    assert found.missing == ()
    assert found.failure is None


def test_only_our_headers_and_our_key_leave(fake, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-foreign: secret" if "HEADERS" in name else "foreign-secret")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    embedder(fake).embed_query("oak")
    embedder(fake, key="").embed_query("oak")
    allowed = {"host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent"}
    assert set(fake.asked[0].headers) == allowed | {"authorization"}
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert set(fake.asked[1].headers) == allowed


def test_nothing_is_sent_until_a_text_comes(fake):
    made = embedder(fake, dimensions=8, scripts=LATIN)
    assert (made.n_dimensions, made.max_tokens, made.default_weight, made.graph_gate) == (8, 512, 0.6, 0.75)
    assert made.count_tokens("oak tree") == 5
    assert made.foreign_share("茶") == 1.0
    assert embedder(fake).foreign_share("茶") == 0.0
    assert made.model == f"fake@{fake.base_url[7:]}#8"
    assert fake.asked == []


def test_dimensions_that_are_not_configured_are_learned(fake):
    made = embedder(fake)
    assert made.n_dimensions == N_DIMENSIONS
    assert made.n_dimensions == N_DIMENSIONS
    assert len(fake.asked) == 1
    assert "dimensions" not in fake.asked[0].body


def test_configured_dimensions_are_asked_for(fake):
    embedder(fake, dimensions=N_DIMENSIONS).embed_query("oak")
    assert fake.asked[0].body["dimensions"] == N_DIMENSIONS


def test_prefixes_go_in_front(fake):
    made = embedder(fake, query_prefix="Q: ", passage_prefix="P: ")
    made.embed_query("oak")
    made.embed_passages(["elm"])
    assert [asked.texts for asked in fake.asked] == [["Q: oak"], ["P: elm"]]
    assert made.model.endswith("#Q: |P: ")


def test_strange_texts_arrive_mended(fake):
    found = embedder(fake).embed_all(["a\0b", "lone \ud800 surrogate", "", " \n"])
    assert fake.asked[0].texts == ["a b", "lone ? surrogate"]
    assert [missing.position for missing in found.missing] == [2, 3]
    assert not found.vectors[2:].any()


def test_a_query_without_text_has_no_vector(fake):
    with pytest.raises(ProviderError, match="it is empty"):
        embedder(fake).embed_query("  ")


def at_most(n_texts=1000, n_characters=10**6, status=400):
    def rule(asked):
        if len(asked.texts) > n_texts:
            return Answer.error(status, f"batch size exceeds the limit of {n_texts}")
        if max(map(len, asked.texts)) > n_characters:
            return Answer.error(status, "the input is too large to process, maximum context length exceeded")
        return None

    return rule


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_batch_refused_for_its_size_is_halved_and_the_size_is_remembered(fake, status):
    fake.rule = at_most(n_texts=2, status=status)
    made = embedder(fake, batch_size=8)
    assert not made.embed_all(TEXTS).missing
    assert [len(asked.texts) for asked in fake.asked] == [7, 4, 2, 2, 3, 2, 1]
    n_before = len(fake.asked)
    made.embed_all(TEXTS)
    assert [len(asked.texts) for asked in fake.asked[n_before:]] == [2, 2, 2, 1]


def test_a_text_that_is_too_long_is_split_and_its_vector_is_the_weighted_mean(fake):
    fake.rule = at_most(n_characters=40)
    text = "oak " * 10 + "elm " * 6
    found = embedder(fake).embed_all(["ash", text, "fir"])
    assert not found.missing
    halves = [np.array(hashed(part)) * len(part) for part in ("oak " * 8, "oak " * 2 + "elm " * 6)]
    mean = sum(halves) / np.linalg.norm(sum(halves))
    assert float(found.vectors[1] @ mean) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(found.vectors[1]) == pytest.approx(1, abs=1e-5)


def test_a_text_that_is_always_too_long_goes_without(fake):
    fake.rule = lambda asked: Answer.error(400, "too long") if any("oak" in text for text in asked.texts) else None
    found = embedder(fake).embed_all(["elm", "oak " * 50, "ash"])
    assert [(missing.position, missing.is_retriable) for missing in found.missing] == [(1, False)]
    assert "too long" in found.missing[0].reason
    assert found.failure is None


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_bad_text_never_ends_a_run(fake, status):
    fake.rule = lambda asked: Answer.error(status, "cannot") if any("ash" in text for text in asked.texts) else None
    found = embedder(fake).embed_all(TEXTS)
    assert [missing.position for missing in found.missing] == [2]
    assert found.missing[0].is_retriable is (status == 500)
    assert np.count_nonzero(np.linalg.norm(found.vectors, axis=1)) == 6


def test_an_endpoint_that_refuses_everything_ends_a_run_soon(fake):
    fake.rule = lambda _asked: Answer.error(400, "no")
    found = embedder(fake).embed_all(["elm oak"] * 1000)
    assert "refused it (400): no" in str(found.failure)
    assert len(found.missing) == 1000
    assert len(fake.asked) < 10


@pytest.mark.parametrize("header", [{"retry_after": "30"}, {"retry_after_ms": "30000"}])
def test_a_rate_limit_is_waited_for_as_long_as_it_says(fake, header):
    naps = Naps()
    fake.script.append(Answer.error(429, "slow down", **header))
    assert not embedder(fake, naps=naps).embed_all(TEXTS).missing
    assert naps.total == pytest.approx(30)


@pytest.mark.parametrize("said", ["", "soon", "nan", "-5", "inf"])
def test_a_rate_limit_without_a_sensible_time_is_waited_for_a_little(fake, said):
    naps = Naps()
    fake.script.append(Answer.error(429, "slow down", retry_after=said))
    embedder(fake, naps=naps).embed_query("oak")
    assert naps.total == pytest.approx(0 if said == "-5" else 0.5)


def test_a_rate_limit_that_outlasts_the_budget_ends_the_run_and_keeps_what_there_is(fake):
    budget = Budget(deadline=5.0, clock=lambda: 0.0)
    fake.script.append(fake.proper)
    fake.script.append(Answer.error(429, "slow down", retry_after="3600"))
    found = embedder(fake, batch_size=4).embed_all(TEXTS, budget=budget)
    assert [missing.position for missing in found.missing] == [4, 5, 6]
    assert all(missing.is_retriable for missing in found.missing)
    assert found.failure.is_retriable
    assert "asks to wait 3,600 s" in str(found.failure)


def test_an_endless_rate_limit_ends_the_run(fake):
    fake.rule = lambda _asked: Answer.error(429, "slow down", retry_after="1")
    with pytest.raises(ProviderError, match="limits how often"):
        embedder(fake).embed_query("oak")
    assert len(fake.asked) == RetryPolicy().n_waits + 1


def test_no_credit_is_not_waited_for(fake):
    fake.script.append(Answer.json({"error": {"message": "sorry", "code": "insufficient_quota"}}, 429))
    with pytest.raises(ProviderError, match="no credit") as caught:
        embedder(fake).embed_query("oak")
    assert not caught.value.is_retriable
    assert len(fake.asked) == 1


@pytest.mark.parametrize(
    "bad", [Answer.error(500, "oops"), Answer.error(503, "loading"), Answer.error(409, ""), Answer(b"{", cuts=True)]
)
def test_a_passing_failure_is_tried_again(fake, bad):
    naps = Naps()
    fake.script.extend([bad, bad])
    embedder(fake, naps=naps).embed_query("oak")
    assert naps.total == pytest.approx(0.5 + 1.0)


def test_an_endpoint_that_stays_broken_is_given_up(fake):
    fake.rule = lambda _asked: Answer.error(500, "oops")
    with pytest.raises(ProviderError, match=r"failed \(500\): oops") as caught:
        embedder(fake).embed_query("oak")
    assert caught.value.is_retriable


def test_an_endpoint_that_goes_down_in_the_middle_keeps_what_there_is(fake):
    fake.script.append(fake.proper)
    fake.rule = lambda _asked: Answer.error(502, "gone")
    found = embedder(fake, batch_size=4).embed_all(TEXTS)
    assert [missing.position for missing in found.missing] == [4, 5, 6]
    assert found.failure.is_retriable
    with pytest.raises(ProviderError, match="gone"):
        embedder(fake).embed_passages(TEXTS)


def test_nobody_there(fake):
    made = open_remote_embedder(Endpoint(base_url="http://127.0.0.1:9/v1", model="m"), policy=RetryPolicy(sleep=Naps()))
    with pytest.raises(ProviderError, match="cannot be reached") as caught:
        made.embed_query("oak")
    assert caught.value.is_retriable


ITEM = {"index": 0, "embedding": [1.0, 0.0]}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer.error(401, "bad key"), r"does not let us in \(401\); check \$MY_KEY: bad key"),
        (Answer.error(403, ""), "does not let us in"),
        (Answer.error(404, 'model "x" not found'), "does not know this address or model"),
        (Answer.error(402, "pay"), "paid"),
        (Answer.error(302, "", location="http://evil.example/v1?x=1"), r"redirects to http://evil.example/v1, where"),
        (Answer.error(307, "", location="http://u:p@evil.example/"), r"redirects to http://evil.example/, where"),
        (Answer(b"<!doctype html><h1>Hello</h1>"), "a web page"),
        (Answer(b"hello"), "not JSON"),
        (Answer(b""), "with nothing"),
        (Answer(b"[" * 100_000), "not JSON"),
        (Answer.json({"data": "x"}), "no vectors"),
        (Answer.json([1]), "no vectors"),
        (Answer.json({"data": []}), "sent 0 vectors for 1 texts"),
        (Answer.json({"data": [ITEM, ITEM]}), "sent 2 vectors for 1 texts"),
        (Answer.json({"data": [{**ITEM, "index": 1}]}), "numbered"),
        (Answer.json({"data": [{**ITEM, "index": True}]}), "numbered"),
        (Answer.json({"data": [{**ITEM, "embedding": ["a"]}]}), "no list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": [True]}]}), "no list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": []}]}), "no list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": "%%%"}]}), "no list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": "AAA="}]}), "no list of numbers"),
        (Answer.json({"data": [{"index": 0}]}), "no list of numbers"),
        (Answer(b'{"data":"' + b"x" * 10_000_000 + b'"}'), "sent more than the"),
        (Answer(b"x" * 10_000_000, status=500), "sent more than the"),
        (Answer(b"{}", headers=(("content-encoding", "gzip"),)), "compressed"),
    ],
)
def test_a_hopeless_answer_is_explained_and_not_tried_again(fake, answer, words):
    """At most it is seen whether another text fares better."""
    fake.script.append(answer)
    with pytest.raises(ProviderError, match=words) as caught:
        embedder(fake).embed_query("oak")
    assert not caught.value.is_retriable
    assert sum(asked.texts == ["oak"] for asked in fake.asked) == 1


SPOILT = {
    "NaN as C++ writes it": lambda _rows: Answer(b'{"data":[{"index":0,"embedding":[-nan(ind),1.0]}]}'),
    "a vector is left out": lambda rows: embeddings(rows[:-1]),
    "a vector of other dimensions": lambda rows: embeddings([*rows[:-1], [1.0, 2.0]]),
    "a vector that is none": lambda rows: embeddings([*rows[:-1], "none"]),
    "numbers that make no sense": lambda rows: Answer.json({"data": [{"index": 7, "embedding": row} for row in rows]}),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_a_text_that_spoils_the_answer_costs_its_own_vector_only(fake, spoil):
    def rule(asked):
        return spoil([hashed(text) for text in asked.texts]) if TEXTS[4] in asked.texts else None

    fake.rule = rule
    found = embedder(fake, batch_size=3, dimensions=N_DIMENSIONS).embed_all(TEXTS)
    assert found.failure is None
    assert [missing.position for missing in found.missing] == [4]


def test_an_error_that_says_nothing_is_not_quoted(fake):
    fake.script.append(Answer.json({}, 401))
    with pytest.raises(ProviderError) as caught:
        embedder(fake).embed_query("oak")
    assert str(caught.value).endswith("(401); check $MY_KEY")


@pytest.mark.parametrize(
    "numbers", [[math.nan, 1.0], [0.0, 0.0], [1e400, 1.0], [None, 1.0], [1e39, 0.0], [10**400, 1.0]]
)
def test_a_vector_that_is_none_costs_its_text_alone(fake, numbers):
    fake.script.append(embeddings([[1.0, 1.0], numbers, [3.0, 4.0]]))
    found = embedder(fake).embed_all(["oak", "elm", "ash"])
    assert [missing.position for missing in found.missing] == [1]
    assert np.allclose(found.vectors, [[0.5**0.5, 0.5**0.5], [0, 0], [0.6, 0.8]])
    fake.script.append(embeddings([numbers]))
    with pytest.raises(ProviderError, match="no vector"):
        embedder(fake).embed_query("oak")


def test_dimensions_that_change_are_noticed(fake):
    fake.script.extend([embeddings([[1.0, 0.0]]), embeddings([[1.0, 0.0, 0.0]]), embeddings([[1.0, 0.0, 0.0]])])
    made = embedder(fake)
    made.embed_query("oak")
    with pytest.raises(ProviderError, match="3 dimensions where 2 are expected"):
        made.embed_query("elm")


def test_vectors_in_another_order_are_put_in_order(fake):
    items = [{"index": 1, "embedding": [0.0, 1.0]}, {"index": 0, "embedding": [1.0, 0.0]}]
    fake.script.append(Answer.json({"data": items}))
    assert embedder(fake).embed_passages(["oak", "elm"]).tolist() == [[1, 0], [0, 1]]


def test_vectors_without_numbers_are_taken_as_they_come(fake):
    fake.script.append(Answer.json({"data": [{"embedding": [0, 1]}, {"embedding": [1, 0]}]}))
    assert embedder(fake).embed_passages(["oak", "elm"]).tolist() == [[0, 1], [1, 0]]


def test_base64_is_read(fake):
    packed = base64.b64encode(struct.pack("<2f", 3.0, 4.0)).decode()
    fake.script.append(embeddings([packed]))
    assert embedder(fake).embed_query("oak").tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize(
    "bad", [Answer(b" " * 5000, drips=True), Answer(b" " * 5000, status=500, drips=True), Answer(hangs=True)]
)
def test_an_answer_that_drips_or_never_comes_is_cut_off(fake, bad):
    fake.rule = lambda _asked: bad
    with pytest.raises(ProviderError, match=r"took more than 0\.1 s") as caught:
        embedder(fake, timeout_s=0.1).embed_query("oak")
    assert caught.value.is_retriable


def test_a_slow_batch_is_halved(fake):
    fake.rule = lambda asked: Answer.error(504, "too slow") if len(asked.texts) > 2 else None
    assert not embedder(fake, batch_size=4).embed_all(TEXTS).missing


def test_a_cancelled_run_stops_between_two_requests(fake):
    budget = Budget(is_cancelled=lambda: len(fake.asked) >= 2)
    with pytest.raises(Cancelled):
        embedder(fake, batch_size=1).embed_all(TEXTS, budget=budget)
    assert len(fake.asked) == 2


def test_a_cancelled_run_does_not_wait_for_a_rate_limit(fake):
    naps = Naps()
    fake.script.append(Answer.error(429, "", retry_after="60"))
    with pytest.raises(Cancelled):
        embedder(fake, naps=naps).embed_all(TEXTS, budget=Budget(is_cancelled=lambda: naps.total > 1))
    assert naps.total < 2


def test_a_spent_budget_asks_for_nothing(fake):
    found = embedder(fake).embed_all(TEXTS, budget=Budget(deadline=0.0, clock=lambda: 1.0))
    assert len(found.missing) == 7
    assert found.failure.is_retriable
    assert fake.asked == []


def test_progress_is_told(fake):
    told = []
    embedder(fake, batch_size=3).embed_all(TEXTS, progress=lambda done, total: told.append((done, total)))
    assert told == [(3, 7), (6, 7), (7, 7)]


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
def test_the_key_is_in_no_error_no_log_and_no_repr(fake, answer, caplog):
    caplog.set_level("DEBUG")
    fake.rule = lambda _asked: answer
    made = embedder(fake, timeout_s=0.2)
    found = made.embed_all(["oak"])
    assert found.failure is not None
    with pytest.raises(ProviderError) as caught:
        made.embed_query("oak")
    told = "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    for text in (told, repr(caught.value), repr(found), repr(made), caplog.text):
        assert KEY not in text


@pytest.mark.parametrize("key", ["sk-canary\nx", "sk-canary\u00e9", "sk canary"])
def test_a_key_that_cannot_be_sent_is_refused_without_repeating_it(key):
    with pytest.raises(ConfigError, match=r"\$MY_KEY") as caught:
        open_remote_embedder(Endpoint(base_url="http://h/v1", model="m", key_variable="MY_KEY"), key=key)
    assert "canary" not in str(caught.value) + repr(caught.value.__dict__)


def test_white_space_around_a_key_is_no_part_of_it(fake):
    embedder(fake, key=f" {KEY}\n").embed_query("oak")
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_body_is_what_servers_know(fake):
    embedder(fake).embed_query("oak")
    assert fake.asked[0].path == "/v1/embeddings"
    assert fake.asked[0].body == {"model": "fake", "input": ["oak"], "encoding_format": "float"}
    assert json.dumps(fake.asked[0].body)


def test_an_error_that_nobody_expected_keeps_its_text_to_itself(fake, monkeypatch):
    made = embedder(fake)
    made.embed_query("oak")

    def fail(*_arguments):
        raise ValueError(KEY)

    monkeypatch.setattr("search.providers.openai_client.Client.post", fail)
    with pytest.raises(ProviderError, match=r"cannot be asked \(ValueError\)") as caught:
        made.embed_query("oak")
    assert KEY not in str(caught.value)


def test_a_closed_embedder_opens_again(fake):
    made = embedder(fake)
    for _ in range(2):
        made.embed_query("oak")
        made.close()
    assert len(fake.asked) == 2


def test_several_threads_may_ask_at_once(fake):
    made = embedder(fake)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(made.embed_query, TEXTS))
    assert all(cosine_to(row, text) == pytest.approx(1, abs=1e-5) for row, text in zip(rows, TEXTS, strict=True))
