"""`textDocument/hover` over real notes."""

import pytest

from lsp_server.wire.uris import to_uri
from search.index.indexer import Indexer
from tests.lsp_server.features.notes import NOTES, TWICE

pytestmark = pytest.mark.asyncio


@pytest.fixture
def root(tmp_path):
    return tmp_path / "vault"


async def text_at(reader, root, line, character, note="here.md"):
    answer = await reader.result("textDocument/hover", reader.at(root / note, line, character))
    return None if answer is None else answer["contents"]["value"]


async def test_a_link_shows_an_excerpt_of_its_target_and_related_notes(reader, root):
    """Front matter, images and embeds are left out, raw HTML is escaped, and related notes are links."""
    await reader.read(root, NOTES)
    answer = await reader.result("textDocument/hover", reader.at(root / "here.md", 1, 3))
    assert answer["range"] == {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 10}}
    assert answer["contents"]["kind"] == "markdown"
    text = answer["contents"]["value"]
    assert text.startswith(f"**[Orchid]({to_uri(root / 'plants/orchid.md')})**\n\nOrchids like")
    assert "Orchids like &lt;b>bark&lt;/b>, see rain water and" in text
    for left_out in ("secret", "epiphyte", "photo", "http", "<b"):
        assert left_out not in text.partition("Related:")[0]
    assert f"- [Watering]({to_uri(root / 'watering.md')}#L3)\n" in text + "\n"
    assert text.count("# Orchid") == 0


async def test_the_related_notes_of_a_link_are_five_titles_without_the_note_with_the_link(reader, root):
    """Notes that the target is not linked with come first."""
    more = "".join(f"--- bark {n}.md\n# Bark {n}\nbark and fertilizer\n" for n in range(7))
    await reader.read(root, NOTES + more)
    titles = [line for line in (await text_at(reader, root, 1, 3)).splitlines() if line.startswith("- [")]
    assert len(titles) == 5
    assert not any("[Here]" in line or "[Watering]" in line for line in titles)
    assert all(line.endswith(")") for line in titles)


async def test_a_link_to_a_heading_leads_to_its_line_and_names_it_once(reader, root):
    await reader.read(root, NOTES)
    text = await text_at(reader, root, 1, 17)
    assert text.startswith(f"**[Orchid › feeding]({to_uri(root / 'plants/orchid.md')}#L9)**\n\nWeak fertilizer.")
    assert "Feeding\n" not in text.partition("Related:")[0]


@pytest.mark.parametrize(("character", "head", "hidden"), [(17, "Orchid › feeding", "bark"), (60, "Orchid", "Orchids")])
async def test_a_link_to_a_heading_or_a_block_shows_that_section(reader, root, character, head, hidden):
    await reader.read(root, NOTES)
    text = (await text_at(reader, root, 1, character)).partition("Related:")[0]
    assert text.startswith(f"**[{head}]")
    assert "Weak fertilizer" in text
    assert hidden not in text
    assert "^weak" not in text


@pytest.mark.parametrize(
    ("link", "hint"),
    [
        ("[[orchid#pruning]]", "This note has no heading pruning."),
        ("[x](plants/orchid.md#pruning*)", r"This note has no heading pruning\*."),
        ("[[orchid#^none]]", "This note has no block ^none."),
        ("[[#nowhere]]", "This note has no heading nowhere."),
        ("[[orchid]]", ""),
        ("[[orchid#feeding]]", ""),
        ("[[orchid#^weak]]", ""),
    ],
)
async def test_a_missing_heading_or_block_is_reported(reader, root, link, hint):
    """The whole note is shown, under its own title."""
    await reader.read(root, NOTES + f"--- asks.md\n{link}\n")
    text = await text_at(reader, root, 0, 3, "asks.md")
    head, second, *_ = text.split("\n\n")
    assert (second == hint) == bool(hint)
    assert ("This note has no" in text) == bool(hint)
    assert " › " not in head or not hint


async def test_a_missing_heading_is_reported_in_plain_text_too(reader, root):
    plain = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    await reader.read(root, NOTES + "--- asks.md\n[[orchid#a*b]]\n", capabilities=plain)
    text = await text_at(reader, root, 0, 3, "asks.md")
    assert text.startswith("Orchid\n\nThis note has no heading a*b.\n\nOrchids like")


