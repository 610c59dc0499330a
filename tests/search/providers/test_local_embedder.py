"""Local embedders apart from the model itself: prefixes, limits, loading once, and loading again after a failure."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from search.errors import ProviderError
from search.providers.local_embedder import LocalEmbedder, LocalTraits
from search.providers.scripts import LATIN
from search.providers.tokenizer import Tokenizer

TRAITS = LocalTraits(
    model="toy@1",
    n_dimensions=3,
    max_tokens=6,
    default_weight=0.5,
    graph_gate=0.7,
    noise_floor=0.2,
    scripts=LATIN,
    query_prefix="q:",
    passage_prefix="p:",
)


class Echo:
    """An encoder whose vectors hold the number of ids and the first two ids after the start."""

    def __init__(self):
        self.groups = []

    def vectors(self, texts):
        """A row of three numbers for each text."""
        self.groups.append([len(ids) for ids in texts])
        return np.array([[len(ids), *ids[1:3]] for ids in texts], np.float32)


def load():
    return Tokenizer(lambda run: map(ord, run), start=1, end=2), Echo()


@pytest.fixture
def embedder():
    return LocalEmbedder(TRAITS, load)


def test_traits_are_known_without_loading():
    def refuse():
        raise AssertionError("loaded")

    embedder = LocalEmbedder(TRAITS, refuse)
    assert (embedder.model, embedder.n_dimensions, embedder.traits.max_tokens) == ("toy@1", 3, 6)
    assert (embedder.traits.default_weight, embedder.traits.graph_gate) == (0.5, 0.7)
    assert embedder.foreign_share("tea 茶") == 0.25
    assert embedder.embed_passages([]).shape == (0, 3)


def test_queries_and_passages_have_their_own_prefixes(embedder):
    assert embedder.embed_query("x").tolist() == [5, ord("q"), ord(":")]
    assert embedder.embed_passages(["x", ""]).tolist() == [[5, ord("p"), ord(":")], [4, ord("p"), ord(":")]]


def test_short_passages_are_embedded_together_up_to_a_number_of_tokens(monkeypatch):
    monkeypatch.setattr("search.providers.local_embedder._TOGETHER", 12)
    echo = Echo()
    embedder = LocalEmbedder(TRAITS, lambda: (load()[0], echo))
    found = embedder.embed_passages(["", "", "a", "long text", "b"])
    assert found[:, 0].tolist() == [4, 4, 5, 6, 5]
    assert echo.groups == [[4, 4], [5, 6], [5]]


def test_long_passage_is_cut_and_its_count_is_not(embedder):
    assert embedder.embed_passages(["long text"])[0, 0] == TRAITS.max_tokens
    assert embedder.count_tokens("long") == 2 + len("p:long")


def test_threads_load_the_model_once():
    n_loads = []

    def count_load():
        n_loads.append(1)
        return load()

    embedder = LocalEmbedder(TRAITS, count_load)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(embedder.count_tokens, ["tea"] * 64))) == 1
    assert len(n_loads) == 1


def test_next_text_tries_again_after_loading_failed():
    outcomes = [ProviderError("toy@1", "not installed", is_retriable=False), load()]

    def load_or_fail():
        outcome = outcomes.pop(0)
        if isinstance(outcome, ProviderError):
            raise outcome
        return outcome

    embedder = LocalEmbedder(TRAITS, load_or_fail)
    with pytest.raises(ProviderError, match="not installed"):
        embedder.embed_query("tea")
    assert embedder.embed_query("tea").shape == (3,)
