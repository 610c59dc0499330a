"""`vaultseek/status`: which folders are open, and how each stands. Reads no note and starts no engine."""

from typing import TYPE_CHECKING, Literal

from lsp_server.from_wire import structure
from lsp_server.protocol import VaultseekServer
from lsp_server.session import Vault
from lsp_server.speed import quantile
from lsp_server.to_wire import to_json, wire_notices
from lsp_server.wire import METHOD_STATUS, StatusAnswer, StatusParams, WireSemantic, WireSkipped, WireSpeed, WireVault
from search.errors import ConfigError, VaultError

if TYPE_CHECKING:
    from search.semantic.status import SemanticStatus

N_SKIPPED_NAMED = 1000  # in an answer; a broken disk has more


def register(server: VaultseekServer) -> None:
    """Add the handler."""
    server.feature(METHOD_STATUS)(status)


async def status(ls: VaultseekServer, params: object) -> object:
    """How the folders stand; parameters may be absent."""
    asked = structure(StatusParams, {} if params is None else params, "params")
    return to_json(await ls.quick.run(lambda _budget: _status(ls, asked)))


def _status(ls: VaultseekServer, params: StatusParams) -> StatusAnswer:
    chosen = ls.session.vaults
    if params.vault is not None:
        named = ls.session.vault_named(params.vault)
        if named is None:
            raise ConfigError("params.vault", params.vault, "the URI of an open folder")
        chosen = (named,)
    vaults = tuple(_vault(vault, ls) for vault in chosen)
    return StatusAnswer(
        version=ls.version, position_encoding=ls.encoding.value, message=_message(vaults), vaults=vaults
    )


def _vault(vault: Vault, ls: VaultseekServer) -> WireVault:
    name = vault.root.name or str(vault.root)
    reason = vault.refusal()
    engine = vault.engine_if_any
    if reason or engine is None:
        state: Literal["refused", "reading", "idle"] = "reading" if vault.asked.is_set() else "idle"
        return WireVault(uri=vault.uri, name=name, state="refused" if reason else state, reason=reason or None)
    try:
        standing = engine.status()
    except VaultError as error:
        return WireVault(uri=vault.uri, name=name, state="failed", reason=error.reason)
    skipped = list(standing.skipped.items())[:N_SKIPPED_NAMED]
    return WireVault(
        uri=vault.uri,
        name=name,
        state="ready" if standing.is_complete else "reading",
        notes=standing.n_notes,
        pending=standing.n_pending,
        generation=standing.generation,
        open_notes=sum(doc.path is not None and vault.note_of(doc.path) is not None for doc in ls.session.documents),
        skipped=tuple(WireSkipped(note=note, reason=why) for note, why in skipped),
        notices=wire_notices(standing.notices),
        semantic=None if standing.semantic is None else _semantic(standing.semantic),
        searches=_speed(vault.speed.kept),
    )


def _speed(took_ms: tuple[float, ...]) -> WireSpeed | None:
    if not took_ms:
        return None
    p50, p95 = (round(quantile(took_ms, share), 1) for share in (0.5, 0.95))
    return WireSpeed(count=len(took_ms), p50=p50, p95=p95)


def _semantic(standing: "SemanticStatus") -> WireSemantic:
    return WireSemantic(
        model=standing.model,
        notes=standing.n_notes,
        vectors=standing.n_vectors,
        missing=standing.n_missing,
        cache_bytes=standing.n_bytes,
        folder=standing.folder,
        filling=standing.is_filling,
        seconds_left=standing.seconds_left,
        problem=standing.problem or None,
    )


def _message(vaults: tuple[WireVault, ...]) -> str:
    if not vaults:
        return "No folder is open; open a vault's folder or name one in vaultseek.vaults."
    return " ".join(_sentence(vault) for vault in vaults)


def _sentence(vault: WireVault) -> str:
    match vault.state:
        case "idle":
            return f"{vault.name}: not read yet; the first search reads it."
        case "reading":
            return f"{vault.name}: {vault.notes} notes read, {vault.pending} to go."
        case "ready":
            return f"{vault.name}: {vault.notes} notes."
        case "refused" | "failed":
            return f"{vault.name}: not searched: {vault.reason}."
