"""`textDocument/definition`, `textDocument/references` and `workspace/symbol` over real notes."""

import pytest

from lsp_server.uris import to_path, to_uri
from tests.lsp_server.test_hover_feature import NOTES

pytestmark = pytest.mark.asyncio
VS_CODE = {"name": "Visual Studio Code", "version": "1.139.1"}


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


def told(root, locations):
    """Locations as note:line:from-to."""
    return [
        f"{to_path(item['uri']).relative_to(root)}:{item['range']['start']['line']}"
        f":{item['range']['start']['character']}-{item['range']['end']['character']}"
        for item in locations
    ]


@pytest.mark.parametrize(
    ("line", "character", "expected"),
    [
        (1, 3, ["plants/orchid.md:0:0-3"]),
        (1, 17, ["plants/orchid.md:8:0-10"]),
        (1, 60, ["plants/orchid.md:10:0-22"]),
        (0, 1, ["here.md:0:0-6"]),
        (6, 5, ["watering.md:0:0-10"]),
    ],
)
async def test_a_definition_is_where_a_link_leads(reader, root, line, character, expected):
    await reader.read(root, NOTES)
    found = await reader.result("textDocument/definition", reader.at(root / "here.md", line, character))
    assert told(root, found) == expected


REFERRING = """
--- deep/refers.md
# Refers
Some [text about orchids][o], and [o] again, but `[o]` is code.

[o]: ../plants/orchid.md#feeding
"""


@pytest.mark.parametrize(("line", "character"), [(1, 8), (1, 24), (1, 36), (3, 1)])
async def test_a_markdown_reference_is_a_link_to_hover_to_follow_and_to_find(reader, root, line, character):
    """It is resolved from the note's own folder, as the graph does it; the definition of it leads there too."""
    await reader.read(root, NOTES + REFERRING)
    at = reader.at(root / "deep/refers.md", line, character)
    assert told(root, await reader.result("textDocument/definition", at)) == ["plants/orchid.md:8:0-10"]
    assert "Orchid › feeding" in (await reader.result("textDocument/hover", at))["contents"]["value"]
    params = {**at, "context": {"includeDeclaration": False}}
    places = ["deep/refers.md:1:5-28", "deep/refers.md:1:34-37", "here.md:1:15-48"]
    assert told(root, await reader.result("textDocument/references", params)) == places


async def test_a_markdown_reference_in_code_is_none(reader, root):
    await reader.read(root, NOTES + REFERRING)
    at = reader.at(root / "deep/refers.md", 1, 51)
    assert await reader.result("textDocument/definition", at) is None


async def test_the_graph_has_markdown_references_with_their_lines(reader, root):
    await reader.read(root, NOTES + REFERRING)
    library = reader.engines[0].library()
    links = library.notes["deep/refers.md"].links
    assert [(link.line, link.target, link.shown) for link in links] == [
        (1, "../plants/orchid.md", "text about orchids"),
        (1, "../plants/orchid.md", "o"),
    ]
    related = await reader.result("vaultseek/related", reader.at(root / "deep/refers.md", 0, 0))
    assert [item["isLinked"] for item in related["results"] if item["id"] == "plants/orchid.md"] == [True]


async def test_a_tag_is_defined_by_the_note_of_its_name(reader, root):
    await reader.read(root, NOTES + "--- care.md\n# Care\n")
    found = await reader.result("textDocument/definition", reader.at(root / "here.md", 2, 2))
    assert told(root, found) == ["care.md:0:0-6"]


@pytest.mark.parametrize(("line", "character"), [(1, 75), (2, 2), (7, 2), (2, 15)])
async def test_what_leads_nowhere_has_no_definition(reader, root, line, character):
    await reader.read(root, NOTES)
    assert await reader.result("textDocument/definition", reader.at(root / "here.md", line, character)) is None


@pytest.mark.parametrize(
    ("note", "line", "character", "declared", "expected"),
    [
        ("here.md", 1, 3, False, ["here.md:1:0-10", "here.md:1:15-48", "here.md:1:53-69"]),
        ("here.md", 1, 17, True, ["plants/orchid.md:8:0-10", "here.md:1:15-48"]),
        ("plants/orchid.md", 8, 3, False, ["here.md:1:15-48"]),
        ("plants/orchid.md", 4, 3, False, ["here.md:1:0-10", "here.md:1:15-48", "here.md:1:53-69"]),
        ("here.md", 6, 5, False, ["here.md:6:3-15", "plants/orchid.md:6:30-53"]),
        ("here.md", 2, 2, False, ["feeding.md:1:20-25", "here.md:2:0-5", "watering.md:2:20-31"]),
    ],
)
async def test_references_are_what_leads_to_the_same(reader, root, note, line, character, declared, expected):  # noqa: PLR0917 - a row of the table
    """A link, a heading, the first heading that stands for its note, a tag with those nested below it; none in code."""
    await reader.read(root, NOTES)
    params = reader.at(root / note, line, character, context={"includeDeclaration": declared})
    assert told(root, await reader.result("textDocument/references", params)) == expected


@pytest.mark.parametrize(("line", "character"), [(1, 75), (7, 2)])
async def test_what_is_nothing_has_no_references(reader, root, line, character):
    await reader.read(root, NOTES)
    params = reader.at(root / "here.md", line, character, context={"includeDeclaration": True})
    assert await reader.result("textDocument/references", params) is None


async def symbols(reader, query):
    found = await reader.result("workspace/symbol", {"query": query})
    return [
        (item["name"], item["kind"], item["containerName"], item["location"]["range"]["start"]["line"])
        for item in found
    ]


async def test_symbols_are_notes_and_headings(reader, root):
    """Files are notes and strings are headings, whatever a picker makes of kinds."""
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


async def test_symbols_of_several_vaults_say_whose_they_are(reader, root, tmp_path):
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


async def test_symbols_are_given_while_the_vault_is_read(reader, root, monkeypatch):
    await reader.read(root, NOTES)
    with reader.engines[0]._reading.lock:
        assert len(await symbols(reader, "feed")) == 2
