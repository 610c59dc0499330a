"""The reranker as it is asked while somebody waits: remembered answers, a limit of time, a guard against slow ones.

The first answer is given before any of this begins. Whatever happens here the search goes on: what fails is a notice,
and the order stays. The model is asked in a thread that nobody waits for longer than the limit.

    cache   scores are kept for some minutes under the model, the query and the passages word by word
    guard   where 95 % of the last calls do not come within a bound, nobody is asked for a while; then one call tries

All time is the clock of the budget, handed on as numbers.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from math import ceil
from queue import Empty, SimpleQueue

from attrs import Factory, define, evolve, field, frozen
from attrs.validators import ge, instance_of, le

from search.budget import Budget, Cancelled
from search.errors import ProviderError
from search.ids import NoteId
from search.notice import Notice, NoticeKind
from search.ports import Reranker

_LOOK_S = 0.02  # how often it is looked whether the search was cancelled meanwhile
_N_JUDGED = 20  # calls from which their 95th percentile says anything: with these one outlier does no harm
_N_FAILURES = 3  # in a row, after which the endpoint is left alone as well


@frozen(kw_only=True)
class Reranking:
    """What asking a reranker may cost.

    timeout_s: seconds that an answer may take, 0.05..60; 2: somebody waits.
    n_characters: the longest passage that is sent of a note, 100..20000; 2000, about 500 tokens, which is what most
        rerankers read.
    p95_threshold_ms: 95 % of the last 100 answers must come within it, 10..60000; 500 (designs/2).
    recover_after_s: seconds that a slow or failing one is left alone, 1..86400; 60.
    cache_ttl_s: seconds that scores are kept, 0..86400; 300 (designs/2).
    cache_size: queries of which they are kept, 0..100000; 1000 (designs/2), some kilobytes each.
    """

    timeout_s: float = field(default=2.0, validator=[ge(0.05), le(60.0)])
    n_characters: int = field(default=2000, validator=[instance_of(int), ge(100), le(20_000)])
    p95_threshold_ms: float = field(default=500.0, validator=[ge(10.0), le(60_000.0)])
    recover_after_s: float = field(default=60.0, validator=[ge(1.0), le(86_400.0)])
    cache_ttl_s: float = field(default=300.0, validator=[ge(0.0), le(86_400.0)])
    cache_size: int = field(default=1000, validator=[instance_of(int), ge(0), le(100_000)])


@define(eq=False)
class LatencyGuard:
    """Whether a slow service may be asked. Times are seconds on any clock that never goes back."""

    threshold_ms: float
    recover_after_s: float
    latencies_ms: "deque[float]" = Factory(lambda: deque(maxlen=100))
    off_since: float | None = None
    n_failed: int = 0  # in a row

    @property
    def p95_ms(self) -> float:
        """The latency that 95 % of the last 100 calls kept to (nearest rank); 0 without calls."""
        ordered = sorted(self.latencies_ms)
        return ordered[ceil(0.95 * len(ordered)) - 1] if ordered else 0.0

    def left_s(self, now: float) -> float:
        """The seconds until it may be asked; 0 when it may."""
        return 0.0 if self.off_since is None else max(0.0, self.off_since + self.recover_after_s - now)

    def answered(self, latency_ms: float, now: float) -> None:
        """A call came back. A quick one after a rest takes the guard off, and what was before is forgotten."""
        self.n_failed = 0
        if self.off_since is not None:
            self.latencies_ms.clear()
            self.off_since = None if latency_ms <= self.threshold_ms else now
        self.latencies_ms.append(latency_ms)
        if len(self.latencies_ms) >= _N_JUDGED and self.p95_ms > self.threshold_ms:
            self.off_since = now

    def failed(self, now: float) -> None:
        """A call came to nothing."""
        self.n_failed += 1
        if self.n_failed >= _N_FAILURES or self.off_since is not None:
            self.off_since = now


@frozen
class Reranked:
    """Scores by note, none where there are none, and what is to be said."""

    scores: Mapping[NoteId, float] = field(factory=dict)
    notices: tuple[Notice, ...] = ()


class GuardedReranker:
    """A reranker with its cache and its guard; threads may share it."""

    def __init__(self, reranker: Reranker, settings: Reranking | None = None) -> None:
        self.settings = settings or Reranking()
        self._reranker = reranker
        self._guard = LatencyGuard(self.settings.p95_threshold_ms, self.settings.recover_after_s)
        self._cache: OrderedDict[bytes, tuple[float, tuple[float, ...]]] = OrderedDict()  # when it ends, the scores
        self._lock = threading.Lock()

    def score(self, query: str, passages: Mapping[NoteId, str], *, budget: Budget) -> Reranked:
        """The model's score of each passage; none with a notice where it fails, is too slow, or is left alone.

        Fewer than two passages and a blank query are not asked about.

        Raises:
            Cancelled: nobody waits any more.
        """
        if len(passages) < 2 or not query.strip():
            return Reranked()
        key = _key(self._reranker.model, query, passages)
        now = budget.clock()
        with self._lock:
            known = self._cached(key, now)
            left_s = self._guard.left_s(now)
        if known is not None:
            return Reranked(dict(zip(passages, known, strict=True)))
        if left_s > 0:
            return Reranked(notices=(self._off(left_s),))
        answer = self._ask(query, tuple(passages.values()), budget)
        ended = budget.clock()
        with self._lock:
            if isinstance(answer, str):
                self._guard.failed(ended)
                return Reranked(notices=(_notice("rerank-failed", f"The order was not refined: {answer}."),))
            self._guard.answered((ended - now) * 1000.0, ended)
            self._keep(key, answer, ended)
        return Reranked(dict(zip(passages, answer, strict=True)))

    def _ask(self, query: str, texts: tuple[str, ...], budget: Budget) -> tuple[float, ...] | str:
        """The scores, or why there are none."""
        ends = budget.clock() + self.settings.timeout_s
        deadline = ends if budget.deadline is None else min(ends, budget.deadline)
        abandoned = threading.Event()
        own = evolve(budget, deadline=deadline, is_cancelled=lambda: abandoned.is_set() or budget.is_cancelled())
        done: SimpleQueue[tuple[float, ...] | str] = SimpleQueue()
        threading.Thread(
            target=lambda: _answer(self._reranker, query, texts, own, done), name="rerank", daemon=True
        ).start()
        try:
            while not own.is_spent:
                budget.check()
                with suppress(Empty):
                    return done.get(timeout=_LOOK_S)
            budget.check()
        finally:
            abandoned.set()
        return f"the reranker took more than {self.settings.timeout_s:g} s"

    def _cached(self, key: bytes, now: float) -> tuple[float, ...] | None:
        ends, scores = self._cache.get(key, (0.0, None))
        if scores is None or now >= ends:
            self._cache.pop(key, None)
            return None
        self._cache.move_to_end(key)
        return scores

    def _keep(self, key: bytes, scores: tuple[float, ...], now: float) -> None:
        self._cache[key] = (now + self.settings.cache_ttl_s, scores)
        self._cache.move_to_end(key)
        while len(self._cache) > self.settings.cache_size:
            self._cache.popitem(last=False)

    def _off(self, left_s: float) -> Notice:
        slow = self._guard.p95_ms > self._guard.threshold_ms
        why = (
            f"took {self._guard.p95_ms:,.0f} ms lately, and {self._guard.threshold_ms:,.0f} are allowed"
            if slow
            else "failed several times"
        )
        return _notice("rerank-off", f"The order was not refined: the reranker {why}; it is tried in {left_s:,.0f} s.")


def _answer(
    reranker: Reranker,
    query: str,
    texts: tuple[str, ...],
    budget: Budget,
    done: "SimpleQueue[tuple[float, ...] | str]",
) -> None:
    """Ask, in a thread of its own; whatever happens, `done` hears of it, unless nobody waits."""
    try:
        scores = tuple(reranker.rerank(query, texts, budget=budget))
        done.put(scores if len(scores) == len(texts) else "the reranker left out passages")
    except Cancelled:
        return
    except ProviderError as error:
        done.put(str(error))
    except Exception as error:  # noqa: BLE001 - a reranker is anybody's code, and a search outlives its bugs
        done.put(f"the reranker failed ({type(error).__name__})")


def _key(model: str, query: str, passages: Mapping[NoteId, str]) -> bytes:
    digest = blake2b(digest_size=16)
    for part in (model, query, *(part for item in passages.items() for part in item)):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.digest()


def _notice(code: str, message: str) -> Notice:
    return Notice(NoticeKind.DEGRADED, code, message, "rerank")
