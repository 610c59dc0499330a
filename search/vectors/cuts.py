"""Chooses where to cut between units of text, so that each chunk fits and an edit moves few cuts.

The trick: among equally good places, the one whose text has the lowest checksum wins. That choice does not depend on
earlier text, so a few units below an edit the cuts are again where they were.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Unit(NamedTuple):
    """Lines that belong together, with all blank lines after them; lines count from 0 in the body."""

    start: int
    end: int
    cost: int
    badness: int = 0  # of a cut after the unit: 0 a paragraph ends, 1 a sentence ends, 2 neither, 3 it is a heading
    checksum: int = 0


def group_units(units: Sequence[Unit], low: int, high: int, limit: int) -> Iterator[int]:
    """Yield where each chunk ends, as an index into `units`: where its cost is between `low` and `high`, if possible.

    Among several such places, the best leaves no rest below `low`, then has the lowest badness, then the lowest
    checksum. If there is none, the chunk ends at the first place over `high` that is within `limit`, else at the last
    place below `low`. A chunk always has at least one unit, even one over the limit.
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
