"""An embedder behind an endpoint: what `BatchRun` asks, sent through a `Connection` with the `RetryPolicy` it takes.

Nothing is sent before a text comes. Its tokens are unknown to us and estimated, on the careful side.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np
from attrs import field, frozen

from search.budget import UNLIMITED, Budget
from search.errors import ProviderError
from search.progress import Progress, silent
from search.providers.batches import PROBE, BatchRun, Missing
from search.providers.circuit_breaker import CircuitBreaker
from search.providers.connection import Connection, sendable
from search.providers.embedding_answer import F32, Row, most_bytes, read_embeddings
from search.providers.endpoint import Endpoint
from search.providers.failure import Failure
from search.providers.retry_policy import RetryPolicy
from search.providers.scripts import foreign_share

_BYTES_A_TOKEN = 3  # English has 4 and more, Chinese and Japanese 2.5 to 3, Russian 3 and more; fewer is careful


def estimate_tokens(text: str) -> int:
    """About how many tokens a text takes, rather too many: a third of its bytes, and two special ones.

    >>> estimate_tokens("A hawthorn in May."), estimate_tokens("五月の山査子")
    (8, 8)
    """
    return 2 + ceil(len(text.encode("utf-8", "surrogatepass")) / _BYTES_A_TOKEN)


@frozen(eq=False, kw_only=True)
class Embedded:
    """What became of some texts, in their order. The row of a text without a vector is zero: equally far from all."""

    vectors: F32  # (n_texts, n_dimensions), rows of unit length
    missing: tuple[Missing, ...] = ()
    failure: ProviderError | None = None  # what ended the run before its end; the rest of the texts is `missing`


@frozen(eq=False)
class RemoteEmbedder:
    """Implements `ports.Embedder`; `embed_all` also says which texts have no vector, and why."""

    _connection: Connection
    _policy: RetryPolicy = field(factory=RetryPolicy)
    _breaker: CircuitBreaker = field(factory=CircuitBreaker, repr=False)
    _learned: dict[str, int] = field(factory=dict, init=False, repr=False)  # dimensions and batch size, once known

    @property
    def endpoint(self) -> Endpoint:
        """Where it is."""
        return self._connection.endpoint

    @property
    def model(self) -> str:
        """The name of the vectors, with the address that they come from."""
        return self.endpoint.vectors_name

    @property
    def n_dimensions(self) -> int:
        """Length of a vector; where it is not configured, the endpoint is asked for one vector to see.

        That takes as long as a request may at most. Who can be cancelled asks for a vector of his own before.

        Raises:
            ProviderError: it did not give one.
        """
        known = self._dimensions
        if known is None:
            self.embed_query(PROBE, budget=Budget.of(self.endpoint.timeout_s))
            known = self._learned["dimensions"]
        return known

    @property
    def known_dimensions(self) -> int | None:
        """The same where it is known without asking."""
        return self._dimensions

    @property
    def batch_size(self) -> int:
        """Texts to a request."""
        return self._learned.get("batch_size", self.endpoint.batch_size)

    @property
    def max_tokens(self) -> int:
        """The longest chunk to make for it."""
        return self.endpoint.max_tokens

    @property
    def default_weight(self) -> float:
        """The semantic weight, 0 to 1, that suits the model."""
        return self.endpoint.default_weight

    @property
    def graph_gate(self) -> float:
        """The cosine from which a note counts as sure."""
        return self.endpoint.graph_gate

    @property
    def noise_floor(self) -> float:
        """The cosine below which a note is no hit."""
        return self.endpoint.noise_floor

    def count_tokens(self, text: str) -> int:
        """About how many tokens `text` takes as a passage. Sends nothing."""
        return estimate_tokens(self.endpoint.passage_prefix + text)

    def foreign_share(self, text: str) -> float:
        """The share of its letters that the model cannot read, 0 to 1. Sends nothing."""
        return 0.0 if self.endpoint.scripts is None else foreign_share(text, self.endpoint.scripts)

    def embed_query(self, text: str, *, budget: Budget = UNLIMITED) -> F32:
        """The vector of a question, of unit length, shape (n_dimensions,).

        Raises:
            ProviderError: there is none.
            Cancelled: nobody waits any more.
        """
        embedded = self._embed([self.endpoint.query_prefix + text], budget, silent)
        if embedded.failure is not None:
            raise embedded.failure
        if embedded.missing:
            raise ProviderError(self.endpoint.name, f"no vector: {embedded.missing[0].reason}", is_retriable=False)
        row: F32 = embedded.vectors[0]
        return row

    def embed_passages(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> F32:
        """The vectors of passages, shape (len(texts), n_dimensions); zero for a text that has none.

        Raises:
            ProviderError: the endpoint failed, not a single text.
            Cancelled: nobody waits any more.
        """
        embedded = self.embed_all(texts, budget=budget)
        if embedded.failure is not None:
            raise embedded.failure
        return embedded.vectors

    def embed_all(self, texts: Sequence[str], *, budget: Budget = UNLIMITED, progress: Progress = silent) -> Embedded:
        """As `embed_passages`, but what was made is kept when the endpoint fails, and each missing vector has a reason.

        Raises:
            ProviderError: the package `openai` is not installed.
            Cancelled: nobody waits any more.
        """
        return self._embed([self.endpoint.passage_prefix + text if text else "" for text in texts], budget, progress)

    def close(self) -> None:
        """Close the connection; the next text opens it again."""
        self._connection.close()

    @property
    def _dimensions(self) -> int | None:
        return self.endpoint.dimensions or self._learned.get("dimensions")

    def _embed(self, texts: Sequence[str], budget: Budget, progress: Progress) -> Embedded:
        with self._breaker.call(self._policy, budget) as call:

            def ask(batch: Sequence[str]) -> Sequence[Row] | Failure:
                return call.ask(lambda: self._request(batch, budget))

            run = BatchRun([sendable(text) for text in texts], ask, batch_size=self.batch_size)
            run.run(budget, progress)
            call.ended(run.failure)
        self._learned["batch_size"] = run.batch_size
        vectors = np.zeros((len(texts), self._dimensions or 0), np.float32)
        for position, vector in run.vectors.items():
            vectors[position] = vector
        failure = None if run.failure is None else run.failure.error(self.endpoint)
        return Embedded(vectors=vectors, missing=tuple(run.missing), failure=failure)

    def _request(self, texts: Sequence[str], budget: Budget) -> Sequence[Row] | Failure:
        n_texts, known = len(texts), self._dimensions
        body = self._connection.embeddings(texts, max_bytes=most_bytes(n_texts, known), budget=budget)
        if isinstance(body, Failure):
            return body
        rows = read_embeddings(body, n_texts=n_texts, n_dimensions=known)
        if not isinstance(rows, Failure):
            for row in rows:
                if not isinstance(row, str):
                    self._learned["dimensions"] = len(row)
        return rows
