"""An embedder behind an endpoint: the requests of a `BatchRun`, sent through a `Connection` with a `RetryPolicy`.

Nothing is sent before the first text. The model's tokenizer is unknown, so the number of tokens is estimated, rather
too high than too low.
"""

from collections.abc import Sequence
from math import ceil

import numpy as np
from attrs import Factory, define, field, frozen

from search.budget import UNLIMITED, Budget
from search.errors import ProviderError
from search.ports import Traits
from search.providers.batches import PROBE, BatchRun, Missing
from search.providers.circuit_breaker import CircuitBreaker
from search.providers.connection import Connection, sendable
from search.providers.embedding_answer import F32, Row, max_answer_bytes, read_embeddings
from search.providers.endpoint import Endpoint
from search.providers.failure import Failure
from search.providers.retry_policy import RetryPolicy
from search.providers.scripts import foreign_share

_BYTES_PER_TOKEN = 3  # English has 4 or more, Chinese and Japanese 2.5 to 3, Russian 3 or more


def estimate_tokens(text: str) -> int:
    """An estimate of the tokens in a text, rather too high: a third of its bytes, and two special tokens.

    >>> estimate_tokens("A hawthorn in May."), estimate_tokens("五月の山査子")
    (8, 8)
    """
    return 2 + ceil(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)


@frozen(eq=False, kw_only=True)
class Embedded:
    """The vectors of texts, in their order. The row of a text without a vector is zero, which is similar to nothing."""

    vectors: F32  # (n_texts, n_dimensions), rows of unit length
    missing: tuple[Missing, ...] = ()
    failure: ProviderError | None = None  # what ended the run early; the remaining texts are in `missing`


@define(eq=False)
class RemoteEmbedder:
    """Implements `ports.Embedder`. `embed_all` also says which texts have no vector, and why."""

    _connection: Connection
    _policy: RetryPolicy = field(factory=RetryPolicy)
    _breaker: CircuitBreaker = field(factory=CircuitBreaker, repr=False)
    batch_size: int = field(default=Factory(lambda own: own.endpoint.batch_size, takes_self=True), init=False)
    _n_dimensions: int = field(default=0, init=False)  # of the vectors that the endpoint sent; 0 before the first

    @property
    def endpoint(self) -> Endpoint:
        """The settings of the endpoint."""
        return self._connection.endpoint

    @property
    def model(self) -> str:
        """The name of the vectors, which contains the address of the endpoint."""
        return self.endpoint.vectors_name

    @property
    def n_dimensions(self) -> int:
        """The length of a vector. If it is unknown, the endpoint is asked for one vector to find out.

        This may take as long as a request and cannot be cancelled: see `QueryVectors.learn_dimensions`.

        Raises:
            ProviderError: the endpoint gave no vector.
        """
        if self.known_dimensions is None:
            self.embed_query(PROBE, budget=Budget.of(self.endpoint.timeout_s))
        return self.endpoint.dimensions or self._n_dimensions

    @property
    def known_dimensions(self) -> int | None:
        """The length of a vector if it is known without asking the endpoint, else None."""
        return self.endpoint.dimensions or self._n_dimensions or None

    @property
    def traits(self) -> Traits:
        """The constants of the model, as the user configured them."""
        return self.endpoint

    def count_tokens(self, text: str) -> int:
        """An estimate of the tokens of `text` as a passage. Sends nothing."""
        return estimate_tokens(self.endpoint.passage_prefix + text)

    def foreign_share(self, text: str) -> float:
        """The share of the letters of `text` that the model cannot read, 0 to 1. Sends nothing."""
        return 0.0 if self.endpoint.scripts is None else foreign_share(text, self.endpoint.scripts)

    def embed_query(self, text: str, *, budget: Budget = UNLIMITED) -> F32:
        """The vector of a query, of unit length, shape (n_dimensions,).

        Raises:
            ProviderError: the endpoint gave no vector.
            Cancelled: the budget was cancelled.
        """
        embedded = self._embed([self.endpoint.query_prefix + text], budget)
        if embedded.failure is not None:
            raise embedded.failure
        if embedded.missing:
            raise ProviderError(self.endpoint.name, f"no vector: {embedded.missing[0].reason}", is_retriable=False)
        row: F32 = embedded.vectors[0]
        return row

    def embed_passages(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> F32:
        """The vectors of passages, shape (len(texts), n_dimensions); zeros for a text without a vector.

        Raises:
            ProviderError: the endpoint failed. Texts that it refuses do not raise.
            Cancelled: the budget was cancelled.
        """
        embedded = self.embed_all(texts, budget=budget)
        if embedded.failure is not None:
            raise embedded.failure
        return embedded.vectors

    def embed_all(self, texts: Sequence[str], *, budget: Budget = UNLIMITED) -> Embedded:
        """The vectors of passages; if the endpoint fails, those that it gave, and why the others are missing.

        Raises:
            ProviderError: the package `openai` is not installed.
            Cancelled: the budget was cancelled.
        """
        return self._embed([self.endpoint.passage_prefix + text if text else "" for text in texts], budget)

    def _embed(self, texts: Sequence[str], budget: Budget) -> Embedded:
        with self._breaker.call(self._policy, budget) as call:

            def ask(batch: Sequence[str]) -> Sequence[Row] | Failure:
                return call.ask(lambda: self._request(batch, budget))

            run = BatchRun([sendable(text) for text in texts], ask, batch_size=self.batch_size)
            run.run(budget)
            call.end(run.failure)
        self.batch_size = run.batch_size  # lower if the endpoint refused so many texts at once
        vectors = np.zeros((len(texts), self.known_dimensions or 0), np.float32)
        for position, vector in run.vectors.items():
            vectors[position] = vector
        failure = None if run.failure is None else run.failure.error(self.endpoint)
        return Embedded(vectors=vectors, missing=tuple(run.missing), failure=failure)

    def _request(self, texts: Sequence[str], budget: Budget) -> Sequence[Row] | Failure:
        n_texts, known = len(texts), self.known_dimensions
        # Floats, since not every server supports base64. Answers are read in either form.
        fields: dict[str, object] = {"input": list(texts), "encoding_format": "float"}
        if self.endpoint.dimensions is not None:
            fields["dimensions"] = self.endpoint.dimensions
        most = max_answer_bytes(n_texts, known)
        body = self._connection.post("/embeddings", fields, max_bytes=most, budget=budget)
        if isinstance(body, Failure):
            return body
        rows = read_embeddings(body, n_texts=n_texts, n_dimensions=known)
        if not isinstance(rows, Failure):
            for row in rows:
                if not isinstance(row, str):
                    self._n_dimensions = len(row)
        return rows
