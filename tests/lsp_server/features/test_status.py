"""`vaultseek/status`."""

import pytest

from lsp_server.latency import RecentLatencies, quantile
from lsp_server.wire.uris import to_uri
from search.errors import VaultError
from search.standing import SemanticStatus
from tests.lsp_server.conftest import ANSWER, Standing

pytestmark = pytest.mark.asyncio


async def test_the_status_tells_how_long_the_last_searches_took(ready):
    (standing,) = (await ready.result("vaultseek/status"))["vaults"]
    assert "searches" not in standing
    ready.script = lambda *_: ANSWER
    for _ in range(3):
        await ready.result("vaultseek/search", {"query": "orchid"})
    (standing,) = (await ready.result("vaultseek/status"))["vaults"]
    assert standing["searches"]["count"] == 3
    assert 0 <= standing["searches"]["p50"] <= standing["searches"]["p95"]


async def test_only_the_last_hundred_times_are_kept():
    latencies = RecentLatencies()
    for took in range(150):
        latencies.add(float(took))
    assert latencies.kept_ms == tuple(map(float, range(50, 150)))
    assert [quantile(latencies.kept_ms, share) for share in (0.0, 0.5, 0.95, 1.0)] == [50.0, 99.0, 144.0, 149.0]


async def test_the_status_shows_model_vectors_and_their_size(ready):
    semantic = SemanticStatus(
        model="toy@1",
        n_notes=2,
        n_vectors=5,
        n_missing=1,
        n_bytes=77,
        folder="/cache",
        is_filling=True,
        seconds_left=3.5,
    )
    await ready.result("vaultseek/search", {"query": "orchid"})
    ready.engines[0].standing = Standing(semantic=semantic)
    (vault,) = (await ready.result("vaultseek/status"))["vaults"]
    assert vault["semantic"] == {
        "model": "toy@1",
        "notes": 2,
        "vectors": 5,
        "missing": 1,
        "cacheBytes": 77,
        "folder": "/cache",
        "filling": True,
        "secondsLeft": 3.5,
    }


SEARCH, STATUS = "vaultseek/search", "vaultseek/status"


async def test_a_vault_is_idle_until_it_is_asked(ready, vault):
    status = await ready.result(STATUS)
    assert status["message"] == "vault: not read yet; the first search reads it."
    assert status["positionEncoding"] == "utf-16"
    assert [(v["uri"], v["state"]) for v in status["vaults"]] == [(to_uri(vault), "idle")]
    assert not ready.engines


async def test_a_vault_that_was_asked_says_how_it_stands(ready, vault):
    await ready.result(SEARCH, {"query": "orchid"})
    ready.notify("textDocument/didOpen", {"textDocument": item(vault / "plants/orchid.md", "x")})
    (v,) = (await ready.result(STATUS, {"vault": to_uri(vault)}))["vaults"]
    assert (v["state"], v["notes"], v["pending"], v["generation"], v["openNotes"]) == ("ready", 2, 0, 3, 1)
    assert v["skipped"] == [{"note": "big.md", "reason": "too long"}]
    ready.engines[0].standing = Standing(is_complete=False, n_pending=5)
    status = await ready.result(STATUS)
    assert status["vaults"][0]["state"] == "reading"
    assert status["message"] == "vault: 2 notes read, 5 to go."
    ready.engines[0].standing = VaultError("/secret/vault", "the folder is gone")
    status = await ready.result(STATUS)
    assert status["vaults"][0]["state"] == "failed"
    assert status["message"] == "vault: not searched: the folder is gone."


def item(path, text, version=1):
    return {"uri": to_uri(path), "languageId": "markdown", "version": version, "text": text}


async def test_a_vault_is_no_longer_idle_once_a_search_is_on_its_way(ready):
    answer = ready.ask("vaultseek/search", {"query": "orchid"})
    (standing,) = (await ready.result("vaultseek/status"))["vaults"]
    assert standing["state"] != "idle"
    await answer
