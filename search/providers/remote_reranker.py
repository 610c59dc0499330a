"""A reranker behind an endpoint: it gets a query and passages, and gives a score for each passage.

Servers agree on `POST /rerank` and differ in the names of fields. Most take `documents` and answer with `results`
(Jina, Cohere, vLLM, llama.cpp) or `data` (Voyage). text-embeddings-inference takes `texts` and answers with a list. A
request that is refused with `documents` is therefore sent again with `texts`, and the field that works is remembered.
The option for the number of results has different names too. It is not sent, so all passages come back.

If a server says that the passages are too long, they are cut in half, up to three times.
"""

from collections.abc import Sequence
from math import isfinite

from attrs import define, field

from search.budget import Budget
from search.providers.connection import Connection, sendable
from search.providers.embedding_answer import read_json
from search.providers.failure import Failure, FailureKind

_DOCUMENTS, _TEXTS = "documents", "texts"
_N_HALVINGS = 3
_BYTES_BASE = 65_536  # of an answer, without passages
_BYTES_PER_PASSAGE = 1_024  # for its index and score; some servers send its text back too


@define(eq=False)
class RemoteReranker:
    """Implements `ports.Reranker`. Threads may share it."""

    _connection: Connection
    _passages_field: str = field(default="", init=False)  # the name that the server accepts; empty until it is known

    @property
    def model(self) -> str:
        """The name of the model and its address."""
        return self._connection.endpoint.name

    def rerank(self, query: str, passages: Sequence[str], *, budget: Budget) -> tuple[float, ...]:
        """A score for each passage.

        Raises:
            ProviderError: the endpoint failed, left out a passage, or gave no scores within the budget.
            Cancelled: the budget was cancelled.
        """
        sent_query, texts = sendable(query), [sendable(passage) for passage in passages]
        size = self._connection.endpoint.batch_size
        scores: list[float] = []
        for start in range(0, len(texts), size):
            found = self._batch(sent_query, texts[start : start + size], budget)
            if isinstance(found, Failure):
                raise found.error(self._connection.endpoint)
            scores += found
        return tuple(scores)

    def _batch(self, query: str, texts: Sequence[str], budget: Budget) -> Sequence[float] | Failure:
        found = self._with_either_field(query, texts, budget)
        for halving in range(1, _N_HALVINGS + 1):
            if not (isinstance(found, Failure) and found.kind is FailureKind.SIZE):
                break
            longest = max(map(len, texts)) >> halving
            found = self._with_either_field(query, [text[: max(1, longest)] for text in texts], budget)
        return found

    def _with_either_field(self, query: str, texts: Sequence[str], budget: Budget) -> Sequence[float] | Failure:
        if self._passages_field:
            return self._request(self._passages_field, query, texts, budget)
        first = self._request(_DOCUMENTS, query, texts, budget)
        if not isinstance(first, Failure):
            self._passages_field = _DOCUMENTS
            return first
        if first.kind is not FailureKind.REFUSED:
            return first
        second = self._request(_TEXTS, query, texts, budget)
        if not isinstance(second, Failure):
            self._passages_field = _TEXTS
            return second
        return second if second.kind is FailureKind.SIZE else first

    def _request(self, field_name: str, query: str, texts: Sequence[str], budget: Budget) -> Sequence[float] | Failure:
        body: dict[str, object] = {"query": query, field_name: list(texts)}
        if field_name == _TEXTS:
            body["truncate"] = True  # otherwise text-embeddings-inference refuses long texts
        most = _BYTES_BASE + sum(_BYTES_PER_PASSAGE + 6 * len(text) for text in texts)
        answer = self._connection.post("/rerank", body, max_bytes=most, budget=budget)
        return answer if isinstance(answer, Failure) else read_scores(answer, n_passages=len(texts))


def read_scores(body: bytes, *, n_passages: int) -> Sequence[float] | Failure:
    """A score for each passage in order, from an answer in any of the forms."""
    answer = read_json(body)
    if isinstance(answer, Failure):
        return answer
    if isinstance(answer, dict):
        answer = answer.get("results", answer.get("data"))
    if not isinstance(answer, list) or not answer:
        return Failure(FailureKind.FINAL, "answered with JSON that contains no scores")
    scores: dict[int, float] = {}
    for item in answer:
        at, score = _scored(item)
        if at is None or score is None or not 0 <= at < n_passages or at in scores:
            return Failure(FailureKind.FINAL, "gave its passages invalid indexes or scores")
        scores[at] = score
    if len(scores) < n_passages:  # all were asked for; a made-up score could put the best note last
        return Failure(FailureKind.FINAL, f"gave {len(scores)} scores for {n_passages} passages")
    return [scores[at] for at in range(n_passages)]


def _scored(item: object) -> tuple[int | None, float | None]:
    if not isinstance(item, dict):
        return None, None
    at, score = item.get("index"), item.get("relevance_score", item.get("score"))
    is_number = isinstance(score, int | float) and not isinstance(score, bool)
    try:
        number = float(score) if is_number else None  # type: ignore[arg-type]  # mypy does not follow `is_number`
    except OverflowError:
        number = None
    is_place = isinstance(at, int) and not isinstance(at, bool)
    return (at if is_place else None), (number if number is not None and isfinite(number) else None)
