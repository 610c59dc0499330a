"""Progress of one request, sent on the token that the client chose for it.

A context manager, so that a client can rely on `begin`, `report` and `end` even when the request fails or is cancelled:
`begin` and `end` are sent exactly once, with at least one `report` in between. Reports come from worker threads and
are handed to the event loop; a report that arrives after the end is dropped. Tokens are forgotten at the end.
"""

import asyncio
from typing import Self

from lsprotocol.types import (
    PROGRESS,
    ProgressParams,
    WorkDoneProgressBegin,
    WorkDoneProgressEnd,
    WorkDoneProgressReport,
)
from pygls.protocol import JsonRPCProtocol

from lsp_server.wire.types import Token

Running = dict[Token, "asyncio.Task[object]"]
"""The tasks that a client can cancel, by the token of their progress."""


class WorkDone:
    """The progress of the current task; does nothing if the client sent no token. Callable as a `Progress`."""

    def __init__(self, protocol: JsonRPCProtocol, token: Token | None, title: str, running: Running) -> None:
        self._protocol = protocol
        self._token = token
        self._title = title
        self._running = running
        self._loop = asyncio.get_running_loop()
        self._percent = 0
        self._is_open = False
        self._has_reported = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        if self._token is not None and task is not None:
            self._is_open = True
            self._running[self._token] = task
            self._send(WorkDoneProgressBegin(title=self._title, cancellable=True, percentage=0))
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._token is not None and self._is_open:
            self._is_open = False
            self._running.pop(self._token, None)
            if not self._has_reported:
                self._send(WorkDoneProgressReport(percentage=100 if kind is None else self._percent))
            self._send(WorkDoneProgressEnd())

    def __call__(self, done: int, total: int) -> None:
        """Report from a worker thread; a report is sent only when the whole percentage changes."""
        percent = 100 * done // total if total else 0
        if self._token is not None and percent > self._percent:
            self._percent = percent
            self._loop.call_soon_threadsafe(self._report, done, total, percent)

    def _report(self, done: int, total: int, percent: int) -> None:
        if self._is_open:
            self._has_reported = True
            self._send(WorkDoneProgressReport(message=f"{done} of {total} notes", percentage=percent))

    def _send(self, value: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd) -> None:
        if self._token is not None:
            self._protocol.notify(PROGRESS, ProgressParams(token=self._token, value=value))
