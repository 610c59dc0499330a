"""Convergence: what several sources found independently is likelier to be right than its ranks alone say (designs/2).

score' = score * (1 + bonus)      for a note that two sources or more found
"""

from search.answer.ranking import Hit, K, Ranking
from search.answer.trail import Fused, Scaled


def reward_convergence(ranking: Ranking[K], bonus: float) -> Ranking[K]:
    """Multiply the hits of a fused ranking that have more than one `Fused` step; `bonus` is 0 and up, 0: unchanged."""
    if bonus <= 0:
        return ranking

    def reward(hit: Hit[K]) -> Hit[K]:
        n_sources = len({step.source for step in hit.trail if isinstance(step, Fused)})
        return hit.then(Scaled("convergence", 1.0 + bonus, f"found by {n_sources} sources")) if n_sources > 1 else hit

    return ranking.map(reward)
