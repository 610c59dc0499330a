"""Estimates scores for notes that a source could not score, such as the semantic source for notes without vectors.

The weight of the source with missing scores is multiplied by the share of another source's hits that it could score:

    share scored = 1 - (sum of b over notes without a score) / (best b + sum of b over all)

over the best notes of the other source; b is its raw score. A note that stands out among the few notes with a score
might not stand out among all. The best b counts twice, so that some weight is left even if no note has a score.

A note without a score gets an estimate from the other sources:

    score' = score + min(rate * a, w)      rate = sum of the missing source's amounts / sum of the others'

a is the amount that the others gave to the note, with earlier estimates, w the weight of the source with missing
scores. Both sums are over the notes with a score that one of the others found. So on average a note gains or loses
nothing by a missing score, and notes without scores keep their order among each other. The trail shows the estimate as
a factor, as it only raises what another source found.

The share and the rate use a fixed number of the best notes, so that a short answer is the beginning of a long one.
"""

from collections.abc import Collection, Sequence

from search.answer.ranking import Hit, K, Ranking
from search.answer.trail import Arithmetic, Fused, Scaled

_N_SHARE = 20  # best notes; a query embeds these first, and people rarely look further
_N_RATE = 60


def share_scored(ranking: Ranking[K], without_score: Collection[K]) -> float:
    """The share of a source's best hits that the other source could score, weighted by score; above 0, at most 1.

    1 for an empty ranking.

    >>> from search.answer.trail import Found
    >>> found = [Hit.found("oak", Found("words", 8.0)), Hit.found("elm", Found("words", 4.0))]
    >>> share_scored(Ranking.of(found), {"elm"}), share_scored(Ranking.of(found), {"oak"})
    (0.8, 0.6)
    """
    scores = {hit.id: hit.score for hit in ranking.top(_N_SHARE) if hit.score > 0}
    if not scores:
        return 1.0
    missing = sum(score for id_, score in scores.items() if id_ in without_score)
    return 1.0 - missing / (max(scores.values()) + sum(scores.values()))


def fill_missing_scores(
    ranking: Ranking[K], without_score: Collection[K], *, missing: str, estimate_from: Sequence[str], by: str, why: str
) -> Ranking[K]:
    """Multiply the hits of a fused ranking that have no score from `missing` but a source of `estimate_from` found.

    All other hits keep their scores. If the sources `estimate_from` found no note with a score, all sources are assumed
    to agree. If `missing` found nothing at all, its weight went to the other sources and nothing is filled in.

    >>> from search.answer.trail import Found
    >>> oak = Hit.found("oak", Found("words", 8.0), Fused("sense", 1, 0.5, 0.2), Fused("words", 1, 0.5, 0.4))
    >>> elm = Hit.found("elm", Found("words", 6.0), Fused("words", 2, 0.5, 0.3))
    >>> filled = fill_missing_scores(
    ...     Ranking.of([oak, elm]), {"elm"}, missing="sense", estimate_from=["words"], by="missing-vectors", why="..."
    ... )
    >>> [(hit.id, round(hit.score, 3)) for hit in filled]
    [('oak', 0.6), ('elm', 0.45)]
    """
    if not without_score:
        return ranking
    steps = {hit.id: {step.source: step for step in hit.trail if isinstance(step, Fused)} for hit in ranking}
    weight = next((fused[missing].weight for fused in steps.values() if missing in fused), 0.0)
    if not weight:
        return ranking
    scored = [
        fused
        for id_, fused in steps.items()
        if id_ not in without_score
        and any(source in fused and fused[source].rank <= _N_RATE for source in estimate_from)
    ]
    amount_known = sum(fused[source].amount for fused in scored for source in estimate_from if source in fused)
    amount_missing = sum(fused[missing].amount for fused in scored if missing in fused)

    def fill(hit: Hit[K]) -> Hit[K]:
        found = [steps[hit.id][source] for source in estimate_from if source in steps[hit.id]]
        if not found or hit.id not in without_score or hit.score <= 0:
            return hit
        before = hit.score - sum(step.amount for step in steps[hit.id].values())  # other estimates
        amount = sum(step.amount for step in found) + max(0.0, before)
        one, other = (amount_missing, amount_known) if amount_known > 0 else (weight, sum(s.weight for s in found))
        factor = 1.0 + min(one / other * amount, weight) / hit.score
        numbers = {"missing": one, "known": other, "amount": amount, "most": weight}
        arithmetic = Arithmetic("1 + min(missing / known * amount, most) / score", numbers)
        return hit.then(Scaled(by, factor, why, arithmetic)) if factor > 1 else hit

    return ranking.map(fill)
