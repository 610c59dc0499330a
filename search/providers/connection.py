"""Requests to one endpoint, with limits on time and size, and with failures as values. The only door to the network.

A connection opens no socket and loads nothing until its first request. A request runs in a background call and is
abandoned when its time is up or the search is cancelled, even during a name look-up or while a server sends its headers
byte by byte. An abandoned request is cut off. A connection that is garbage-collected closes its sockets.

Invariant: no exception of the client, of HTTP or of JSON leaves this module, so that no traceback shows the key.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from attrs import define, field

from search.background import BackgroundCall
from search.budget import Budget, Cancelled
from search.errors import ConfigError, ProviderError
from search.providers.failure import Failure, FailureKind, Limits, without_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from search.providers.endpoint import Endpoint
    from search.providers.openai_client import Client

_GRACE_S = 0.25  # beyond the time limit, so that the client's own error can arrive and say more than a timeout
_MIN_SECRET = 8  # characters; a shorter key is a placeholder for servers that check none
INSTALL = 'pip install "vaultseek[remote]"'


@define(eq=False)
class Connection:
    """An endpoint, its key, and its client once there was a request. Threads may share it."""

    endpoint: Endpoint
    _key: str = field(repr=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False, repr=False)
    _client: Client | None = field(default=None, init=False, repr=False)
    _closing: weakref.finalize[..., Connection] | None = field(default=None, init=False, repr=False)  # of the client

    @classmethod
    def to(cls, endpoint: Endpoint, key: str = "") -> Connection:
        """A connection to `endpoint`, with the key without white space around it; empty if it needs none.

        Raises:
            ConfigError: the key cannot be sent in a header. The message does not contain it.
        """
        bare = key.strip()
        if not all("!" <= char <= "~" for char in bare):
            name = f"${endpoint.key_variable}" if endpoint.key_variable else "key"
            raise ConfigError(name, "…", "a key of printable ASCII characters, without spaces")
        return cls(endpoint, bare)

    def without_key(self, text: str) -> str:
        """An answer of the endpoint without the key, which the endpoint may have sent back.

        A key of fewer than 8 characters stays: it is a placeholder, and may be an ordinary word in the answer.
        """
        return without_key(text, self._key) if len(self._key) >= _MIN_SECRET else text

    def post(self, path: str, fields: Mapping[str, object], *, max_bytes: int, budget: Budget) -> bytes | Failure:
        """The body of the answer to a request with these fields and the model's name.

        Raises:
            ProviderError: the package `openai` is not installed.
            Cancelled: the budget was cancelled.
        """
        budget.check()
        body = {"model": self.endpoint.model, **fields}
        client = self._opened()
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
        return limits.too_slow()

    def _send(self, client: Client, path: str, body: Mapping[str, object], limits: Limits) -> bytes | Failure:
        try:
            return client.post(path, body, limits)
        except Exception as error:  # noqa: BLE001 - any exception of the client may contain the key
            from search.providers.openai_client import failure_from  # noqa: PLC0415 - the client has loaded it

            return failure_from(error, limits=limits, endpoint=self.endpoint, key=self._key)

    def _abandon(self, client: Client) -> None:
        """Cut off the requests of a client. The next request opens a new client."""
        with self._lock:
            if self._client is client and self._closing is not None:
                self._client = None
                self._closing.detach()  # it would keep the client as long as this connection
        client.abandon()

    def _opened(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = self._open()
            return self._client

    def _open(self) -> Client:
        try:
            from search.providers.openai_client import Client  # noqa: PLC0415 - takes 1.4 s
        except ImportError:
            reason = f"needs the package openai; install it with: {INSTALL}"
            raise ProviderError(self.endpoint.name, reason, is_retriable=False) from None
        client = Client(self.endpoint, self._key)
        self._closing = weakref.finalize(self, client.close)
        return client


def sendable(text: str) -> str:
    """`text` without lone surrogates, which JSON cannot encode, and NULs, at which servers in C stop reading."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
