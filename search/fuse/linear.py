"""Linear fusion: a weighted sum of scores, after each source's scores are scaled to 0..1.

    score = sum over sources of w * scaled(score)      with the built-in model: .5 * anchored(cosine) + .5 * bm25 / max

Unlike fusion by rank, it keeps how much better one hit is than the next. A source that did not find a note adds 0.
"""

from collections.abc import Mapping, Sequence

from attrs import field, frozen
from attrs.validators import deep_mapping, ge, instance_of, le

from search.answer.ranking import K, Ranking
from search.answer.trail import Arithmetic
from search.fuse import fuse_by
from search.normalize.anchored import anchored_arithmetic, to_anchored
from search.normalize.scale import Scale, rescale, scale_arithmetic

_NO_ANCHORS: Mapping[str, tuple[float, float]] = {}
_NO_CEILINGS: Mapping[str, float] = {}


@frozen(kw_only=True)
class Linear:
    """How each source's scores are scaled to 0..1.

    scales: the scale of each source. Scores by words are divided by their maximum, as 0 means "nothing found" there. A
        source without a scale is anchored if its model states a noise floor and a sure score (see `to_anchored`), else
        scaled by min-max.
    good_bm25: the share of the highest possible BM25F score that counts as a full match, 0..1; 0.5. Changes nothing for
        short queries that match a title; from .3 to .6 nDCG@10 stays within .01 on Cranfield, CACM and ADI. With 0 the
        best lexical hit is always worth 1.
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

    `anchors`: for sources whose scores mean the same in every query, the score that is worth nothing and the score of a
    sure match; they take precedence over `scales`. `ceilings`: for sources whose scores start at 0, what a good score
    would be; the best hit is worth 1 only if it reaches that. So thirty notes that contain one word of four do not bury
    a note that is surely relevant.

    Every source with hits must have a weight of 0 or more. The weight of an empty source goes to the others. No sources
    or only empty ones: an empty ranking. The order of the sources does not matter.
    """
    scaled: dict[str, Sequence[tuple[float, Arithmetic]]] = {}
    for source, ranking in rankings.items():
        scores = [hit.score for hit in ranking]
        if source in anchors:
            scaled[source] = _anchored(scores, *anchors[source])
        elif scores and max(scores) < ceilings.get(source, 0.0):
            one = _weighted(Arithmetic("raw / ceiling", {"ceiling": ceilings[source]}))
            scaled[source] = [(max(0.0, score / ceilings[source]), one) for score in scores]
        else:
            # Unlike in a displayed score, 0 is fine here: a source adds 0 for notes it did not find.
            scale = scales.get(source, Scale.MINMAX)
            one = _weighted(scale_arithmetic(scores, scale, low=0.0, high=1.0, of="raw"))
            scaled[source] = [(value, one) for value in rescale(scores, scale, low=0.0, high=1.0)]
    return fuse_by(
        lambda source, rank, share: share * scaled[source][rank - 1][0],
        lambda source, rank: scaled[source][rank - 1][1],
        rankings,
        weights,
    )


def _anchored(scores: Sequence[float], low: float, high: float) -> Sequence[tuple[float, Arithmetic]]:
    how = [anchored_arithmetic(score, low=low, high=high, of="raw") for score in scores]
    shared = {plain.formula: plain for plain in how}  # of hundreds of scores, at most four
    weighted = {formula: _weighted(plain) for formula, plain in shared.items()}
    values = to_anchored(scores, low=low, high=high)
    return [(value, weighted[plain.formula]) for value, plain in zip(values, how, strict=True)]


def _weighted(scaled: Arithmetic) -> Arithmetic:
    is_sum = " + " in scaled.formula or " if " in scaled.formula
    return Arithmetic(f"weight * ({scaled.formula})" if is_sum else f"weight * {scaled.formula}", scaled.numbers)
