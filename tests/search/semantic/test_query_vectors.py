"""Query vectors: each is computed once, and a known one is available while the model is busy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from embedders import WordEmbedder
from search.background import BackgroundCall
from search.budget import UNLIMITED, Budget
from search.errors import ProviderError
from search.semantic.query_vectors import QueryVectors, mean_of
from search.semantic.scheduler import Scheduler


def test_a_query_and_a_passage_with_the_same_text_are_embedded_once_each():
    embedder = WordEmbedder()
    queries = QueryVectors(embedder, Scheduler(0.0))
    for _ in range(3):
        queries.of_query("oak", UNLIMITED)
        queries.of_passage("oak", UNLIMITED)
    assert (embedder.queries, embedder.passages) == (["oak"], ["oak"])


def test_a_known_vector_does_not_wait_for_the_model():
    scheduler = Scheduler(0.0)
    queries = QueryVectors(WordEmbedder(), scheduler)
    vector = queries.of_query("oak", UNLIMITED)

    def ask(text):
        return lambda _: queries.of_query(text, Budget.of(0.0))

    with scheduler.model_lock:
        known, new = (BackgroundCall.start(ask(text), name="asking") for text in ("oak", "elm"))
        assert known.is_done_within(Budget.of(20))
        assert new.is_done_within(Budget.of(20))
    assert known.result() is vector
    with pytest.raises(ProviderError, match="busy"):
        new.result()


def test_the_oldest_vectors_are_dropped():
    embedder = WordEmbedder()
    queries = QueryVectors(embedder, Scheduler(0.0))
    for number in range(129):
        queries.of_query(f"oak{number}", UNLIMITED)
    queries.of_query("oak0", UNLIMITED)
    queries.of_query("oak128", UNLIMITED)
    assert embedder.queries.count("oak0") == 2
    assert embedder.queries.count("oak128") == 1


def test_a_word_is_embedded_to_learn_the_dimensions_only_if_they_are_unknown():
    embedder = WordEmbedder()
    queries = QueryVectors(embedder, Scheduler(0.0))
    queries.learn_dimensions(UNLIMITED)
    assert embedder.queries == []
    embedder.known_dimensions = None
    queries.learn_dimensions(UNLIMITED)
    queries.learn_dimensions(UNLIMITED)
    assert len(embedder.queries) == 1


UNIT = arrays.arrays(np.float32, 8, elements=st.floats(-1, 1, width=32)).filter(lambda row: np.linalg.norm(row) > 0.1)


@given(UNIT, UNIT)
def test_a_mean_has_unit_length_or_is_the_first_vector(one, other):
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    mean = mean_of(one, other)
    assert np.linalg.norm(mean) == pytest.approx(1.0, abs=1e-4)
    assert mean_of(one, -one) is one or np.allclose(mean_of(one, -one), one)
