"""Embeddings, chat and reranking of any OpenAI-compatible endpoint: OpenAI, Ollama, llama.cpp and their like.

Opening one sends nothing and imports nothing heavy. The key is handed in by whoever may read the environment.
"""

from search.providers.connection import Connection
from search.providers.endpoint import Endpoint
from search.providers.remote_chat import RemoteChat
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.remote_reranker import RemoteReranker
from search.providers.retry_policy import RetryPolicy


def open_remote_embedder(endpoint: Endpoint, *, key: str = "", policy: RetryPolicy | None = None) -> RemoteEmbedder:
    """An embedder behind `endpoint`.

    Raises:
        ConfigError: the key cannot be one.
    """
    return RemoteEmbedder(Connection.to(endpoint, key), policy or RetryPolicy())


def open_remote_chat(endpoint: Endpoint, *, key: str = "", policy: RetryPolicy | None = None) -> RemoteChat:
    """A chat model behind `endpoint`; tries twice, since somebody waits.

    Raises:
        ConfigError: the key cannot be one.
    """
    return RemoteChat(Connection.to(endpoint, key), policy or RetryPolicy(n_tries=2))


def open_remote_reranker(endpoint: Endpoint, *, key: str = "") -> RemoteReranker:
    """A reranker behind `endpoint`; tries once, since the order that there is already does as well.

    Raises:
        ConfigError: the key cannot be one.
    """
    return RemoteReranker(Connection.to(endpoint, key))
