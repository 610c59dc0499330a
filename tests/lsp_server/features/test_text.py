"""`vaultseek/text`: the text of a file as it is searched, only of files that are searched."""

import asyncio
import json
import os

import pytest
from kit.attachments import docx, pdf

from lsp_server.wire.uris import to_uri
from search.navigation import searched_text
from vaults import write

pytestmark = pytest.mark.asyncio
TEXT = "vaultseek/text"
LONG_AGO = 1_600_000_000
INVALID_PARAMS, REQUEST_FAILED = -32602, -32803
BOOK = {"cells": [{"cell_type": "markdown", "source": "walnut"}, {"cell_type": "code", "source": "hazel = 1"}]}
CARDS = ("almond", "a pecan", "a medlar")
BOARD = {"nodes": [{"id": f"n{at}", "type": "text", "text": text} for at, text in enumerate(CARDS, 1)]}
del BOARD["nodes"][2]["id"]
NOTES = f"""
--- oak.md
# Oak
Acorns.
--- book.ipynb
{json.dumps(BOOK)}
--- board.canvas
{json.dumps(BOARD)}
--- secret/plan.md
hidden
"""


@pytest.fixture
def root(tmp_path):
    """A vault whose PDF and office files are old enough to be read at once."""
    root = write(tmp_path / "vault", NOTES)
    for name, data in (
        ("paper.pdf", pdf("oaks", "a hornbeam\nand a lime tree")),
        ("minutes.docx", docx("The squirrels met.")),
        ("damaged.pdf", b"%PDF-1.4 nothing"),
        ("map.png", b"\x89PNG"),
        ("birds.mp3", b"ID3"),
    ):
        (root / name).write_bytes(data)
        os.utime(root / name, (LONG_AGO, LONG_AGO))
    return root


async def opened(reader, root, **more):
    await reader.read(root, "", **more)
    for engine in reader.engines:
        await asyncio.to_thread(engine.indexer.extraction.wait)


def asked_for(root, name, **more):
    return {"textDocument": {"uri": to_uri(root / name)}, **more}


async def test_a_pdf_has_its_text_and_pages(reader, root):
    await opened(reader, root)
    answer = await reader.result(TEXT, asked_for(root, "paper.pdf"))
    lines = answer["text"].split("\n")
    assert [(place["fragment"], lines[place["line"]]) for place in answer["places"]] == [
        ("page=1", "oaks"),
        ("page=2", "a hornbeam"),
    ]
    assert (answer["id"], answer["cut"], answer["vault"]) == ("paper.pdf", False, to_uri(root))


@pytest.mark.parametrize(
    ("name", "word", "fragment"),
    [
        ("paper.pdf", "lime", "page=2"),
        ("minutes.docx", "squirrels", None),
        ("book.ipynb", "hazel", "cell=2"),
        ("board.canvas", "pecan", "n2"),
        ("board.canvas", "medlar", "card=3"),
    ],
)
async def test_an_excerpt_says_where_its_match_is_in_the_text(reader, root, name, word, fragment):
    await opened(reader, root)
    answer = await reader.result("vaultseek/search", {"query": word})
    (snippet,) = answer["results"][0]["snippets"]
    text = await reader.result(TEXT, asked_for(root, name))
    start, end = snippet["textRange"]["start"], snippet["textRange"]["end"]
    line = text["text"].split("\n")[start["line"]]
    assert (start["line"], line[start["character"] : end["character"]]) == (end["line"], word)
    assert snippet.get("fragment") == fragment
    above = [place["fragment"] for place in text["places"] if place["line"] <= start["line"]]
    assert above[-1:] == ([fragment] if fragment else [])


async def test_a_match_far_in_a_line_is_counted_in_the_agreed_columns(reader, root):
    """The excerpt begins late in its line, after characters of two units."""
    cell = {"cell_type": "markdown", "source": "😀 " * 300 + "rowan"}
    (root / "long.ipynb").write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    await opened(reader, root)
    answer = await reader.result("vaultseek/search", {"query": "rowan"})
    (snippet,) = answer["results"][0]["snippets"]
    assert snippet["textRange"]["start"] == {"line": 0, "character": 900}


