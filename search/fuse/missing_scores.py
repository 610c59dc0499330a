"""Notes that a source could not measure: another source speaks for them, and the first has less to say.

    share measured = 1 - (sum of b over unmeasured notes) / (best b + sum of b over all)

of the notes that the other source found best, b its raw score. By it the first source's weight is multiplied: what
stands out among a few would not among all. The best counts twice, so that a say is left where nothing is measured.

    score' = score + min(rate * a, w)      rate = sum of the missing source's amounts / sum of the other's

a is what the other source gave the note, w the missing source's weight; both sums are over measured notes that the
other source found. That is the best guess of what is missing: a note gains or loses nothing by not being measured, and
unmeasured notes keep their order among each other. Written as a factor, for it only makes more of what was found.

Looks at the best notes alone, so that a short list stays the beginning of a long one.
"""

from collections.abc import Collection

from search.answer.ranking import Hit, K, Ranking
from search.answer.trail import Fused, Scaled

_N_SHARE = 20  # best notes; those that a query has embedded first, and most of what anybody looks at
_N_RATE = 60


def share_scored(ranking: Ranking[K], unmeasured: Collection[K]) -> float:
    """How much of what a source found another one measured, by the scores of the first, above 0 and up to 1.

    1 where nothing was found.

    >>> from search.answer.trail import Found
    >>> found = [Hit.found("oak", Found("words", 8.0)), Hit.found("elm", Found("words", 4.0))]
    >>> share_scored(Ranking.of(found), {"elm"}), share_scored(Ranking.of(found), {"oak"})
    (0.8, 0.6)
    """
    scores = {hit.id: hit.score for hit in ranking.top(_N_SHARE) if hit.score > 0}
    if not scores:
        return 1.0
    missing = sum(score for id_, score in scores.items() if id_ in unmeasured)
    return 1.0 - missing / (max(scores.values()) + sum(scores.values()))


def fill_missing_scores(
    ranking: Ranking[K], unmeasured: Collection[K], *, missing: str, speaker: str, by: str, why: str
) -> Ranking[K]:
    """Multiply the unmeasured hits of a fused ranking that `speaker` found; all others stay as they are.

    Where it found no measured note, `missing` is taken to agree with it. A source that measured nothing has left its
    weight to the others, so nothing is missing then.

    >>> from search.answer.trail import Found
    >>> oak = Hit.found("oak", Found("words", 8.0), Fused("sense", 1, 0.5, 0.2), Fused("words", 1, 0.5, 0.4))
    >>> elm = Hit.found("elm", Found("words", 6.0), Fused("words", 2, 0.5, 0.3))
    >>> filled = fill_missing_scores(
    ...     Ranking.of([oak, elm]), {"elm"}, missing="sense", speaker="words", by="unembedded", why="no vectors"
    ... )
    >>> [(hit.id, round(hit.score, 3)) for hit in filled]
    [('oak', 0.6), ('elm', 0.45)]
    """
    steps = {hit.id: {step.source: step for step in hit.trail if isinstance(step, Fused)} for hit in ranking}
    weight = next((found[missing].weight for found in steps.values() if missing in found), 0.0)
    if not weight or not unmeasured:
        return ranking
    both = [
        found
        for id_, found in steps.items()
        if id_ not in unmeasured and speaker in found and found[speaker].rank <= _N_RATE
    ]
    said = sum(found[speaker].amount for found in both)
    agreed = sum(found[missing].amount for found in both if missing in found)

    def speak(hit: Hit[K]) -> Hit[K]:
        step = steps[hit.id].get(speaker)
        if step is None or hit.id not in unmeasured or hit.score <= 0:
            return hit
        rate = agreed / said if said > 0 else weight / step.weight
        factor = 1.0 + min(rate * step.amount, weight) / hit.score
        return hit.then(Scaled(by, factor, why)) if factor > 1 else hit

    return ranking.map(speak)
