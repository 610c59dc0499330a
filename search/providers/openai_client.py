"""The `openai` package on a short lead: the only module that imports it, and itself imported on first use.

What that package does by itself is dangerous here, where a note's text and a key are at stake:

    environment   it looks there for keys, organisation and project; only headers of ours leave, and only our key
    redirects     are not followed, not even to the same host: the text goes where the user said
    proxies       are used only where the user wants it
    logs          of headers and addresses are not kept, however the program logs
    answers       must keep to their `Limits`, however slowly they drip
    certificates  those that the system trusts, or the ones that SSL_CERT_FILE names
"""

import contextlib
import logging
import socket
import ssl
import threading
import weakref
from collections.abc import Iterator, Mapping

import httpx2
import openai

from search.providers.endpoint import Endpoint
from search.providers.failure import Failure, FailureKind, failure_of
from search.providers.limits import CompressedError, Limits, TooLargeError, TooSlowError, took_more

_OUR_HEADERS = {"host", "accept", "connection", "content-type", "content-length"}


for _name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)  # a server may send the key back in a header


class _Guarded(httpx2.SyncByteStream):
    """A body that ends with an exception where it breaks its limits."""

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
        """What the client wants to know of the stream that it gave."""
        return getattr(self._inner, "elapsed", None)


class Client:
    """A client of one endpoint that sends what is ours and nothing else, and tries everything once."""

    def __init__(self, endpoint: Endpoint, key: str) -> None:
        self._key = key
        self._thread = threading.local()  # holds the limits of the request that a thread is sending
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._is_abandoned = False
        http = openai.DefaultHttpx2Client(
            follow_redirects=False,
            trust_env=endpoint.uses_proxy,
            verify=httpx2.create_ssl_context(),
            event_hooks={"request": [self._send_ours], "response": [self._guard]},
        )
        # Everything that it would otherwise look for in the environment is given, be it empty.
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
        """The body of the answer; raises whatever the package raises, for `failure_from` to understand."""
        self._thread.limits = limits
        try:
            answer = self._openai.post(path, cast_to=httpx2.Response, body=body, options={"timeout": limits.timeout_s})
            return answer.content
        finally:
            if self._is_abandoned:
                self.close()

    def abandon(self) -> None:
        """End what it waits for, in whatever thread; it cannot be used any more.

        Sockets are shut down, and closed by the threads that use them: closed here, their numbers could be another's.
        """
        self._is_abandoned = True
        for opened in list(self._sockets):
            _shut_down(opened)

    def close(self) -> None:
        """Close its sockets; it cannot be used any more."""
        self._openai.close()

    def _send_ours(self, request: httpx2.Request) -> None:
        for name in set(request.headers) - _OUR_HEADERS:
            del request.headers[name]
        request.headers["accept-encoding"] = "identity"  # so that the size which comes is the size which is read
        request.headers["user-agent"] = "vaultseek"
        request.extensions["trace"] = self._remember
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"

    def _remember(self, event: str, info: Mapping[str, object]) -> None:
        """Keep hold of each socket that the client opens."""
        opened = getattr(info.get("return_value"), "get_extra_info", lambda _name: None)("socket")
        if event.startswith("connection.") and isinstance(opened, socket.socket):
            self._sockets.add(opened)
            if self._is_abandoned:
                _shut_down(opened)

    def _guard(self, response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise CompressedError
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Guarded(response.stream, self._thread.limits)


def _shut_down(opened: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed
        socket.socket.shutdown(opened, socket.SHUT_RDWR)  # of TLS as well, which would say goodbye first


def failure_from(error: Exception, *, limits: Limits, endpoint: Endpoint, key: str) -> Failure:
    """What an exception of the client means; of its text, which may hold the key, nothing is kept."""
    kind = FailureKind.FINAL
    match error:
        case openai.APIStatusError():
            headers, body = error.response.headers, error.response.content
            return failure_of(error.response.status_code, headers, body, endpoint=endpoint, key=key)
        case TooLargeError():
            reason = f"sent more than the {limits.n_bytes:,} bytes that an answer can have"
        case CompressedError():
            reason = "compressed its answer, which was not asked for"
        case TooSlowError() | openai.APITimeoutError():
            kind, reason = FailureKind.SLOW, took_more(limits)
        case openai.APIConnectionError() if (tls := _tls_error(error)) is not None:
            reason = tls
        case openai.APIConnectionError() if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ProxyError):
            kind, reason = FailureKind.UNREACHABLE, "cannot be reached; is it running, and is its address right?"
        case openai.APIConnectionError():
            kind, reason = FailureKind.BROKEN, "broke off before its answer was complete"
        case _:
            reason = f"cannot be asked ({type(error).__name__})"
    return Failure(kind, reason)


def _tls_error(error: BaseException) -> str | None:
    """What is wrong with the encryption, if that is it."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return (
                f"shows a certificate that is not trusted ({seen.verify_message}); "
                "if it is right, name its authority's file in SSL_CERT_FILE where vaultseek is started"
            )
        if isinstance(seen, ssl.SSLError):
            return f"does not speak TLS as it should ({seen.reason}); is its address right, or is it http:// there?"
        seen = seen.__cause__ or seen.__context__
    return None
