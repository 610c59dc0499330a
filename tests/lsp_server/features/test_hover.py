"""`textDocument/hover` over real notes."""

import pytest

from lsp_server.wire.uris import to_uri
from search.reading import Reading
from tests.lsp_server.features.notes import NOTES, TWICE

pytestmark = pytest.mark.asyncio


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


async def text_at(reader, root, line, character, note="here.md"):
    answer = await reader.result("textDocument/hover", reader.at(root / note, line, character))
    return None if answer is None else answer["contents"]["value"]


async def test_a_link_shows_an_excerpt_of_its_target_and_what_is_related_to_it(reader, root):
    """The front matter, the image and the embed are left out, raw HTML is escaped, related notes are links."""
    await reader.read(root, NOTES)
    answer = await reader.result("textDocument/hover", reader.at(root / "here.md", 1, 3))
    assert answer["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 10}}
    assert answer["contents"]["kind"] == "markdown"
    text = answer["contents"]["value"]
    assert text.startswith(f"**[Orchid]({to_uri(root / 'plants/orchid.md')})**\n\n# Orchid")
    assert "Orchids like &lt;b>bark&lt;/b>, see rain water and" in text
    for left_out in ("secret", "epiphyte", "photo", "http", "<b"):
        assert left_out not in text.partition("Related:")[0]
    assert f"- [Watering]({to_uri(root / 'watering.md')}): " in text
    assert "linked from here" in text


@pytest.mark.parametrize(("character", "head", "hidden"), [(17, "Orchid › feeding", "bark"), (60, "Orchid", "Orchids")])
async def test_a_link_to_a_heading_or_a_block_shows_that(reader, root, character, head, hidden):
    await reader.read(root, NOTES)
    text = (await text_at(reader, root, 1, character)).partition("Related:")[0]
    assert text.startswith(f"**[{head}]")
    assert "Weak fertilizer" in text
    assert hidden not in text
    assert "^weak" not in text


@pytest.mark.parametrize(
    ("link", "remark"),
    [
        ("[[orchid#pruning]]", "There is no heading pruning in it."),
        ("[x](plants/orchid.md#pruning*)", r"There is no heading pruning\* in it."),
        ("[[orchid#^none]]", "There is no block ^none in it."),
        ("[[#nowhere]]", "There is no heading nowhere in it."),
        ("[[orchid]]", ""),
        ("[[orchid#feeding]]", ""),
        ("[[orchid#^weak]]", ""),
    ],
)
async def test_a_heading_or_block_that_is_not_there_is_said_to_be_missing(reader, root, link, remark):
    """And the whole note is shown, under its own name."""
    await reader.read(root, NOTES + f"--- asks.md\n{link}\n")
    text = await text_at(reader, root, 0, 3, "asks.md")
    head, said, *_ = text.split("\n\n")
    assert (said == remark) == bool(remark)
    assert ("There is no" in text) == bool(remark)
    assert " › " not in head or not remark


async def test_what_is_missing_is_said_in_plain_text_too(reader, root):
    plain = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    await reader.read(root, NOTES + "--- asks.md\n[[orchid#a*b]]\n", capabilities=plain)
    text = await text_at(reader, root, 0, 3, "asks.md")
    assert text.startswith("Orchid\n\nThere is no heading a*b in it.\n\n# Orchid")


async def test_a_link_to_nothing_shows_the_nearest_notes(reader, root):
    await reader.read(root, NOTES)
    text = await text_at(reader, root, 1, 75)
    assert text.startswith("**There is no note orchidd**")
    assert f"[Orchid]({to_uri(root / 'plants/orchid.md')})" in text
    assert f"[Orchid]({to_uri(root / 'plants/orchid.md')})" in await text_at(reader, root, 0, 17, "other.md")


@pytest.mark.parametrize("name", ["Alpah", "Alphaa", "alp", "Gone/Deep/Alpha"])
async def test_the_nearest_note_is_shown_once_however_many_names_it_has(reader, root, name):
    await reader.read(
        root, f"--- letter.md\n---\ntitle: Alpha\naliases: [Al Pha, Alphas]\n---\n--- asks.md\n[[{name}]]\n"
    )
    text = await text_at(reader, root, 0, 3, "asks.md")
    assert text.count(f"({to_uri(root / 'letter.md')})") == 1


async def test_a_link_is_not_called_dead_while_notes_are_being_read(reader, root, monkeypatch):
    await reader.read(root, NOTES)
    monkeypatch.setattr(Reading, "is_complete", property(lambda _: False))
    assert await text_at(reader, root, 1, 75) is None


async def test_a_tag_shows_its_notes_nested_ones_too(reader, root):
    await reader.read(root, NOTES)
    text = await text_at(reader, root, 2, 1)
    assert text.startswith("**#care: 3 notes**")
    assert all(f"[{title}]" in text for title in ("Watering", "Feeding plants", "Here"))


async def test_a_heading_shows_what_is_related_to_its_section(reader, root):
    await reader.read(root, NOTES)
    text = await text_at(reader, root, 8, 4, "plants/orchid.md")
    assert text.startswith("**Related to Feeding**")
    assert "fertilizer" in text


async def test_of_two_headings_of_one_name_each_shows_its_own_section(reader, root):
    await reader.read(root, NOTES + TWICE)
    first, second = [await text_at(reader, root, line, 3, "twice.md") for line in (1, 3)]
    assert "fertilizer" in first
    assert "fertilizer" not in second
    assert "water" in second


@pytest.mark.parametrize(("character", "head"), [(34, None), (48, None), (63, "v1.2"), (72, "some/")])
async def test_a_file_that_is_no_note_is_not_missed(reader, root, character, head):
    """Images and documents are not looked for; whatever may be a note's name is."""
    await reader.read(root, NOTES + TWICE + "--- some.md\n")
    text = await text_at(reader, root, 5, character, "twice.md")
    assert text is None if head is None else text.startswith(f"**There is no note {head}**")
    assert head != "some/" or "[some]" in text


@pytest.mark.parametrize(("line", "character"), [(2, 15), (4, 3), (7, 3), (99, 0), (3, 0)])
async def test_elsewhere_and_in_code_there_is_no_hover(reader, root, line, character):
    await reader.read(root, NOTES)
    assert await text_at(reader, root, line, character) is None


@pytest.mark.parametrize("uri", ["untitled:x", "file:///nowhere/x.md", "vscode-vfs://x/y.md", ""])
async def test_what_is_no_note_has_no_hover(reader, root, uri):
    await reader.read(root, NOTES)
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    for method in ("textDocument/hover", "textDocument/definition"):
        assert await reader.result(method, params) is None


@pytest.mark.parametrize(
    ("offered", "character", "is_found"),
    [
        ("utf-16", 3, True),
        ("utf-32", 2, True),
        ("utf-8", 5, True),
        ("utf-8", 3, False),
        ("utf-16", 15, True),
        ("utf-16", 9999, True),
    ],
)
async def test_columns_are_counted_as_agreed_and_next_to_a_link_is_on_it(reader, root, offered, character, is_found):
    capabilities = {"general": {"positionEncodings": [offered]}}
    await reader.read(root, NOTES, capabilities=capabilities)
    assert (await text_at(reader, root, 6, character) is not None) == is_found


async def test_a_client_of_plain_text_gets_plain_text(reader, root):
    capabilities = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    await reader.read(root, NOTES, capabilities=capabilities)
    answer = await reader.result("textDocument/hover", reader.at(root / "here.md", 1, 3))
    assert answer["contents"]["kind"] == "plaintext"
    text = answer["contents"]["value"]
    assert text.startswith("Orchid\n\n# Orchid")
    assert "<b>bark</b>" in text
    assert "- Watering (watering.md): " in text
    assert "file:" not in text


@pytest.mark.parametrize(
    ("kind", "line", "character"), [("links", 1, 3), ("unresolved", 1, 75), ("tags", 2, 1), ("headings", 0, 3)]
)
async def test_each_kind_can_be_turned_off(reader, root, kind, line, character):
    kinds = [other for other in ("links", "unresolved", "tags", "headings") if other != kind]
    await reader.read(root, NOTES, initializationOptions={"hover": kinds})
    assert await text_at(reader, root, line, character) is None
    reader.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {}}})
    await reader.settle()
    assert await text_at(reader, root, line, character) is not None


async def test_what_is_on_the_screen_counts(reader, root):
    await reader.read(root, NOTES)
    item = {"uri": to_uri(root / "here.md"), "languageId": "markdown", "version": 1, "text": "new\n\u2028 [[watering]]"}
    reader.notify("textDocument/didOpen", {"textDocument": item})
    assert (await text_at(reader, root, 1, 5)).startswith("**[Watering]")
