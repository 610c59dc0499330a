"""Answers to embedding requests, read without trust: wrong forms, bad vectors, other orders."""

import base64
import math
import struct

import numpy as np
import pytest

from search.errors import ProviderError
from tests.kit.fake_endpoint import N_DIMENSIONS, Answer, embeddings, hashed
from tests.kit.remote_embedder import TEXTS, open_embedder

pytestmark = pytest.mark.slow

ITEM = {"index": 0, "embedding": [1.0, 0.0]}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer.error(401, "bad key"), r"denied access \(401\); check \$MY_KEY: bad key"),
        (Answer.error(403, ""), "denied access"),
        (Answer.error(404, 'model "x" not found'), "does not know this address or model"),
        (Answer.error(402, "pay"), "payment"),
        (Answer.error(302, "", location="http://evil.example/v1?x=1"), r"redirects to http://evil.example/v1, but"),
        (Answer.error(307, "", location="http://u:p@evil.example/"), r"redirects to http://evil.example/, but"),
        (Answer(b"<!doctype html><h1>Hello</h1>"), "a web page"),
        (Answer(b"hello"), "not JSON"),
        (Answer(b""), "with nothing"),
        (Answer(b"[" * 100_000), "not JSON"),
        (Answer.json({"data": "x"}), "no vectors"),
        (Answer.json([1]), "no vectors"),
        (Answer.json({"data": []}), "sent 0 vectors for 1 texts"),
        (Answer.json({"data": [ITEM, ITEM]}), "sent 2 vectors for 1 texts"),
        (Answer.json({"data": [{**ITEM, "index": 1}]}), "invalid indexes"),
        (Answer.json({"data": [{**ITEM, "index": True}]}), "invalid indexes"),
        (Answer.json({"data": [{**ITEM, "embedding": ["a"]}]}), "not a list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": [True]}]}), "not a list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": []}]}), "not a list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": "%%%"}]}), "not a list of numbers"),
        (Answer.json({"data": [{**ITEM, "embedding": "AAA="}]}), "not a list of numbers"),
        (Answer.json({"data": [{"index": 0}]}), "not a list of numbers"),
        (Answer(b'{"data":"' + b"x" * 10_000_000 + b'"}'), "sent more than the"),
        (Answer(b"x" * 10_000_000, status=500), "sent more than the"),
        (Answer(b"{}", headers=(("content-encoding", "gzip"),)), "compressed"),
    ],
)
def test_unusable_answer_is_explained_and_not_retried(fake, answer, words):
    """The endpoint may be asked for the probe, but not for the text again."""
    fake.script.append(answer)
    with pytest.raises(ProviderError, match=words) as caught:
        open_embedder(fake).embed_query("oak")
    assert not caught.value.is_retriable
    assert sum(asked.texts == ["oak"] for asked in fake.asked) == 1


SPOILT = {
    "NaN as C++ writes it": lambda _rows: Answer(b'{"data":[{"index":0,"embedding":[-nan(ind),1.0]}]}'),
    "a vector is left out": lambda rows: embeddings(rows[:-1]),
    "a vector of other dimensions": lambda rows: embeddings([*rows[:-1], [1.0, 2.0]]),
    "a vector that is a text": lambda rows: embeddings([*rows[:-1], "none"]),
    "indexes that make no sense": lambda rows: Answer.json({"data": [{"index": 7, "embedding": row} for row in rows]}),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_text_that_spoils_the_answer_only_loses_its_own_vector(fake, spoil):
    def rule(asked):
        return spoil([hashed(text) for text in asked.texts]) if TEXTS[4] in asked.texts else None

    fake.rule = rule
    found = open_embedder(fake, batch_size=3, dimensions=N_DIMENSIONS).embed_all(TEXTS)
    assert found.failure is None
    assert [missing.position for missing in found.missing] == [4]


def test_error_without_a_message_is_not_quoted(fake):
    fake.script.append(Answer.json({}, 401))
    with pytest.raises(ProviderError) as caught:
        open_embedder(fake).embed_query("oak")
    assert str(caught.value).endswith("(401); check $MY_KEY")


@pytest.mark.parametrize(
    "numbers", [[math.nan, 1.0], [0.0, 0.0], [1e400, 1.0], [None, 1.0], [1e39, 0.0], [10**400, 1.0]]
)
def test_invalid_vector_only_affects_its_text(fake, numbers):
    fake.script.append(embeddings([[1.0, 1.0], numbers, [3.0, 4.0]]))
    found = open_embedder(fake).embed_all(["oak", "elm", "ash"])
    assert [missing.position for missing in found.missing] == [1]
    assert np.allclose(found.vectors, [[0.5**0.5, 0.5**0.5], [0, 0], [0.6, 0.8]])
    fake.script.append(embeddings([numbers]))
    with pytest.raises(ProviderError, match="no vector"):
        open_embedder(fake).embed_query("oak")


def test_change_of_dimensions_is_an_error(fake):
    fake.script.extend([embeddings([[1.0, 0.0]]), embeddings([[1.0, 0.0, 0.0]]), embeddings([[1.0, 0.0, 0.0]])])
    made = open_embedder(fake)
    made.embed_query("oak")
    with pytest.raises(ProviderError, match="3 dimensions where 2 are expected"):
        made.embed_query("elm")


def test_vectors_are_put_in_the_order_of_their_indexes(fake):
    items = [{"index": 1, "embedding": [0.0, 1.0]}, {"index": 0, "embedding": [1.0, 0.0]}]
    fake.script.append(Answer.json({"data": items}))
    assert open_embedder(fake).embed_passages(["oak", "elm"]).tolist() == [[1, 0], [0, 1]]


def test_vectors_without_indexes_keep_their_order(fake):
    fake.script.append(Answer.json({"data": [{"embedding": [0, 1]}, {"embedding": [1, 0]}]}))
    assert open_embedder(fake).embed_passages(["oak", "elm"]).tolist() == [[0, 1], [1, 0]]


def test_base64_is_read(fake):
    packed = base64.b64encode(struct.pack("<2f", 3.0, 4.0)).decode()
    fake.script.append(embeddings([packed]))
    assert open_embedder(fake).embed_query("oak").tolist() == pytest.approx([0.6, 0.8])
