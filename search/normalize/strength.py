"""How strong a hit is, by what the sources measured: the yardstick for "relevant".

    strength = max over sources of  raw / best raw of that source in this ranking,  0..1
               or, of a source with anchors,  anchored(raw)

Ranks and fused scores do not tell a close second from a distant one; raw scores do. Cosines lie too close together for
a ratio (a chance neighbour has half of the best one's), but each says by itself what it is worth. Boosts ask this
before they raise a hit, so that company never outweighs a clearly better match.
"""

from collections.abc import Collection, Mapping

from search.answer.ranking import K, Ranking
from search.answer.trail import Found
from search.normalize.anchored import to_anchored

NO_ANCHORS: Mapping[str, tuple[float, float]] = {}


def strengths(
    ranking: Ranking[K],
    *,
    anchors: Mapping[str, tuple[float, float]] = NO_ANCHORS,
    without: Collection[str] = (),
    unmeasured: float = 1.0,
) -> Mapping[K, float]:
    """Each hit's strength, 0..1; `unmeasured` for a hit that no source measured, or none above 0: as strong as can be.

    `anchors`: of a source whose raw scores mean the same in every query, the one that is worth nothing and the one that
    is sure (see `to_anchored`). `without`: sources that are not asked.

    >>> from search.answer.ranking import Hit
    >>> strengths(Ranking.of([Hit.found("oak", Found("lexical", 8.0)), Hit.found("elm", Found("lexical", 2.0))]))
    {'oak': 1.0, 'elm': 0.25}
    """
    best: dict[str, float] = {}
    for hit in ranking:
        for step in hit.trail:
            if isinstance(step, Found) and step.source not in without:
                best[step.source] = max(step.raw, best.get(step.source, 0.0))

    def strength(step: Found) -> float:
        if step.source in anchors:
            low, high = anchors[step.source]
            (value,) = to_anchored([step.raw], low=low, high=high)
            return value
        return max(step.raw, 0.0) / best[step.source]

    return {
        hit.id: max(
            (strength(step) for step in hit.trail if isinstance(step, Found) and best.get(step.source, 0.0) > 0),
            default=unmeasured,
        )
        for hit in ranking
    }
