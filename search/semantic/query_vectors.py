"""What is asked, as vectors: of the query's words, and of a passage that might answer it. Each is made once."""

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
from attrs import field, frozen

from search.budget import Budget
from search.ports import Embedder
from search.semantic.scheduler import Scheduler
from search.vectors.cosine import Floats

_N_KEPT = 128


@frozen(eq=False)
class QueryVectors:
    """The vectors that were asked for lately. What is remembered waits for nobody."""

    _embedder: Embedder
    _turns: Scheduler
    _kept: OrderedDict[tuple[str, str], Floats] = field(factory=OrderedDict, init=False, repr=False)

    def of_query(self, text: str, budget: Budget) -> Floats:
        """The vector of a query's words.

        Raises:
            ProviderError: there is none, or not in time.
            Cancelled: nobody waits any more.
        """
        return self._get("query", text, lambda: self._embedder.embed_query(text, budget=budget), budget)

    def of_passage(self, text: str, budget: Budget) -> Floats:
        """The vector of a passage; raises as `of_query`."""
        return self._get("passage", text, lambda: self._embedder.embed_passages([text], budget=budget)[0], budget)

    def learn_dimensions(self, budget: Budget) -> None:
        """Ask an endpoint for a vector, to see its length, if that is not known: opening a store would, without end.

        Raises as `of_query`.
        """
        if self._embedder.known_dimensions is None:
            self.of_query("dimensions", budget)

    def _get(self, kind: str, text: str, make: Callable[[], Floats], budget: Budget) -> Floats:
        key = kind, text
        found = self._kept.get(key)
        if found is None:
            with self._turns.using(self._embedder.model, budget):
                found = self._kept.get(key)
                if found is None:
                    found = self._kept[key] = make()
                while len(self._kept) > _N_KEPT:
                    self._kept.popitem(last=False)
        return found


def mean_of(vector: Floats, other: Floats) -> Floats:
    """The mean of two vectors, of unit length; the first where they cancel each other."""
    both = vector + other
    length = float(np.linalg.norm(both))
    return both / np.float32(length) if length > 0.0 else vector
