"""The presets: named pipelines, which a setting, an option or a request selects."""

from collections.abc import Callable, Mapping

from search.answer.staleness import Staleness
from search.errors import ConfigError, one_of
from search.fuse.linear import Linear
from search.fuse.rrf import Rrf
from search.index.spelling import Typos
from search.index.stems import Stems
from search.matching.expansions import Acronyms
from search.normalize.scale import Scale
from search.query import Scope
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
from search.stages.whole import Whole
from search.vectors.concepts import Concepts

DEFAULT = "balanced"


def balanced() -> Pipeline:
    """Words and meaning fused by score, then boosts by name, folder, links and dates. Exact names come first.

    For a query of one word, notes that have it whole come before all that resemble it.

    The parts are those of designs/3, tuned by measurement (tests/ranking/PARAMETERS.md). Fusion is by score because
    neighbouring ranks differ by 1.6 % (k = 60) and a boost gives up to 15 %: after a fusion by rank, a boosted note far
    down the list would overtake a much better match. If a reranker is configured, it orders the best notes before the
    boosts.
    """
    stages = (Rerank(), Name(), Folder(), Graph(), Dates(), Title(), Whole(), Pin(), Normalize())
    lexical = Lexical(nearness=0.1, in_name=0.8, in_heading=0.3)
    return Pipeline(name="balanced", lexical=lexical, stems=Stems(), typos=Typos(), stages=stages)


def tiered_lexical() -> Pipeline:
    """designs/3 as written: words and meaning rank the same candidates, fused by rank, then folder and graph boost.

    40 % words + 60 % meaning, RRF with k = 60, 2 * results from each source, both boosts without a minimum strength,
    min-max to 0.02..0.98. The document has no reranker, other forms of words, corrections, dates or exact names.

    Where the document contradicts itself, its reference sections decide: 500 candidates (its example: 200), a folder
    boost of at most 1.15 (example: 1.5), min-max (diagram: z-score).

    Departures from the document, with their reasons:
        - Candidates are kept by coverage of the rarer words; the first ones found would be arbitrary.
        - Words are ranked by BM25F with the document's field weights and the whole vault's document frequencies,
          because an index of the candidates alone does not know which words are rare.
        - Stop words find no note by themselves and weigh little, because they say nothing about a note.
        - Words that a chat model suggests are a source of their own with a small weight, so that they never change what
          typed words are worth.
        - A note without vectors keeps its place, and meaning weighs less the fewer of the best notes have vectors,
          because vectors are computed little by little.
        - A link raises only its target, because the document's formula counts backlinks.
        - The graph boost requires the model's cosine of a sure match instead of 0.75, which MiniLM hardly reaches.
    """
    return Pipeline(
        name="tiered-lexical",
        semantic=Semantic(weight=0.6, scope=Scope.CANDIDATES),
        pool=Pool(per_result=2, at_least=1, is_strict=True),
        fusion=Fusion.RRF,
        stages=(
            Folder(consider=1000, sure_ratio=0.0, min_strength=0.0, min_strength_of_weak=0.0),
            Graph(min_strength=0.0, min_strength_of_weak=0.0, mutual_link_weight=1.0, passes_by_words=False),
            Normalize(),
        ),
    )


# Articles, conjunctions, prepositions, pronouns and modals, but no words that mean something in code (for, do, if, not,
# is, has, can).
_STOP_WORDS = (
    *("a", "an", "the"),
    *("and", "or", "but"),
    *("of", "with", "by", "from", "in", "to", "at", "on", "into", "onto"),
    *("it", "he", "she", "we", "they"),
    *("would", "could", "should"),
)


def graph_spread() -> Pipeline:
    """designs/1: words and vectors fused by rank, best score 1, then notes linked with the best, times 0.8 per link.

    Links are followed from as many notes as are shown, as in the document's table. Notes below half of the best score
    are left out.
    """
    return Pipeline(
        name="graph-spread",
        lexical=Lexical(stop_words=_STOP_WORDS),
        semantic=Semantic(weight=0.5),
        pool=Pool(per_result=10, at_least=100),
        fusion=Fusion.RRF,
        stages=(Normalize(scale=Scale.UNIT), Spread(drops_unreached=True), Cut()),
    )


def neighbour_recency() -> Pipeline:
    """designs/4: words, vectors and their neighbours fused by rank, recent notes raised, best score 1.

    Words and vectors weigh 1 each, neighbours 0.2. Each source gives max(10, 2 * results) notes. If a reranker is
    configured, it orders the best ten right after fusion.

    Exact names come first, which is not in the document: by rank, a neighbour of several results overtakes the note
    whose name is the query (MRR on the aliases of obsidian-tasks: .69 without, 1 with).
    """
    return Pipeline(
        name="neighbour-recency",
        semantic=Semantic(weight=1 / 2.2, n_notes=200),
        concepts=Concepts(),
        neighbours=Neighbours(),
        pool=Pool(per_result=2, at_least=10, is_strict=True),
        fusion=Fusion.RRF,
        stages=(Rerank(top_n=10), Recency(), Title(), Whole(), Normalize(scale=Scale.UNIT)),
    )


def graph_linear() -> Pipeline:
    """designs/0: .7 cosine + .21 proximity over links + .09 full text; proximity gets .3 if full text finds nothing.

    The scores are added as they are. Without vectors, full text answers alone.
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
    """designs/2: words, vectors and links fused by rank, 1 : 1 : 1.5, with a tenth more where they agree.

    Then the reranker, if one is configured, a boost for kinds of notes that fit the intent, and a penalty for short
    notes.
    """
    return Pipeline(
        name="intent-hybrid",
        typos=Typos(),
        semantic=Semantic(weight=1 / 3.5),
        activation=Activation(),
        acronyms=Acronyms(),
        fusion=Fusion.RRF,
        rrf=Rrf(convergence=0.1),
        stages=(Rerank(), Kind(), Length(), Dates(), Title(), Whole(), Pin(), Normalize()),
    )


PRESETS: Mapping[str, Callable[[], Pipeline]] = {
    "balanced": balanced,
    "tiered-lexical": tiered_lexical,
    "graph-linear": graph_linear,
    "graph-spread": graph_spread,
    "intent-hybrid": intent_hybrid,
    "neighbour-recency": neighbour_recency,
}


def preset_named(name: str) -> Pipeline:
    """A preset's pipeline.

    Raises:
        ConfigError: no preset has that name; the message lists all names and suggests the most similar one.
    """
    if name not in PRESETS:
        raise ConfigError("preset", name, one_of(PRESETS, name))
    return PRESETS[name]()
