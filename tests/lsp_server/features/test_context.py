"""`vaultseek/context`, from parameters to the answer."""

import pytest

from lsp_server.wire.uris import to_uri
from search.answer.context import ContextPassage, QuestionContext
from search.ids import NoteId
from search.notice import Notice, NoticeKind

pytestmark = pytest.mark.asyncio
CONTEXT = "vaultseek/context"
NOTICE = Notice(NoticeKind.PARTIAL, "still-reading", "1 note is still being read.")
PASSAGE = ContextPassage(
    note=NoteId("plants/orchid.md"),
    title="Orchid",
    start=0,
    end=9,
    lines=(0, 2),
    headings=("Orchid",),
    text="# \x1b\r\nrain",
    rank=1,
)
FOUND = QuestionContext(
    text="text", passages=(PASSAGE,), n_tokens=4, max_tokens=500, n_notes=1, total=3, notices=(NOTICE,)
)


async def test_passages_arrive_verbatim_with_their_places(ready, vault):
    await ready.result("vaultseek/search", {"query": "orchid"})
    ready.engines[0].found = FOUND
    answer = await ready.result(CONTEXT, {"query": "orchid", "maxTokens": 500, "options": {"folder": "plants"}})
    (passage,) = answer["passages"]
    assert passage == {
        "id": "plants/orchid.md",
        "uri": to_uri(vault / "plants/orchid.md"),
        "title": "Orchid",
        "start": 0,
        "end": 9,
        "lines": [0, 2],
        "headings": ["Orchid"],
        "text": "# \x1b\r\nrain",
        "rank": 1,
    }
    assert (answer["tokens"], answer["maxTokens"], answer["shown"], answer["total"]) == (4, 500, 1, 3)
    assert [notice["code"] for notice in answer["notices"]] == ["still-reading"]
    (received,) = ready.engines[0].received
    assert received == ("context", "orchid", "plants", 500, 3.0)


async def test_the_default_is_4000_tokens(ready):
    await ready.result("vaultseek/search", {"query": "orchid"})
    ready.engines[0].found = FOUND
    await ready.result(CONTEXT, {"query": "orchid"})
    assert ready.engines[0].received[-1][3] == 4_000


@pytest.mark.parametrize(
    ("value", "allowed"),
    [(0, "100..1000000"), (10**9, "100..1000000"), (99.5, "a whole number"), ("x", "a whole number")],
)
async def test_a_budget_out_of_range_is_refused(ready, value, allowed):
    error = await ready.error(CONTEXT, {"query": "orchid", "maxTokens": value})
    assert error["code"] == -32602
    assert (error["data"]["field"], error["data"]["allowed"]) == ("params.maxTokens", allowed)
