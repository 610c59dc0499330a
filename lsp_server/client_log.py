"""What goes to the log goes to the editor's log too: warnings and errors, one line each, never a traceback.

A text that repeats within the last few is sent once, so that a disk that fails does not flood an editor.
"""

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from lsp_server.protocol import VaultseekServer

LOGGERS = ("lsp_server", "search", "expansion")
N_REMEMBERED = 20


class ClientLog(logging.Handler):
    """Sends `window/logMessage` from `open` to `close`; may be called from any thread."""

    def __init__(self, server: "VaultseekServer") -> None:
        super().__init__(logging.WARNING)
        self._server = server
        self._sent: deque[str] = deque(maxlen=N_REMEMBERED)
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> None:
        """Begin; called on the loop, once the client may be spoken to."""
        self._loop = asyncio.get_running_loop()
        for name in LOGGERS:
            logging.getLogger(name).addHandler(self)

    def close(self) -> None:
        """End; what is logged later stays here."""
        self._loop = None
        for name in LOGGERS:
            logging.getLogger(name).removeHandler(self)
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record's text, and of an exception its kind alone."""
        kind = record.exc_info[0] if record.exc_info else None
        text = record.getMessage() + (f" ({kind.__name__})" if kind else "")
        loop = self._loop
        if loop is None or loop.is_closed() or text in self._sent:
            return
        self._sent.append(text)
        level = lsp.MessageType.Error if record.levelno >= logging.ERROR else lsp.MessageType.Warning
        loop.call_soon_threadsafe(self._send, lsp.LogMessageParams(type=level, message=text))

    def _send(self, params: lsp.LogMessageParams) -> None:
        if self._loop is not None:
            self._server.window_log_message(params)
