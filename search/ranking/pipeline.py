"""A pipeline: the sources with their weights, the fusion, and the stages in their order, as one value.

A combination that cannot work is refused when the value is created, before any query.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from attrs import evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.evidence import Field
from search.answer.staleness import Staleness
from search.errors import ConfigError
from search.fuse.linear import Linear
from search.fuse.rrf import Rrf
from search.index.spelling import Typos
from search.index.stems import Stems
from search.matching.bm25f import Bm25f
from search.matching.expansions import Acronyms
from search.ranking.stage_registry import BOOSTS, Stage, stage_name
from search.sources.activation import Activation
from search.sources.gist import Gist
from search.sources.grep import Grep
from search.sources.lexical import Lexical
from search.sources.neighbours import Neighbours
from search.sources.proximity import Proximity
from search.sources.semantic import Semantic
from search.sources.suggested import Suggested
from search.stages.cut import Cut
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.stages.length import Length
from search.stages.normalize import Normalize
from search.stages.rerank import Rerank
from search.stages.sections import Sections
from search.stages.spread import Spread
from search.vectors.concepts import Concepts

Bounded = TypeVar("Bounded", Proximity, Spread)

_SOURCES = ("lexical", "semantic", "gist", "suggested", "proximity", "neighbours", "activation")


class Fusion(StrEnum):
    """How the sources' rankings become one."""

    LINEAR = "linear"  # by score
    RRF = "rrf"  # by rank


@frozen(kw_only=True)
class Pool:
    """How many notes of each source go into the fusion: max(at_least, per_result * notes to be shown).

    per_result: how many notes of each source for each result that is shown, 1..100; 2, so that a boost can still raise
        a note into view.
    at_least: the minimum number of notes of each source, 1..1000; 60, so that a short list is the beginning of a long
        one.
    is_strict: whether the bound also applies to the semantic source and to notes whose name is the query. Without it,
        the semantic source gives as many notes as its own setting says, plus the cosines of all lexical hits. Default:
        false.
    """

    per_result: int = field(default=2, validator=[instance_of(int), ge(1), le(100)])
    at_least: int = field(default=60, validator=[instance_of(int), ge(1), le(1000)])
    is_strict: bool = field(default=False, validator=instance_of(bool))

    def size(self, limit: int) -> int:
        """The bound for a query that shows `limit` notes.

        >>> Pool(per_result=2, at_least=10).size(3), Pool(per_result=2, at_least=10).size(25)
        (10, 50)
        """
        return max(self.at_least, self.per_result * limit)


@frozen(kw_only=True)
class Pipeline:
    """All settings of one way to rank; each preset is a value of this class.

    The semantic source's weight is its share of the whole (`Semantic.weight`). The other sources share the rest in
    proportion to their own weights. A source that found nothing gives its share to the others.
    """

    name: str
    grep: Grep = field(factory=Grep)
    lexical: Lexical = field(factory=Lexical)
    stems: Stems = field(factory=lambda: Stems(weight=0.0))  # 0: other forms of a word do not count
    typos: Typos = field(factory=lambda: Typos(weight=0.0))  # 0: misspelt words are not corrected
    semantic: Semantic = field(factory=Semantic)
    gist: Gist = field(factory=Gist)
    suggested: Suggested = field(factory=Suggested)
    concepts: Concepts | None = None  # None: no related words are added to the meaning of a query
    sections: Sections | None = None  # None: a note counts by its nearest passage alone
    proximity: Proximity | None = None
    neighbours: Neighbours | None = None
    activation: Activation | None = None
    acronyms: Acronyms | None = None  # None: acronyms are not expanded
    pool: Pool = field(factory=Pool)
    fusion: Fusion = field(default=Fusion.LINEAR, validator=instance_of(Fusion))
    linear: Linear = field(factory=Linear)
    rrf: Rrf = field(factory=Rrf)
    stages: tuple[Stage, ...] = ()
    staleness: Staleness | None = None  # None: answers do not report staleness

    def __attrs_post_init__(self) -> None:
        """Refuse combinations that cannot work.

        Raises:
            ConfigError: all weights are 0; a scale names an unknown source; a boost comes before the rerank that would
                undo it; a minimum score comes before scores are on a scale of 0..1.
        """
        if self.semantic.weight == 0 and not any(self.weights.values()):
            raise ConfigError("sources", 0, "a weight above 0 for at least one source")
        for source in self.linear.scales:
            if source not in _SOURCES:
                raise ConfigError("linear.scales", source, "one of the sources " + ", ".join(_SOURCES))
        reranks = [at for at, stage in enumerate(self.stages) if isinstance(stage, Rerank)]
        for at, stage in enumerate(self.stages):
            if isinstance(stage, BOOSTS) and at < max(reranks, default=0):
                raise ConfigError(f"stages[{at}]", stage_name(stage), "a place after rerank, which would undo it")
            # Fusion by rank gives a few hundredths at most.
            is_scaled = self.fusion is Fusion.LINEAR or any(
                isinstance(before, Normalize) for before in self.stages[:at]
            )
            if isinstance(stage, Cut | Spread) and stage.min_score > 0 and not is_scaled:
                raise ConfigError(f"stages[{at}]", stage_name(stage), "a place after normalize, or a minScore of 0")

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights of all sources except the semantic one, relative to each other."""
        weights = {"lexical": self.lexical.weight, "suggested": self.suggested.weight * self.lexical.weight}
        if self.proximity is not None:
            weights["proximity"] = self.proximity.weight
        if self.neighbours is not None:
            weights["neighbours"] = self.neighbours.weight
        if self.activation is not None:
            weights["activation"] = self.activation.weight
        return weights

    def following(self, *, depth: int | None = None, link_types: tuple[str, ...] = ()) -> "Pipeline":
        """The pipeline with other limits for every part that follows links; None and () change nothing.

        `depth` is how many links are followed and `link_types` which ones. Neighbours are always one link away.
        """
        if depth is None and not link_types:
            return self

        def bounded(part: Bounded) -> Bounded:
            types = link_types or part.link_types
            return evolve(part, depth=part.depth if depth is None else depth, link_types=types)

        near, active = self.neighbours, self.activation
        return evolve(
            self,
            proximity=None if self.proximity is None else bounded(self.proximity),
            neighbours=None if near is None else evolve(near, link_types=link_types or near.link_types),
            activation=None if active is None else evolve(active, link_types=link_types or active.link_types),
            stages=tuple(bounded(stage) if isinstance(stage, Spread) else stage for stage in self.stages),
        )

    def of_files(self) -> "Pipeline":
        """The pipeline for searching names and folders only; results below 0.3 are weak (designs/1).

        Parts that read or weigh texts and links are left out, including the reranker.
        """
        model = self.lexical.model
        names = {Field.TITLE, Field.PATH}
        usual = model.weights if any(model.weights[name] for name in names) else Bm25f().weights
        weights = {name: weight if name in names else 0.0 for name, weight in usual.items()}
        is_by_links = not (self.lexical.weight or self.semantic.weight)
        weight = 1.0 if is_by_links else self.lexical.weight
        kept = (stage for stage in self.stages if not isinstance(stage, Folder | Graph | Length | Rerank | Spread))
        return evolve(
            self,
            lexical=evolve(self.lexical, weight=weight, model=evolve(model, weights=weights)),
            concepts=None,
            sections=None,
            proximity=None,
            neighbours=None,
            activation=None,
            stages=tuple(
                evolve(stage, min_score=min(0.3, stage.min_score)) if isinstance(stage, Cut) else stage
                for stage in kept
            ),
        )
