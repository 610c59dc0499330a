"""Embeddings, chat and reranking with any OpenAI-compatible endpoint: OpenAI, Ollama, llama.cpp and others.

Opening one sends nothing and imports nothing heavy. The caller reads the key from the environment and passes it in.
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
        ConfigError: the key has characters that no key can have.
    """
    return RemoteEmbedder(Connection.to(endpoint, key), policy or RetryPolicy())


def open_remote_chat(endpoint: Endpoint, *, key: str = "", policy: RetryPolicy | None = None) -> RemoteChat:
    """A chat model behind `endpoint`. By default it tries a request twice at most, since a user is waiting.

    Raises:
        ConfigError: the key has characters that no key can have.
    """
    return RemoteChat(Connection.to(endpoint, key), policy or RetryPolicy(n_tries=2))


def open_remote_reranker(endpoint: Endpoint, *, key: str = "") -> RemoteReranker:
    """A reranker behind `endpoint`. It tries a request once, since the order without it is good enough.

    Raises:
        ConfigError: the key has characters that no key can have.
    """
    return RemoteReranker(Connection.to(endpoint, key))
