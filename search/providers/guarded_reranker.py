"""Asks a reranker while a user waits: with a time limit, a cache of its scores and a circuit breaker.

The user already sees an answer by then. If the reranker fails, the order stays as it is, and a notice says why.

    cache    scores are kept for some minutes under the model, the query and the exact text of the passages
    breaker  a reranker that fails or is slow is left alone for a while; then one call tries it again

Time is always the clock of the budget.
"""

from collections.abc import Mapping
from hashlib import blake2b
from math import inf

from attrs import field, frozen
from attrs.validators import ge, instance_of, le

from search.background import BackgroundCall
from search.budget import Budget
from search.errors import ProviderError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.ports import Reranker
from search.providers.circuit_breaker import CircuitBreaker
from search.providers.failure import Failure, FailureKind
from search.providers.lru import LruCache
from search.providers.retry_policy import RetryPolicy

_N_FAILURES = 3  # in a row, after which the reranker is left alone
_ONCE = RetryPolicy().once  # no retries: a user is waiting, and the order without a reranker will do


@frozen(kw_only=True)
class Reranking:
    """The limits of asking a reranker.

    timeout_s: seconds that an answer may take, 0.05..60; 2, since a user is waiting.
    n_characters: the longest passage that is sent of a note, 100..20000; 2000, about 500 tokens, which is what most
        rerankers read.
    p95_threshold_ms: 95 % of the last 100 answers must come within it, 10..60000; 500 (designs/2).
    recover_after_s: seconds that a slow or failing reranker is left alone, 1..86400; 60.
    cache_ttl_s: seconds that scores are kept, 0..86400; 300 (designs/2).
    cache_size: number of queries whose scores are kept, 0..100000; 1000 (designs/2), some kilobytes each.
    """

    timeout_s: float = field(default=2.0, validator=[ge(0.05), le(60.0)])
    n_characters: int = field(default=2000, validator=[instance_of(int), ge(100), le(20_000)])
    p95_threshold_ms: float = field(default=500.0, validator=[ge(10.0), le(60_000.0)])
    recover_after_s: float = field(default=60.0, validator=[ge(1.0), le(86_400.0)])
    cache_ttl_s: float = field(default=300.0, validator=[ge(0.0), le(86_400.0)])
    cache_size: int = field(default=1000, validator=[instance_of(int), ge(0), le(100_000)])


@frozen
class Reranked:
    """Scores by note, none if the reranker gave none, and what the user should know about it."""

    scores: Mapping[NoteId, float] = field(factory=dict)
    notices: tuple[Notice, ...] = ()


class GuardedReranker:
    """A reranker with its cache and its circuit breaker. Threads may share it."""

    def __init__(self, reranker: Reranker, settings: Reranking | None = None) -> None:
        self.settings = settings or Reranking()
        self._reranker = reranker
        self._breaker = CircuitBreaker(
            n_failures=_N_FAILURES,
            pause_s=self.settings.recover_after_s,
            max_pause_s=self.settings.recover_after_s,
            max_p95_ms=self.settings.p95_threshold_ms,
        )
        self._cache = LruCache[bytes, tuple[float, tuple[float, ...]]](self.settings.cache_size)  # expiry, scores

    def score(self, query: str, passages: Mapping[NoteId, str], *, budget: Budget) -> Reranked:
        """The model's score of each passage; a notice instead if it fails, is too slow or is left alone.

        With fewer than two passages or a blank query, the model is not asked.

        Raises:
            Cancelled: the budget was cancelled.
        """
        if len(passages) < 2 or not query.strip():
            return Reranked()
        model, texts = self._reranker.model, tuple(passages.values())
        key = _key(model, query, passages)
        expires, scores = self._cache.get(key) or (-inf, ())
        if budget.clock() >= expires:
            limit = budget.within(self.settings.timeout_s)
            answer = self._breaker.ask(lambda: self._ask(query, texts, limit), _ONCE, limit)
            if isinstance(answer, Failure):
                code = "rerank-off" if answer.kind is FailureKind.RESTING else "rerank-failed"
                message = f"The order was not refined: {model}: {answer.reason}."
                return Reranked(notices=(Notice(NoticeKind.DEGRADED, code, message, "rerank"),))
            scores = answer
            self._cache.put(key, (budget.clock() + self.settings.cache_ttl_s, scores))
        return Reranked(dict(zip(passages, scores, strict=True)))

    def _ask(self, query: str, texts: tuple[str, ...], limit: Budget) -> tuple[float, ...] | Failure:
        if limit.is_spent:
            return Failure(FailureKind.SPENT, "was not asked: no time is left")
        with BackgroundCall.start(
            lambda own: tuple(self._reranker.rerank(query, texts, budget=own)), name="rerank", budget=limit
        ) as call:
            if not call.is_done_within(limit):
                return Failure(FailureKind.BROKEN, f"took more than {self.settings.timeout_s:g} s")
            try:
                scores = call.result()
            except ProviderError as error:
                return Failure(FailureKind.BROKEN, error.reason)
            except Exception as error:  # noqa: BLE001 - the reranker is foreign code; a search survives its bugs
                return Failure(FailureKind.BROKEN, f"failed ({type(error).__name__})")
        return scores if len(scores) == len(texts) else Failure(FailureKind.BROKEN, "left out passages")


def _key(model: str, query: str, passages: Mapping[NoteId, str]) -> bytes:
    digest = blake2b(digest_size=16)
    for part in (model, query, *(part for item in passages.items() for part in item)):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.digest()
