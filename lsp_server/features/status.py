"""`vaultseek/status`: the open folders and the state of each. Reads no note and starts no engine."""

from typing import TYPE_CHECKING, Literal

from lsp_server.latency import quantile
from lsp_server.open_vault import OpenVault
from lsp_server.server import VaultseekServer
from lsp_server.session import NO_FOLDER
from lsp_server.wire.decode import structure
from lsp_server.wire.encode import to_json
from lsp_server.wire.types import (
    StatusAnswer,
    VaultParams,
    WireSemantic,
    WireSkipped,
    WireSpeed,
    WireVault,
)
from search.errors import ConfigError, VaultError

if TYPE_CHECKING:
    from search.semantic.status import SemanticStatus

N_SKIPPED_NAMED = 1000  # files listed in an answer; a broken disk can have more


async def status(ls: VaultseekServer, params: object) -> object:
    """The state of the folders; parameters may be absent."""
    typed = structure(VaultParams, {} if params is None else params, "params")
    return await ls.quick_workers.run(lambda _budget: to_json(_status(ls, typed)))


def _status(ls: VaultseekServer, params: VaultParams) -> StatusAnswer:
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


def _vault(vault: OpenVault, ls: VaultseekServer) -> WireVault:
    name = vault.root.name or str(vault.root)
    reason = vault.refusal()
    engine = vault.engine_if_any
    if reason or engine is None:
        state: Literal["refused", "reading", "idle"] = "reading" if vault.is_requested.is_set() else "idle"
        return WireVault(uri=vault.uri, name=name, state="refused" if reason else state, reason=reason or None)
    try:
        status = engine.status()
    except VaultError as error:
        return WireVault(uri=vault.uri, name=name, state="failed", reason=error.reason)
    skipped = list(status.skipped.items())[:N_SKIPPED_NAMED]
    return WireVault(
        uri=vault.uri,
        name=name,
        state="ready" if status.is_complete else "reading",
        notes=status.n_notes,
        pending=status.n_pending,
        generation=status.generation,
        open_notes=len(vault.texts_in(ls.session.documents)),
        skipped=tuple(WireSkipped(note=note, reason=why) for note, why in skipped),
        notices=status.notices,
        semantic=None if status.semantic is None else _semantic(status.semantic),
        searches=_speed(tuple(vault.latencies_ms)),
    )


def _speed(took_ms: tuple[float, ...]) -> WireSpeed | None:
    if not took_ms:
        return None
    p50, p95 = (round(quantile(took_ms, share), 1) for share in (0.5, 0.95))
    return WireSpeed(count=len(took_ms), p50=p50, p95=p95)


def _semantic(status: "SemanticStatus") -> WireSemantic:
    return WireSemantic(
        model=status.model,
        notes=status.n_notes,
        vectors=status.n_vectors,
        missing=status.n_missing,
        gists=status.n_gists,
        missing_gists=status.n_missing_gists,
        unreadable=status.n_foreign,
        cache_bytes=status.n_bytes,
        folder=status.folder,
        filling=status.is_indexing,
        seconds_left=status.seconds_left,
        problem=status.problem or None,
    )


def _message(vaults: tuple[WireVault, ...]) -> str:
    return " ".join(_sentence(vault) for vault in vaults) or NO_FOLDER


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
