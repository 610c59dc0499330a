"""Opens models, endpoints and the store of a vault's vectors.

The engine imports this module on first use, so that a search by words alone does not wait for it. Opening makes no
connection and loads no weights; both happen with the first request.
"""

from hashlib import blake2b
from pathlib import Path

from search.ports import Embedder, Reranker
from search.providers.connection import Connection
from search.providers.e5 import open_e5
from search.providers.minilm import open_minilm
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.remote_reranker import RemoteReranker
from search.semantic.search import SemanticSearch
from search.semantic.status import THIS_COMPUTER
from search.settings import MODELS, Settings
from search.vault.snapshot import Vault
from search.vectors.store import store_folder

_OPENERS = dict(zip(MODELS, (open_minilm, open_e5), strict=True))


def embedder_of(settings: Settings, key: str) -> Embedder | None:
    """The model or endpoint that the settings name; None if semantic search is off or the endpoint is unusable.

    Raises:
        ConfigError: `key` is not a valid API key.
    """
    if not settings.enable_semantic or settings.embedding_problem:
        return None
    if settings.embedding is not None:
        return RemoteEmbedder(Connection.to(settings.embedding, key))
    return _OPENERS[settings.embedding_model]()


def reranker_of(settings: Settings, key: str) -> Reranker | None:
    """The endpoint that reranks, if one is set.

    Raises:
        ConfigError: `key` is not a valid API key.
    """
    return None if settings.rerank is None else RemoteReranker(Connection.to(settings.rerank, key))


def semantic_search_of(embedder: Embedder, vault: Vault, settings: Settings) -> SemanticSearch:
    """Semantic search in a vault, with the store of this vault and model."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - only vectors need it

    folder = settings.indexing.folder
    cache = Path(folder).expanduser() if folder else user_cache_path("vaultseek", appauthor=False)
    store = store_folder(cache, vault.root)
    if settings.embedding is not None or settings.embedding_model != MODELS[0]:
        # Each model has its own folder: vectors that took hours or money survive a trial of another model.
        name = blake2b(embedder.model.encode(), digest_size=8).hexdigest()
        store = store.with_name(f"{store.name}-{name}")
    where = THIS_COMPUTER if settings.embedding is None else settings.embedding.base_url
    return SemanticSearch(embedder, vault, store, settings.indexing, where=where)
