"""The failures of an endpoint, classified by what helps against them, and the limits that an answer must keep.

A failure is a value, and not an exception of the client: that would carry the request, and with it the key, into
tracebacks.
"""

import math
import re
import time
from collections.abc import Mapping
from enum import StrEnum
from urllib.parse import quote

import orjson
from attrs import evolve, field, frozen

from search.budget import Budget
from search.errors import ProviderError
from search.providers.endpoint import Endpoint


class FailureKind(StrEnum):
    """The kinds of failures, each with what may help."""

    SIZE = "size"  # fewer or shorter texts
    REFUSED = "refused"  # other texts
    BUSY = "busy"  # waiting for as long as the endpoint asks
    BROKEN = "broken"  # a retry
    SLOW = "slow"  # a smaller request
    UNREACHABLE = "unreachable"  # a retry once the server runs
    SPENT = "spent"  # a budget with more time
    RESTING = "resting"  # a retry once the circuit breaker permits it
    FINAL = "final"  # only another configuration


@frozen
class Failure:
    """`reason` completes the sentence 'ENDPOINT: REASON' and never contains the key."""

    kind: FailureKind
    reason: str
    retry_after_s: float | None = None  # what the endpoint asked for, if anything

    def error(self, endpoint: Endpoint) -> ProviderError:
        """The failure as an exception."""
        is_retriable = self.kind not in {FailureKind.SIZE, FailureKind.REFUSED, FailureKind.FINAL}
        return ProviderError(endpoint.name, self.reason, is_retriable=is_retriable)


class LimitError(Exception):
    """An answer broke its limits; `failure` says which one."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


@frozen(kw_only=True)
class Limits:
    """The limits of one answer. `timeout_s` counts from the creation of this object."""

    n_bytes: int
    timeout_s: float
    budget: Budget
    _started: float = field(factory=time.monotonic, init=False)

    def check(self, n_bytes: int) -> None:
        """Check an answer of which `n_bytes` have arrived; raises `LimitError` or `Cancelled`."""
        self.budget.check()
        if n_bytes > self.n_bytes:
            reason = f"sent more than the {self.n_bytes:,} bytes that an answer can have"
            raise LimitError(Failure(FailureKind.FINAL, reason))
        if time.monotonic() - self._started > self.timeout_s:
            raise LimitError(self.too_slow())

    def too_slow(self) -> Failure:
        """The failure of an endpoint that exceeds the time limit."""
        return Failure(FailureKind.SLOW, f"took more than {max(0.1, round(self.timeout_s, 1)):g} s")


_SIZE = re.compile(
    r"too (?:large|long|many|big)|context.{0,20}(?:length|size|window)|(?:input|prompt|sequence|text)s? length"
    r"|exceed\w{0,9}.{0,60}(?:token|length|size|batch|limit|maximum|context)"
    r"|(?:maximum|max|at most).{0,40}(?:token|input|batch|length)"
    r"|batch.{0,20}(?:size|limit)|length.{0,20}(?:exceed|limit)",
    re.IGNORECASE | re.DOTALL,
)
_FINAL = {
    401: "denied access",
    402: "requires payment",
    403: "denied access",
    404: "does not know this address or model",
    405: "does not know this address or model",
    429: "has no credit left",
}
_MAX_MESSAGE = 300  # characters of the endpoint's own message
_WANTS_PAYMENT = re.compile(r"insufficient_quota|billing|out of credits|exceeded your current quota", re.IGNORECASE)


def failure_of(status: int, headers: Mapping[str, str], body: bytes, *, endpoint: Endpoint, key: str) -> Failure:
    """The failure that an answer with a status other than 2xx stands for."""
    said = _message(body, key=key)
    if 300 <= status < 400:
        where = _without_query(_clean(headers.get("location", ""), key=key)) or "nowhere"
        reason = f"redirects to {where}, but redirects are not followed; if it is right, configure it as the address"
        found = Failure(FailureKind.FINAL, reason)
    elif status == 429 and not _WANTS_PAYMENT.search(said):
        found = Failure(FailureKind.BUSY, "limits the rate of requests (429)", retry_after_s(headers))
    elif status in _FINAL:
        where = (
            f"check ${endpoint.key_variable}"
            if endpoint.key_variable
            else "if it needs a key, name the environment variable with the key"
        )
        found = Failure(FailureKind.FINAL, f"{_FINAL[status]} ({status}){f'; {where}' if status in {401, 403} else ''}")
    elif status == 413 or _SIZE.search(said):
        found = Failure(FailureKind.SIZE, f"says that the input is too long ({status})")
    elif status in {408, 504}:
        found = Failure(FailureKind.SLOW, f"took too long ({status})", retry_after_s(headers))
    elif status >= 500 or status == 409:
        found = Failure(FailureKind.BROKEN, f"failed ({status})", retry_after_s(headers))
    else:
        found = Failure(FailureKind.REFUSED, f"refused the request ({status})")
    return evolve(found, reason=f"{found.reason}: {said}") if said else found


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The seconds that an endpoint asks to wait; None if it does not say or the value makes no sense."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 it imports sockets; only failures need it

    for header, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(header, "").strip()
        try:
            seconds = float(value) / divisor
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - time.time()
            except (TypeError, ValueError, OverflowError):
                continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _message(body: bytes, *, key: str) -> str:
    """The message of a JSON error, in the forms that servers use; empty for a body in any other form."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    found = answer
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    if isinstance(found, dict | list) and found:
        found = orjson.dumps(found).decode()
    code = answer["error"].get("code") if isinstance(answer, dict) and isinstance(answer.get("error"), dict) else None
    text = f"{found} ({code})" if isinstance(code, str) and code not in str(found) else str(found)
    return _clean(text, key=key) if isinstance(found, str) else ""


def without_key(text: str, key: str) -> str:
    """`text` with "[key]" in place of the key, also where it is escaped as in JSON or in an address."""
    for spelling in sorted({key, orjson.dumps(key).decode()[1:-1], quote(key, safe="")} - {""}, key=len, reverse=True):
        text = re.sub(re.escape(spelling), "[key]", text, flags=re.IGNORECASE)
    return text


def _clean(text: str, *, key: str) -> str:
    """`text` as one short line, without the key, which the endpoint may have sent back."""
    line = "".join(char if char.isprintable() else " " for char in without_key(text, key)[:4000])
    line = " ".join(line.split())
    return line if len(line) <= _MAX_MESSAGE else line[: _MAX_MESSAGE - 1] + "…"


def _without_query(address: str) -> str:
    return re.sub(r"//[^/@]*@", "//", re.split(r"[?#]", address, maxsplit=1)[0])
