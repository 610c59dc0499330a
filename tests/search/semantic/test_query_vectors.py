"""Vectors of what is asked: made once, and there although the model is busy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from embedders import WordEmbedder
from search.background import Beside
from search.budget import UNLIMITED, Budget
from search.errors import ProviderError
from search.semantic.query_vectors import QueryVectors, mean_of
from search.semantic.scheduler import Scheduler


def test_a_query_and_a_passage_of_the_same_words_are_two_vectors_made_once_each():
    embedder = WordEmbedder()
    asked = QueryVectors(embedder, Scheduler(0.0))
    for _ in range(3):
        asked.of_query("oak", UNLIMITED)
        asked.of_passage("oak", UNLIMITED)
    assert (embedder.queries, embedder.passages) == (["oak"], ["oak"])


def test_what_is_remembered_does_not_wait_for_the_model():
    turns = Scheduler(0.0)
    asked = QueryVectors(WordEmbedder(), turns)
    vector = asked.of_query("oak", UNLIMITED)

    def ask(text):
        return lambda: asked.of_query(text, Budget.of(0.0))

    with turns.model_lock:
        known, new = (Beside.start(ask(text), name="asking") for text in ("oak", "elm"))
        assert known.is_done_within(Budget.of(20))
        assert new.is_done_within(Budget.of(20))
    assert known.result() is vector
    with pytest.raises(ProviderError, match="busy"):
        new.result()


def test_only_so_many_are_remembered():
    embedder = WordEmbedder()
    asked = QueryVectors(embedder, Scheduler(0.0))
    for number in range(129):
        asked.of_query(f"oak{number}", UNLIMITED)
    asked.of_query("oak0", UNLIMITED)
    asked.of_query("oak128", UNLIMITED)
    assert embedder.queries.count("oak0") == 2
    assert embedder.queries.count("oak128") == 1


def test_dimensions_are_asked_for_only_where_they_are_unknown():
    embedder = WordEmbedder()
    asked = QueryVectors(embedder, Scheduler(0.0))
    asked.learn_dimensions(UNLIMITED)
    assert embedder.queries == []
    embedder.known_dimensions = None
    asked.learn_dimensions(UNLIMITED)
    asked.learn_dimensions(UNLIMITED)
    assert len(embedder.queries) == 1


UNIT = arrays.arrays(np.float32, 8, elements=st.floats(-1, 1, width=32)).filter(lambda row: np.linalg.norm(row) > 0.1)


@given(UNIT, UNIT)
def test_a_mean_has_unit_length_or_is_the_first(one, other):
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    mean = mean_of(one, other)
    assert np.linalg.norm(mean) == pytest.approx(1.0, abs=1e-4)
    assert mean_of(one, -one) is one or np.allclose(mean_of(one, -one), one)
