"""The strength of a hit, from the raw scores of its sources: how boosts decide what is relevant.

    strength = max over sources of  raw / best raw of that source in this ranking,  0..1
               or, for a source with anchors,  anchored(raw)

The best raw score is that of a note, if the source found any: so other files change no strength of a note, and a file
with a higher score has the strength 1.

Raw scores show whether the second hit is a close or a distant one; ranks and fused scores do not. Cosines are too close
together for a ratio (a random neighbour has half of the best cosine), so they are anchored. Boosts check the strength
before they raise a hit, so that related notes never outweigh a clearly better match.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

from search.answer.ranking import Hit, K, Ranking
from search.answer.trail import Found
from search.ids import is_note
from search.normalize.anchored import anchored

NO_ANCHORS: Mapping[str, tuple[float, float]] = {}


def strength_in(
    ranking: Ranking[K],
    *,
    anchors: Mapping[str, tuple[float, float]] = NO_ANCHORS,
    ignored: Collection[str] = (),
    default: float = 1.0,
) -> Callable[[Hit[K]], float]:
    """A function that returns the strength of a hit in this ranking, 0..1; `default` without a raw score above 0.

    Stages ask for a few hits only, so no other strength is computed.

    `anchors`: for sources whose raw scores mean the same in every query, the score that is worth nothing and the score
    of a sure match (see `to_anchored`). `ignored`: sources whose scores do not count.

    >>> oak, elm = Hit.found("oak", Found("lexical", 8.0)), Hit.found("elm", Found("lexical", 2.0))
    >>> strength = strength_in(Ranking.of([oak, elm]))
    >>> strength(oak), strength(elm)
    (1.0, 0.25)
    """
    notes = {hit.id: hit for hit in ranking if is_note(str(hit.id))}
    others = (hit for hit in ranking if hit.id not in notes)
    best = {**_best_raw(others, ignored), **_best_raw(notes.values(), ignored)}

    def of_step(step: Found) -> float:
        if step.source in anchors:
            return anchored(step.raw, *anchors[step.source])
        return min(1.0, max(step.raw, 0.0) / best[step.source])

    def strength(hit: Hit[K]) -> float:
        steps = (step for step in hit.trail if isinstance(step, Found) and best.get(step.source, 0.0) > 0)
        return max(map(of_step, steps), default=default)

    return strength


def _best_raw(hits: Iterable[Hit[K]], ignored: Collection[str]) -> Mapping[str, float]:
    """The best raw score above 0 of each source."""
    best: dict[str, float] = {}
    for hit in hits:
        for step in hit.trail:
            if isinstance(step, Found) and step.source not in ignored:
                best[step.source] = max(step.raw, best.get(step.source, 0.0))
    return {source: raw for source, raw in best.items() if raw > 0}
