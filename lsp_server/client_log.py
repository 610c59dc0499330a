"""Sends warnings and errors to the editor's log: one line each, without a traceback.

A line that repeats one of the last few is not sent again, so that a failing disk does not flood the editor.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from lsprotocol import types as lsp

from lsp_server.wire.plain_text import plain

LOGGERS = ("lsp_server", "search", "expansion")
N_REMEMBERED = 20


class ClientLog(logging.Handler):
    """Sends `window/logMessage` through `send` from `open` to `close`; any thread may log."""

    def __init__(self, send: Callable[[lsp.LogMessageParams], None]) -> None:
        super().__init__(logging.WARNING)
        self._send_message = send
        self._sent: deque[str] = deque(maxlen=N_REMEMBERED)
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> None:
        """Start sending; called on the event loop, once the client accepts messages."""
        self._loop = asyncio.get_running_loop()
        for name in LOGGERS:
            logging.getLogger(name).addHandler(self)

    def close(self) -> None:
        """Stop sending; later records stay in the server's own log."""
        self._loop = None
        for name in LOGGERS:
            logging.getLogger(name).removeHandler(self)
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record's message; of an exception only its class name."""
        kind = record.exc_info[0] if record.exc_info else None
        text = record.getMessage() + (f" ({kind.__name__})" if kind else "")
        loop = self._loop
        if loop is None or loop.is_closed() or text in self._sent:
            return
        self._sent.append(text)
        level = lsp.MessageType.Error if record.levelno >= logging.ERROR else lsp.MessageType.Warning
        loop.call_soon_threadsafe(self._send, lsp.LogMessageParams(type=level, message=plain(text)))

    def _send(self, params: lsp.LogMessageParams) -> None:
        if self._loop is not None:
            self._send_message(params)
