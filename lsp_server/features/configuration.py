"""Settings: from initializationOptions at first, then from the client on request, and again at each change.

The server also requests the settings of each folder. An invalid setting is shown to the user once, and again only if it
was valid in between.
"""

import contextlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from lsp_server.config.options import SECTION
from lsp_server.config.settings import resolve
from lsp_server.features.files import watch
from lsp_server.open_vault import OpenVault
from lsp_server.server import VaultseekServer
from lsp_server.wire.uris import to_uri
from search.budget import Cancelled
from search.errors import VaultseekError

logger = logging.getLogger(__name__)


def initialized(ls: VaultseekServer, _params: lsp.InitializedParams) -> None:
    """Request the client's settings and register file watchers, in the background: the client may never answer."""
    ls.client_log.open()
    pull(ls)
    ls.start(watch(ls))


def did_change_configuration(ls: VaultseekServer, params: lsp.DidChangeConfigurationParams) -> None:
    """Use the settings in the notification or, if it has none, request them from the client."""
    settings = params.settings
    sent = settings.get(SECTION) if isinstance(settings, dict) else None
    if sent is None:
        pull(ls)
    else:
        ls.changes.begin(lambda number: _apply(ls, number, sent))


def pull(ls: VaultseekServer) -> None:
    """Request the settings of the client and of each folder; requests that arrive meanwhile wait for them."""
    ls.changes.begin(lambda number: _pull(ls, number))


async def _pull(ls: VaultseekServer, number: int) -> None:
    """Apply the client's answer; if it gives no settings, those of `initialize` or a later notification stay."""
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
    common, resolved = await ls.quick_workers.run(
        lambda _budget: (resolve(sent), {folder: resolve(value) for folder, value in own.items()})
    )
    if not ls.changes.claim(number):
        return
    ls.session.configure(common.server, common.search, resolved)
    ls.cancel_closed()
    problems = list(common.problems)
    for folder, one in resolved.items():
        problems += [f"{folder.name}: {line}" for line in one.problems if line not in common.problems]
    if new := [line for line in problems if line not in ls.shown_problems]:
        ls.warn("\n".join(new))
    ls.shown_problems = frozenset(problems)
    for vault in ls.session.vaults:
        if _is_indexed_on_startup(vault) and not vault.refusal():
            ls.session.mark_requested(vault.uri)
            ls.start(_index(ls, vault))


def _is_indexed_on_startup(vault: OpenVault) -> bool:
    from search.semantic.settings import AutoIndex  # noqa: PLC0415 it takes long to import, and the server has started by now

    return vault.settings_of(vault.root).indexing.auto_index is AutoIndex.ON_STARTUP


async def _index(ls: VaultseekServer, vault: OpenVault) -> None:
    """Read a vault and embed its notes before the first request. Errors are ignored: a request will report them."""
    with contextlib.suppress(VaultseekError, Cancelled):
        await ls.patient_workers.run(lambda budget: vault.engine(ls.session.documents).maintenance(budget=budget))
