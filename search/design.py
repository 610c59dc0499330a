"""A design as a value: which sources with which weights, which fusion, and which stages in which order.

What cannot work is refused when the value is made, not when a query comes.
"""

from collections.abc import Mapping
from enum import StrEnum

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.errors import ConfigError
from search.fuse.linear import Linear
from search.fuse.rrf import Rrf
from search.sources.grep import Grep
from search.sources.lexical import Lexical
from search.sources.semantic import Semantic
from search.sources.suggested import Suggested
from search.stages.rerank import Rerank
from search.staging import BOOSTS, Stage, stage_name


class Fusion(StrEnum):
    """Which of the fusions is used."""

    LINEAR = "linear"  # by score
    RRF = "rrf"  # by rank


@frozen(kw_only=True)
class Pool:
    """How many notes of each source go into the fusion: max(at_least, per_result * notes to be shown).

    per_result: 1..100; 2, that a boost may still raise a note into view.
    at_least: 1..1000; 60, so that a short list is the beginning of a long one.
    is_strict: whether that bounds search by meaning too; else it gives what `Semantic` says, and the cosines of all
        notes that words found besides.
    """

    per_result: int = field(default=2, validator=[instance_of(int), ge(1), le(100)])
    at_least: int = field(default=60, validator=[instance_of(int), ge(1), le(1000)])
    is_strict: bool = field(default=False, validator=instance_of(bool))

    def size(self, limit: int) -> int:
        """How many for a query that shows `limit`.

        >>> Pool(per_result=2, at_least=10).size(3), Pool(per_result=2, at_least=10).size(25)
        (10, 50)
        """
        return max(self.at_least, self.per_result * limit)


@frozen(kw_only=True)
class Pipeline:
    """One way from a query to a ranking: a design is a value of this class.

    The semantic source has its weight as a share of the whole (`Semantic.weight`); the others share the rest in the
    proportion of their own weights, and one that found nothing leaves its part to them.
    """

    name: str
    grep: Grep = field(factory=Grep)
    lexical: Lexical = field(factory=Lexical)
    semantic: Semantic = field(factory=Semantic)
    suggested: Suggested = field(factory=Suggested)
    pool: Pool = field(factory=Pool)
    fusion: Fusion = field(default=Fusion.LINEAR, validator=instance_of(Fusion))
    linear: Linear = field(factory=Linear)
    rrf: Rrf = field(factory=Rrf)
    stages: tuple[Stage, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Refuse what cannot work.

        Raises:
            ConfigError: no source counts, or a boost stands before the rerank that would undo it.
        """
        if self.semantic.weight == 0 and not any(self.weights.values()):
            raise ConfigError("sources", 0, "a weight above 0 for at least one source")
        reranks = [at for at, stage in enumerate(self.stages) if isinstance(stage, Rerank)]
        for at, stage in enumerate(self.stages):
            if isinstance(stage, BOOSTS) and at < max(reranks, default=0):
                raise ConfigError(f"stages[{at}]", stage_name(stage), "a place behind the rerank, which would undo it")

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights of all sources but the semantic one, against each other."""
        return {"lexical": self.lexical.weight, "suggested": self.suggested.weight * self.lexical.weight}
