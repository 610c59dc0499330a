"""Which function handles which LSP message."""

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types as lsp

from lsp_server.features import (
    commands,
    configuration,
    context,
    documents,
    explain,
    files,
    hover,
    lifecycle,
    navigation,
    related,
    search,
    status,
    symbols,
    text,
)
from lsp_server.open_vault import MakeEngine
from lsp_server.server import VaultseekServer
from lsp_server.wire.types import (
    METHOD_CONTEXT,
    METHOD_EXPLAIN,
    METHOD_RELATED,
    METHOD_SEARCH,
    METHOD_STATUS,
    METHOD_TEXT,
)

HANDLERS: Mapping[str, Callable[..., Any]] = {
    lsp.INITIALIZE: lifecycle.initialize,
    lsp.INITIALIZED: configuration.initialized,
    lsp.SHUTDOWN: lifecycle.shutdown,
    lsp.EXIT: lifecycle.leave,
    lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL: lifecycle.did_cancel_progress,
    lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: lifecycle.did_change_workspace_folders,
    lsp.WORKSPACE_DID_CHANGE_CONFIGURATION: configuration.did_change_configuration,
    lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: files.did_change_watched_files,
    lsp.WORKSPACE_DID_CREATE_FILES: files.did_create_or_delete_files,
    lsp.WORKSPACE_DID_RENAME_FILES: files.did_rename_files,
    lsp.WORKSPACE_DID_DELETE_FILES: files.did_create_or_delete_files,
    lsp.WORKSPACE_EXECUTE_COMMAND: commands.execute,
    lsp.WORKSPACE_SYMBOL: symbols.symbols,
    lsp.TEXT_DOCUMENT_DID_OPEN: documents.did_open,
    lsp.TEXT_DOCUMENT_DID_CHANGE: documents.did_change,
    lsp.TEXT_DOCUMENT_DID_CLOSE: documents.did_close,
    lsp.TEXT_DOCUMENT_HOVER: hover.hover,
    lsp.TEXT_DOCUMENT_DEFINITION: navigation.definition,
    lsp.TEXT_DOCUMENT_REFERENCES: navigation.references,
    METHOD_SEARCH: search.search,
    METHOD_CONTEXT: context.context,
    METHOD_RELATED: related.related,
    METHOD_TEXT: text.text,
    METHOD_EXPLAIN: explain.explain,
    METHOD_STATUS: status.status,
}
_OPTIONS = dict.fromkeys(
    (lsp.WORKSPACE_DID_CREATE_FILES, lsp.WORKSPACE_DID_RENAME_FILES, lsp.WORKSPACE_DID_DELETE_FILES), files.OF_INTEREST
)


def make_server(make_engine: MakeEngine | None = None, *, token: str = "") -> VaultseekServer:
    """A server with all its handlers; tests replace `make_engine`."""
    server = VaultseekServer(make_engine, token)
    for method, handler in HANDLERS.items():
        server.feature(method, _OPTIONS.get(method))(handler)
    for command in commands.TITLES:
        server.command(command)(commands.never_called)
    return server
