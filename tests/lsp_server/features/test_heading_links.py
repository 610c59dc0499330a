"""Links to headings and blocks: hover, definition, references, related notes, graph and `section:` agree on them."""

from urllib.parse import quote

import pytest

from search.query import Query
from tests.lsp_server.features.test_navigation import places_in

pytestmark = pytest.mark.asyncio


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


# What stands in the note, the line that all links lead to, and the links.
ROWS = {
    "obsidian": (
        "# Top\n\n## Minecraft: The Game\nbody",
        2,
        ["[[N#Minecraft The Game]]", "[[n#minecraft: the game|x]]"],
    ),
    "slash": ("# Top\n\n## TCP/IP\nbody", 2, ["[[N#TCP/IP]]", "[[N#TCP IP]]", "[t](N.md#tcpip)", "[t](N#TCP%2FIP)"]),
    "dots": ("# Top\n## 2.4 Setup ##\nbody", 1, ["[[N#2.4 Setup]]", "[[N#2 4 Setup]]", "[t](N.md#24-setup)"]),
    "sharp": ("# Top\n## C\n## C#\nbody", 2, ["[[N#C#]]", "[t](N.md#C%23)", "[t](./N.md#c-1)"]),
    "second": ("# Top\n## Daily Note\nx\n## Daily Note\nbody", 3, ["[t](N.md#daily-note-1)", "[[N#daily-note-1]]"]),
    "path": ("# A\n## Notes\nx\n# B\n## Notes\nbody", 4, ["[[N#B#Notes]]", "[t](N.md#B#Notes)", "[t](N.md#notes-1)"]),
    "markup": (
        "# Top\n## **Bold** `code_x` [l](u.md) ==m==\nbody",
        1,
        ["[[N#Bold code_x l m]]", "[t](N.md#bold-code_x-l-m)", "[[N#**Bold** `code_x` [l](u.md) ==m==]]"],
    ),
    "link": ("# Top\n## See [[Other|it]] #now\nbody", 1, ["[[N#See Other it now]]", "[t](N.md#see-otherit-now)"]),
    "comment": ("# Top\n## Plan %%old%%\nbody", 1, ["[[N#Plan old]]", "[[N#Plan]]", "[t](N.md#plan-old)"]),
    "html": ("# Top\n## Plan <!-- old -->\nbody", 1, ["[[N#Plan]]", "[t](N.md#plan)"]),
    "emoji": ("# Top\n## 🚀 Launch!\nbody", 1, ["[[N#🚀 Launch!]]", "[t](N.md#-launch)", "[t](N.md#launch)"]),
    "cjk": ("# Top\n## 日本語 見出し：一\nbody", 1, ["[[N#日本語 見出し：一]]", "[t](<N.md#日本語-見出し一>)"]),
    "cyrillic": (
        "# Top\n## Где/Когда?\nbody",
        1,
        ["[[N#Где Когда]]", "[t](N.md#гдекогда)", f"[t](N.md#{quote('Где/Когда?')})"],
    ),
    "composed": (
        "# Top\n## Über uns\nbody",
        1,
        ["[[N#U\u0308ber uns]]", "[t](N.md#%C3%BCber-uns)", "[t](N.md#u%CC%88ber-uns)"],
    ),
    "typographic": ("# Top\n## Don’t “stop”\nbody", 1, ['[[N#Don\'t "stop"]]', "[t](N.md#dont-stop)"]),
    "setext": ("# Top\n\nPart: two\n---\nbody", 2, ["[[N#Part two]]", "[t](N.md#part-two)"]),
    "block in a heading": ("# Top\n## Part ^p-1\nbody", 1, ["[[N#^p-1]]", "[[N#Part]]", "[[N#^P-1]]"]),
    "block": ("# Top\nbody ^b2\n\n## H\nx", 1, ["[[N#^b2]]", "[[N#H#^b2]]", "[t](N.md#^b2)", "[t](N.md#%5Eb2)"]),
    "footnote": ("# Top\nx[^1]\n\n[^1]: body\n", 3, ["[[N#[^1]]]", "[t](N.md#[^1])"]),
    "id": ("# Top\n## Part {#own-id}\nbody", 1, ["[t](N.md#own-id)", "[[N#Part]]", "[t](N.md#part)"]),
    "percent": (
        "# Top\n## 100 % sure\nbody",
        1,
        ["[[N#100 % sure]]", "[t](<N.md#100 % sure>)", "[t](N.md#100%20%%20sure)"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
async def test_every_feature_follows_the_same_links_to_a_heading(reader, root, name):
    text, line, links = ROWS[name]
    asks = "\n".join(links)
    await reader.read(root, f"--- deep/N.md\n{text}\n--- deep/asks.md\n{asks}\n--- else.md\nnothing\n")
    note, asking = root / "deep/N.md", root / "deep/asks.md"
    width = len(text.split("\n")[line].encode("utf-16-le")) // 2
    everywhere = [f"deep/asks.md:{n}:0-{len(link.encode('utf-16-le')) // 2}" for n, link in enumerate(links)]
    for number, link in enumerate(links):
        at = reader.at(asking, number, 2)
        assert places_in(root, await reader.result("textDocument/definition", at)) == [f"deep/N.md:{line}:0-{width}"], (
            link
        )
        hover = (await reader.result("textDocument/hover", at))["contents"]["value"]
        assert "This note has no" not in hover, link
        assert "body" in hover, link
        assert "\nx\n" not in hover, link
        found = await reader.result("textDocument/references", {**at, "context": {"includeDeclaration": False}})
        assert places_in(root, found) == everywhere, link
    if text.split("\n")[line].startswith("##"):
        at = reader.at(note, line, 0, context={"includeDeclaration": False})
        assert places_in(root, await reader.result("textDocument/references", at)) == everywhere
    assert reader.engines[0].indexer.corpus.links.outlinks("deep/asks.md") == ("deep/N.md",)
    related = await reader.result("vaultseek/related", {**reader.at(note, 0, 0), "range": lines_range(line)})
    assert [item["id"] for item in related["results"] if item["isLinked"]] == ["deep/asks.md"]


def lines_range(line):
    return {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 1}}


@pytest.mark.parametrize(
    ("link", "hint"),
    [
        ("[[N#Nowhere]]", "This note has no heading Nowhere."),
        ("[[N#B#Notes]]", "This note has no heading B › Notes."),
        ("[t](N.md#notes-2)", "This note has no heading notes-2."),
        ("[[N#[^9]]]", r"This note has no footnote \[^9\]."),
        ("[[N#^none]]", "This note has no block ^none."),
        ("[t](N.md#%zz)", "This note has no heading %zz."),
    ],
)
async def test_a_missing_place_is_reported_and_all_links_to_it_are_references(reader, root, link, hint):
    await reader.read(root, f"--- N.md\n# A\n## Notes\n# B\n--- asks.md\n{link}\n{link}\n[[N]]\n")
    at = reader.at(root / "asks.md", 0, 2)
    assert hint in (await reader.result("textDocument/hover", at))["contents"]["value"]
    found = await reader.result("textDocument/references", {**at, "context": {"includeDeclaration": False}})
    assert places_in(root, found) == [f"asks.md:{n}:0-{len(link)}" for n in (0, 1)]


async def test_the_head_of_a_hover_shows_the_path_of_a_heading(reader, root):
    await reader.read(root, "--- N.md\n# A\n## B\n## C#\n--- asks.md\n[[N#A#B]] [[N#C#]]\n")
    for column, head in ((2, "**[A › A › B]("), (14, "**[A › C#](")):
        text = (await reader.result("textDocument/hover", reader.at(root / "asks.md", 0, column)))["contents"]["value"]
        assert text.startswith(head)


SECTIONS = """
--- net.md
# Net
## TCP/IP
wires
## Daily Note
## Daily Note
--- scattered.md
# Other
tcp and ip, a daily dose of note
"""


@pytest.mark.parametrize(
    ("query", "expected", "line"),
    [
        ('section:"TCP IP"', ["net.md"], "## TCP/IP"),
        ('section:"Net#tcp ip"', ["net.md"], "## TCP/IP"),
        ("section:daily-note-1", ["net.md"], "## Daily Note"),
        ('section:"IP TCP"', [], None),
        ('-section:"TCP IP" tcp', ["scattered.md"], None),
        ('match-case:section:"tcp ip"', [], None),
        ('match-case:section:"TCP/IP"', ["net.md"], "TCP/IP"),
        ('section:(wires OR "TCP IP")', ["net.md"], None),
        ('section:"?!"', [], None),
    ],
)
async def test_section_finds_a_heading_as_links_write_it(reader, root, query, expected, line):
    await reader.read(root, SECTIONS)
    found = reader.engines[0].search(Query(text=query))
    assert [item.hit.id for item in found.hits] == expected
    assert line is None or line in [snippet.text for snippet in found.hits[0].snippets]


async def test_related_takes_a_heading_as_links_write_it(reader, root):
    await reader.read(root, SECTIONS)
    for heading in ("TCP/IP", "tcp ip", "tcpip", "Net#TCP IP"):
        assert reader.engines[0].related("net.md", heading=heading).notices == ()
    assert [notice.code for notice in reader.engines[0].related("net.md", heading="UDP").notices] == ["no-such-heading"]


FORMS = """
--- N.md
---
up: "[[#TCP IP]]"
---
# N
## TCP/IP
body
[[#tcp ip]] and [here](#tcpip) and ![[N#TCP/IP|shown]]
--- other.md
---
see: ["[[N#TCP IP]]", "[[N#UDP]]"]
---
[r] | [[N#TCP/IP\\|x]] | [[N]] [[N#UDP]] `[[N#TCP IP]]` <!-- [[N#TCP IP]] -->
%% [[N#TCP IP]] %%

[r]: N.md#tcpip
"""


async def test_links_in_every_form_are_references_of_their_heading(reader, root):
    """In properties, tables, embeds, definitions, within the note and in a comment on one line; not in code or HTML."""
    await reader.read(root, FORMS)
    params = reader.at(root / "N.md", 4, 3, context={"includeDeclaration": True})
    assert places_in(root, await reader.result("textDocument/references", params)) == [
        "N.md:4:0-9",
        "N.md:1:5-16",
        "N.md:6:0-11",
        "N.md:6:16-30",
        "N.md:6:35-54",
        "other.md:1:7-19",
        "other.md:3:0-3",
        "other.md:3:6-21",
        "other.md:4:3-15",
    ]


async def test_a_section_has_only_the_backlinks_that_lead_into_it(reader, root):
    await reader.read(
        root, "--- N.md\n# N\n## A/B\nx\n## C\ny\n--- a.md\n[[N#A B]] [[M#C]]\n--- c.md\n[t](N.md#c)\n--- M.md\n# C\n"
    )
    for line, expected in ((1, ["a.md"]), (3, ["c.md"])):
        params = {**reader.at(root / "N.md", line, 0), "range": lines_range(line)}
        related = await reader.result("vaultseek/related", params)
        found = {item["id"]: item["sentence"] for item in related["results"]}
        assert [id_ for id_, sentence in found.items() if "links" in sentence.lower() and id_ != "M.md"] == expected
