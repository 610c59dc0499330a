"""The designs, each a value of the one pipeline, by the name that a client or a setting asks for."""

from collections.abc import Callable, Mapping

from search.answer.staleness import Staleness
from search.errors import ConfigError
from search.fuse.linear import Linear
from search.fuse.rrf import Rrf
from search.index.spelling import Typos
from search.index.stems import Stems
from search.matching.expansions import Acronyms
from search.normalize.scale import Scale
from search.ranking.pipeline import Fusion, Pipeline, Pool
from search.sources.activation import Activation
from search.sources.lexical import Lexical
from search.sources.neighbours import Neighbours
from search.sources.proximity import Proximity
from search.sources.semantic import Semantic
from search.stages.cut import Cut
from search.stages.dates import Dates
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.stages.kind import Kind
from search.stages.length import Length
from search.stages.name import Name
from search.stages.normalize import Normalize
from search.stages.pin import Pin
from search.stages.recency import Recency
from search.stages.rerank import Rerank
from search.stages.sections import Sections
from search.stages.spread import Spread
from search.stages.title import Title
from search.vectors.concepts import Concepts

DEFAULT = "tiered-lexical"


def tiered_lexical() -> Pipeline:
    """designs/3: grep, then words, raised by name, folder and links, exact names first, min-max.

    Where a reranker is configured it orders the best before that; dates raise notes, and what is named stands first.

    Fused by score, not by rank as the document has it: neighbouring ranks differ by 1.6 %, a boost gives up to 15 %,
    so that after a fusion by rank a note far down would overtake a much better match (tests/ranking).
    """
    stages = (Rerank(), Name(), Folder(), Graph(), Dates(), Title(), Pin(), Normalize())
    return Pipeline(name="tiered-lexical", stems=Stems(), typos=Typos(), stages=stages)


# Articles, conjunctions, prepositions, pronouns and modals; what means something in code (for, do, if, not, is, has,
# can) stays.
_CARRY_NOTHING = (
    *("a", "an", "the"),
    *("and", "or", "but"),
    *("of", "with", "by", "from", "in", "to", "at", "on", "into", "onto"),
    *("it", "he", "she", "we", "they"),
    *("would", "could", "should"),
)


def graph_spread() -> Pipeline:
    """designs/1: words and vectors fused by rank, the top on a unit scale, what is linked to it with .8 for each link.

    Seeds are as many as results are shown, as in the document's table; what is below a half of the best is no result.
    """
    return Pipeline(
        name="graph-spread",
        lexical=Lexical(stop_words=_CARRY_NOTHING),
        semantic=Semantic(weight=0.5),
        pool=Pool(per_result=10, at_least=100),
        fusion=Fusion.RRF,
        stages=(Normalize(scale=Scale.UNIT), Spread(drops_unreached=True), Cut()),
    )


def neighbour_recency() -> Pipeline:
    """designs/4: words, vectors and their neighbours fused by rank, raised where they are fresh, the top at 1.

    Words and vectors weigh 1 each, neighbours 0.2; each gives max(10, 2 * results) notes. Where a reranker is
    configured it orders the best ten right after fusion.

    Exact names stand first, of which the document says nothing: by rank a neighbour of several results overtakes the
    note whose very name was asked for (MRR on the aliases of obsidian-tasks .69 without, 1 with).
    """
    return Pipeline(
        name="neighbour-recency",
        semantic=Semantic(weight=1 / 2.2, n_notes=200),
        concepts=Concepts(),
        neighbours=Neighbours(),
        pool=Pool(per_result=2, at_least=10, is_strict=True),
        fusion=Fusion.RRF,
        stages=(Rerank(top_n=10), Recency(), Title(), Normalize(scale=Scale.UNIT)),
    )


def graph_linear() -> Pipeline:
    """designs/0: .7 cosine + .21 proximity over links + .09 full text, as they are; .3 proximity without full text.

    Where no vector answers, full text does alone.
    """
    return Pipeline(
        name="graph-linear",
        lexical=Lexical(weight=0.3),
        semantic=Semantic(weight=0.7, n_notes=300),
        sections=Sections(),
        proximity=Proximity(weight=0.7),
        staleness=Staleness(),
        pool=Pool(per_result=10, at_least=10, is_strict=True),
        linear=Linear(scales={"lexical": Scale.UNIT, "proximity": Scale.RAW, "semantic": Scale.RAW}, good_bm25=0.0),
    )


def intent_hybrid() -> Pipeline:
    """designs/2: words, vectors and links fused by rank, 1 : 1 : 1.5, and a tenth more where they agree.

    Then the reranker, where there is one; notes of the kinds that the intent asks for; short ones less.
    """
    return Pipeline(
        name="intent-hybrid",
        typos=Typos(),
        semantic=Semantic(weight=1 / 3.5),
        activation=Activation(),
        acronyms=Acronyms(),
        fusion=Fusion.RRF,
        rrf=Rrf(convergence=0.1),
        stages=(Rerank(), Kind(), Length(), Dates(), Title(), Pin(), Normalize()),
    )


PRESETS: Mapping[str, Callable[[], Pipeline]] = {
    "tiered-lexical": tiered_lexical,
    "graph-linear": graph_linear,
    "graph-spread": graph_spread,
    "intent-hybrid": intent_hybrid,
    "neighbour-recency": neighbour_recency,
}


def preset_named(name: str) -> Pipeline:
    """A preset's pipeline.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in PRESETS:
        raise ConfigError("preset", name, "one of " + ", ".join(PRESETS))
    return PRESETS[name]()
