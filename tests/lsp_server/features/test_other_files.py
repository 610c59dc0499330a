"""Files that are not Markdown in an editor: a file whose lines no reader sees opens at its beginning."""

import json

import pytest
from kit.pictures import jpeg

from lsp_server.wire.uris import to_path, to_uri

pytestmark = pytest.mark.asyncio

BOARD = json.dumps({"nodes": [{"type": "text", "text": f"{n} acorns [[here]]"} for n in range(9)]}, indent=1)
NOTES = f"""
--- here.md
See [[Board.canvas]], [[old.org]] and [[old.org#Bark]].
--- Board.canvas
{BOARD}
--- old.org
* Oak
The old oak, [[file:here.md][here]].
* Bark
Thick.
"""


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


def spots(root, locations):
    return [
        (str(to_path(item["uri"]).relative_to(root)), *(item["range"][end]["line"] for end in ("start", "end")))
        for item in locations
    ]


async def test_an_excerpt_of_a_canvas_opens_the_file_at_its_beginning(reader, root):
    await reader.read(root, NOTES)
    answer = await reader.result("vaultseek/search", {"query": "acorns"})
    (result,) = answer["results"]
    beginning = {"line": 0, "character": 0}
    assert [snippet["range"] for snippet in result["snippets"]] == [{"start": beginning, "end": beginning}] * 3
    assert all(snippet["marks"] and not snippet["highlights"] for snippet in result["snippets"])
    assert {section["line"] for section in result["sections"]} == {0}


async def test_an_excerpt_of_a_card_or_cell_names_it_and_has_its_line_in_the_file(reader, root):
    board = json.dumps({"nodes": [{"id": "n1", "type": "text", "text": "nuts"}]}, indent=1)
    book = json.dumps({"cells": [{"cell_type": "code", "source": "x"}, {"cell_type": "code", "source": "nuts"}]})
    await reader.read(root, f"{NOTES}--- b.canvas\n{board}\n--- c.ipynb\n{book}\n")
    answer = await reader.result("vaultseek/search", {"query": "nuts"})
    found = {result["id"]: result["snippets"][0] for result in answer["results"]}
    assert found["b.canvas"]["fragment"] == "n1"
    assert found["b.canvas"]["range"]["start"] == {"line": 3, "character": 0}
    assert found["c.ipynb"]["fragment"] == "cell=2"


async def test_a_file_is_found_with_the_lines_that_link_to_it_and_leads_to_them(reader, root):
    root.mkdir()
    (root / "map.png").write_bytes(b"\x89PNG")
    await reader.read(root, "--- trip.md\nThe ![[map.png]] of the trip.\n")
    answer = await reader.result("vaultseek/search", {"query": "map.png"})
    (result,) = (result for result in answer["results"] if result["id"] == "map.png")
    assert result["snippets"][0]["text"] == "trip: The ![[map.png]] of the trip."
    notes_only = await reader.result("vaultseek/search", {"query": "map.png", "options": {"types": ["md"]}})
    assert {result["id"] for result in notes_only["results"]} == {"trip.md"}
    asked = {"textDocument": {"uri": to_uri(root / "map.png")}}
    related = await reader.result("vaultseek/related", asked)
    assert [result["id"] for result in related["results"]] == ["trip.md"]


async def test_a_hover_over_a_picture_has_its_size_and_its_text(reader, root):
    root.mkdir()
    (root / "map.jpg").write_bytes(jpeg(size=(400, 300), comment="the bay", noise=bytes(5000)))
    await reader.read(root, "--- trip.md\nThe ![[map.jpg]] of the trip.\n")
    position = {"textDocument": {"uri": to_uri(root / "trip.md")}, "position": {"line": 0, "character": 8}}
    found = ""
    while "the bay" not in found:  # it is read in the background
        await reader.result("vaultseek/search", {"query": "bay"})
        found = (await reader.result("textDocument/hover", position))["contents"]["value"]
    assert "400 × 300 pixels, 5 kB" in found


async def test_an_unknown_type_is_refused(reader, root):
    await reader.read(root, NOTES)
    error = await reader.error("vaultseek/search", {"query": "a", "options": {"types": ["pictures"]}})
    assert "types" in error["message"]


async def test_an_excerpt_of_a_text_file_has_its_line(reader, root):
    await reader.read(root, NOTES)
    answer = await reader.result("vaultseek/search", {"query": "thick"})
    assert [snippet["range"]["start"]["line"] for snippet in answer["results"][0]["snippets"]] == [3]


async def test_symbols_and_definitions_lead_to_lines_where_there_are_any(reader, root):
    await reader.read(root, NOTES)
    found = await reader.result("workspace/symbol", {"query": "acorns"})
    assert {item["location"]["range"]["start"]["line"] for item in found} == {0}
    definition = [
        spots(root, await reader.result("textDocument/definition", reader.at(root / "here.md", 0, column)))
        for column in (8, 25, 45)
    ]
    assert definition == [[("Board.canvas", 0, 0)], [("old.org", 0, 0)], [("old.org", 2, 2)]]


async def test_references_are_in_canvases_and_text_files(reader, root):
    await reader.read(root, NOTES)
    asked = reader.at(root / "old.org", 1, 22, context={"includeDeclaration": False})
    found = spots(root, await reader.result("textDocument/references", asked))
    assert set(found) == {("Board.canvas", 0, 0), ("old.org", 1, 1)}


async def test_a_hover_over_a_link_to_a_canvas_shows_its_cards(reader, root):
    await reader.read(root, NOTES)
    answer = await reader.result("textDocument/hover", reader.at(root / "here.md", 0, 8))
    assert answer["contents"]["value"].startswith(f"**[Board]({to_uri(root / 'Board.canvas')})**\n\n0 acorns")


async def test_there_is_no_hover_inside_the_text_of_a_canvas(reader, root):
    await reader.read(root, NOTES)
    assert await reader.result("textDocument/hover", reader.at(root / "Board.canvas", 4, 25)) is None


async def test_an_open_canvas_is_searched_as_it_is_on_the_screen(reader, root):
    await reader.read(root, NOTES)
    text = json.dumps({"nodes": [{"type": "text", "text": "magpies"}]})
    document = {"uri": to_uri(root / "Board.canvas"), "languageId": "json", "version": 1, "text": text}
    reader.notify("textDocument/didOpen", {"textDocument": document})
    answer = await reader.result("vaultseek/search", {"query": "magpies"})
    assert [result["id"] for result in answer["results"]] == ["Board.canvas"]


async def test_notes_related_to_a_selection_in_a_canvas_are_those_of_the_canvas(reader, root):
    await reader.read(root, NOTES)
    selection = {"start": {"line": 5, "character": 0}, "end": {"line": 6, "character": 3}}
    params = {"textDocument": {"uri": to_uri(root / "Board.canvas")}, "range": selection}
    answer = await reader.result("vaultseek/related", params)
    assert {result["id"] for result in answer["results"]} == {"here.md", "old.org"}


async def test_the_types_are_a_setting(reader, root):
    await reader.read(root, NOTES, initializationOptions={"fileTypes": ["org"]})
    assert (await reader.result("vaultseek/search", {"query": "acorns"}))["results"] == []
    assert (await reader.result("vaultseek/search", {"query": "thick"}))["results"]
