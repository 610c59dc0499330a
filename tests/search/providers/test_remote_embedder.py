"""An embedder behind an endpoint: what it sends, in which batches, and within which budget."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from search.budget import Budget, Cancelled
from search.errors import ProviderError
from search.providers.scripts import LATIN
from tests.kit.fake_endpoint import N_DIMENSIONS, Answer
from tests.kit.remote_embedder import TEXTS, cosine_to, open_embedder

pytestmark = pytest.mark.slow


def test_vectors_come_back_in_order_in_batches(fake):
    found = open_embedder(fake, batch_size=3).embed_all(TEXTS)
    assert found.vectors.shape == (7, N_DIMENSIONS)
    assert all(
        cosine_to(row, text) == pytest.approx(1, abs=1e-5) for row, text in zip(found.vectors, TEXTS, strict=True)
    )
    assert [len(asked.texts) for asked in fake.asked] == [3, 3, 1]
    assert found.missing == ()
    assert found.failure is None


def test_request_has_only_fields_that_all_servers_know(fake):
    open_embedder(fake).embed_query("oak")
    assert fake.asked[0].path == "/v1/embeddings"
    assert fake.asked[0].body == {"model": "fake", "input": ["oak"], "encoding_format": "float"}
    assert json.dumps(fake.asked[0].body)


def test_nothing_is_sent_before_the_first_text(fake):
    made = open_embedder(fake, dimensions=8, scripts=LATIN)
    assert (made.n_dimensions, made.traits.max_tokens, made.traits.default_weight, made.traits.graph_gate) == (
        8,
        512,
        0.6,
        0.75,
    )
    assert made.count_tokens("oak tree") == 5
    assert made.foreign_share("茶") == 1.0
    assert open_embedder(fake).foreign_share("茶") == 0.0
    assert made.model == f"fake@{fake.base_url[7:]}#8"
    assert fake.asked == []


def test_dimensions_are_learned_if_they_are_not_configured(fake):
    made = open_embedder(fake)
    assert made.n_dimensions == N_DIMENSIONS
    assert made.n_dimensions == N_DIMENSIONS
    assert len(fake.asked) == 1
    assert "dimensions" not in fake.asked[0].body


def test_configured_dimensions_are_asked_for(fake):
    open_embedder(fake, dimensions=N_DIMENSIONS).embed_query("oak")
    assert fake.asked[0].body["dimensions"] == N_DIMENSIONS


def test_prefixes_are_put_before_queries_and_passages(fake):
    made = open_embedder(fake, query_prefix="Q: ", passage_prefix="P: ")
    made.embed_query("oak")
    made.embed_passages(["elm"])
    assert [asked.texts for asked in fake.asked] == [["Q: oak"], ["P: elm"]]
    assert made.model.endswith("#Q: |P: ")


def test_texts_that_json_cannot_encode_are_repaired_and_empty_ones_not_sent(fake):
    found = open_embedder(fake).embed_all(["a\0b", "lone \ud800 surrogate", "", " \n"])
    assert fake.asked[0].texts == ["a b", "lone ? surrogate"]
    assert [missing.position for missing in found.missing] == [2, 3]
    assert not found.vectors[2:].any()


def test_blank_query_has_no_vector(fake):
    with pytest.raises(ProviderError, match="it is empty"):
        open_embedder(fake).embed_query("  ")


def test_cancelled_run_stops_between_two_requests(fake):
    budget = Budget(is_cancelled=lambda: len(fake.asked) >= 2)
    with pytest.raises(Cancelled):
        open_embedder(fake, batch_size=1).embed_all(TEXTS, budget=budget)
    assert len(fake.asked) == 2


def test_request_that_hangs_can_be_cancelled(fake):
    fake.rule = lambda _asked: Answer(hangs=True)
    with pytest.raises(Cancelled):
        open_embedder(fake).embed_query("oak", budget=Budget(is_cancelled=lambda: bool(fake.asked)))


def test_nothing_is_sent_once_the_budget_is_spent(fake):
    found = open_embedder(fake).embed_all(TEXTS, budget=Budget(deadline=0.0, clock=lambda: 1.0))
    assert len(found.missing) == 7
    assert found.failure.is_retriable
    assert fake.asked == []


def test_threads_share_an_embedder(fake):
    made = open_embedder(fake)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(made.embed_query, TEXTS))
    assert all(cosine_to(row, text) == pytest.approx(1, abs=1e-5) for row, text in zip(rows, TEXTS, strict=True))
