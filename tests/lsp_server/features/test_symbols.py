"""`workspace/symbol` over real notes."""

import os

import pytest

from lsp_server.wire.uris import to_uri
from tests.lsp_server.features.notes import NOTES
from vaults import write

pytestmark = pytest.mark.asyncio


VS_CODE = {"name": "Visual Studio Code", "version": "1.139.1"}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


async def symbols(reader, query):
    found = await reader.result("workspace/symbol", {"query": query})
    return [
        (item["name"], item["kind"], item["containerName"], item["location"]["range"]["start"]["line"])
        for item in found
    ]


async def test_symbols_are_notes_and_headings(reader, root):
    """Notes have the kind File and headings the kind String."""
    await reader.read(root, NOTES)
    assert await symbols(reader, "feed") == [("feeding", 1, "Feeding plants", 0), ("Feeding", 15, "Orchid", 8)]
    assert len(await symbols(reader, "")) == 5


@pytest.mark.parametrize(
    ("client", "setting", "n_found"), [(VS_CODE, None, 1), (VS_CODE, True, 2), (None, False, 1), (None, None, 2)]
)
async def test_vs_code_lists_headings_itself(reader, root, client, setting, n_found):
    await reader.read(root, NOTES, clientInfo=client, initializationOptions={"symbolHeadings": setting})
    assert len(await symbols(reader, "feed")) == n_found


async def test_no_more_than_200_symbols_are_given(reader, root):
    await reader.read(root, "".join(f"--- note {n}.md\ntext\n" for n in range(250)))
    assert len(await symbols(reader, "note")) == 200
    assert len(await symbols(reader, "")) == 200


async def test_symbols_of_several_vaults_name_their_vault(reader, root, tmp_path):
    other = tmp_path / "other"
    (other / ".obsidian").mkdir(parents=True)
    (other / "feed.md").write_text("x")
    (tmp_path / "plain").mkdir()
    await reader.read(root, NOTES)
    folders = [{"uri": to_uri(path), "name": "x"} for path in (other, tmp_path / "plain")]
    reader.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": folders, "removed": []}})
    await reader.result("vaultseek/search", {"query": "x", "vault": to_uri(other)})
    containers = [container for _, _, container, _ in await symbols(reader, "feed")]
    assert containers == ["other: feed.md", "vault: Feeding plants", "vault: Orchid"]


async def test_symbols_do_not_wait_for_the_vault_s_lock(reader, root, monkeypatch):
    await reader.read(root, NOTES)
    with reader.engines[0].indexer.lock:
        assert len(await symbols(reader, "feed")) == 2


async def test_without_a_query_the_note_being_edited_comes_first(reader, root):
    """Even if it was opened before the first note was read, and if it was never saved."""
    write(root, "--- old.md\nx\n--- older.md\nx\n--- .obsidian/app.json\n{}\n")
    for name, modified in (("old.md", 2000), ("older.md", 1000)):
        os.utime(root / name, (0, modified))
    await reader.initialize(root)

    async def newest():
        return [name for name, *_ in await symbols(reader, "")]

    item = {"uri": to_uri(root / "older.md"), "languageId": "markdown", "version": 1, "text": "x\n"}
    reader.notify("textDocument/didOpen", {"textDocument": item})
    assert await newest() == ["old", "older"]
    change = {"textDocument": {"uri": item["uri"], "version": 2}, "contentChanges": [{"text": "typed"}]}
    reader.notify("textDocument/didChange", change)
    assert await newest() == ["older", "old"]
    reader.notify("textDocument/didOpen", {"textDocument": {**item, "uri": to_uri(root / "unsaved.md")}})
    assert await newest() == ["unsaved", "older", "old"]


async def test_symbols_have_no_control_characters(reader, root):
    await reader.read(root, "--- e.md\n# Evil\x1b[31m oak\n## Evil\x9b elm\n")
    assert {name for name, *_ in await symbols(reader, "evil")} == {"Evil\ufffd[31m oak", "Evil\ufffd elm"}


async def test_html_and_markdown_in_a_name_are_plain_text_as_typed(reader, root):
    """LSP has names as plain text, so a client would show the escapes; what renders Markdown, as a hover, escapes."""
    text = "<img src=x onerror=alert(1)> [oak](command:x) $(sync) &lt;"
    await reader.read(root, f"--- tree.md\n---\ntitle: '{text}'\n---\n\n## {text} too\n")
    assert await symbols(reader, "onerror") == [(text, 1, "tree.md", 3), (f"{text} too", 15, text, 4)]
