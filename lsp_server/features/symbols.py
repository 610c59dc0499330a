"""`workspace/symbol`: notes by title and alias, and headings, for each keystroke; answered at once from known notes.

Clients filter the answer by name, so only names are matched here; `vaultseek/search` matches note text. VS Code lists
headings with its own Markdown extension, so it gets none unless the setting `symbolHeadings` is true.
"""

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from lsp_server.open_vault import OpenVault
from lsp_server.server import VaultseekServer
from lsp_server.wire.plain_text import plain
from search.budget import Budget
from search.ids import has_lines_of_file

if TYPE_CHECKING:
    from search.navigation.symbols import Symbol  # imports numpy, which starting does not need

MAX_SYMBOLS = 200
_VS_CODES = ("Visual Studio Code", "Code - OSS", "VSCodium", "code-server")
_KINDS = {"note": lsp.SymbolKind.File, "alias": lsp.SymbolKind.File, "heading": lsp.SymbolKind.String}


async def symbols(ls: VaultseekServer, params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
    """The best 200 of all vaults; for an empty query the most recently changed notes."""
    return await ls.hover_workers.run(lambda budget: _symbols(ls, params.query, budget))


def _symbols(ls: VaultseekServer, query: str, budget: Budget) -> list[lsp.WorkspaceSymbol]:
    found: list[tuple[Symbol, OpenVault]] = []
    for vault in ls.session.vaults:
        budget.check()
        if not vault.refusal():
            engine = vault.quick_engine(ls.session.documents)
            items = engine.symbols(query, limit=MAX_SYMBOLS, with_headings=_wants_headings(ls))
            found += [(item, vault) for item in items]
    found.sort(key=lambda pair: -pair[0].score)  # stable: equal scores keep their order
    several = len({vault.root for _, vault in found}) > 1
    return [_symbol(item, vault, is_vault_named=several) for item, vault in found[:MAX_SYMBOLS]]


def _wants_headings(ls: VaultseekServer) -> bool:
    if ls.session.options.symbol_headings is not None:
        return ls.session.options.symbol_headings
    return not ls.client_name.startswith(_VS_CODES)


def _symbol(item: "Symbol", vault: OpenVault, *, is_vault_named: bool) -> lsp.WorkspaceSymbol:
    place = lsp.Position(item.line if has_lines_of_file(item.note) else 0, 0)
    container = item.note if item.name == item.title else item.title
    return lsp.WorkspaceSymbol(
        name=plain(item.name),
        kind=_KINDS[item.kind.value],
        location=lsp.Location(vault.uri_of(item.note), lsp.Range(place, place)),
        container_name=plain(f"{vault.root.name}: {container}" if is_vault_named else container),
    )
