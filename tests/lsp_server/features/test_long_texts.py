"""Typing in a long note: quick requests answer from the text that was read last, while the new one is read."""

import asyncio
from threading import Event

import pytest

from lsp_server.open_vault import LONG_TEXT
from lsp_server.wire.uris import to_uri
from search.vault import vault as reading

pytestmark = pytest.mark.asyncio

NOTES = """
--- long.md
# Long
--- orchid.md
# Orchid
An orchid likes bark.
"""
TEXT = "# Long\n" + "word " * (LONG_TEXT // 5) + "\n\nSee [[orchid]].\n"
LINK = 3  # its line
NEW = "zebra"  # in texts whose reading is held up


@pytest.fixture
def gate(monkeypatch):
    """Reading a text with the new word begins, and goes on when the gate is opened."""

    class Gate:
        has_begun, is_open = Event(), Event()
        n_read = 0

    parse = reading.parse_text

    def slow_parse(note_id, text, **more):
        if NEW in text:
            Gate.has_begun.set()
            Gate.is_open.wait()
            Gate.n_read += 1
        return parse(note_id, text, **more)

    monkeypatch.setattr(reading, "parse_text", slow_parse)
    yield Gate
    Gate.is_open.set()


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


async def open_long(reader, root):
    await reader.read(root, NOTES)
    item = {"uri": to_uri(root / "long.md"), "languageId": "markdown", "version": 1, "text": TEXT}
    reader.notify("textDocument/didOpen", {"textDocument": item})
    await reader.result("workspace/symbol", {"query": "long"})


def insert(reader, root, text, line=1):
    place = {"line": line, "character": 0}
    reader.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": to_uri(root / "long.md"), "version": 2},
            "contentChanges": [{"range": {"start": place, "end": place}, "text": text}],
        },
    )


async def hover(reader, root, line):
    return await reader.result("textDocument/hover", reader.at(root / "long.md", line, 8))


async def found(reader, query):
    answer = await reader.result("vaultseek/search", {"query": query})
    return [note["id"] for note in answer["results"]]


async def test_hover_and_symbols_answer_while_the_text_is_read_again(reader, root, gate):
    await open_long(reader, root)
    insert(reader, root, f"# A new {NEW}\n")
    names = [item["name"] for item in await reader.result("workspace/symbol", {"query": "long"})]
    assert names[0] == "Long"
    await asyncio.to_thread(gate.has_begun.wait)
    answer = await hover(reader, root, LINK + 1)  # below the edit
    assert "Orchid" in answer["contents"]["value"]
    assert answer["range"]["start"] == {"line": LINK + 1, "character": 4}
    assert (await hover(reader, root, 0))["range"]["start"]["line"] == 0  # above it
    assert await hover(reader, root, 1) is None  # a line that was not read yet
    assert gate.n_read == 0
    gate.is_open.set()


async def test_a_search_finds_what_was_typed_before_it(reader, root, gate):
    await open_long(reader, root)
    insert(reader, root, f"# A new {NEW}\n")
    await hover(reader, root, 0)
    await asyncio.to_thread(gate.has_begun.wait)
    for letter in "abc":  # typed while the text is read
        insert(reader, root, f"{NEW}{letter} ")
        await hover(reader, root, 0)
    asked = asyncio.ensure_future(found(reader, "zebrac"))
    await reader.settle()
    gate.is_open.set()
    assert await asked == ["long.md"]
    assert gate.n_read == 2  # the first version and the last one
    assert "Orchid" in (await hover(reader, root, LINK + 1))["contents"]["value"]


async def test_a_text_that_is_closed_while_it_is_read_is_forgotten(reader, root, gate):
    await open_long(reader, root)
    insert(reader, root, f"# A new {NEW}\n")
    await hover(reader, root, 0)
    await asyncio.to_thread(gate.has_begun.wait)
    reader.notify("textDocument/didClose", {"textDocument": {"uri": to_uri(root / "long.md")}})
    await hover(reader, root, 0)
    asked = asyncio.ensure_future(found(reader, NEW))
    await reader.settle()
    gate.is_open.set()
    assert await asked == []
    assert await found(reader, "long") == ["long.md"]
