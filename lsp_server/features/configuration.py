"""Settings: from initializationOptions at first, then from the client when asked, and again at each change."""

import logging

from lsprotocol import types as lsp

from lsp_server.features.files import watch
from lsp_server.options import SECTION
from lsp_server.protocol import VaultseekServer
from lsp_server.settings import resolve

logger = logging.getLogger(__name__)


def register(server: VaultseekServer) -> None:
    """Add the handlers."""
    server.feature(lsp.INITIALIZED)(initialized)
    server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)


def initialized(ls: VaultseekServer, _params: lsp.InitializedParams) -> None:
    """Take the client's settings and ask it to tell of changes, behind: the client may leave before it answers."""
    ls.background(_begin(ls))


async def _begin(ls: VaultseekServer) -> None:
    sent = await _pulled(ls)
    if sent is None:
        sent = ls.session.initial_options
    if sent is not None:
        await _apply(ls, sent)
    await watch(ls)


async def did_change_configuration(ls: VaultseekServer, params: lsp.DidChangeConfigurationParams) -> None:
    """Use the new settings: those that came along, or where none came, those that the client gives when asked."""
    settings = params.settings
    sent = settings.get(SECTION) if isinstance(settings, dict) else None
    if sent is None:
        sent = await _pulled(ls)
    if sent is not None:
        await _apply(ls, sent)


async def _pulled(ls: VaultseekServer) -> object:
    """The client's settings, None when it has none or cannot say."""
    workspace = ls.client_capabilities.workspace
    if not (workspace and workspace.configuration):
        return None
    try:
        items = [lsp.ConfigurationItem(section=SECTION)]
        answers = await ls.workspace_configuration_async(lsp.ConfigurationParams(items=items))
    except Exception:
        logger.info("The client gives no configuration", exc_info=True)
        return None
    return answers[0] if answers else None


async def _apply(ls: VaultseekServer, sent: object) -> None:
    resolved = await ls.quick.run(lambda _budget: resolve(sent))
    ls.session.configure(resolved.server, resolved.search)
    if resolved.problems:
        ls.warn("\n".join(resolved.problems))
