"""`vaultseek/related`, from parameters to the answer."""

import pytest

from lsp_server.uris import to_uri
from search.answer.trail import replay
from tests.lsp_server.conftest import ANSWER

pytestmark = pytest.mark.asyncio
RELATED = "vaultseek/related"


def asked_for(root, note="plants/orchid.md", **more):
    return {"textDocument": {"uri": to_uri(root / note)}, **more}


async def test_a_related_note_is_a_result_with_a_reason(ready, vault):
    answer = await ready.result(RELATED, asked_for(vault))
    (item,) = answer["results"]
    (result,) = (await ready.result("vaultseek/search", {"query": "orchid"}))["results"]
    assert item == {**result, "reason": "Its title.", "isLinked": True}
    assert (answer["total"], answer["complete"], answer["generation"]) == (3, True, 3)
    assert (answer["notices"], answer["vault"]) == ([], to_uri(vault))
    assert replay(ANSWER.hits[0].hit.trail) == item["score"]
    assert ready.engines[0].told == [("related", "plants/orchid.md", "", None, 10, 3.0)]


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [((2, 0), (4, 3), (2, 5)), ((2, 0), (4, 0), (2, 4)), ((2, 1), (2, 5), (2, 3)), ((2, 1), (2, 1), None)],
)
async def test_a_selection_is_the_lines_that_it_touches(ready, vault, start, end, lines):
    """The line that a selection ends at the beginning of is not touched; an empty selection selects nothing."""
    places = [dict(zip(("line", "character"), place, strict=True)) for place in (start, end)]
    selected = dict(zip(("start", "end"), places, strict=True))
    await ready.result(RELATED, asked_for(vault, range=selected, heading="Care", limit=5))
    assert ready.engines[0].told == [("related", "plants/orchid.md", "Care", lines, 5, 3.0)]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({}, "params.textDocument"),
        ({"textDocument": {}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "untitled:x"}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "file:///elsewhere/x.md"}}, "params.textDocument.uri"),
        ({"textDocument": {"uri": "file:///x.md"}, "limit": 0}, "params.limit"),
        ({"textDocument": {"uri": "file:///x.md"}, "range": {"start": {}}}, "params.range.start.line"),
        ({"textDocument": {"uri": "file:///x.md"}, "vault": "file:///nowhere"}, "params.vault"),
    ],
)
async def test_parameters_that_do_not_fit_are_named(ready, params, field):
    error = await ready.error(RELATED, params)
    assert (error["code"], error["data"]["field"]) == (-32602, field)


async def test_a_note_belongs_to_the_innermost_folder_unless_told_otherwise(client, vault):
    inner = vault / "plants"
    (inner / ".obsidian").mkdir()
    await client.initialize(vault, inner)
    assert (await client.result(RELATED, asked_for(vault)))["vault"] == to_uri(inner)
    assert (await client.result(RELATED, asked_for(vault, vault=to_uri(vault))))["vault"] == to_uri(vault)


async def test_a_folder_that_is_not_searched_says_why(client, tmp_path):
    (tmp_path / "empty").mkdir()
    await client.initialize(tmp_path / "empty")
    answer = await client.result(RELATED, asked_for(tmp_path / "empty", "x.md"))
    assert (answer["results"], [notice["code"] for notice in answer["notices"]]) == ([], ["no-vault"])


async def test_its_progress_begins_and_ends(ready, vault):
    await ready.result(RELATED, asked_for(vault, workDoneToken="t"))
    assert [value["kind"] for value in ready.progress("t")] == ["begin", "report", "end"]