async def test_an_excerpt_with_a_place_in_its_file_or_in_another_note_has_no_other_place(reader, root):
    (root / "oak.md").write_text("Acorns on the ![[map.png]].\n", encoding="utf-8")
    await opened(reader, root)
    answer = await reader.result("vaultseek/search", {"query": "map.png"})
    assert {result["id"] for result in answer["results"]} == {"oak.md", "map.png"}
    assert not any("textRange" in snippet for result in answer["results"] for snippet in result["snippets"])


@pytest.mark.parametrize("name", ["scan.pdf", "empty.csv"])
async def test_an_excerpt_of_another_note_is_no_place_in_a_file_without_text(reader, root, name):
    (root / "oak.md").write_text(f"Acorns on the ![[{name}]].\n", encoding="utf-8")
    (root / name).write_bytes(pdf("") if name.endswith("pdf") else b"")
    os.utime(root / name, (LONG_AGO, LONG_AGO))
    await opened(reader, root)
    answer = await reader.result("vaultseek/search", {"query": name})
    (snippet,) = next(result["snippets"] for result in answer["results"] if result["id"] == name)
    assert snippet["text"] == f"oak: Acorns on the ![[{name}]]."
    assert snippet["range"] == {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    assert not {"textRange", "fragment", "page"} & set(snippet)


async def test_related_notes_have_their_page(reader, root):
    (root / "oak.md").write_text("Hornbeam, see [[paper.pdf]].\n", encoding="utf-8")
    await opened(reader, root)
    answer = await reader.result("vaultseek/related", asked_for(root, "oak.md"))
    (snippet,) = next(result["snippets"] for result in answer["results"] if result["id"] == "paper.pdf")
    assert (snippet["fragment"], snippet["page"], snippet["textRange"]["start"]["line"]) == ("page=2", 2, 1)


@pytest.mark.parametrize(
    ("link", "head", "hint"),
    [
        ("paper.pdf#page=2", "**[paper › page 2]({uri}#page=2)**\n\na hornbeam", ""),
        ("paper.pdf#page=9", "**[paper]({uri})**", "This note has no heading page=9."),
        ("paper.pdf", "**[paper]({uri})**\n\noaks", ""),
    ],
)
async def test_the_hover_of_a_link_to_a_page_shows_it_and_leads_to_it(reader, root, link, head, hint):
    (root / "oak.md").write_text(f"See [[{link}]].\n", encoding="utf-8")
    await opened(reader, root)
    answer = await reader.result("textDocument/hover", reader.at(root / "oak.md", 0, 8))
    text = answer["contents"]["value"]
    assert text.startswith(head.format(uri=to_uri(root / "paper.pdf")))
    assert hint in text
    assert ("no heading" in text) is bool(hint)


async def test_the_hover_of_a_heading_leads_to_the_page_of_a_related_file(reader, root):
    (root / "oak.md").write_text("# Trees\nHornbeam, see [[paper.pdf]].\n", encoding="utf-8")
    await opened(reader, root)
    answer = await reader.result("textDocument/hover", reader.at(root / "oak.md", 0, 3))
    assert f"({to_uri(root / 'paper.pdf')}#page=2)" in answer["contents"]["value"]


async def test_control_characters_are_replaced(reader, root):
    cell = {"cell_type": "raw", "source": "red \x1b[31m and \u202e back"}
    (root / "odd.ipynb").write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    await opened(reader, root)
    answer = await reader.result(TEXT, asked_for(root, "odd.ipynb"))
    assert "red \N{REPLACEMENT CHARACTER}[31m and \N{REPLACEMENT CHARACTER} back" in answer["text"]


async def test_the_text_of_an_open_canvas_is_that_on_the_screen(reader, root):
    await opened(reader, root)
    text = json.dumps({"nodes": [{"id": "n9", "type": "text", "text": "magpies"}]})
    document = {"uri": to_uri(root / "board.canvas"), "languageId": "json", "version": 1, "text": text}
    reader.notify("textDocument/didOpen", {"textDocument": document})
    answer = await reader.result(TEXT, asked_for(root, "board.canvas"))
    assert (answer["text"], answer["places"]) == ("magpies", [{"line": 0, "fragment": "n9"}])


async def test_a_long_text_is_cut(reader, root, monkeypatch):
    monkeypatch.setattr(searched_text, "MAX_CHARS", 6)
    await opened(reader, root)
    answer = await reader.result(TEXT, asked_for(root, "paper.pdf"))
    assert (answer["text"], answer["cut"]) == ("oaks\na", True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone.pdf", "gone.pdf: There is no such note."),
        ("birds.mp3", "birds.mp3: It is found by its name only; no text of it is read."),
        ("map.png", "map.png: It has no text."),
        ("secret/plan.md", "secret/plan.md: Its folder secret is not searched: "),
        (".obsidian/app.json", ".obsidian/app.json: There is no such note."),
        ("../outside.md", None),
        ("link.md", "link.md: The file is not searched: "),
    ],
)
async def test_only_files_that_are_searched_have_a_text(reader, root, name, message):
    (root / ".obsidian").mkdir()
    (root / ".obsidian/app.json").write_text("{}", encoding="utf-8")
    (root.parent / "outside.md").write_text("outside", encoding="utf-8")
    (root / "link.md").symlink_to(root.parent / "outside.md")
    await opened(reader, root, initializationOptions={"exclude": ["secret"]})
    error = await reader.error(TEXT, asked_for(root, name))
    assert error["code"] == (INVALID_PARAMS if message is None else REQUEST_FAILED)
    assert error["message"].startswith(message or "params.textDocument.uri: ")


