"""The settings of an endpoint: what is allowed, and what is in the name of its vectors."""

import sys

import pytest

from search.budget import UNLIMITED
from search.errors import ConfigError, ProviderError
from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_chat import RemoteChat
from search.providers.remote_embedder import RemoteEmbedder

GOOD = {"base_url": "http://localhost:11434/v1", "model": "nomic-embed-text"}


@pytest.mark.parametrize("address", ["https://api.openai.com/v1", "http://[::1]:8080/v1/", "http://nas/v1"])
def test_valid_address_loses_its_slash_at_the_end(address):
    assert Endpoint(base_url=address, model="m").base_url == address.rstrip("/")


@pytest.mark.parametrize(
    "bad",
    [
        *({"base_url": url} for url in ("", "localhost:1", "ftp://h/v1", "http://", "http://h/a b", "http://h:x/", 7)),
        *({"base_url": url} for url in ("http://u:canary@h/v1", "http://h/v1?key=canary", "http://h/v1#canary")),
        *({"model": name} for name in ("", "a b", "x" * 201, None)),
        *({"key_variable": name} for name in ("sk-canary", "1A", "A B", None)),
        *({"dimensions": number} for number in (0, 16_385, 1.5, True, "8")),
        *({"batch_size": number} for number in (0, 2049, None)),
        *({"timeout_s": number} for number in (0, 3601, "1", True, float("nan"))),
        *({"max_tokens": number} for number in (15, 2.5)),
        *({"default_weight": number} for number in (-0.1, 1.1)),
        {"graph_gate": 2},
        *({"noise_floor": number} for number in (-0.1, 1, 0.75, "0.1", True)),
        {"noise_floor": 0.5, "graph_gate": 0.5},
        {"query_prefix": None},
        {"passage_prefix": "x" * 1001},
        {"uses_proxy": 1},
        {"scripts": "latin"},
    ],
)
def test_error_names_the_bad_field_and_shows_no_secret(bad):
    with pytest.raises(ConfigError) as caught:
        Endpoint(**{**GOOD, **bad})
    assert caught.value.path == next(iter(bad))
    assert "canary" not in str(caught.value)


def test_every_setting_that_changes_vectors_is_in_their_name():
    names = {
        Endpoint(**{**GOOD, **change}).vectors_name
        for change in ({}, {"dimensions": 8}, {"model": "m"}, {"base_url": "http://h/v1"}, {"query_prefix": "q"})
    }
    assert len(names) == 5
    assert Endpoint(**GOOD, batch_size=1).vectors_name == Endpoint(**GOOD).vectors_name


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "search.providers.openai_client", raising=False)
    words = r'needs the package openai; install it with: pip install "vaultseek\[remote\]"'
    with pytest.raises(ProviderError, match=words):
        RemoteEmbedder(Connection.to(Endpoint(**GOOD))).embed_query("oak")
    with pytest.raises(ProviderError, match=words):
        RemoteChat(Connection.to(Endpoint(**GOOD))).complete("s", "u", max_tokens=1, budget=UNLIMITED)
