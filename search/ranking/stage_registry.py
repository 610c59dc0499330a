"""All stages in one place: which there are, what they are called, and how each is run. The order is the pipeline's."""

from collections.abc import Mapping
from typing import assert_never

from attrs import evolve

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

Stage = Cut | Dates | Folder | Graph | Kind | Length | Name | Normalize | Pin | Recency | Rerank | Spread | Title

STAGES: Mapping[str, type[Stage]] = {
    "cut": Cut,
    "dates": Dates,
    "folder": Folder,
    "graph": Graph,
    "kind": Kind,
    "length": Length,
    "name": Name,
    "normalize": Normalize,
    "pin": Pin,
    "recency": Recency,
    "rerank": Rerank,
    "spread": Spread,
    "title": Title,
}
# A rerank behind one of these would undo it.
BOOSTS: tuple[type[Stage], ...] = (Dates, Folder, Graph, Kind, Length, Name, Pin, Recency, Spread, Title)


def stage_name(stage: Stage) -> str:
    """What a stage is called in settings and in the times of an answer."""
    return type(stage).__name__.lower()


def run_stage(stage: Stage, ranking: Ranking[NoteId], context: Context) -> Ranking[NoteId]:  # noqa: PLR0911, C901, PLR0912 - a case a stage
    """The ranking after one stage."""
    understood = context.understood
    match stage:
        case Cut():
            return cut_weak(ranking, settings=stage)
        case Dates():
            return raise_dated(ranking, settings=stage, dated=understood.dated)
        case Kind():
            factors, kinds_of = understood.kind_factors, understood.kinds_of
            return boost_by_kind(ranking, settings=stage, factors=factors, kinds_of=kinds_of, why=understood.intent)
        case Length():
            return penalize_short(ranking, settings=stage, length_of=context.length_of)
        case Pin():
            return pin_named(ranking, settings=stage, pins=understood.pins)
        case Folder():
            return boost_by_folder(
                ranking, settings=stage, notes_per_folder=context.notes_per_folder, anchors=context.anchors
            )
        case Graph():
            gated = stage if context.gate is None else evolve(stage, min_cosine=context.gate)
            return boost_by_graph(
                ranking,
                settings=gated,
                links=context.links,
                tags_of=context.tags_of,
                anchors=context.anchors,
                without_vectors=context.without_vectors,
            )
        case Name():
            return boost_by_name(ranking, settings=stage, named=context.named)
        case Normalize():
            return normalize_scores(ranking, settings=stage)
        case Recency():
            return boost_by_recency(ranking, settings=stage, now=context.now, modified_of=context.modified_of)
        case Rerank():
            return rerank_best(ranking, settings=stage, scores=context.rerank_scores)
        case Spread():
            return spread_over_links(
                ranking, settings=stage, links=context.links, n_shown=context.limit, allowed=context.allowed
            )
        case Title():
            return put_exact_titles_first(
                ranking, settings=stage, note_of=context.notes.get, resolve_link=context.resolve_link
            )
        case _:
            assert_never(stage)
