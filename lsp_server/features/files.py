"""Words of changed files, as hints only: the engine sees changes without them, a little later.

Watchers are registered where the client offers it; a client that does not, or fails at it, loses nothing.
"""

import logging

from lsprotocol import types as lsp

from lsp_server.protocol import VaultseekServer

logger = logging.getLogger(__name__)

GLOB = "**/*.{md,markdown}"
_FOLDERS = lsp.FileOperationPattern(glob="**", matches=lsp.FileOperationPatternKind.Folder)
_FILES = lsp.FileOperationRegistrationOptions(
    filters=[
        lsp.FileOperationFilter(pattern=pattern, scheme="file")
        for pattern in (lsp.FileOperationPattern(glob=GLOB), _FOLDERS)
    ]
)


def register(server: VaultseekServer) -> None:
    """Add the handlers."""
    server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    server.feature(lsp.WORKSPACE_DID_CREATE_FILES, _FILES)(did_create_files)
    server.feature(lsp.WORKSPACE_DID_RENAME_FILES, _FILES)(did_rename_files)
    server.feature(lsp.WORKSPACE_DID_DELETE_FILES, _FILES)(did_delete_files)


def did_change_watched_files(ls: VaultseekServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Files changed on disk."""
    ls.session.hint(event.uri for event in params.changes)


def did_create_files(ls: VaultseekServer, params: lsp.CreateFilesParams) -> None:
    """The editor made files."""
    ls.session.hint(file.uri for file in params.files)


def did_rename_files(ls: VaultseekServer, params: lsp.RenameFilesParams) -> None:
    """The editor renamed files."""
    ls.session.hint(uri for file in params.files for uri in (file.old_uri, file.new_uri))


def did_delete_files(ls: VaultseekServer, params: lsp.DeleteFilesParams) -> None:
    """The editor deleted files."""
    ls.session.hint(file.uri for file in params.files)


async def watch(ls: VaultseekServer) -> None:
    """Ask the client to watch, if it can."""
    workspace = ls.client_capabilities.workspace
    watching = workspace.did_change_watched_files if workspace else None
    if not (watching and watching.dynamic_registration):
        return
    options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers=[lsp.FileSystemWatcher(glob_pattern=GLOB)])
    registration = lsp.Registration(
        id="vaultseek-files", method=lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, register_options=options
    )
    try:
        await ls.client_register_capability_async(lsp.RegistrationParams(registrations=[registration]))
    except Exception:
        logger.info("The client does not watch files", exc_info=True)
