"""Normalization: scale the scores of the whole ranking to 0..1, as people see them. Never changes the order.

Stages that need that scale, such as a minimum score or the decay of `spread`, come after it.
"""

from attrs import field, frozen
from attrs.validators import instance_of

from search.answer.ranking import K, Ranking
from search.answer.trail import Replaced
from search.normalize.scale import Scale, rescale, scale_arithmetic
from search.stages import Context


@frozen(kw_only=True)
class Normalize:
    """On which scale scores are shown.

    scale: the final scale: minmax (0.02..0.98, so nothing looks certain), zscore (the same range), unit (the best 1) or
        raw. Default: minmax.
    """

    scale: Scale = field(default=Scale.MINMAX, validator=instance_of(Scale))


def normalize_scores(ranking: Ranking[K], settings: Normalize, _context: Context) -> Ranking[K]:
    """Replace every score by its value on the chosen scale; an empty ranking stays empty, ties stay ties."""
    scores = [hit.score for hit in ranking]
    values, arithmetic = rescale(scores, settings.scale), scale_arithmetic(scores, settings.scale)
    why = f"{settings.scale} over {len(ranking)} result{'s'[: len(ranking) != 1]}"
    return Ranking.of(
        hit.then(Replaced("normalize", value, why, arithmetic)) for hit, value in zip(ranking, values, strict=True)
    )