async def test_a_broken_link_shows_notes_with_similar_names(reader, root):
    await reader.read(root, NOTES)
    text = await text_at(reader, root, 1, 75)
    assert text.startswith("**There is no note orchidd**")
    assert f"[Orchid]({to_uri(root / 'plants/orchid.md')})" in text
    assert f"[Orchid]({to_uri(root / 'plants/orchid.md')})" in await text_at(reader, root, 0, 17, "other.md")


@pytest.mark.parametrize("name", ["Alpah", "Alphaa", "alp", "Gone/Deep/Alpha"])
async def test_a_note_with_several_similar_names_is_shown_once(reader, root, name):
    await reader.read(
        root, f"--- letter.md\n---\ntitle: Alpha\naliases: [Al Pha, Alphas]\n---\n--- asks.md\n[[{name}]]\n"
    )
    text = await text_at(reader, root, 0, 3, "asks.md")
    assert text.count(f"({to_uri(root / 'letter.md')})") == 1


async def test_a_link_is_not_called_broken_while_notes_are_being_read(reader, root, monkeypatch):
    await reader.read(root, NOTES)
    monkeypatch.setattr(Indexer, "is_complete", property(lambda _: False))
    assert await text_at(reader, root, 1, 75) is None


async def test_a_tag_shows_its_notes_and_those_of_nested_tags(reader, root):
    await reader.read(root, NOTES)
    text = await text_at(reader, root, 2, 1)
    assert text.startswith("**#care: 3 notes**")
    assert all(f"[{title}]" in text for title in ("Watering", "Feeding plants", "Here"))


async def test_a_heading_shows_notes_related_to_its_section(reader, root):
    await reader.read(root, NOTES)
    text = await text_at(reader, root, 8, 4, "plants/orchid.md")
    assert text.startswith("**Related to Feeding**")
    assert "fertilizer" in text


async def test_two_headings_with_the_same_text_show_their_own_sections(reader, root):
    await reader.read(root, NOTES + TWICE)
    first, second = [await text_at(reader, root, line, 3, "twice.md") for line in (1, 3)]
    assert "fertilizer" in first
    assert "fertilizer" not in second
    assert "water" in second


@pytest.mark.parametrize(("character", "head"), [(34, None), (48, None), (63, "v1.2"), (72, "some/")])
async def test_a_link_to_a_file_that_is_no_note_is_not_called_broken(reader, root, character, head):
    """Links to images and documents are ignored; a link with any other name could lead to a note."""
    await reader.read(root, NOTES + TWICE + "--- some.md\n")
    text = await text_at(reader, root, 5, character, "twice.md")
    assert text is None if head is None else text.startswith(f"**There is no note {head}**")
    assert head != "some/" or "[some]" in text


@pytest.mark.parametrize(("line", "character"), [(2, 15), (4, 3), (7, 3), (99, 0), (3, 0)])
async def test_plain_text_and_code_have_no_hover(reader, root, line, character):
    await reader.read(root, NOTES)
    assert await text_at(reader, root, line, character) is None


@pytest.mark.parametrize("uri", ["untitled:x", "file:///nowhere/x.md", "vscode-vfs://x/y.md", ""])
async def test_a_uri_of_no_note_has_no_hover(reader, root, uri):
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
async def test_columns_use_the_agreed_encoding_and_the_end_of_a_link_belongs_to_it(
    reader, root, offered, character, is_found
):
    capabilities = {"general": {"positionEncodings": [offered]}}
    await reader.read(root, NOTES, capabilities=capabilities)
    assert (await text_at(reader, root, 6, character) is not None) == is_found


async def test_a_client_that_supports_only_plain_text_gets_plain_text(reader, root):
    capabilities = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    await reader.read(root, NOTES, capabilities=capabilities)
    answer = await reader.result("textDocument/hover", reader.at(root / "here.md", 1, 3))
    assert answer["contents"]["kind"] == "plaintext"
    text = answer["contents"]["value"]
    assert text.startswith("Orchid\n\nOrchids like")
    assert "<b>bark</b>" in text
    assert "- Watering (watering.md)" in text
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


async def test_a_hover_uses_the_text_on_the_screen(reader, root):
    await reader.read(root, NOTES)
    item = {"uri": to_uri(root / "here.md"), "languageId": "markdown", "version": 1, "text": "new\n\u2028 [[watering]]"}
    reader.notify("textDocument/didOpen", {"textDocument": item})
    assert (await text_at(reader, root, 1, 5)).startswith("**[Watering]")
