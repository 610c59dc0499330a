"""Notifications about changed files. They are only hints: the engine also sees changes by itself, a little later.

Watchers are registered if the client supports it; without them nothing is lost.
"""

import logging

from lsprotocol import types as lsp

from lsp_server.server import VaultseekServer
from search.ids import FILE_TYPES, extensions_of

logger = logging.getLogger(__name__)

GLOB = f"**/*.{{{','.join(extension[1:] for extension in extensions_of(FILE_TYPES))}}}"
_FOLDERS = lsp.FileOperationPattern(glob="**", matches=lsp.FileOperationPatternKind.Folder)
OF_INTEREST = lsp.FileOperationRegistrationOptions(
    filters=[
        lsp.FileOperationFilter(pattern=pattern, scheme="file")
        for pattern in (lsp.FileOperationPattern(glob=GLOB), _FOLDERS)
    ]
)


def did_change_watched_files(ls: VaultseekServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Files changed on disk."""
    ls.session.mark_changed(event.uri for event in params.changes)


def did_create_or_delete_files(ls: VaultseekServer, params: lsp.CreateFilesParams | lsp.DeleteFilesParams) -> None:
    """The editor created or deleted files."""
    ls.session.mark_changed(file.uri for file in params.files)


def did_rename_files(ls: VaultseekServer, params: lsp.RenameFilesParams) -> None:
    """The editor renamed files."""
    ls.session.mark_changed(uri for file in params.files for uri in (file.old_uri, file.new_uri))


async def watch(ls: VaultseekServer) -> None:
    """Register file watchers, if the client supports it."""
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
