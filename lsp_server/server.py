"""The server of one connection: its session, its worker threads and its shutdown."""

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from lsprotocol import converters
from lsprotocol import types as lsp
from pygls.exceptions import FeatureNotificationError, JsonRpcException
from pygls.lsp.server import LanguageServer

from lsp_server.client_log import ClientLog
from lsp_server.config.changes import SettingsChanges
from lsp_server.config.engine_factory import engine_of
from lsp_server.open_vault import MakeEngine, OpenVault
from lsp_server.progress import Running, WorkDone
from lsp_server.protocol import VaultseekProtocol
from lsp_server.session import Session
from lsp_server.version import installed_version
from lsp_server.wire.lines import PositionEncoding
from lsp_server.wire.plain_text import plain
from lsp_server.wire.types import Token
from lsp_server.workers import Workers

if TYPE_CHECKING:
    from search.engine import Engine  # imports numpy, which starting does not need
    from search.settings import Settings

logger = logging.getLogger(__name__)

BUILT_IN = (lsp.INITIALIZE, lsp.INITIALIZED, lsp.SET_TRACE, lsp.SHUTDOWN)
"""Methods whose handlers in pygls run too; for all other methods only handlers in `features` run."""


class VaultseekServer(LanguageServer):
    """The server that all handlers in `features` receive."""

    protocol: VaultseekProtocol

    def __init__(self, make_engine: MakeEngine | None = None, token: str = "") -> None:
        """`make_engine` is a test's own way to make engines."""
        super().__init__(
            "vaultseek",
            installed_version(),
            protocol_cls=VaultseekProtocol,
            converter_factory=converters.get_converter,
        )
        self.token = token  # which a client must send in `initialize`, "" if none
        self.is_admitted = not token  # whether the client has sent it
        self.changes = SettingsChanges()
        self.search_workers = Workers(ready=self.changes.settled)
        self.quick_workers = Workers(n_threads=1)  # for work that must not wait behind searches
        self.hover_workers = Workers(n_threads=2, ready=self.changes.settled)  # waits for notes, not for searches
        self.patient_workers = Workers(n_threads=2, ready=self.changes.settled)  # may wait seconds for notes
        self.background_workers = Workers(n_threads=1)  # for work that no request waits for
        self.session = Session(make_engine or self._make_engine, run_later=self.background_workers.submit)
        self.running: Running = {}
        self.shown_problems: frozenset[str] = frozenset()  # of settings, which the user has seen
        self.client_log = ClientLog(self.window_log_message)
        self._all_workers = (
            self.search_workers,
            self.quick_workers,
            self.hover_workers,
            self.patient_workers,
            self.background_workers,
        )
        self.client_name = ""  # as sent by the client
        self.stop = Event()  # set: read no more messages
        self.closed = asyncio.Event()  # set: the client is gone
        self._current: dict[asyncio.Task[Any] | None, OpenVault | None] = {}  # requests that a newer one cancels
        self._background: set[asyncio.Task[None]] = set()
        built_in = self.protocol.fm.builtin_features
        for method in built_in.keys() - BUILT_IN:
            del built_in[method]

    def _make_engine(self, root: Path, settings: "Settings") -> "Engine":
        return engine_of(root, settings, self.protocol.keys)

    @property
    def encoding(self) -> PositionEncoding:
        """The unit of columns that client and server agreed on."""
        agreed = self.server_capabilities.position_encoding
        return PositionEncoding(getattr(agreed, "value", agreed) or PositionEncoding.UTF16)

    @property
    def exit_code(self) -> int:
        """0 if the client requested a shutdown before it left, else 1 (LSP, `exit`)."""
        return 0 if self.protocol._shutdown else 1  # noqa: SLF001 pygls has no public attribute for it

    def work_done(self, token: Token | None, title: str) -> WorkDone:
        """The progress of the current request; use as a context manager."""
        return WorkDone(self.protocol, token, title, self.running)

    @contextlib.contextmanager
    def superseding(self, vault: OpenVault | None) -> Iterator[bool]:
        """Cancel older requests of the same vault that are in this context, then run the current request in it.

        None means that the vault is not known yet; it counts as the same as any other. Yields whether the current
        request has cancelled an older one.
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

    def cancel_closed(self) -> None:
        """Cancel searches of folders that are no longer open: they must not go on in another folder."""
        roots = {vault.root for vault in self.session.vaults}
        for task, vault in self._current.items():
            if task is not None and vault is not None and vault.root not in roots:
                task.cancel()

    def start(self, coroutine: Any) -> None:  # noqa: ANN401 a coroutine of any kind
        """Run a coroutine without waiting for it, and keep a reference: the event loop alone would drop it."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ANN401 pygls' signature
        """Log the error, and answer a message that is not JSON; never show a message box."""
        if source is FeatureNotificationError or not isinstance(error, (ValueError, RecursionError)):
            logger.error("%s: %s", getattr(source, "__name__", source), error)
        elif not isinstance(error, JsonRpcException):
            self.protocol.refuse(None, lsp.ErrorCodes.ParseError, "The message is not valid JSON.")

    def warn(self, text: str) -> None:
        """Show a warning in the editor."""
        self.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=plain(text)))

    def close(self) -> Thread:
        """Stop all work at the end of the connection; the thread closes the vaults, which may have to wait."""
        self.stop.set()
        self.client_log.close()
        for workers in self._all_workers:
            workers.close()
        closing = Thread(target=self.session.close, name="vaultseek-closer", daemon=True)
        closing.start()
        return closing
