"""Length penalty: lower very short notes, which say hardly anything (designs/2).

factor = floor + (1 - floor) * length / short      for notes of fewer than `short` characters, else 1
"""

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Scaled
from search.ids import NoteId
from search.stages import Context


@frozen(kw_only=True)
class Length:
    """short: characters below which a note is short, 1..1000; 100 (designs/2).

    floor: the factor of an empty note, 0..1; 0.8 (designs/2).
    """

    short: int = field(default=100, validator=[instance_of(int), ge(1), le(1000)])
    floor: float = field(default=0.8, validator=[ge(0.0), le(1.0)])


def penalize_short(ranking: Ranking[NoteId], settings: Length, context: Context) -> Ranking[NoteId]:
    """Multiply the hits of short notes by `floor` to 1; other notes and deleted ones stay as they are."""

    def penalize(hit: Hit[NoteId]) -> Hit[NoteId]:
        length = context.length_of(hit.id)
        if length is None or length >= settings.short:
            return hit
        factor = length_factor(length, settings=settings)
        numbers = {"floor": settings.floor, "characters": length, "short": settings.short}
        arithmetic = Arithmetic("floor + (1 - floor) * characters / short", numbers)
        return hit.then(Scaled("length", factor, f"only {length} characters", arithmetic))

    return ranking.map(penalize)


def length_factor(length: int, *, settings: Length) -> float:
    """The penalty of a note of `length` characters, `floor`..1.

    >>> [round(length_factor(n, settings=Length()), 2) for n in (0, 50, 99, 100)]
    [0.8, 0.9, 1.0, 1.0]
    """
    share = min(max(length, 0) / settings.short, 1.0)
    return settings.floor + (1.0 - settings.floor) * share
