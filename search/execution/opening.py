"""Opens models, endpoints and the store of a vault's vectors.

The engine imports this module on first use, so that a search by words alone does not wait for it. Opening makes no
connection and loads no weights; both happen with the first request.
"""

from hashlib import blake2b
from pathlib import Path

from search.cache.folder import cache_folder, path_in_cache
from search.execution.model_choice import choose_model
from search.index.indexer import Indexer
from search.index.vault_view import LanguageView
from search.ports import Embedder, Reranker
from search.providers.connection import Connection
from search.providers.e5 import TRAITS as E5_TRAITS
from search.providers.e5 import open_e5
from search.providers.minilm import open_minilm
from search.providers.remote_embedder import RemoteEmbedder
from search.providers.remote_reranker import RemoteReranker
from search.semantic.notes_with_text import NotesWithText
from search.semantic.search import SemanticSearch
from search.semantic.status import THIS_COMPUTER
from search.settings import MODELS, Settings

AUTO, ENGLISH, MULTILINGUAL = MODELS
_OPENERS = {ENGLISH: open_minilm, MULTILINGUAL: open_e5}


def embedder_of(root: Path, settings: Settings, key: str) -> Embedder | None:
    """The model or endpoint that the settings name; None if semantic search is off or the endpoint is unusable.

    Raises:
        ConfigError: `key` is not a valid API key.
    """
    if not settings.enable_semantic or settings.embedding_problem:
        return None
    if settings.embedding is not None:
        return RemoteEmbedder(Connection.to(settings.embedding, key))
    model = settings.embedding_model
    if model == AUTO:
        store = _store_folder(root, settings)
        record = store.with_name(f"{store.name}.model")
        model = choose_model(root, settings.vault, record, keeps=settings.indexing.keeps)
    return _OPENERS[model]()


def reranker_of(settings: Settings, key: str) -> Reranker | None:
    """The endpoint that reranks, if one is set.

    Raises:
        ConfigError: `key` is not a valid API key.
    """
    return None if settings.rerank is None else RemoteReranker(Connection.to(settings.rerank, key))


def semantic_search_of(embedder: Embedder, indexer: Indexer, settings: Settings) -> SemanticSearch:
    """Semantic search in a vault, with the store of this vault and model."""
    vault = indexer.vault
    store = _store_folder(vault.root, settings)
    if settings.embedding is not None or embedder.model == E5_TRAITS.model:
        # Each model has its own folder: vectors that took hours or money survive a trial of another model.
        name = blake2b(embedder.model.encode(), digest_size=8).hexdigest()
        store = store.with_name(f"{store.name}-{name}")
    where = THIS_COMPUTER if settings.embedding is None else settings.embedding.base_url
    languages = LanguageView(indexer, embedder.traits.languages)
    return SemanticSearch(embedder, NotesWithText(vault), store, settings.indexing, where=where, languages=languages)


def _store_folder(root: Path, settings: Settings) -> Path:
    """The folder for the vectors of the English model."""
    return path_in_cache(cache_folder(settings.indexing.folder), root)
