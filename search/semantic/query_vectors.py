"""The vectors of queries and of passages that might answer them. Each is computed once and kept for a while."""

from collections.abc import Callable

import numpy as np
from attrs import field, frozen

from search.budget import Budget
from search.ports import Embedder
from search.providers.lru import LruCache
from search.semantic.scheduler import Scheduler
from search.vectors.cosine import Floats

_N_KEPT = 128


@frozen(eq=False)
class QueryVectors:
    """Embeds queries and keeps the latest vectors. A kept vector is returned without waiting for the model."""

    _embedder: Embedder
    _scheduler: Scheduler
    _kept: LruCache[tuple[str, str], Floats] = field(factory=lambda: LruCache(_N_KEPT), init=False, repr=False)

    def of_query(self, text: str, budget: Budget) -> Floats:
        """The vector of a query.

        Raises:
            ProviderError: the model failed, or was not free in time.
            Cancelled: the budget was cancelled.
        """
        return self._get("query", text, lambda: self._embedder.embed_query(text, budget=budget), budget)

    def of_passage(self, text: str, budget: Budget) -> Floats:
        """The vector of a passage; raises as `of_query`."""
        return self._get("passage", text, lambda: self._embedder.embed_passages([text], budget=budget)[0], budget)

    def learn_dimensions(self, budget: Budget) -> None:
        """Embed a word if the length of vectors is unknown. Opening a store would ask the endpoint without a deadline.

        Raises as `of_query`.
        """
        if self._embedder.known_dimensions is None:
            self.of_query("dimensions", budget)

    def _get(self, kind: str, text: str, embed: Callable[[], Floats], budget: Budget) -> Floats:
        key = kind, text
        found = self._kept.get(key)
        if found is None:
            with self._scheduler.using(self._embedder.model, budget):
                found = self._kept.get(key)
                if found is None:
                    found = embed()
                    self._kept.put(key, found)
        return found


def mean_of(vector: Floats, other: Floats) -> Floats:
    """The mean of two vectors, scaled to unit length; `vector` if they cancel each other out."""
    both = vector + other
    length = float(np.linalg.norm(both))
    return both / np.float32(length) if length > 0.0 else vector
