"""The framework, mended where it would leave a client without an answer or tell it too much.

- A message is structured here, whole, and not dictionary by dictionary while it is parsed: a key `jsonrpc` deep inside
  some parameters is only a key.
- What is no JSON, no request or does not fit its method is answered: ParseError, InvalidRequest, InvalidParams with the
  field. Parameters of our own methods stay raw; their handlers structure them (`from_wire.py`).
- Errors carry one sentence (`errors.py`); a failing notification is logged and never pops up in the editor.
- Open texts, folders and exit are ours: the framework's own handlers for them are taken out.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from importlib.metadata import PackageNotFoundError, version
from threading import Event
from typing import Any, Protocol, cast

from cattrs import BaseValidationError, Converter
from lsprotocol import converters
from lsprotocol import types as lsp
from pygls.exceptions import FeatureNotificationError, JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage, LanguageServerProtocol

from lsp_server.changes import Changes
from lsp_server.client_log import ClientLog
from lsp_server.errors import CANCELLED, to_response_error
from lsp_server.from_wire import WHAT_LSP_SAYS, first_problem, structure, value_at
from lsp_server.lines import Encoding
from lsp_server.progress import Running, WorkDone
from lsp_server.session import MakeEngine, Session, Vault, real_engine
from lsp_server.settings import take_keys
from lsp_server.wire import Token
from lsp_server.work import Workers
from search.errors import ConfigError, shorten

logger = logging.getLogger(__name__)

OURS = (
    lsp.EXIT,
    lsp.TEXT_DOCUMENT_DID_OPEN,
    lsp.TEXT_DOCUMENT_DID_CHANGE,
    lsp.TEXT_DOCUMENT_DID_CLOSE,
    lsp.NOTEBOOK_DOCUMENT_DID_OPEN,
    lsp.NOTEBOOK_DOCUMENT_DID_CHANGE,
    lsp.NOTEBOOK_DOCUMENT_DID_CLOSE,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL,
    lsp.WORKSPACE_EXECUTE_COMMAND,
)
"""Methods whose built-in handlers are taken out, so that ours are called or nothing is."""


class Writer(Protocol):
    """Where messages go."""

    def write(self, data: bytes) -> None:
        """Send."""

    def close(self) -> None:
        """No more will come."""


class VaultseekProtocol(LanguageServerProtocol):
    """Reads every message and answers every request."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 the framework's signature
        super().__init__(*arguments, **options)
        self._begun: dict[str | int, tuple[str, float]] = {}  # requests that run: their method, and since when

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave dictionaries as they are while JSON is parsed; see `handle_message`."""
        return data

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 whatever JSON holds
        """Answer, note or refuse one message of any shape."""
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
                logger.info("Passed over: an answer to nothing")  # to answer it might be answered in turn, for ever
            case _:
                self.refuse(None, lsp.ErrorCodes.InvalidRequest, "This is no request, notification or response.")

    def _take_request(self, method: str, msg_id: object, message: dict[str, Any]) -> None:
        if isinstance(msg_id, bool) or not isinstance(msg_id, (str, int)):
            self.refuse(None, lsp.ErrorCodes.InvalidRequest, f"id: {shorten(msg_id)} is no string and no whole number")
        elif message.get("jsonrpc") != self.VERSION:
            self.refuse(msg_id, lsp.ErrorCodes.InvalidRequest, 'jsonrpc: must be "2.0"')
        elif self._shutdown:
            self.refuse(msg_id, lsp.ErrorCodes.InvalidRequest, "The server is shutting down.")
        elif self._workspace is None and method != lsp.INITIALIZE:
            self.refuse(msg_id, lsp.ErrorCodes.ServerNotInitialized, "Send initialize first.")
        elif self._workspace is not None and method == lsp.INITIALIZE:
            self.refuse(msg_id, lsp.ErrorCodes.InvalidRequest, "The server is initialized already.")
        elif _is_notification(method) or (method not in self.fm.builtin_features and method not in self.fm.features):
            logger.info("Refused: there is no request %s", shorten(method))
            self.refuse(msg_id, lsp.ErrorCodes.MethodNotFound, f"There is no request {shorten(method)}.")
        else:
            if method == lsp.INITIALIZE:
                take_keys(message.get("params"))  # before anything can log the message
            try:
                request = self._request(method, message)
            except ConfigError as error:
                self._send_error(msg_id, to_response_error(error))
            else:
                self._begun[msg_id] = (method, time.perf_counter())
                super().handle_message(request)

    def _request(self, method: str, message: dict[str, Any]) -> Any:  # noqa: ANN401 any message class
        """The message as its class, strictly; but a client that is odd in what it tells of itself is let in.

        Raises:
            ConfigError: the parameters do not fit.
        """
        cls = self.get_message_type(method)
        params_type = lsp.METHOD_TO_TYPES[method][2] if method in lsp.METHOD_TO_TYPES else None
        if cls is None or params_type is None or method == lsp.INITIALIZE:
            return self._typed(message, JsonRPCRequestMessage)
        params: Any = structure(cast("type[Any]", params_type), message.get("params"), "params")
        return cls(id=message["id"], params=params)

    def _take_notification(self, method: str, message: dict[str, Any]) -> None:
        if method != lsp.EXIT and self._workspace is None:
            logger.warning("Passed over before initialize: %s", method)
            return
        try:
            notification = self._typed(message, JsonRPCNotification)
        except ConfigError as error:
            logger.warning("Passed over: %s: %s", method, error)
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
        except Exception as problem:  # noqa: BLE001 the client's answer may hold anything, and somebody waits for it
            text = f"The client's answer cannot be read: {problem}"
            self._handle_response(msg_id, None, lsp.ResponseError(code=lsp.ErrorCodes.InternalError, message=text))
        else:
            self._handle_response(msg_id, typed.result)

    def _typed(self, message: dict[str, Any], untyped: Callable[..., Any]) -> Any:  # noqa: ANN401 any message class
        """The message as its class; methods that LSP does not know keep raw parameters.

        Raises:
            ConfigError: the parameters do not fit.
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
        except Exception:  # noqa: BLE001 the client's parameters may hold anything
            raise ConfigError("params", message.get("params"), WHAT_LSP_SAYS) from None

    def refuse(self, msg_id: str | int | None, code: lsp.ErrorCodes, text: str) -> None:
        """Answer with an error; `msg_id` None where the request did not show one."""
        self._send_error(msg_id, lsp.ResponseError(code=code, message=text))

    def _send_error(self, msg_id: str | int | None, error: lsp.ResponseError) -> None:
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": self._converter.unstructure(error)})

    def _cancel(self, params: object) -> None:
        """Cancel a request once it has had its first turn, so that it can begin and end its progress.

        Whatever names no request that runs is passed over: it may have been answered meanwhile.
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
        """Tell a client that asked for traces how long a request took, and never what it was about."""
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


class VaultseekServer(LanguageServer):
    """One client's server: its session, its threads and its way out."""

    protocol: VaultseekProtocol

    def __init__(self, make_engine: MakeEngine = real_engine) -> None:
        super().__init__(
            "vaultseek",
            _version(),
            protocol_cls=VaultseekProtocol,
            converter_factory=_converter,
        )
        self.changes = Changes()  # of settings
        self.work = Workers(ready=self.changes.settled)
        self.quick = Workers(n_threads=1)  # for what must not wait behind searches
        self.looks = Workers(n_threads=2, ready=self.changes.settled)  # hovers, which wait for notes, not for searches
        self.patient = Workers(n_threads=2, ready=self.changes.settled)  # what may wait seconds until notes are read
        self.session = Session(make_engine, elsewhere=self._elsewhere)
        self.running: Running = {}
        self.told_problems: frozenset[str] = frozenset()  # of settings, in the user's sight already
        self.client_log = ClientLog(self)
        self.client_name = ""  # as the client told it
        self.stop = Event()  # set: read no further message
        self.closed = asyncio.Event()  # set: the client is gone
        self._current: dict[asyncio.Task[Any] | None, Vault | None] = {}  # what a newer request takes the place of
        self._background: set[asyncio.Task[None]] = set()
        for method in OURS:
            self.protocol.fm.builtin_features.pop(method, None)

    @property
    def encoding(self) -> Encoding:
        """The unit of columns that client and server agreed on."""
        agreed = self.server_capabilities.position_encoding
        return Encoding(getattr(agreed, "value", agreed) or Encoding.UTF16)

    @property
    def exit_code(self) -> int:
        """0 when the client asked for a shutdown before it left, else 1 (LSP, `exit`)."""
        return 0 if self.protocol._shutdown else 1  # noqa: SLF001 the framework has no other word for it

    def work_done(self, token: Token | None, title: str) -> WorkDone:
        """The progress of the current request; use as a context manager."""
        return WorkDone(self.protocol, token, title, self.running)

    @contextlib.contextmanager
    def superseding(self, vault: Vault | None) -> Iterator[bool]:
        """While this is held, the current request is cancelled by the next one that holds it for the same vault.

        None, for the only one of several that may be searched, is the same as any: with another it would be refused.
        Gives whether the current request has itself taken the place of another one.
        """
        task = asyncio.current_task()
        older = [other for other, its in self._current.items() if its is vault or None in (its, vault)]
        for other in older:
            if other is not None:
                other.cancel()
        self._current[task] = vault
        try:
            yield bool(older)
        finally:
            del self._current[task]

    def behind(self, work: Callable[[], None]) -> None:
        """Let a thread do something that nobody waits for; from any thread."""
        with contextlib.suppress(RuntimeError):  # the connection ends
            self.looks.submit(work)

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ANN401 the framework's signature
        """Log, and answer what was no JSON; never a message box."""
        if source is FeatureNotificationError or not isinstance(error, (ValueError, RecursionError)):
            logger.error("%s: %s", getattr(source, "__name__", source), error)
        elif not isinstance(error, JsonRpcException):
            self.protocol.refuse(None, lsp.ErrorCodes.ParseError, "The message is no JSON.")

    def warn(self, text: str) -> None:
        """Show a warning in the editor."""
        self.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=text))

    def _elsewhere(self, work: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the connection ends
            self.quick.submit(work)

    def background(self, work: Any) -> None:  # noqa: ANN401 a coroutine of any kind
        """Let a coroutine run; the loop alone would forget it."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def close(self) -> None:
        """Stop all work; for the end of the connection."""
        self.stop.set()
        self.client_log.close()
        self.work.close()
        self.quick.close()
        self.looks.close()
        self.patient.close()
        self.session.close()


def _is_notification(method: str) -> bool:
    """Whether LSP knows the method as one that is never answered."""
    return method in lsp.METHOD_TO_TYPES and lsp.METHOD_TO_TYPES[method][1] is None


def _converter() -> Converter:
    return converters.get_converter()


def _version() -> str:
    try:
        return version("vaultseek")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "unknown"
