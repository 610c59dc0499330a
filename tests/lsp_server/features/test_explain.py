"""`vaultseek/explain`."""

import pytest

from lsp_server.wire.uris import to_uri

pytestmark = pytest.mark.asyncio


async def test_explain_gives_a_note_s_rank(ready, vault):
    params = {"query": "orchid", "note": to_uri(vault / "plants/orchid.md"), "options": {"x": 1}, "workDoneToken": "t"}
    answer = await ready.result("vaultseek/explain", params)
    assert (answer["note"], answer["uri"]) == ("plants/orchid.md", to_uri(vault / "plants/orchid.md"))
    assert (answer["rank"], answer["total"], answer["step"], answer["sentence"]) == (1, 1, "ranked", "First.")
    assert answer["found"]["id"] == "plants/orchid.md"
    assert "lastShown" not in answer
    assert [notice["code"] for notice in answer["notices"]] == ["unknown-option"]


async def test_explain_accepts_a_note_s_id(ready):
    assert (await ready.result("vaultseek/explain", {"query": "orchid", "note": "a/b.md"}))["note"] == "a/b.md"


@pytest.mark.parametrize("note", ["/etc/passwd", "../../etc/passwd", "../a.md", "nowhere.md"])
async def test_a_note_that_does_not_exist_has_no_address(reader, tmp_path, note):
    """An id may name any file; the answer must not turn it into an address that a client would open."""
    await reader.read(tmp_path / "vault", "--- a.md\noak")
    answer = await reader.result("vaultseek/explain", {"query": "oak", "note": note})
    assert (answer["step"], answer["sentence"]) == ("missing", "There is no such note.")
    assert "uri" not in answer


async def test_explain_without_a_vault_is_refused_with_the_reason(client):
    await client.initialize()
    error = await client.error("vaultseek/explain", {"query": "orchid", "note": "a.md"})
    assert error["message"] == "No folder is open. Open a vault's folder, or add one to vaultseek.vaults."
