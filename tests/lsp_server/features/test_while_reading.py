"""Requests of an editor while a vault is being read or swept for changes: answered from the notes read so far.

Reading is blocked at its second batch, so it does not end during a test.
"""

import os
import threading

import pytest
import pytest_asyncio

from lsp_server.features import cursor
from lsp_server.wire.uris import to_uri
from search.vault.vault import Vault
from vaults import write

pytestmark = pytest.mark.asyncio
NOTES = "".join(f"--- n{n:03}.md\n# Note {n}\n\n[[n{n + 1:03}]] and [[n{n - 1:03}]] #even\n" for n in range(600))
MARKDOWN = {"languageId": "markdown", "version": 1}


@pytest_asyncio.fixture
async def reading(reader, tmp_path, monkeypatch):
    """A client whose vault is read up to its first batch, and the vault's folder."""
    first, go_on = threading.Event(), threading.Event()
    read = Vault.read

    def held_up(vault, notes, *arguments, **options):
        if first.is_set():
            assert go_on.wait(60)
        first.set()
        return read(vault, notes, *arguments, **options)

    monkeypatch.setattr(Vault, "read", held_up)
    monkeypatch.setattr(cursor, "PATIENCE_S", 0.01)
    root = write(tmp_path / "vault", NOTES)
    for number, file in enumerate(sorted(root.glob("*.md"))):
        os.utime(file, (0, 1e9 - number))  # the newest is read first
    (root / ".obsidian").mkdir()
    await reader.initialize(root, initializationOptions={"patienceS": 0})
    await reader.result("vaultseek/search", {"query": "note"})
    while (status := (await reader.result("vaultseek/status"))["vaults"][0]).get("notes", 0) < 64:
        assert status["state"] == "reading"
    yield reader, root
    go_on.set()


async def test_symbols_of_known_notes_are_found_while_reading(reading):
    client, _ = reading
    names = [item["name"] for item in await client.result("workspace/symbol", {"query": "note 5"})]
    assert names[0] == "Note 5"
    assert {"Note 50", "Note 55"} < set(names)
    assert len(await client.result("workspace/symbol", {"query": ""})) == 200


async def test_a_link_to_a_known_note_has_hover_definition_and_references(reading):
    client, root = reading
    at = client.at(root / "n007.md", 2, 3)
    assert "Note 8" in (await client.result("textDocument/hover", at))["contents"]["value"]
    (place,) = await client.result("textDocument/definition", at)
    assert place["uri"] == to_uri(root / "n008.md")
    params = {**at, "context": {"includeDeclaration": False}}
    places = await client.result("textDocument/references", params)
    assert [item["uri"] for item in places] == [to_uri(root / name) for name in ("n007.md", "n009.md")]


async def test_an_open_note_is_known_before_its_file_is_read(reading):
    client, root = reading
    note = root / "n599.md"
    item = {"uri": to_uri(note), "text": "[[n001]] and [[n598]]", **MARKDOWN}
    client.notify("textDocument/didOpen", {"textDocument": item})
    assert "Note 1" in (await client.result("textDocument/hover", client.at(note, 0, 3)))["contents"]["value"]
    for method in ("textDocument/hover", "textDocument/definition"):
        assert await client.result(method, client.at(note, 0, 15)) is None


async def test_a_note_that_was_not_read_yet_has_no_hover(reading):
    client, root = reading
    assert await client.result("textDocument/hover", client.at(root / "n500.md", 2, 3)) is None


async def test_related_notes_come_from_the_notes_read_so_far(reading):
    client, root = reading
    answer = await client.result("vaultseek/related", {"textDocument": {"uri": to_uri(root / "n007.md")}})
    assert {item["id"] for item in answer["results"]} >= {"n006.md", "n008.md"}
    assert (answer["complete"], [notice["code"] for notice in answer["notices"]]) == (False, ["still-reading"])


async def test_requests_that_wait_for_the_whole_vault_block_no_others_and_can_be_cancelled(reading):
    client, root = reading
    client.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"patienceS": 60}}})
    params = {"textDocument": {"uri": to_uri(root / "n007.md")}}
    waiting = [client.ask("vaultseek/related", params) for _ in range(8)]
    waiting += [client.ask("vaultseek/explain", {"query": "note", "note": "n007.md"}) for _ in range(8)]
    first = client.last_id - 15
    assert await client.result("workspace/symbol", {"query": "note 25"})
    assert await client.result("textDocument/hover", client.at(root / "n007.md", 2, 3))
    assert not any(answer.done() for answer in waiting)
    for msg_id in range(first, first + 12):
        client.cancel(msg_id)
    assert {(await answer)["error"]["code"] for answer in waiting[:12]} == {-32800}
    await client.result("shutdown")
    assert {(await answer)["error"]["code"] for answer in waiting[12:]} == {-32800}


async def test_a_slow_sweep_blocks_no_request(reader, tmp_path, monkeypatch):
    """Once all notes are read, no request waits for a sweep that looks for changes."""
    root = tmp_path / "vault"
    await reader.read(root, NOTES)
    go_on, sweep = threading.Event(), Vault.sweep

    def held_up(*arguments):
        assert go_on.wait(60)
        return sweep(*arguments)

    monkeypatch.setattr(Vault, "sweep", held_up)
    reader.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": to_uri(root / "n001.md"), "type": 2}]})
    at = reader.at(root / "n007.md", 2, 3)
    assert (await reader.result("workspace/symbol", {"query": "note 7"}))[0]["name"] == "Note 7"
    assert "Note 8" in (await reader.result("textDocument/hover", at))["contents"]["value"]
    assert (await reader.result("vaultseek/related", {"textDocument": at["textDocument"]}))["complete"]
    go_on.set()
