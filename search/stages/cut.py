"""Cut: leave out hits below a minimum score, or beyond a maximum number. Changes no score and no order."""

from attrs import field, frozen
from attrs.validators import ge, instance_of, le, optional

from search.answer.ranking import K, Ranking
from search.stages import Context


@frozen(kw_only=True)
class Cut:
    """Which hits are left out.

    min_score: the minimum score, 0..1, on the scale of a preceding normalization; 0.5 (designs/1).
    max_results: the maximum number of hits, 1..1000; None: no maximum.
    """

    min_score: float = field(default=0.5, validator=[ge(0.0), le(1.0)])
    max_results: int | None = field(default=None, validator=optional([instance_of(int), ge(1), le(1000)]))


def cut_weak(ranking: Ranking[K], settings: Cut, _context: Context) -> Ranking[K]:
    """The hits with a score of at least `min_score`; the best `max_results` of them."""
    strong = Ranking.of(hit for hit in ranking if hit.score >= settings.min_score)
    return strong if settings.max_results is None else strong.top(settings.max_results)
