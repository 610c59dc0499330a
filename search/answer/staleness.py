"""Staleness: a note's age in one word, for readers of the answer; it changes no score."""

from attrs import field, frozen
from attrs.validators import ge, le

from search.errors import ConfigError

_DAY_S = 86_400.0


@frozen(kw_only=True)
class Staleness:
    """From which age a note counts as aging or stale.

    aging_days: the age from which a note counts as aging, 1..36500; 90.
    stale_days: the age from which a note counts as stale, 1..36500; 365. designs/0 names these levels without ages; a
        quarter and a year are common meanings.
    """

    aging_days: float = field(default=90.0, validator=[ge(1.0), le(36_500.0)])
    stale_days: float = field(default=365.0, validator=[ge(1.0), le(36_500.0)])

    def __attrs_post_init__(self) -> None:
        """Refuse levels in the wrong order.

        Raises:
            ConfigError: notes would be stale before they are aging.
        """
        if self.stale_days < self.aging_days:
            raise ConfigError("stale_days", self.stale_days, f"{self.aging_days:g}..36500, not before aging")

    def level(self, modified: float, now: float) -> str:
        """fresh, aging or stale; both times are seconds since the epoch, and a note from the future is fresh.

        >>> [Staleness().level(-days * 86_400.0, 0.0) for days in (-1, 89, 90, 365)]
        ['fresh', 'fresh', 'aging', 'stale']
        """
        age_days = (now - modified) / _DAY_S
        return "stale" if age_days >= self.stale_days else "aging" if age_days >= self.aging_days else "fresh"
