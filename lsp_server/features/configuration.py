"""Settings: from initializationOptions at first, then from the client when asked, and again at each change.

A client that is asked says what holds for each folder too. What cannot be used is told once, by its name, and again
only after it was right in between.
"""

import contextlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from lsp_server.features.files import watch
from lsp_server.options import SECTION
from lsp_server.protocol import VaultseekServer
from lsp_server.session import Vault
from lsp_server.settings import resolve
from lsp_server.uris import to_uri
from search.budget import Cancelled
from search.errors import VaultseekError

logger = logging.getLogger(__name__)


def register(server: VaultseekServer) -> None:
    """Add the handlers."""
    server.feature(lsp.INITIALIZED)(initialized)
    server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)


def initialized(ls: VaultseekServer, _params: lsp.InitializedParams) -> None:
    """Take the client's settings and ask it to tell of changes, behind: the client may leave before it answers."""
    ls.client_log.open()
    pull(ls)
    ls.background(watch(ls))


def did_change_configuration(ls: VaultseekServer, params: lsp.DidChangeConfigurationParams) -> None:
    """Use the new settings: those that came along, or where none came, those that the client gives when asked."""
    settings = params.settings
    sent = settings.get(SECTION) if isinstance(settings, dict) else None
    if sent is None:
        pull(ls)
    else:
        ls.changes.begin(lambda number: _apply(ls, number, sent))


def pull(ls: VaultseekServer) -> None:
    """Ask the client for its settings and those of each folder; what is asked of us meanwhile waits for them."""
    ls.changes.begin(lambda number: _pull(ls, number))


async def _pull(ls: VaultseekServer, number: int) -> None:
    """Where the client has no settings or cannot say, those of `initialize` stay, or what it sent since."""
    workspace = ls.client_capabilities.workspace
    scopes = ls.session.scopes
    answers: Sequence[object] = ()
    if workspace and workspace.configuration:
        items = [lsp.ConfigurationItem(section=SECTION)]
        items += [lsp.ConfigurationItem(scope_uri=to_uri(folder), section=SECTION) for folder in scopes.values()]
        try:
            with ls.changes.asking():
                answers = await ls.workspace_configuration_async(lsp.ConfigurationParams(items=items)) or ()
        except Exception:
            logger.info("The client gives no configuration", exc_info=True)
    common, *own = answers or (None,)
    sent = common
    if sent is None and not ls.session.is_configured:
        sent = ls.session.initial_options
    if sent is not None:
        of_folders = {folder: value for folder, value in zip(scopes, own, strict=False) if value not in (None, common)}
        await _apply(ls, number, sent, of_folders)


async def _apply(
    ls: VaultseekServer, number: int, sent: object, of_folders: Mapping[Path, object] | None = None
) -> None:
    own = of_folders or {}
    common, resolved = await ls.quick.run(
        lambda _budget: (resolve(sent), {folder: resolve(value) for folder, value in own.items()})
    )
    if not ls.changes.supersede(number):
        return
    ls.session.configure(common.server, common.search, resolved)
    problems = list(common.problems)
    for folder, one in resolved.items():
        problems += [f"{folder.name}: {line}" for line in one.problems if line not in common.problems]
    if new := [line for line in problems if line not in ls.told_problems]:
        ls.warn("\n".join(new))
    ls.told_problems = frozenset(problems)
    for vault in ls.session.vaults:
        if _begins_at_once(vault) and not vault.refusal():
            ls.session.expect(vault.uri)
            ls.background(_begin(ls, vault))


def _begins_at_once(vault: Vault) -> bool:
    from search.semantic.settings import AutoIndex  # noqa: PLC0415 - takes a while, and the server has started by now

    return vault.settings_of(vault.root).indexing.auto_index is AutoIndex.ON_STARTUP


async def _begin(ls: VaultseekServer, vault: Vault) -> None:
    """Read a vault and have its notes embedded behind, before anybody asks; what fails is told to who asks."""
    with contextlib.suppress(VaultseekError, Cancelled):
        await ls.patient.run(lambda budget: vault.engine(ls.session.documents).indexed(budget=budget))
