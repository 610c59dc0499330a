"""How strong a hit is beside the best one, by what the sources measured: the yardstick for "relevant".

    strength = max over sources of  raw / best raw of that source in this ranking,  0..1

Ranks and fused scores do not tell a close second from a distant one; raw scores do. Boosts ask this before they raise
a hit, so that company never outweighs a clearly better match.
"""

from collections.abc import Mapping

from search.answer.ranking import K, Ranking
from search.answer.trail import Found


def strengths(ranking: Ranking[K]) -> Mapping[K, float]:
    """Each hit's strength, 0..1; a hit that no source measured, or none above 0, is as strong as can be.

    >>> from search.answer.ranking import Hit
    >>> strengths(Ranking.of([Hit.found("oak", Found("lexical", 8.0)), Hit.found("elm", Found("lexical", 2.0))]))
    {'oak': 1.0, 'elm': 0.25}
    """
    best: dict[str, float] = {}
    for hit in ranking:
        for step in hit.trail:
            if isinstance(step, Found):
                best[step.source] = max(step.raw, best.get(step.source, 0.0))
    return {
        hit.id: max(
            (
                max(step.raw, 0.0) / best[step.source]
                for step in hit.trail
                if isinstance(step, Found) and best[step.source] > 0
            ),
            default=1.0,
        )
        for hit in ranking
    }
