"""What can go wrong between us and an endpoint, sorted by what helps.

A failure is a value until somebody has to be told: an exception of the client's would carry the request, and with it
the key, through every traceback.
"""

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import StrEnum
from urllib.parse import quote

import orjson
from attrs import evolve, frozen

from search.errors import ProviderError
from search.providers.endpoint import Endpoint


class FailureKind(StrEnum):
    """What may help."""

    SIZE = "size"  # fewer texts, or shorter ones
    REFUSED = "refused"  # other texts, perhaps
    BUSY = "busy"  # waiting as long as it says
    BROKEN = "broken"  # trying again
    SLOW = "slow"  # trying again with less
    UNREACHABLE = "unreachable"  # trying again when it is there
    SPENT = "spent"  # more time
    RESTING = "resting"  # trying again later: it failed just now
    FINAL = "final"  # nothing but another configuration


@frozen
class Failure:
    """`reason` completes the sentence 'ENDPOINT: REASON' and never holds the key."""

    kind: FailureKind
    reason: str
    retry_after_s: float | None = None  # as the endpoint asked, for BUSY and BROKEN

    def error(self, endpoint: Endpoint) -> ProviderError:
        """The exception that tells a caller."""
        is_retriable = self.kind not in {FailureKind.SIZE, FailureKind.REFUSED, FailureKind.FINAL}
        return ProviderError(endpoint.name, self.reason, is_retriable=is_retriable)


_SIZE = re.compile(
    r"too (?:large|long|many|big)|context.{0,20}(?:length|size|window)|(?:input|prompt|sequence|text)s? length"
    r"|exceed\w*.{0,60}(?:token|length|size|batch|limit|maximum|context)"
    r"|(?:maximum|max|at most).{0,40}(?:token|input|batch|length)"
    r"|batch.{0,20}(?:size|limit)|length.{0,20}(?:exceed|limit)",
    re.IGNORECASE | re.DOTALL,
)
_FINAL = {
    401: "does not let us in",
    402: "wants to be paid",
    403: "does not let us in",
    404: "does not know this address or model",
    405: "does not know this address or model",
    429: "has no credit left for us",
}
_MAX_SAID = 300  # characters of an endpoint's own words
_WANTS_PAYMENT = re.compile(r"insufficient_quota|billing|out of credits|exceeded your current quota", re.IGNORECASE)


def failure_of(status: int, headers: Mapping[str, str], body: bytes, *, endpoint: Endpoint, key: str) -> Failure:
    """What an answer with a status other than 2xx means."""
    said = _message(body, key=key)
    if 300 <= status < 400:
        where = _without_query(_clean(headers.get("location", ""), key=key)) or "nowhere"
        found = Failure(
            FailureKind.FINAL, f"redirects to {where}, where nothing is sent unless it is configured as the address"
        )
    elif status == 429 and not _WANTS_PAYMENT.search(said):
        found = Failure(FailureKind.BUSY, "limits how often it is asked (429)", retry_after_s(headers))
    elif status in _FINAL:
        where = (
            f"check ${endpoint.key_variable}"
            if endpoint.key_variable
            else "if it wants a key, name the environment variable that holds it"
        )
        found = Failure(FailureKind.FINAL, f"{_FINAL[status]} ({status}){f'; {where}' if status in {401, 403} else ''}")
    elif status == 413 or _SIZE.search(said):
        found = Failure(FailureKind.SIZE, f"finds it too long ({status})")
    elif status in {408, 504}:
        found = Failure(FailureKind.SLOW, f"took too long ({status})", retry_after_s(headers))
    elif status >= 500 or status == 409:
        found = Failure(FailureKind.BROKEN, f"failed ({status})", retry_after_s(headers))
    else:
        found = Failure(FailureKind.REFUSED, f"refused it ({status})")
    return evolve(found, reason=f"{found.reason}: {said}") if said else found


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The seconds that an endpoint asks us to wait; None where it does not say, or nothing that makes sense."""
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
    """What a JSON error says, in the forms that servers use; nothing of a body in another form."""
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
    """`text` with "[key]" wherever the key stands in it, also as JSON or an address spells it."""
    for said in sorted({key, orjson.dumps(key).decode()[1:-1], quote(key, safe="")} - {""}, key=len, reverse=True):
        text = re.sub(re.escape(said), "[key]", text, flags=re.IGNORECASE)
    return text


def _clean(text: str, *, key: str) -> str:
    """`text` on one short line, without the key that an endpoint may have sent back."""
    line = "".join(char if char.isprintable() else " " for char in without_key(text, key)[:4000])
    line = " ".join(line.split())
    return line if len(line) <= _MAX_SAID else line[: _MAX_SAID - 1] + "…"


def _without_query(address: str) -> str:
    return re.sub(r"//[^/@]*@", "//", re.split(r"[?#]", address, maxsplit=1)[0])
