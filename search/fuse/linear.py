"""Linear fusion: a weighted sum of scores, each source's brought to 0..1 its own way.

    score = sum over sources of w * scaled(score)      with the embedded model: .5 * anchored(cosine) + .5 * bm25 / max

It keeps what ranks lose: how much better one hit is than the next. A source that did not find a note adds 0.
"""

from collections.abc import Mapping
from typing import assert_never

from attrs import field, frozen
from attrs.validators import deep_mapping, ge, instance_of, le

from search.answer.ranking import K, Ranking
from search.fuse import fuse_by
from search.normalize.anchored import to_anchored
from search.normalize.minmax import to_minmax
from search.normalize.scale import Scale
from search.normalize.unit import to_unit
from search.normalize.zscore import to_zscore

_NO_ANCHORS: Mapping[str, tuple[float, float]] = {}
_NO_CEILINGS: Mapping[str, float] = {}


@frozen(kw_only=True)
class Linear:
    """How each source's scores are brought to 0..1.

    scales: by source. BM25 by its maximum, for 0 means "nothing found" there. One without a scale is worth what its
        scores say where the model states its floor and its sure value, else scaled by min-max.
    good_bm25: the share of the highest possible BM25F that is as good as can be, 0..1; 0.5. Changes nothing for queries
        of a few words that are found in a title; from .3 to .6 nDCG@10 stays within .01 on Cranfield, CACM and ADI.
        With 0 the best hit by words is always worth 1.
    """

    scales: Mapping[str, Scale] = field(
        factory=lambda: {"lexical": Scale.UNIT},
        validator=deep_mapping(instance_of(str), instance_of(Scale)),
    )
    good_bm25: float = field(default=0.5, validator=[ge(0.0), le(1.0)])


def fuse_linear(
    rankings: Mapping[str, Ranking[K]],
    weights: Mapping[str, float],
    *,
    scales: Mapping[str, Scale],
    anchors: Mapping[str, tuple[float, float]] = _NO_ANCHORS,
    ceilings: Mapping[str, float] = _NO_CEILINGS,
) -> Ranking[K]:
    """Fuse rankings by source; scores in 0..1.

    `anchors`: for sources whose scores mean the same in every query, those worth nothing and those that are sure; they
    go before `scales`. `ceilings`: for sources whose scores begin at 0, what a good one would be: the best hit is worth
    1 only if it reaches that. So thirty notes that hold one word of four do not bury a note that is sure.

    Every source that has hits must have a weight of 0 or more. An empty source gives its weight to the others; no
    sources or only empty ones: an empty ranking. The order of the sources does not matter.
    """
    values: dict[str, tuple[float, ...]] = {}
    for source, ranking in rankings.items():
        scores = [hit.score for hit in ranking]
        if source in anchors:
            low, high = anchors[source]
            values[source] = to_anchored(scores, low=low, high=high)
        elif scores and max(scores) < ceilings.get(source, 0.0):
            values[source] = tuple(max(0.0, score / ceilings[source]) for score in scores)
        else:
            values[source] = _to_blend(scores, scales.get(source, Scale.MINMAX))
    return fuse_by(lambda source, rank, share: share * values[source][rank - 1], rankings, weights)


def _to_blend(scores: list[float], scale: Scale) -> tuple[float, ...]:
    """Over the whole of 0..1, for here 0 is what a source says of notes it did not find."""
    match scale:
        case Scale.MINMAX:
            return to_minmax(scores, low=0.0, high=1.0)
        case Scale.ZSCORE:
            return to_zscore(scores, low=0.0, high=1.0)
        case Scale.UNIT:
            return to_unit(scores)
        case Scale.RAW:
            return tuple(min(max(score, 0.0), 1.0) for score in scores)
        case _:
            assert_never(scale)
