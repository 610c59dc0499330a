"""Scores as people see them: brought to 0..1 over the whole ranking. Never changes the order.

Whatever multiplies or cuts by score on that scale (a least score, decay over hops) comes after it.
"""

from attrs import field, frozen
from attrs.validators import instance_of

from search.answer.ranking import K, Ranking
from search.answer.trail import Replaced
from search.normalize.scale import Scale, rescale


@frozen(kw_only=True)
class Normalize:
    """`scale`: minmax (0.02..0.98; default, so that nothing looks certain), zscore (the same range) or unit (top 1)."""

    scale: Scale = field(default=Scale.MINMAX, validator=instance_of(Scale))


def normalize_scores(ranking: Ranking[K], *, settings: Normalize) -> Ranking[K]:
    """Every score replaced by its value on the chosen scale; an empty ranking stays empty, ties stay ties."""
    values = rescale([hit.score for hit in ranking], settings.scale)
    why = f"{settings.scale} over {len(ranking)} result{'s'[: len(ranking) != 1]}"
    return Ranking.of(hit.then(Replaced("normalize", value, why)) for hit, value in zip(ranking, values, strict=True))
