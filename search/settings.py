"""All settings, composed of the classes that stand beside what they govern. Order is meaning: stages run as listed."""

from attrs import field, frozen
from attrs.validators import and_, ge, in_, instance_of, le

from search.providers.endpoint import Endpoint
from search.providers.guarded_reranker import Reranking
from search.query import Mode
from search.ranking.pipeline import Pipeline
from search.ranking.presets import DEFAULT, PRESETS, balanced
from search.semantic.settings import Indexing
from search.vault.settings import VaultSettings

MODELS = ("minilm-l6-v2", "multilingual-e5-small")  # that can be had without an endpoint; the first is always there


@frozen(kw_only=True)
class Settings:
    """What one vault is searched with."""

    vault: VaultSettings = field(factory=VaultSettings)
    preset: str = field(default=DEFAULT, validator=in_(PRESETS))  # what `pipeline` was made from
    pipeline: Pipeline = field(factory=balanced)  # where a query does not name another preset
    indexing: Indexing = field(factory=Indexing)
    enable_semantic: bool = field(default=True, validator=instance_of(bool))
    embedding_model: str = field(default=MODELS[0], validator=in_(MODELS))
    embedding: Endpoint | None = None  # asked for vectors in place of that model
    embedding_problem: str = ""  # why the endpoint that the user named cannot be asked: no other model takes its place
    chat: Endpoint | None = None  # asked what a question may mean, by whoever wires that
    chat_problem: str = ""  # as above
    rerank: Endpoint | None = None  # asked to put the best notes in order, where a design has a rerank
    rerank_problem: str = ""  # as above
    reranking: Reranking = field(factory=Reranking)
    mode: Mode = field(default=Mode.HYBRID, validator=instance_of(Mode))  # where a query does not say
    n_snippets: int = field(default=3, validator=and_(instance_of(int), ge(1), le(10)))  # excerpts shown of each note
