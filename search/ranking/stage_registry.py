"""All stages, with their names and functions. Their order belongs to the pipeline."""

from collections.abc import Callable, Mapping

from search.answer.ranking import Ranking
from search.ids import NoteId
from search.stages import Context
from search.stages.cut import Cut, cut_weak
from search.stages.dates import Dates, raise_dated
from search.stages.folder import Folder, boost_by_folder
from search.stages.graph import Graph, boost_by_graph
from search.stages.kind import Kind, boost_by_kind
from search.stages.length import Length, penalize_short
from search.stages.name import Name, boost_by_name
from search.stages.normalize import Normalize, normalize_scores
from search.stages.pin import Pin, pin_named
from search.stages.recency import Recency, boost_by_recency
from search.stages.rerank import Rerank, rerank_best
from search.stages.spread import Spread, spread_over_links
from search.stages.title import Title, put_exact_titles_first
from search.stages.whole import Whole, put_whole_words_first

Stage = (
    Cut | Dates | Folder | Graph | Kind | Length | Name | Normalize | Pin | Recency | Rerank | Spread | Title | Whole
)

_RUN: Mapping[type[Stage], Callable[..., Ranking[NoteId]]] = {
    Cut: cut_weak,
    Dates: raise_dated,
    Folder: boost_by_folder,
    Graph: boost_by_graph,
    Kind: boost_by_kind,
    Length: penalize_short,
    Name: boost_by_name,
    Normalize: normalize_scores,
    Pin: pin_named,
    Recency: boost_by_recency,
    Rerank: rerank_best,
    Spread: spread_over_links,
    Title: put_exact_titles_first,
    Whole: put_whole_words_first,
}
STAGES: Mapping[str, type[Stage]] = {stage.__name__.lower(): stage for stage in _RUN}
# A rerank after one of these would undo it.
BOOSTS: tuple[type[Stage], ...] = (Dates, Folder, Graph, Kind, Length, Name, Pin, Recency, Spread, Title, Whole)


def stage_name(stage: Stage) -> str:
    """The name of a stage in settings and timings."""
    return type(stage).__name__.lower()


def run_stage(stage: Stage, ranking: Ranking[NoteId], context: Context) -> Ranking[NoteId]:
    """The ranking after one stage."""
    return _RUN[type(stage)](ranking, stage, context)
