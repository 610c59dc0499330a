"""The settings of a vault, composed of the settings classes next to the code that each of them governs."""

from attrs import field, frozen
from attrs.validators import and_, ge, in_, instance_of, le

from search.providers.endpoint import Endpoint
from search.providers.guarded_reranker import Reranking
from search.query import Mode
from search.ranking.pipeline import Pipeline
from search.ranking.presets import DEFAULT, PRESETS, balanced
from search.semantic.settings import Indexing
from search.vault.settings import VaultSettings

MODELS = ("auto", "minilm-l6-v2", "multilingual-e5-small")
"""The models that run on this computer: English, always installed, and multilingual. "auto" chooses by the notes."""


@frozen(kw_only=True)
class Settings:
    """All settings of one vault."""

    vault: VaultSettings = field(factory=VaultSettings)
    preset: str = field(default=DEFAULT, validator=in_(PRESETS))  # what `pipeline` was made from
    pipeline: Pipeline = field(factory=balanced)  # unless a query names another preset
    indexing: Indexing = field(factory=Indexing)
    keep_snapshot: bool = field(default=True, validator=instance_of(bool))  # of what was read, for the next start
    enable_semantic: bool = field(default=True, validator=instance_of(bool))
    embedding_model: str = field(default=MODELS[0], validator=in_(MODELS))
    embedding: Endpoint | None = None  # makes vectors in place of that model
    embedding_problem: str = ""  # why the configured endpoint cannot be used; no other model takes its place
    chat: Endpoint | None = None  # rewrites questions, if the engine gets an `expand` that uses it
    chat_problem: str = ""  # why the configured chat endpoint cannot be used
    rerank: Endpoint | None = None  # orders the best notes, where the pipeline has a rerank stage
    rerank_problem: str = ""  # why the configured rerank endpoint cannot be used
    reranking: Reranking = field(factory=Reranking)
    mode: Mode = field(default=Mode.HYBRID, validator=instance_of(Mode))  # unless a query names one
    n_snippets: int = field(default=3, validator=and_(instance_of(int), ge(1), le(10)))  # excerpts per shown note
