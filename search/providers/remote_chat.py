"""A chat model behind an endpoint: one question, one answer, within a budget.

Servers support different options (`max_tokens` or `max_completion_tokens`, a temperature or none). If a server refuses
an option by name, it is replaced or left out from then on.
"""

import re

from attrs import field, frozen

from search.budget import Budget
from search.providers.circuit_breaker import CircuitBreaker
from search.providers.connection import Connection, sendable
from search.providers.embedding_answer import read_json
from search.providers.failure import Failure, FailureKind
from search.providers.retry_policy import RetryPolicy

_MAX_BYTES = 262_144  # of an answer; the longest that a prompt asks for has a few thousand
_REPLACEMENTS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": None, "temperature": None}


@frozen(eq=False)
class RemoteChat:
    """Implements `ports.Chat`. Threads may share it."""

    _connection: Connection
    _policy: RetryPolicy = field(factory=lambda: RetryPolicy(n_tries=2))
    _breaker: CircuitBreaker = field(factory=CircuitBreaker, repr=False)
    _refused: set[str] = field(factory=set, init=False, repr=False)

    @property
    def model(self) -> str:
        """The name of the model and its address."""
        return self._connection.endpoint.name

    def complete(self, system: str, user: str, *, max_tokens: int, budget: Budget) -> str:
        """The answer of the model, at most 256 KiB; empty if the model gave no text.

        Raises:
            ProviderError: the endpoint failed or gave no answer within the budget.
            Cancelled: the budget was cancelled.
        """
        answer = self._breaker.ask(
            lambda: self._request(sendable(system), sendable(user), max_tokens, budget), self._policy, budget
        )
        if isinstance(answer, Failure):
            raise answer.error(self._connection.endpoint)
        return self._connection.without_key(answer)

    def _request(self, system: str, user: str, max_tokens: int, budget: Budget) -> str | Failure:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        while True:
            options = self._options(max_tokens)
            fields = {"messages": messages, **options}
            body = self._connection.post("/chat/completions", fields, max_bytes=_MAX_BYTES, budget=budget)
            if not isinstance(body, Failure):
                return read_chat(body)
            refused = {name for name in options if re.search(rf"\b{name}\b", body.reason)}
            if body.kind not in {FailureKind.REFUSED, FailureKind.SIZE} or not refused:
                return body
            self._refused.update(refused)

    def _options(self, max_tokens: int) -> dict[str, object]:
        wanted: dict[str, object] = {"max_tokens": max_tokens, "temperature": 0.0}
        kept: dict[str, object] = {}
        for name, value in wanted.items():
            sent: str | None = name
            while sent in self._refused:
                sent = _REPLACEMENTS[sent]
            if sent is not None:
                kept[sent] = value
        return kept


def read_chat(body: bytes) -> str | Failure:
    """The text in the body of a chat answer; "" if the model gave none."""
    answer = read_json(body)
    if isinstance(answer, Failure):
        return answer
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        return Failure(FailureKind.FINAL, "answered with JSON that contains no message")
    content = message.get("content")
    if isinstance(content, list):  # some servers send it in parts
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
