"""`textDocument/definition` and `textDocument/references` over real notes."""

import pytest

from lsp_server.wire.uris import to_path, to_uri
from tests.lsp_server.features.notes import NOTES, TWICE

pytestmark = pytest.mark.asyncio


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


def places_in(root, locations):
    """Locations as note:line:from-to."""
    return [
        f"{to_path(item['uri']).relative_to(root)}:{item['range']['start']['line']}"
        f":{item['range']['start']['character']}-{item['range']['end']['character']}"
        for item in locations
    ]


@pytest.mark.parametrize(
    ("line", "character", "expected"),
    [
        (1, 3, ["plants/orchid.md:4:0-8"]),
        (1, 17, ["plants/orchid.md:8:0-10"]),
        (1, 60, ["plants/orchid.md:10:0-22"]),
        (0, 1, ["here.md:0:0-6"]),
        (6, 5, ["watering.md:0:0-10"]),
    ],
)
async def test_the_definition_of_a_link_is_its_target(reader, root, line, character, expected):
    await reader.read(root, NOTES)
    found = await reader.result("textDocument/definition", reader.at(root / "here.md", line, character))
    assert places_in(root, found) == expected


REFERRING = """
--- deep/refers.md
# Refers
Some [text about orchids][o], and [o] again, but `[o]` is code.

[o]: ../plants/orchid.md#feeding
"""


@pytest.mark.parametrize(("line", "character"), [(1, 8), (1, 24), (1, 36), (3, 1)])
async def test_a_markdown_reference_has_hover_definition_and_references(reader, root, line, character):
    """It is resolved relative to the note's folder, as in the graph; its link definition leads there too."""
    await reader.read(root, NOTES + REFERRING)
    at = reader.at(root / "deep/refers.md", line, character)
    assert places_in(root, await reader.result("textDocument/definition", at)) == ["plants/orchid.md:8:0-10"]
    assert "Orchid › feeding" in (await reader.result("textDocument/hover", at))["contents"]["value"]
    params = {**at, "context": {"includeDeclaration": False}}
    places = ["deep/refers.md:1:5-28", "deep/refers.md:1:34-37", "here.md:1:15-48"]
    assert places_in(root, await reader.result("textDocument/references", params)) == places


async def test_a_markdown_reference_in_code_is_no_link(reader, root):
    await reader.read(root, NOTES + REFERRING)
    at = reader.at(root / "deep/refers.md", 1, 51)
    assert await reader.result("textDocument/definition", at) is None


async def test_the_graph_contains_markdown_references_with_their_lines(reader, root):
    await reader.read(root, NOTES + REFERRING)
    library = reader.engines[0].library()
    links = library.notes["deep/refers.md"].links
    assert [(link.line, link.target, link.shown) for link in links] == [
        (1, "../plants/orchid.md", "text about orchids"),
        (1, "../plants/orchid.md", "o"),
    ]
    related = await reader.result("vaultseek/related", reader.at(root / "deep/refers.md", 0, 0))
    assert [item["isLinked"] for item in related["results"] if item["id"] == "plants/orchid.md"] == [True]


async def test_the_definition_of_a_tag_is_the_note_with_its_name(reader, root):
    await reader.read(root, NOTES + "--- care.md\n# Care\n")
    found = await reader.result("textDocument/definition", reader.at(root / "here.md", 2, 2))
    assert places_in(root, found) == ["care.md:0:0-6"]


@pytest.mark.parametrize(("line", "character"), [(1, 75), (2, 2), (7, 2), (2, 15)])
async def test_broken_links_and_plain_text_have_no_definition(reader, root, line, character):
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
        ("plants/orchid.md", 1, 9, False, ["plants/orchid.md:1:7-15"]),
    ],
)
async def test_references_are_all_links_with_the_same_target(reader, root, note, line, character, declared, expected):  # noqa: PLR0917 - a row of the table
    """For a link, a heading, a first heading (it stands for its note) and a tag with its nested tags; not in code."""
    await reader.read(root, NOTES)
    params = reader.at(root / note, line, character, context={"includeDeclaration": declared})
    assert places_in(root, await reader.result("textDocument/references", params)) == expected


FRONT = """
--- flow.md
---
tags: [care, "water/rain"]
up: "[[list]]"
---
# Flow
--- list.md
---
up:
  - "[[flow]]"
  - "[[text|the text]]"
tags:
  - other
  - Care
---
--- text.md
---
tags: care other
---
body #care
--- anchored.md
---
x: &tags [care]
tags: *tags
---
--- escaped.md
---
tags: "c\\x61re"
---
--- care.md
---
title: All about care
---

Text.
"""


