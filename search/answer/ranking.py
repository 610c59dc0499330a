"""Rankings: ordered hits. A ranking is always sorted, its ids are unique and its scores finite.

Order: higher score first, equal scores by id, so that results are stable.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from math import isfinite
from operator import attrgetter, is_, itemgetter
from typing import Generic, Protocol, Self, TypeVar

from attrs import field, frozen

from search.answer.evidence import NO_EVIDENCE, Evidence
from search.answer.trail import Step, Trail, replay


class Sortable(Protocol):
    """The requirement on ids: they can be sorted."""

    def __lt__(self, other: Self, /) -> bool:
        """Whether this id comes before the other one, if their scores are equal."""


K = TypeVar("K", bound=Sortable)

_id = attrgetter("id")
_score = attrgetter("score")


@frozen
class Hit(Generic[K]):
    """One result. Create it with `Hit.found`, change it with `then`, so that `score` always equals `replay(trail)`."""

    id: K
    score: float
    trail: Trail
    evidence: Evidence = NO_EVIDENCE

    @classmethod
    def found(cls, id_: K, *steps: Step, evidence: Evidence = NO_EVIDENCE) -> "Hit[K]":
        """A hit whose score is the replay of `steps`."""
        return cls(id_, replay(steps), steps, evidence)

    def then(self, *steps: Step, evidence: Evidence | None = None) -> "Hit[K]":
        """The same hit after `steps`; `evidence` replaces the old one, if given."""
        trail = self.trail + steps
        return Hit(self.id, replay(trail), trail, self.evidence if evidence is None else evidence)


@frozen
class Ranking(Generic[K]):
    """Hits by descending score, ties by id. Create it with `Ranking.of`."""

    hits: tuple[Hit[K], ...] = field(default=())

    @classmethod
    def of(cls, hits: Iterable[Hit[K]]) -> "Ranking[K]":
        """Sort the hits.

        Raises:
            ValueError: two hits share an id, or a score is not finite (a bug in the caller, never caused by input).
        """
        ordered = sorted(hits, key=_id)
        ordered.sort(key=_score, reverse=True)  # equal scores keep their order
        if not all(map(isfinite, map(_score, ordered))):
            raise ValueError(f"not finite: {next(hit for hit in ordered if not isfinite(hit.score))}")
        if len(set(map(_id, ordered))) != len(ordered):
            raise ValueError("ids are not unique")
        return cls(tuple(ordered))

    def __iter__(self) -> Iterator[Hit[K]]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    @cached_property
    def ranks(self) -> Mapping[K, int]:
        """Each id's rank, counted from 1."""
        return {hit.id: rank for rank, hit in enumerate(self.hits, start=1)}

    def map(self, change: Callable[[Hit[K]], Hit[K]]) -> "Ranking[K]":
        """A ranking of all hits after `change`; this one if no hit changed."""
        changed = tuple(map(change, self.hits))
        return self if all(map(is_, changed, self.hits)) else Ranking.of(changed)

    def where(self, is_kept: Callable[[K], bool]) -> "Ranking[K]":
        """The hits whose id is to be kept, in their order."""
        kept = tuple([hit for hit in self.hits if is_kept(hit.id)])
        return self if len(kept) == len(self.hits) else Ranking(kept)

    def top(self, n_hits: int) -> "Ranking[K]":
        """The best `n_hits`."""
        return Ranking(self.hits[:n_hits])


def best_ranks(rankings: Iterable[Ranking[K]]) -> Mapping[K, int]:
    """The best rank that any of the rankings gives each id, best first, equal ranks by id."""
    ranks: dict[K, int] = {}
    for ranking in rankings:
        for id_, rank in ranking.ranks.items():
            ranks[id_] = min(rank, ranks.get(id_, rank))
    by_id = {id_: ranks[id_] for id_ in sorted(ranks)}
    return dict(sorted(by_id.items(), key=itemgetter(1)))
