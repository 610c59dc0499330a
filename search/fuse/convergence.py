"""Convergence: a note that several sources found independently is likelier relevant than its ranks say (designs/2).

score' = score * (1 + bonus)      for a note that two or more sources found
"""

from collections.abc import Collection

from search.answer.ranking import Hit, K, Ranking
from search.answer.trail import Arithmetic, Fused, Scaled


def reward_convergence(ranking: Ranking[K], bonus: float, *, alike: Collection[str] = ()) -> Ranking[K]:
    """Multiply the hits of a fused ranking that more than one source found; `bonus` is 0 or more, 0: unchanged.

    Sources that are `alike` are not independent, and count as one.
    """
    if bonus <= 0:
        return ranking

    arithmetic = Arithmetic("1 + bonus", {"bonus": bonus})

    def reward(hit: Hit[K]) -> Hit[K]:
        sources = {step.source for step in hit.trail if isinstance(step, Fused)}
        n_sources = len(sources.difference(alike)) + (not sources.isdisjoint(alike))
        if n_sources < 2:
            return hit
        return hit.then(Scaled("convergence", 1.0 + bonus, f"found by {n_sources} sources", arithmetic))

    return ranking.map(reward)
