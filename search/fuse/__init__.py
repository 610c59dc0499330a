"""Fusion: many rankings become one. Each fusion has its own file; this one has what they share.

The trail of a fused hit starts with the `Found` steps of its sources, so the raw scores stay visible, followed by one
`Fused` step for each source.
"""

from collections.abc import Callable, Mapping

from search.answer.evidence import NO_EVIDENCE
from search.answer.ranking import Hit, K, Ranking
from search.answer.trail import Arithmetic, Found, Fused, Step


def share_weights(rankings: Mapping[str, Ranking[K]], weights: Mapping[str, float]) -> Mapping[str, float]:
    """The weight of each source that has hits, sorted by the sources' names; the weights sum to 1.

    The weight of an empty source goes to the others; if all of these have the weight 0, they get equal shares.
    """
    shares = {source: weights[source] for source in sorted(rankings) if rankings[source].hits}
    total = sum(shares.values())
    return {source: (share / total if total else 1 / len(shares)) for source, share in shares.items()}


def fuse_by(
    amount: Callable[[str, int, float], float],
    arithmetic: Callable[[str, int], Arithmetic],
    rankings: Mapping[str, Ranking[K]],
    weights: Mapping[str, float],
) -> Ranking[K]:
    """Add up `amount(source, rank, share)` over the sources, always in the order of their names.

    `arithmetic(source, rank)` is how an amount is computed; hits should share the values that it returns.
    A source with the weight 0 adds no notes, but its evidence and raw scores stay on the notes that other sources add.
    """
    shares = share_weights(rankings, weights)
    hits: dict[K, list[tuple[str, int, Hit[K]]]] = {}
    for source in shares:
        for rank, hit in enumerate(rankings[source], start=1):
            hits.setdefault(hit.id, []).append((source, rank, hit))

    def fuse(id_: K, found: list[tuple[str, int, Hit[K]]]) -> Hit[K]:
        evidence = NO_EVIDENCE
        steps: list[Step] = [step for _, _, hit in found for step in hit.trail if isinstance(step, Found)]
        for source, rank, hit in found:
            if hit.evidence is not NO_EVIDENCE:
                evidence = hit.evidence if evidence is NO_EVIDENCE else evidence.merged(hit.evidence)
            if (share := shares[source]) > 0:
                steps.append(Fused(source, rank, share, amount(source, rank, share), arithmetic(source, rank)))
        return Hit.found(id_, *steps, evidence=evidence)

    weighing = {source for source, share in shares.items() if share > 0}
    return Ranking.of(
        fuse(id_, found) for id_, found in hits.items() if any(source in weighing for source, _, _ in found)
    )
