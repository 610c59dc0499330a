"""Recency boost: raise recently changed notes a little, by tiers of age (designs/4).

    factor = that of the first tier whose age is not exceeded, else 1;   age = (now - modified) in days

A time in the future counts as now, as clocks differ.
"""

from collections.abc import Mapping

from attrs import field, frozen

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Arithmetic, Scaled
from search.errors import ConfigError
from search.ids import NoteId
from search.stages import Context

_DAY_S = 86_400.0
_MAX_FACTOR = 10.0


def _ascending(_owner: object, _attribute: object, tiers: tuple[tuple[float, ...], ...]) -> None:
    allowed = "pairs of days, rising from above 0, and a factor of 1..10, falling"
    pairs = [tier for tier in tiers if len(tier) == 2 and tier[0] > 0 and 1.0 <= tier[1] <= _MAX_FACTOR]
    days, factors = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if len(pairs) < len(tiers) or days != sorted(set(days)) or factors != sorted(factors, reverse=True):
        raise ConfigError("tiers", tiers, allowed)


@frozen(kw_only=True)
class Recency:
    """tiers: pairs of a maximum age in days and a factor. Default: (7, 1.2) and (30, 1.1) (designs/4).

    Ages must be above 0 and rise, factors must fall and be 1..10.
    """

    tiers: tuple[tuple[float, ...], ...] = field(default=((7.0, 1.2), (30.0, 1.1)), validator=_ascending)


def boost_by_recency(ranking: Ranking[NoteId], settings: Recency, context: Context) -> Ranking[NoteId]:
    """Multiply the hits of recently changed notes by 1 or more; deleted notes stay as they are."""
    formula, tiers = _formula(settings.tiers)

    def boost(hit: Hit[NoteId]) -> Hit[NoteId]:
        note = context.notes.get(hit.id)
        if note is None:
            return hit
        age_days = max(0.0, (context.now - note.modified) / _DAY_S)
        factor = recency_factor(age_days, settings=settings)
        if factor == 1.0:
            return hit
        arithmetic = Arithmetic(formula, {"age_days": age_days, **tiers})
        return hit.then(Scaled("recency", factor, f"changed {_ago(age_days)}", arithmetic))

    return ranking.map(boost)


def recency_factor(age_days: float, *, settings: Recency) -> float:
    """The factor for a note of that age.

    >>> [recency_factor(days, settings=Recency()) for days in (0, 7, 7.1, 30, 31)]
    [1.2, 1.2, 1.1, 1.1, 1.0]
    """
    return next((factor for days, factor in settings.tiers if age_days <= days), 1.0)


def _formula(tiers: tuple[tuple[float, ...], ...]) -> tuple[str, Mapping[str, float]]:
    """The formula over `age_days`, and the numbers of the tiers in it."""
    cases = "".join(f"factor{at} if age_days <= days{at} else " for at in range(1, len(tiers) + 1))
    numbers: dict[str, float] = {}
    for at, (days, factor) in enumerate(tiers, start=1):
        numbers |= {f"days{at}": days, f"factor{at}": factor}
    return cases + "1", numbers


def _ago(age_days: float) -> str:
    days = int(age_days)
    return "today" if days == 0 else "1 day ago" if days == 1 else f"{days} days ago"
