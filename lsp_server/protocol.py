"""JSON-RPC on top of pygls, changed where pygls would leave a request unanswered or reveal too much.

- A message is structured as a whole, not dictionary by dictionary while it is parsed: a key `jsonrpc` deep inside some
  parameters is just a key.
- Every invalid message is answered: ParseError, InvalidRequest, or InvalidParams with the field. Parameters of
  `vaultseek/*` methods stay raw; their handlers structure them (`wire/decode.py`).
- Errors carry one sentence (`errors.py`); a failing notification is logged and never pops up in the editor.
- Open texts, folders and exit have handlers in `features`; pygls' own handlers for them are removed.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, cast

from cattrs import BaseValidationError
from lsprotocol import types as lsp
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage, LanguageServerProtocol

from lsp_server.config.environment import NO_KEYS, take_keys
from lsp_server.errors import CANCELLED, to_response_error
from lsp_server.wire.decode import ALLOWED_BY_LSP, first_problem, structure, value_at
from search.errors import ConfigError, shorten

logger = logging.getLogger(__name__)


class VaultseekProtocol(LanguageServerProtocol):
    """Reads every message and answers every request."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 pygls' signature
        super().__init__(*arguments, **options)
        self.keys = NO_KEYS  # of this client alone
        self._begun: dict[str | int, tuple[str, float]] = {}  # running requests: method and start time

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]  # theirs is a cache
        """As in pygls, whose cache would keep every closed connection in memory."""
        return lsp.METHOD_TO_TYPES.get(method, (None,))[0]

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]  # likewise
        """Likewise."""
        return lsp.METHOD_TO_TYPES.get(method, (None, None))[1]

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 any JSON
        """Answer, handle or refuse one message of any shape."""
        match message:
            case {"method": str(method), "id": msg_id}:
                self._take_request(method, msg_id, message)
            case {"method": lsp.CANCEL_REQUEST}:
                self._cancel(message.get("params"))
            case {"method": str(method)}:
                self._take_notification(method, message)
            case {"id": str() | int() as msg_id, "result": _} | {"id": str() | int() as msg_id, "error": _}:
                self._take_response(msg_id, message)
            case {"method": _, "id": str() | int() as msg_id} if not isinstance(msg_id, bool):
                self.refuse(msg_id, lsp.ErrorCodes.InvalidRequest, "method: must be a string")
            case {"error": _} | {"result": _}:
                logger.info("Ignored a response without an id")  # answering could start an endless exchange
            case _:
                self.refuse(
                    None, lsp.ErrorCodes.InvalidRequest, "The message is not a request, notification or response."
                )

    def _take_request(self, method: str, msg_id: object, message: dict[str, Any]) -> None:
        if isinstance(msg_id, bool) or not isinstance(msg_id, (str, int)):
            self.refuse(None, lsp.ErrorCodes.InvalidRequest, f"id: {shorten(msg_id)} is not a string or a whole number")
        elif message.get("jsonrpc") != self.VERSION:
            self.refuse(msg_id, lsp.ErrorCodes.InvalidRequest, 'jsonrpc: must be "2.0"')
        elif self._shutdown:
            self.refuse(msg_id, lsp.ErrorCodes.InvalidRequest, "The server is shutting down.")
        elif self._workspace is None and method != lsp.INITIALIZE:
            self.refuse(msg_id, lsp.ErrorCodes.ServerNotInitialized, "Send initialize first.")
        elif self._workspace is not None and method == lsp.INITIALIZE:
            self.refuse(msg_id, lsp.ErrorCodes.InvalidRequest, "The server is already initialized.")
        elif _is_notification(method) or (method not in self.fm.builtin_features and method not in self.fm.features):
            logger.info("Refused an unknown request: %s", shorten(method))
            self.refuse(msg_id, lsp.ErrorCodes.MethodNotFound, f"Unknown request {shorten(method)}.")
        else:
            if method == lsp.INITIALIZE:
                self.keys = take_keys(message.get("params"))  # before anything can log the message
            try:
                request = self._request(method, message)
            except ConfigError as error:
                self._send_error(msg_id, to_response_error(error))
            else:
                self._begun[msg_id] = (method, time.perf_counter())
                super().handle_message(request)

    def _request(self, method: str, message: dict[str, Any]) -> Any:  # noqa: ANN401 any message class
        """The message as its class, checked strictly; `initialize` leniently, so that no client is locked out.

        Raises:
            ConfigError: the parameters are invalid.
        """
        cls = self.get_message_type(method)
        params_type = lsp.METHOD_TO_TYPES[method][2] if method in lsp.METHOD_TO_TYPES else None
        if cls is None or params_type is None or method == lsp.INITIALIZE:
            return self._typed(message, JsonRPCRequestMessage)
        params: Any = structure(cast("type[Any]", params_type), message.get("params"), "params")
        return cls(id=message["id"], params=params)

    def _take_notification(self, method: str, message: dict[str, Any]) -> None:
        if method != lsp.EXIT and self._workspace is None:
            logger.warning("Ignored before initialize: %s", method)
            return
        try:
            notification = self._typed(message, JsonRPCNotification)
        except ConfigError as error:
            logger.warning("Ignored an invalid notification: %s: %s", method, error)
        else:
            super().handle_message(notification)

    def _take_response(self, msg_id: str | int, message: dict[str, Any]) -> None:
        result_type = self._result_types.pop(msg_id, None)
        if (error := message.get("error")) is not None:
            text = str(error.get("message")) if isinstance(error, dict) else str(error)
            self._handle_response(msg_id, None, lsp.ResponseError(code=lsp.ErrorCodes.InternalError, message=text))
            return
        try:
            whole = {"jsonrpc": self.VERSION, "result": None, **message}
            typed = self._converter.structure(whole, result_type) if result_type else JsonRPCResponseMessage(**whole)
        except Exception as problem:  # noqa: BLE001 the answer can hold anything, and a task is waiting for it
            text = f"The client's answer is invalid: {problem}"
            self._handle_response(msg_id, None, lsp.ResponseError(code=lsp.ErrorCodes.InternalError, message=text))
        else:
            self._handle_response(msg_id, typed.result)

    def _typed(self, message: dict[str, Any], untyped: Callable[..., Any]) -> Any:  # noqa: ANN401 any message class
        """The message as its class; methods that LSP does not define keep raw parameters.

        Raises:
            ConfigError: the parameters are invalid.
        """
        cls = self.get_message_type(message["method"])
        if cls is None:
            head = {"id": message["id"]} if "id" in message else {}
            return untyped(method=message["method"], jsonrpc=self.VERSION, params=message.get("params"), **head)
        try:
            return self._converter.structure(message, cls)
        except BaseValidationError as error:
            problem = first_problem(error, "")
            path = problem.path.removeprefix(".")
            raise ConfigError(path, value_at(message, path), problem.allowed) from None
        except Exception:  # noqa: BLE001 the client's parameters can hold anything
            raise ConfigError("params", message.get("params"), ALLOWED_BY_LSP) from None

    def refuse(self, msg_id: str | int | None, code: lsp.ErrorCodes, text: str) -> None:
        """Answer with an error; `msg_id` is None if the request has no usable id."""
        self._send_error(msg_id, lsp.ResponseError(code=code, message=text))

    def _send_error(self, msg_id: str | int | None, error: lsp.ResponseError) -> None:
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": self._converter.unstructure(error)})

    def _cancel(self, params: object) -> None:
        """Cancel a request, but only after its first step: without that step it could not begin and end its progress.

        The id of a request that is not running is ignored: the request may already have been answered.
        """
        match params:
            case {"id": (str() | int()) as msg_id} if not isinstance(msg_id, bool) and msg_id in self._request_futures:
                asyncio.get_running_loop().call_soon(self._request_futures[msg_id].cancel)
            case _:
                pass

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        """Answer a request with what its handler returned or raised."""
        self._request_futures.pop(msg_id, None)
        self._trace_end(msg_id, future)
        if future.cancelled():
            self._send_error(msg_id, lsp.ResponseError(code=lsp.LSPErrorCodes.RequestCancelled, message=CANCELLED))
        elif (error := future.exception()) is not None:
            self._send_error(msg_id, to_response_error(error))
        else:
            self._send_response(msg_id, result=future.result())

    def _trace_end(self, msg_id: str | int, future: Future[Any]) -> None:
        """Send the duration of a request to a client that enabled traces, but none of its content."""
        method, since = self._begun.pop(msg_id, ("", 0.0))
        if not method or self.trace == lsp.TraceValue.Off:
            return
        ended = "cancelled" if future.cancelled() else "failed" if future.exception() is not None else "answered"
        took_ms = (time.perf_counter() - since) * 1000.0
        self.notify(lsp.LOG_TRACE, lsp.LogTraceParams(message=f"{method} {ended} after {took_ms:.1f} ms"))

    def _check_handler_result(self, future: Future[Any]) -> None:
        """Log what a notification's handler raised."""
        if not future.cancelled() and (error := future.exception()) is not None:
            logger.error("A notification failed", exc_info=error)


def _is_notification(method: str) -> bool:
    """Whether LSP defines the method as a notification, which has no answer."""
    return method in lsp.METHOD_TO_TYPES and lsp.METHOD_TO_TYPES[method][1] is None
