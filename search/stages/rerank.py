"""Rerank: reorder the best hits by the scores of a reranker, a model that reads query and passage together.

    score = best of the rest + span * scaled,   scaled = min-max of the reranker's scores to 0.05..1

The span is the distance between the best hit and the best of the rest, or a little more if that is too small. So the
reranked hits stay above all others, in the reranker's order, and the rest keeps its scores. A reranker's scale is
unknown except for its direction: some return 0..1, some logits below 0.

Comes right after fusion, as it would undo a boost before it.
"""

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Replaced
from search.ids import NoteId
from search.normalize.minmax import minmax_arithmetic, to_minmax
from search.normalize.order import rescale_in_order
from search.stages import Context

_LEAST_SPAN = 0.01  # of the highest score: room enough for a hundred different scores


@frozen(kw_only=True)
class Rerank:
    """top_n: how many of the best hits the reranker reads, 2..100; 20 (designs/2: more cost more than they gain)."""

    top_n: int = field(default=20, validator=[instance_of(int), ge(2), le(100)])


def rerank_best(ranking: Ranking[NoteId], settings: Rerank, context: Context) -> Ranking[NoteId]:
    """Put those of the best `top_n` hits first that have a score from the reranker, ordered by it.

    Equal scores are ordered by id. Fewer than two hits with a score: unchanged.
    """
    scores = context.rerank_scores
    chosen = [hit for hit in ranking.top(settings.top_n) if hit.id in scores]
    if len(chosen) < 2:
        return ranking
    read = {hit.id for hit in chosen}
    best = chosen[0].score
    rest = max((hit.score for hit in ranking if hit.id not in read), default=0.0)
    span = max(best - rest, _LEAST_SPAN * max(abs(best), abs(rest))) or 1.0
    given = [scores[hit.id] for hit in chosen]
    scaled = to_minmax(given, low=0.05, high=1.0)
    share = minmax_arithmetic(given, low=0.05, high=1.0, of="reranked")
    placed = rescale_in_order(scaled, lambda share: rest + span * share, low=rest + span * 0.05, high=rest + span)
    values = dict(zip((hit.id for hit in chosen), placed, strict=True))

    def replace(hit: Hit[NoteId]) -> Hit[NoteId]:
        if hit.id not in values:
            return hit
        why = f"the reranker's {scores[hit.id]:.4g}, among {len(chosen)} passages"
        numbers = {"rest": rest, "span": span, "best": best, "reranked": scores[hit.id], **share.numbers}
        arithmetic = Arithmetic(f"rest + span * ({share.formula})", numbers)
        return hit.then(Replaced("rerank", values[hit.id], why, arithmetic))

    return ranking.map(replace)
