"""The door to the network: requests to one endpoint, within limits, with failures as values.

Opening a connection opens no socket and loads nothing; the first request does both. A request has a thread of its own,
which nobody waits for longer than it may take: a name that is looked up, a server that drips its headers and a search
that is cancelled end when they have to. One that is abandoned is cut off.

Invariant: no exception of the client, of HTTP or of JSON leaves this module, so that no traceback shows the key.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from attrs import field, frozen

from search.background import BackgroundCall
from search.budget import Budget, Cancelled
from search.errors import ProviderError
from search.providers.endpoint import Endpoint, checked_key
from search.providers.failure import Failure, FailureKind, without_key
from search.providers.limits import Limits, took_more

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from search.providers.openai_client import Client

_GRACE_S = 0.25  # beyond the time of a request, for the client to say itself what it was waiting for
_MIN_SECRET = 8  # characters
INSTALL = 'pip install "vaultseek[remote]"'


@frozen(eq=False)
class Connection:
    """An endpoint, the key to it, and the client once it is needed. Threads may share it."""

    endpoint: Endpoint
    _key: str = field(repr=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _clients: list[Client] = field(factory=list, init=False, repr=False)

    @classmethod
    def to(cls, endpoint: Endpoint, key: str) -> Connection:
        """A connection that opens no socket until it is asked for something.

        Raises:
            ConfigError: the key cannot be one.
        """
        return cls(endpoint, checked_key(key, endpoint))

    def close(self) -> None:
        """Close what is open; the next request opens it again. Happens by itself when nobody holds the connection."""
        with self._lock:
            for client in self._clients:
                client.close()
            self._clients.clear()

    def embeddings(self, texts: Sequence[str], *, max_bytes: int, budget: Budget) -> bytes | Failure:
        """The body of the answer to a request for vectors.

        Raises:
            ProviderError: the package `openai` is not installed.
            Cancelled: nobody waits any more.
        """
        # Floats, since not every server knows base64; what comes back is read in either form.
        body: dict[str, object] = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        if self.endpoint.dimensions is not None:
            body["dimensions"] = self.endpoint.dimensions
        return self._post("/embeddings", body, max_bytes, budget)

    def chat(
        self, system: str, user: str, *, options: Mapping[str, object], max_bytes: int, budget: Budget
    ) -> bytes | Failure:
        """The body of the answer to a chat; `options` are further fields of the request. Raises as `embeddings`."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body = {"model": self.endpoint.model, "messages": messages, **options}
        return self._post("/chat/completions", body, max_bytes, budget)

    def rerank(self, body: Mapping[str, object], *, max_bytes: int, budget: Budget) -> bytes | Failure:
        """The body of the answer to a request for scores of passages. Raises as `embeddings`."""
        return self._post("/rerank", {"model": self.endpoint.model, **body}, max_bytes, budget)

    def without_key(self, text: str) -> str:
        """An answer of the endpoint, which may have sent the key back, fit to be shown.

        A short key, such as servers want that look at none, is a word like others and stays.
        """
        return without_key(text, self._key) if len(self._key) >= _MIN_SECRET else text

    def _post(self, path: str, body: Mapping[str, object], max_bytes: int, budget: Budget) -> bytes | Failure:
        budget.check()
        client = self._client()
        limit = budget.within(self.endpoint.timeout_s)
        limits = Limits(n_bytes=max_bytes, timeout_s=limit.remaining_s or 0.0, budget=budget)
        if limits.timeout_s <= 0:
            return Failure(FailureKind.SPENT, "was not asked: no time is left")
        call = BackgroundCall.start(lambda _: self._send(client, path, body, limits), name="vault-request")
        try:
            if call.is_done_within(limit, grace_s=_GRACE_S):
                return call.result()
        except Cancelled:
            self._abandon(client)
            raise
        self._abandon(client)
        return Failure(FailureKind.SLOW, took_more(limits))

    def _send(self, client: Client, path: str, body: Mapping[str, object], limits: Limits) -> bytes | Failure:
        try:
            return client.post(path, body, limits)
        except Exception as error:  # noqa: BLE001 - whatever the client raises may hold the key, so it ends here
            from search.providers.openai_client import failure_from  # noqa: PLC0415 - loaded by now

            return failure_from(error, limits=limits, endpoint=self.endpoint, key=self._key)

    def _abandon(self, client: Client) -> None:
        """Cut off what a client waits for; the next request opens another one."""
        with self._lock:
            if client in self._clients:
                self._clients.remove(client)
        client.abandon()

    def _client(self) -> Client:
        with self._lock:
            if not self._clients:
                self._clients.append(self._open())
            return self._clients[0]

    def _open(self) -> Client:
        try:
            from search.providers.openai_client import Client  # noqa: PLC0415 - takes 1.4 s
        except ImportError:
            reason = f"needs the package openai; install it with: {INSTALL}"
            raise ProviderError(self.endpoint.name, reason, is_retriable=False) from None
        client = Client(self.endpoint, self._key)
        weakref.finalize(self, client.close)
        return client


def sendable(text: str) -> str:
    """`text` as JSON can carry it and servers in C read it whole: without lone surrogates and NULs."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
