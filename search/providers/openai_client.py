"""The `openai` package, restricted. The only module that imports it, and itself imported on first use.

The defaults of that package are unsafe for the text of private notes and for a key. This module changes them:

    environment   the package looks there for keys, organisation and project; only our own headers and our key are sent
    redirects     are not followed, not even on the same host: texts only go to the address that the user configured
    proxies       are only used if the user asks for it
    logs          headers and addresses are not logged, whatever the program's log level
    answers       must keep to their `Limits`, however slowly they arrive
    certificates  are those that the system trusts, or those in SSL_CERT_FILE
"""

import contextlib
import logging
import socket
import ssl
import threading
import weakref
from collections.abc import Iterator, Mapping
from functools import cache

import httpx2
import openai

from search.providers.endpoint import Endpoint
from search.providers.failure import Failure, FailureKind, LimitError, Limits, failure_of

_OUR_HEADERS = {"host", "accept", "connection", "content-type", "content-length"}


for _name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)  # a server may send the key back in a header


# Reading the certificates takes longer than an answer, and after each cancelled request there is a new client.
_ssl_context = cache(httpx2.create_ssl_context)


class _Guarded(httpx2.SyncByteStream):
    """The body of an answer, which raises an exception once it exceeds its limits."""

    def __init__(self, inner: httpx2.SyncByteStream, limits: Limits) -> None:
        self._inner, self._limits = inner, limits

    def __iter__(self) -> Iterator[bytes]:
        n_bytes = 0
        for part in self._inner:
            n_bytes += len(part)
            self._limits.check(n_bytes)
            yield part

    def close(self) -> None:
        self._inner.close()

    @property
    def elapsed(self) -> object:
        """An attribute of the original stream that the client reads."""
        return getattr(self._inner, "elapsed", None)


class Client:
    """A client of one endpoint that sends only our own headers and tries every request once."""

    def __init__(self, endpoint: Endpoint, key: str) -> None:
        self._key = key
        self._thread = threading.local()  # the limits of the request that each thread is sending
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._is_abandoned = False
        http = openai.DefaultHttpx2Client(
            follow_redirects=False,
            trust_env=endpoint.uses_proxy,
            verify=_ssl_context(),
            event_hooks={"request": [self._send_ours], "response": [self._guard]},
        )
        # An argument that is missing here would be read from the environment, so even empty ones are given.
        self._openai = openai.OpenAI(
            api_key=key or "none",
            admin_api_key="",
            organization="",
            project="",
            webhook_secret="",
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=http,
        )

    def post(self, path: str, body: Mapping[str, object], limits: Limits) -> bytes:
        """The body of the answer; raises the exceptions of the package, which `failure_from` translates."""
        self._thread.limits = limits
        try:
            answer = self._openai.post(path, cast_to=httpx2.Response, body=body, options={"timeout": limits.timeout_s})
            return answer.content
        finally:
            if self._is_abandoned:
                self.close()

    def abandon(self) -> None:
        """Cut off the requests in all threads. The client cannot be used any more.

        Sockets are only shut down here. The threads that use them close them, since the number of a closed socket may
        already belong to another one.
        """
        self._is_abandoned = True
        for opened in list(self._sockets):
            _shut_down(opened)

    def close(self) -> None:
        """Close the sockets. The client cannot be used any more."""
        self._openai.close()

    def _send_ours(self, request: httpx2.Request) -> None:
        for name in set(request.headers) - _OUR_HEADERS:
            del request.headers[name]
        request.headers["accept-encoding"] = "identity"  # so that the size of the answer is known
        request.headers["user-agent"] = "vaultseek"
        request.extensions["trace"] = self._remember
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"

    def _remember(self, event: str, info: Mapping[str, object]) -> None:
        """Remember each socket that the client opens."""
        opened = getattr(info.get("return_value"), "get_extra_info", lambda _name: None)("socket")
        if event.startswith("connection.") and isinstance(opened, socket.socket):
            self._sockets.add(opened)
            if self._is_abandoned:
                _shut_down(opened)

    def _guard(self, response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise LimitError(Failure(FailureKind.FINAL, "compressed its answer although this was not requested"))
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Guarded(response.stream, self._thread.limits)


def _shut_down(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is already closed
        socket.socket.shutdown(opened, socket.SHUT_RDWR)  # also for TLS sockets, whose own method sends a message first


def failure_from(error: Exception, *, limits: Limits, endpoint: Endpoint, key: str) -> Failure:
    """The failure that an exception of the client stands for, without its text, which may contain the key."""
    kind = FailureKind.FINAL
    match error:
        case openai.APIStatusError():
            headers, body = error.response.headers, error.response.content
            return failure_of(error.response.status_code, headers, body, endpoint=endpoint, key=key)
        case LimitError():
            return error.failure
        case openai.APITimeoutError():
            return limits.too_slow()
        case openai.APIConnectionError() if (tls := _tls_error(error)) is not None:
            reason = tls
        case openai.APIConnectionError() if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ProxyError):
            kind, reason = FailureKind.UNREACHABLE, "cannot be reached; is it running, and is its address right?"
        case openai.APIConnectionError():
            kind, reason = FailureKind.BROKEN, "closed the connection before its answer was complete"
        case _:
            reason = f"cannot be used ({type(error).__name__})"
    return Failure(kind, reason)


def _tls_error(error: BaseException) -> str | None:
    """The reason if the cause of `error` is a TLS error, else None."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return (
                f"has a certificate that is not trusted ({seen.verify_message}); if it is right, "
                "set SSL_CERT_FILE to the certificate file of its authority where vaultseek is started"
            )
        if isinstance(seen, ssl.SSLError):
            return f"failed to set up TLS ({seen.reason}); is its address right, or does it need http://?"
        seen = seen.__cause__ or seen.__context__
    return None
