"""`vaultseek/status`."""

import pytest

from lsp_server.wire.uris import to_uri
from search.errors import VaultError
from search.semantic.status import SemanticStatus
from tests.lsp_server.conftest import ANSWER, ScriptedStatus

pytestmark = pytest.mark.asyncio


async def test_the_status_has_the_durations_of_the_last_searches(ready):
    (status,) = (await ready.result("vaultseek/status"))["vaults"]
    assert "searches" not in status
    ready.script = lambda *_: ANSWER
    for _ in range(3):
        await ready.result("vaultseek/search", {"query": "orchid"})
    (status,) = (await ready.result("vaultseek/status"))["vaults"]
    assert status["searches"]["count"] == 3
    assert 0 <= status["searches"]["p50"] <= status["searches"]["p95"]


async def test_the_status_covers_the_last_hundred_searches(ready):
    await ready.result("vaultseek/search", {"query": "orchid"})
    ready.server.session.vaults[0].latencies_ms.extend(float(took) for took in range(150))
    (status,) = (await ready.result("vaultseek/status"))["vaults"]
    assert status["searches"] == {"count": 100, "p50": 99.0, "p95": 144.0}


async def test_the_status_has_the_model_the_vectors_and_their_size(ready):
    semantic = SemanticStatus(
        model="toy@1",
        n_notes=2,
        n_vectors=5,
        n_missing=1,
        n_gists=3,
        n_missing_gists=2,
        n_foreign=4,
        n_bytes=77,
        folder="/cache",
        is_indexing=True,
        seconds_left=3.5,
    )
    await ready.result("vaultseek/search", {"query": "orchid"})
    ready.engines[0].current_status = ScriptedStatus(semantic=semantic)
    (vault,) = (await ready.result("vaultseek/status"))["vaults"]
    assert vault["semantic"] == {
        "model": "toy@1",
        "notes": 2,
        "vectors": 5,
        "missing": 1,
        "gists": 3,
        "missingGists": 2,
        "unreadable": 4,
        "cacheBytes": 77,
        "folder": "/cache",
        "filling": True,
        "secondsLeft": 3.5,
    }


SEARCH, STATUS = "vaultseek/search", "vaultseek/status"


async def test_a_vault_is_idle_until_the_first_search(ready, vault):
    status = await ready.result(STATUS)
    assert status["message"] == "vault: not read yet; the first search reads it."
    assert status["positionEncoding"] == "utf-16"
    assert [(v["uri"], v["state"]) for v in status["vaults"]] == [(to_uri(vault), "idle")]
    assert not ready.engines


async def test_the_status_of_a_vault_follows_its_engine(ready, vault):
    await ready.result(SEARCH, {"query": "orchid"})
    ready.notify("textDocument/didOpen", {"textDocument": item(vault / "plants/orchid.md", "x")})
    (v,) = (await ready.result(STATUS, {"vault": to_uri(vault)}))["vaults"]
    assert (v["state"], v["notes"], v["pending"], v["generation"], v["openNotes"]) == ("ready", 2, 0, 3, 1)
    assert v["skipped"] == [{"note": "big.md", "reason": "too long"}]
    ready.engines[0].current_status = ScriptedStatus(is_complete=False, n_pending=5)
    status = await ready.result(STATUS)
    assert status["vaults"][0]["state"] == "reading"
    assert status["message"] == "vault: 2 notes read, 5 to go."
    ready.engines[0].current_status = VaultError("/secret/vault", "the folder is gone")
    status = await ready.result(STATUS)
    assert status["vaults"][0]["state"] == "failed"
    assert status["message"] == "vault: not searched: the folder is gone."


def item(path, text, version=1):
    return {"uri": to_uri(path), "languageId": "markdown", "version": version, "text": text}


async def test_a_vault_is_not_idle_while_the_first_search_runs(ready):
    answer = ready.ask("vaultseek/search", {"query": "orchid"})
    (status,) = (await ready.result("vaultseek/status"))["vaults"]
    assert status["state"] != "idle"
    await answer
