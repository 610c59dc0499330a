"""A reranker behind an endpoint: a query and passages go out, a score for each passage comes back.

Servers agree on `POST /rerank` and differ in words. Most take `documents` and answer with `results` (Jina, Cohere,
vLLM, llama.cpp), one with `data` (Voyage); text-embeddings-inference takes `texts` and answers with the bare list. So
what is refused with `documents` is asked once more with `texts`, and what was understood is remembered. How many of
the passages come back is never asked for: by default it is all of them, and the name of that option differs too.

A passage that is too long for a model is cut in half, and half of that, before the endpoint counts as failed.
"""

from collections.abc import Sequence
from math import isfinite

from attrs import field, frozen

from search.budget import Budget
from search.providers.connection import Connection, sendable
from search.providers.embedding_answer import read_json
from search.providers.failure import Failure, FailureKind

_DOCUMENTS, _TEXTS = "documents", "texts"
_N_HALVINGS = 3
_BYTES_BESIDE = 65_536  # of an answer, beside the passages that some servers send back
_BYTES_A_PASSAGE = 1_024  # for its number, its score and what is put around them


@frozen(eq=False)
class RemoteReranker:
    """Implements `ports.Reranker`; threads may share it."""

    _connection: Connection
    _understood: list[str] = field(factory=list, init=False, repr=False)  # none or one name of the passages

    @property
    def model(self) -> str:
        """The model's name and where it is."""
        return self._connection.endpoint.name

    def rerank(self, query: str, passages: Sequence[str], *, budget: Budget) -> tuple[float, ...]:
        """A score for each passage; one that the endpoint leaves out gets the lowest of its request.

        Raises:
            ProviderError: there are no scores within the budget, or none at all.
            Cancelled: nobody waits any more.
        """
        asked, texts = sendable(query), [sendable(passage) for passage in passages]
        size = self._connection.endpoint.batch_size
        scores: list[float] = []
        for start in range(0, len(texts), size):
            found = self._batch(asked, texts[start : start + size], budget)
            if isinstance(found, Failure):
                raise found.error(self._connection.endpoint)
            scores += found
        return tuple(scores)

    def close(self) -> None:
        """Close the connection; the next query opens it again."""
        self._connection.close()

    def _batch(self, query: str, texts: Sequence[str], budget: Budget) -> Sequence[float] | Failure:
        found = self._in_either_word(query, texts, budget)
        for halving in range(1, _N_HALVINGS + 1):
            if not (isinstance(found, Failure) and found.kind is FailureKind.SIZE):
                break
            longest = max(map(len, texts)) >> halving
            found = self._in_either_word(query, [text[: max(1, longest)] for text in texts], budget)
        return found

    def _in_either_word(self, query: str, texts: Sequence[str], budget: Budget) -> Sequence[float] | Failure:
        if self._understood:
            return self._request(self._understood[0], query, texts, budget)
        first = self._request(_DOCUMENTS, query, texts, budget)
        if not isinstance(first, Failure):
            self._understood[:] = [_DOCUMENTS]
            return first
        if first.kind is not FailureKind.REFUSED:
            return first
        second = self._request(_TEXTS, query, texts, budget)
        if not isinstance(second, Failure):
            self._understood[:] = [_TEXTS]
            return second
        return second if second.kind is FailureKind.SIZE else first

    def _request(self, word: str, query: str, texts: Sequence[str], budget: Budget) -> Sequence[float] | Failure:
        body: dict[str, object] = {"query": query, word: list(texts)}
        if word == _TEXTS:
            body["truncate"] = True  # that server refuses long texts unless it is told to cut them
        most = _BYTES_BESIDE + sum(_BYTES_A_PASSAGE + 6 * len(text) for text in texts)
        answer = self._connection.rerank(body, max_bytes=most, budget=budget)
        return answer if isinstance(answer, Failure) else read_scores(answer, n_passages=len(texts))


def read_scores(body: bytes, *, n_passages: int) -> Sequence[float] | Failure:
    """A score for each passage in their order, of an answer in any of the forms; what is left out gets the lowest."""
    answer = read_json(body)
    if isinstance(answer, Failure):
        return answer
    if isinstance(answer, dict):
        answer = answer.get("results", answer.get("data"))
    if not isinstance(answer, list) or not answer:
        return Failure(FailureKind.FINAL, "answered with JSON that holds no scores")
    scores: dict[int, float] = {}
    for item in answer:
        at, score = _scored(item)
        if at is None or score is None or not 0 <= at < n_passages or at in scores:
            return Failure(FailureKind.FINAL, "numbered or scored its passages in a way that makes no sense")
        scores[at] = score
    lowest = min(scores.values())
    return [scores.get(at, lowest) for at in range(n_passages)]


def _scored(item: object) -> tuple[int | None, float | None]:
    if not isinstance(item, dict):
        return None, None
    at, score = item.get("index"), item.get("relevance_score", item.get("score"))
    is_number = isinstance(score, int | float) and not isinstance(score, bool)
    try:
        number = float(score) if is_number else None  # type: ignore[arg-type]  # mypy does not see through the name
    except OverflowError:
        number = None
    is_place = isinstance(at, int) and not isinstance(at, bool)
    return (at if is_place else None), (number if number is not None and isfinite(number) else None)
