"""Start and end of the connection, changes of workspace folders, and cancelling by progress token."""

import asyncio
from pathlib import Path

from lsprotocol import types as lsp

from lsp_server.config.settings import resolve_server
from lsp_server.features.configuration import pull
from lsp_server.server import VaultseekServer
from lsp_server.wire.uris import to_uri


def initialize(ls: VaultseekServer, params: lsp.InitializeParams) -> None:
    """Remember the folders. Reads no note and imports nothing heavy."""
    ls.client_name = params.client_info.name if params.client_info else ""
    if params.trace is not None:
        ls.protocol.trace = params.trace
    options = params.initialization_options
    ls.session.initial_options = options.get("vaultseek", options) if isinstance(options, dict) else options
    if isinstance(ls.session.initial_options, dict):
        ls.session.options = resolve_server(ls.session.initial_options, [])  # problems are shown after `initialized`
    ls.session.change_folders(added=_folders(params), removed=())


def _folders(params: lsp.InitializeParams) -> list[str]:
    """The workspace folders; for clients without that feature, the root."""
    if params.workspace_folders:
        return [folder.uri for folder in params.workspace_folders]
    if params.workspace_folders is not None and not params.root_uri:
        return []
    if params.root_uri:
        return [params.root_uri]
    return [to_uri(Path(params.root_path))] if params.root_path and Path(params.root_path).is_absolute() else []


def did_change_workspace_folders(ls: VaultseekServer, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
    """Open and close vaults."""
    event = params.event
    ls.session.change_folders(
        added=[folder.uri for folder in event.added], removed=[folder.uri for folder in event.removed]
    )
    ls.cancel_closed()
    pull(ls)  # the new folders can have settings of their own


def did_cancel_progress(ls: VaultseekServer, params: lsp.WorkDoneProgressCancelParams) -> None:
    """Cancel the request with this progress token, but only after it has sent the beginning of its progress."""
    asyncio.get_running_loop().call_soon(_cancel, ls, params.token)


def _cancel(ls: VaultseekServer, token: object) -> None:
    task = ls.running.get(token) if isinstance(token, int | str) else None  # a client can send anything
    if task is not None:
        task.cancel()


def shutdown(ls: VaultseekServer, _params: None) -> None:
    """Stop all work; running requests are answered as cancelled."""
    for workers in (ls.search_workers, ls.patient_workers, ls.hover_workers):
        workers.cancel_all()


def leave(ls: VaultseekServer, _params: object = None) -> None:
    """Read no more messages; the process ends with the server's `exit_code`."""
    ls.stop.set()
