"""Where the cuts fall between units of text, so that each chunk fits and few cuts move when the text is edited.

The trick: among equally good places the one with the least checksum of the text before it is taken. That choice knows
nothing of what came earlier, so that some units below an edit the cuts fall where they fell before.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Unit(NamedTuple):
    """Lines that stand together, with all blank lines after them; lines count from 0 in the body."""

    start: int
    end: int
    cost: int
    badness: int = 0  # of a cut after it: 0 a paragraph ends, 1 a sentence ends, 2 neither, 3 a heading
    checksum: int = 0


def group_units(units: Sequence[Unit], low: int, high: int, limit: int) -> Iterator[int]:
    """Where each chunk ends, as an index of units: at a cost from `low` to `high`, if there is such a place.

    Of several the one is taken that leaves no rest below `low`, then the least bad, then the least checksum. Without
    one, the first place over `high` that is within the limit, else the last one below `low`. The first unit is always
    taken, also one over the limit.
    """
    rest = sum(unit.cost for unit in units)
    start = 0
    while start < len(units):
        places: list[tuple[int, int]] = []  # a cost, and the index after it
        cost = 0
        for at in range(start, len(units)):
            cost += units[at].cost
            if places and (cost > limit or places[-1][0] > high):
                break
            places.append((cost, at + 1))
        good = [place for place in places if low <= place[0] <= high]
        if good:
            left = rest
            cost, start = min(good, key=lambda place: _rank(units[place[1] - 1], left - place[0], low))
        else:
            cost, start = next((place for place in places if place[0] > high), places[-1])
        rest -= cost
        yield start


def _rank(last: Unit, left: int, low: int) -> tuple[bool, int, int]:
    return 0 < left < low, last.badness, last.checksum