CARE = [
    "anchored.md:1:10-14",
    "escaped.md:1:6-15",
    "flow.md:1:7-11",
    "list.md:6:4-8",
    "text.md:1:6-10",
    "text.md:3:5-10",
]


@pytest.mark.parametrize(
    ("note", "line", "character"),
    [("flow.md", 1, 8), ("list.md", 6, 4), ("text.md", 1, 6), ("text.md", 1, 10), ("text.md", 3, 6)],
)
async def test_a_tag_in_front_matter_works_like_one_in_the_text(reader, root, note, line, character):
    """Hover, definition and references give the same answer from every place of the tag."""
    await reader.read(root, FRONT)
    at = reader.at(root / note, line, character)
    hover = await reader.result("textDocument/hover", at)
    assert hover["contents"]["value"].startswith("**#")
    assert "care: 5 notes" in hover["contents"]["value"].lower()
    own = {"start": hover["range"]["start"], "end": hover["range"]["end"]}
    params = {**at, "context": {"includeDeclaration": False}}
    found = await reader.result("textDocument/references", params)
    assert places_in(root, found) == CARE
    assert {"uri": to_uri(root / note), "range": own} in found
    assert places_in(root, await reader.result("textDocument/definition", at)) == ["care.md:3:0-0"]


async def test_links_in_properties_have_definition_and_references_on_their_lines(reader, root):
    await reader.read(root, FRONT)
    at = reader.at(root / "list.md", 2, 8)
    assert places_in(root, await reader.result("textDocument/definition", at)) == ["flow.md:4:0-6"]
    params = {**reader.at(root / "flow.md", 2, 8), "context": {"includeDeclaration": False}}
    assert places_in(root, await reader.result("textDocument/references", params)) == ["flow.md:2:5-13"]
    params = {**reader.at(root / "list.md", 3, 8), "context": {"includeDeclaration": False}}
    assert places_in(root, await reader.result("textDocument/references", params)) == ["list.md:3:5-22"]


BEGINS = """
--- titled.md
---
a: 1
---

# Titled
--- untitled.md
---
a: 1
---
text
--- named.md
---
title: Other
---
# Named
--- empty.md
---
a: 1
---
--- late.md
text

# Late
--- plain.md
text
--- links.md
[[titled]] [[untitled]] [[named]] [[empty]] [[late]] [[plain]] [[titled#none]] [[untitled#^none]]
"""


PLACES = {"titled.md": 4, "untitled.md": 3, "named.md": 3, "empty.md": 2, "late.md": 2, "plain.md": 0}


async def test_a_note_s_place_is_below_its_front_matter_for_links_and_symbols(reader, root):
    """It is the heading with its title, or else the line where its text begins."""
    await reader.read(root, BEGINS)
    found = {}
    for character in (2, 13, 27, 37, 47, 57):
        at = reader.at(root / "links.md", 0, character)
        (item,) = await reader.result("textDocument/definition", at)
        found[to_path(item["uri"]).name] = item["range"]["start"]["line"]
    assert found == PLACES
    for query in ("", *(name.removesuffix(".md") for name in PLACES)):
        for item in await reader.result("workspace/symbol", {"query": query}):
            name = to_path(item["location"]["uri"]).name
            assert item["location"]["range"]["start"]["line"] == {**PLACES, "links.md": 0}[name], name
    for character, note in ((65, "titled.md"), (82, "untitled.md")):
        (item,) = await reader.result("textDocument/definition", reader.at(root / "links.md", 0, character))
        assert (to_path(item["uri"]).name, item["range"]["start"]["line"]) == (note, PLACES[note])


@pytest.mark.parametrize(
    ("note", "line", "character", "expected"),
    [
        ("twice.md", 1, 4, ["twice.md:5:0-15"]),
        ("twice.md", 3, 4, []),
        ("twice.md", 5, 18, ["sees.md:0:0-15", "twice.md:5:16-26"]),
        ("sees.md", 0, 3, ["sees.md:0:0-15", "twice.md:5:16-26"]),
    ],
)
async def test_references_of_a_heading_or_block_are_its_own(reader, root, note, line, character, expected):  # noqa: PLR0917 - a row of the table
    """Of two headings with the same text, links lead to the first."""
    await reader.read(root, TWICE)
    params = reader.at(root / note, line, character, context={"includeDeclaration": False})
    assert places_in(root, await reader.result("textDocument/references", params)) == expected


@pytest.mark.parametrize(("line", "character"), [(1, 75), (7, 2)])
async def test_broken_links_and_plain_text_have_no_references(reader, root, line, character):
    await reader.read(root, NOTES)
    params = reader.at(root / "here.md", line, character, context={"includeDeclaration": True})
    assert await reader.result("textDocument/references", params) is None
