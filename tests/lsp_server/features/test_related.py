"""`vaultseek/related`, from parameters to the answer."""

import pytest

from lsp_server.wire.uris import to_uri
from search.answer.trail import replay
from tests.lsp_server.conftest import ANSWER

pytestmark = pytest.mark.asyncio
RELATED = "vaultseek/related"


def asked_for(root, note="plants/orchid.md", **more):
    return {"textDocument": {"uri": to_uri(root / note)}, **more}


async def test_a_related_note_is_a_result_plus_a_reason(ready, vault):
    answer = await ready.result(RELATED, asked_for(vault))
    (item,) = answer["results"]
    (result,) = (await ready.result("vaultseek/search", {"query": "orchid"}))["results"]
    assert item == {**result, "reason": "Its title.", "isLinked": True}
    assert (answer["total"], answer["complete"], answer["generation"]) == (3, True, 3)
    assert (answer["notices"], answer["vault"]) == ([], to_uri(vault))
    assert replay(ANSWER.hits[0].hit.trail) == item["score"]
    assert ready.engines[0].received == [("related", "plants/orchid.md", "", None, "include", 10, 3.0)]


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [((2, 0), (4, 3), (2, 5)), ((2, 0), (4, 0), (2, 4)), ((2, 1), (2, 5), (2, 3)), ((2, 1), (2, 1), None)],
)
async def test_a_selection_means_the_lines_that_it_touches(ready, vault, start, end, lines):
    """A line at whose beginning a selection ends is not part of it; an empty selection selects nothing."""
    places = [dict(zip(("line", "character"), place, strict=True)) for place in (start, end)]
    selected = dict(zip(("start", "end"), places, strict=True))
    await ready.result(RELATED, asked_for(vault, range=selected, heading="Care", limit=5))
    assert ready.engines[0].received == [("related", "plants/orchid.md", "Care", lines, "include", 5, 3.0)]


def selected(*place):
    """A range from line and column to line and column."""
    return {"start": dict(zip(PLACE, place[:2], strict=True)), "end": dict(zip(PLACE, place[2:], strict=True))}


PLACE = ("line", "character")
OUT_OF_PLACE = [
    (selected(2, 0, 1, 5), "params.range.end", "1:5", "2:0, the start of the range, or later"),
    (selected(2, 4, 2, 3), "params.range.end", "2:3", "2:4, the start of the range, or later"),
    (selected(4, 0, 9, 0), "params.range.start.line", "4", "0..3, the lines of the note"),
    (selected(7, 0, 7, 0), "params.range.start.line", "7", "0..3, the lines of the note"),
    (selected(-1, 0, 2, 0), "params.range.start.line", "-1", "0..2147483647"),
    (selected(0, 0, 2, -3), "params.range.end.character", "-3", "0..2147483647"),
    (selected(0, 0, 2**31, 0), "params.range.end.line", "2147483648", "0..2147483647"),
    (selected(0, 0, 1.5, 0), "params.range.end.line", "1.5", "a whole number"),
    ([0, 2], "params.range", "[0, 2]", "an object"),
]


@pytest.mark.parametrize(("range_", "field", "value", "allowed"), OUT_OF_PLACE)
async def test_an_invalid_selection_is_refused(ready, vault, range_, field, value, allowed):  # noqa: PLR0917 - a row of the table
    error = await ready.error(RELATED, asked_for(vault, range=range_))
    assert error["code"] == -32602
    data = error["data"]
    assert (data["field"], data["value"].strip("'"), data["allowed"]) == (field, value, allowed)
    assert not ready.engines


@pytest.mark.parametrize("linked", ["include", "last", "exclude"])
async def test_notes_that_are_linked_already_can_be_last_or_left_out(ready, vault, linked):
    await ready.result(RELATED, asked_for(vault, linked=linked))
    assert ready.engines[0].received[-1][4] == linked


async def test_a_selection_refers_to_the_text_on_the_screen(ready, vault):
    """An unsaved text can be longer or shorter than its file."""
    uri = to_uri(vault / "plants/orchid.md")
    document = {"uri": uri, "languageId": "markdown", "version": 1, "text": "x\n" * 8}
    ready.notify("textDocument/didOpen", {"textDocument": document})
    await ready.result(RELATED, asked_for(vault, range=selected(7, 0, 99, 0)))
    assert ready.engines[0].received[-1][3] == (7, 99)


async def test_a_selection_in_a_missing_note_reaches_the_engine(ready, vault):
    await ready.result(RELATED, asked_for(vault, "none.md", range=selected(7, 0, 8, 0)))
    assert ready.engines[0].received[-1][:2] == ("related", "none.md")


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "params.textDocument"),
        ({"textDocument": {}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "untitled:x"}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "file:///elsewhere/x.md"}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "file:///x.md"}, "limit": 0}, "params.limit"),
        ({"textDocument": {"uri": "file:///x.md"}, "linked": "first"}, "params.linked"),
        ({"textDocument": {"uri": "file:///x.md"}, "range": {"start": {}}}, "params.range.start.line"),
        ({"textDocument": {"uri": "file:///x.md"}, "vault": "file:///nowhere"}, "params.vault"),
    ],
)
async def test_an_invalid_parameter_of_related_is_named(ready, params, field):
    error = await ready.error(RELATED, params)
    assert (error["code"], error["data"]["field"]) == (-32602, field)


async def test_a_note_belongs_to_the_innermost_vault_unless_one_is_named(client, vault):
    inner = vault / "plants"
    (inner / ".obsidian").mkdir()
    await client.initialize(vault, inner)
    assert (await client.result(RELATED, asked_for(vault)))["vault"] == to_uri(inner)
    assert (await client.result(RELATED, asked_for(vault, vault=to_uri(vault))))["vault"] == to_uri(vault)


async def test_a_folder_that_is_not_searched_gives_a_notice(client, tmp_path):
    (tmp_path / "empty").mkdir()
    await client.initialize(tmp_path / "empty")
    answer = await client.result(RELATED, asked_for(tmp_path / "empty", "x.md"))
    assert (answer["results"], [notice["code"] for notice in answer["notices"]]) == ([], ["no-vault"])


async def test_the_progress_of_related_begins_and_ends(ready, vault):
    await ready.result(RELATED, asked_for(vault, workDoneToken="t"))
    assert [value["kind"] for value in ready.progress("t")] == ["begin", "report", "end"]
