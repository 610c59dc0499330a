"""Opens what an engine searches with besides words: models, endpoints, and the store of a vault's vectors.

Apart from the engine, which imports it on first use: who searches by words alone does not wait for it. Opens no
connection and loads no weights; both happen when first asked for something.
"""

from hashlib import blake2b
from pathlib import Path

from search.ports import Embedder, Reranker
from search.providers.embedders import open_embedder
from search.providers.openai_compatible import open_remote_embedder, open_remote_reranker
from search.semantic.search import SemanticSearch
from search.settings import MODELS, Settings
from search.vault.snapshot import Vault
from search.vectors.store import store_folder


def embedder_of(settings: Settings, key: str) -> Embedder | None:
    """The model or endpoint that the settings name; None where they switch meaning off, or name none that is there.

    Raises:
        ConfigError: `key` cannot be one.
    """
    if not settings.enable_semantic or settings.embedding_problem:
        return None
    if settings.embedding is not None:
        return open_remote_embedder(settings.embedding, key=key)
    return open_embedder(settings.embedding_model)


def reranker_of(settings: Settings, key: str) -> Reranker | None:
    """The endpoint that reranks, if one is set.

    Raises:
        ConfigError: `key` cannot be one.
    """
    return None if settings.rerank is None else open_remote_reranker(settings.rerank, key=key)


def semantic_search_of(embedder: Embedder, vault: Vault, settings: Settings) -> SemanticSearch:
    """Search by meaning in a vault, with the store that belongs to both."""
    folder = settings.indexing.folder
    cache = Path(folder).expanduser() if folder else _user_cache()
    store = store_folder(cache, vault.root)
    if settings.embedding is not None or settings.embedding_model != MODELS[0]:
        # A folder of its own: vectors that took hours, or were paid for, outlive a look at another model.
        name = blake2b(embedder.model.encode(), digest_size=8).hexdigest()
        store = store.with_name(f"{store.name}-{name}")
    where = "this computer" if settings.embedding is None else settings.embedding.base_url
    return SemanticSearch(embedder, vault, store, settings.indexing, where=where)


def _user_cache() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - who names a folder needs none

    return user_cache_path("vaultseek", appauthor=False)