async def test_a_damaged_file_says_so(reader, root):
    await opened(reader, root)
    error = await reader.error(TEXT, asked_for(root, "damaged.pdf"))
    assert (error["code"], error["message"].partition(":")[0]) == (REQUEST_FAILED, "damaged.pdf")
    assert "PDF" in error["message"].partition(":")[2]


async def test_the_status_names_a_damaged_file_with_its_reason(reader, root):
    await opened(reader, root)
    (status,) = (await reader.result("vaultseek/status"))["vaults"]
    (notice,) = (notice for notice in status["notices"] if notice["code"] == "file-unread")
    assert notice["message"] == "damaged.pdf: it is damaged or no PDF; it is found by its name only"


async def test_a_file_that_is_not_extracted_yet_says_so_and_comes_next(reader, root, monkeypatch):
    monkeypatch.setattr("search.index.extraction.Extraction.start", lambda _: None)
    await opened(reader, root)
    error = await reader.error(TEXT, asked_for(root, "paper.pdf"))
    assert error["message"] == "paper.pdf: Its text is still being extracted; try again in a moment."
    (vault,) = reader.server.session.vaults
    assert vault.engine_if_any.indexer.vault.attachments.pending[0] == "paper.pdf"


async def test_an_image_that_is_not_read_yet_says_so(reader, root, monkeypatch):
    monkeypatch.setattr("search.index.extraction.Extraction.start", lambda _: None)
    await opened(reader, root)
    error = await reader.error(TEXT, asked_for(root, "map.png"))
    assert error["message"] == "map.png: Its text is still being extracted; try again in a moment."


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "params.textDocument"),
        ({"textDocument": {"uri": 5}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "untitled:x"}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "file:///a.pdf"}, "vault": "file:///elsewhere"}, "params.vault"),
    ],
)
async def test_malformed_parameters_are_refused(reader, root, params, field):
    await opened(reader, root)
    error = await reader.error(TEXT, params)
    assert (error["code"], error["data"]["field"]) == (INVALID_PARAMS, field)


async def test_of_several_vaults_the_innermost_or_the_named_one_counts(reader, root):
    inner = write(root / "inner", "--- ash.md\nash tree\n")
    await reader.initialize(root, initializationOptions={"vaults": [str(root), str(inner)]})
    answer = await reader.result(TEXT, asked_for(inner, "ash.md"))
    assert (answer["id"], answer["vault"]) == ("ash.md", to_uri(inner))
    named = await reader.result(TEXT, asked_for(inner, "ash.md", vault=to_uri(root)))
    assert (named["id"], named["vault"]) == ("inner/ash.md", to_uri(root))


async def test_a_folder_that_may_not_be_searched_has_no_texts(reader, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    await reader.initialize(tmp_path)
    error = await reader.error(TEXT, asked_for(tmp_path, "a.md"))
    assert (error["code"], "not searched" in error["message"]) == (REQUEST_FAILED, True)
