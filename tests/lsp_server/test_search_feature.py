"""`vaultseek/search`, `explain` and `status`, with an engine that answers as told."""

import asyncio
import threading

import pytest
from attrs import evolve

from lsp_server.wire.uris import to_uri
from search.answer.notice import Notice, NoticeKind
from search.answer.result import SearchResult
from search.answer.trail import Found
from search.query import Mode, Query, Scope
from tests.lsp_server.conftest import ANSWER, found

pytestmark = pytest.mark.asyncio

SEARCH = "vaultseek/search"
PARTIAL = evolve(ANSWER, is_complete=False, hits=(), total=0, generation=1)


async def test_a_result_has_all_that_a_list_needs(ready, vault):
    answer = await ready.result(SEARCH, {"query": "orchid"})
    (result,) = answer.pop("results")
    assert answer == {
        "notices": [],
        "total": 1,
        "mode": "keyword",
        "searchType": "keyword",
        "complete": True,
        "generation": 3,
        "expandedQuery": {"original": "orchid", "terms": ["orchid"]},
        "timings": {"grep": 1.5},
        "vault": to_uri(vault),
    }
    explanation = result.pop("explanation")
    assert result == {
        "id": "plants/orchid.md",
        "uri": to_uri(vault / "plants/orchid.md"),
        "title": "Orchid",
        "score": 0.98,
        "engine": "lexical",
        "sentence": "Its title.",
        "snippets": [
            {
                "text": "😀 orchid",
                "range": {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 14}},
                "highlights": [{"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 14}}],
                "marks": [[3, 9]],
            }
        ],
        "sections": [{"headingPath": ["Care", "Water"], "line": 1}],
        "scoreBreakdown": {"fulltext": 0.016393},
        "relevanceReason": "1 x 0.0164 fulltext x 1.15 folder = 0.0189",
    }
    assert explanation["lexicalMatches"] == [
        {"field": "title", "query": "orchid", "weight": 3.0, "count": 1, "kind": "word"}
    ]
    assert explanation["exactName"] == "Orchid"
    assert explanation["folderBoost"] == {
        "folder": "plants",
        "documentCount": 2,
        "totalCount": 4,
        "boostFactor": 1.15,
    }
    assert explanation["graphConnections"] == {
        "backlinks": 1,
        "coCitations": 0,
        "sharedTags": 1,
        "score": 1.3,
        "boostMultiplier": 1.08,
    }
    assert "semanticScore" not in explanation
    assert explanation["finalScore"] == 0.98


def replayed(trail):
    """What PROTOCOL.md tells a client to do."""
    score, has_raw = 0.0, False
    for step in trail:
        match step["kind"]:
            case "found":
                score, has_raw = step["raw"], True
            case "fused":
                score, has_raw = (0.0 if has_raw else score) + step["amount"], False
            case "scaled":
                score *= step["factor"]
            case "replaced":
                score, has_raw = step["value"], False
    return score


async def test_a_client_can_recompute_the_scores_from_the_trail(ready):
    (result,) = (await ready.result(SEARCH, {"query": "orchid"}))["results"]
    trail = result["explanation"]["trail"]
    assert [step["kind"] for step in trail] == ["found", "fused", "scaled", "replaced"]
    assert replayed(trail) == result["score"] == result["explanation"]["finalScore"]
    assert replayed(trail[:-1]) == result["explanation"]["baseScore"]


async def test_sources_that_found_a_note_together_are_all_named(ready):
    both = SearchResult(hits=(found("a.md", Found("lexical", 1.0), Found("semantic", 0.5)),), total=1)
    ready.script = lambda *_: both
    (result,) = (await ready.result(SEARCH, {"query": "a"}))["results"]
    assert result["engine"] == "lexical+semantic"
    assert result["snippets"] == []


@pytest.mark.parametrize(
    ("offered", "agreed", "columns"),
    [
        (None, "utf-16", (5, [3, 9])),
        (["utf-16"], "utf-16", (5, [3, 9])),
        (["utf-8", "utf-16"], "utf-8", (8, [5, 11])),
        (["utf-32"], "utf-32", (4, [2, 8])),
        (["ebcdic"], "utf-16", (5, [3, 9])),
    ],
)
async def test_columns_are_in_the_agreed_encoding(client, vault, offered, agreed, columns):
    """Line 2 is 'é😀 x😀 orchid'; the excerpt begins at its fifth character."""
    general = {"positionEncodings": offered} if offered else {}
    result = await client.initialize(vault, capabilities={"general": general})
    assert result["capabilities"]["positionEncoding"] == agreed
    (hit,) = (await client.result(SEARCH, {"query": "orchid"}))["results"]
    (snippet,) = hit["snippets"]
    assert (snippet["range"]["start"]["character"], *snippet["marks"]) == columns


async def test_columns_of_an_open_note_are_those_on_the_screen(ready, vault):
    item = {"uri": to_uri(vault / "plants/orchid.md"), "languageId": "markdown", "version": 1}
    ready.notify("textDocument/didOpen", {"textDocument": {**item, "text": "\n\n😀😀😀😀😀 orchid"}})
    (hit,) = (await ready.result(SEARCH, {"query": "orchid"}))["results"]
    assert hit["snippets"][0]["range"]["start"]["character"] == 8


async def test_a_line_that_is_not_there_costs_a_column_not_the_answer(ready, vault):
    (vault / "plants/orchid.md").unlink()
    (hit,) = (await ready.result(SEARCH, {"query": "orchid"}))["results"]
    assert hit["snippets"][0]["range"]["start"] == {"line": 2, "character": 0}


async def test_options_reach_the_engine(ready, vault):
    options = {
        "maxResults": 5,
        "candidateLimit": 10,
        "folder": "plants",
        "tags": ["#green"],
        "limitTo": ["a.md", to_uri(vault / "plants/orchid.md"), "odd:name.md"],
        "salientTerms": ["epiphyte"],
        "preset": "tiered-lexical",
        "mode": "vector",
        "enableSemantic": True,
        "semanticWeight": 0.5,
        "semanticScope": "candidates",
        "rrfK": 30,
    }
    answer = await ready.result(SEARCH, {"query": "orchid", "options": options})
    assert answer["notices"] == []
    assert ready.engines[0].queries == [
        Query(
            text="orchid",
            limit=5,
            candidate_limit=10,
            rrf_k=30,
            folder="plants",
            tags=("#green",),
            limit_to=("a.md", "plants/orchid.md", "odd:name.md"),
            salient_terms=("epiphyte",),
            mode=Mode.VECTOR,
            semantic_weight=0.5,
            semantic_scope=Scope.CANDIDATES,
        )
    ]


async def test_without_semantic_search_words_alone_are_asked_for(ready):
    await ready.result(SEARCH, {"query": "orchid", "options": {"enableSemantic": False, "mode": "vector"}})
    assert ready.engines[0].queries[0].mode is Mode.KEYWORD


async def test_what_words_find_comes_before_the_blended_answer(ready):
    """A client that takes partial results need not wait for notes to be embedded."""
    ready.by_words = evolve(ANSWER, mode="keyword", total=7)
    ready.script = lambda *_: evolve(ANSWER, mode="hybrid")
    answer = await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    assert answer["mode"] == "hybrid"
    assert [(value["mode"], value["total"]) for value in ready.progress("p")] == [("keyword", 7)]


@pytest.mark.parametrize("number", [1, 100])
async def test_the_bounds_of_a_range_are_allowed(ready, number):
    await ready.result(SEARCH, {"query": "orchid", "options": {"maxResults": number}})
    assert ready.engines[0].queries[0].limit == number


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({"colour": "green"}, [("unknown-option", "'colour'")]),
        ({f"x{n}": 1 for n in range(50)}, [("unknown-option", f"'x{n}'") for n in range(10)]),
    ],
)
async def test_an_option_that_does_nothing_is_named_in_a_notice(ready, options, codes):
    answer = await ready.result(SEARCH, {"query": "orchid", "options": options})
    assert [(notice["code"], notice["subject"]) for notice in answer["notices"]] == codes
    assert answer["total"] == 1


async def test_notices_of_the_engine_come_with_the_answer(ready):
    notice = Notice(NoticeKind.TRUNCATED, "regex-timeout", "The regex took too long.")
    ready.script = lambda *_: evolve(ANSWER, notices=(notice,))
    answer = await ready.result(SEARCH, {"query": "/(a+)+$/"})
    assert answer["notices"] == [{"kind": "truncated", "code": "regex-timeout", "message": "The regex took too long."}]


@pytest.mark.parametrize("text", ["", "x" * 100_000, "nul\0", "\ud800 lone", '"unbalanced', "😀"])
async def test_any_text_is_a_query(ready, text):
    answer = await ready.result(SEARCH, {"query": text})
    assert answer["expandedQuery"]["original"] == text.replace("\ud800", "\N{REPLACEMENT CHARACTER}")
    assert ready.engines[0].queries[0].text == text


# Cancelling


def waiting_for(release):
    """A search that works until it is released or cancelled."""

    def script(query, budget, _progress):
        while not release.wait(0.001):
            budget.check()
        return evolve(ANSWER, terms=(query.text,))

    return script


def endless():
    """A search that works until it is cancelled; the events that it has begun and that it has stopped."""
    started, stopped = threading.Event(), threading.Event()

    def script(_query, budget, _progress):
        started.set()
        try:
            while True:
                budget.check()
        finally:
            stopped.set()

    return script, started, stopped


async def test_of_a_burst_of_prefixes_only_the_last_one_is_searched(client, vault):
    """Nobody cancelled the 29 others: each newer one takes an older one's place, and other requests are not held up."""
    release = threading.Event()
    client.script = waiting_for(release)
    await client.initialize(vault)
    asked = [client.ask(SEARCH, {"query": "o" * (length + 1), "workDoneToken": length}) for length in range(30)]
    assert (await client.result("vaultseek/status"))["vaults"]
    answers = [await answer for answer in asked[:-1]]
    assert {answer["error"]["code"] for answer in answers} == {-32800}
    assert not asked[-1].done()
    release.set()
    last = (await asked[-1])["result"]
    assert last["expandedQuery"]["terms"] == ["o" * 30]
    assert len(client.engines[0].queries) == 1
    for token in range(30):
        assert [value["kind"] for value in client.progress(token)] == ["begin", "report", "end"]


async def test_a_search_that_runs_is_stopped_by_a_newer_one(client, vault):
    client.script, started, stopped = endless()
    await client.initialize(vault)
    older = client.ask(SEARCH, {"query": "orch"})
    assert await asyncio.to_thread(started.wait, 10)
    client.engines[0].script = lambda *_: ANSWER
    assert (await client.result(SEARCH, {"query": "orchid"}))["total"] == 1
    assert (await older)["error"]["code"] == -32800
    assert stopped.wait(10)
    assert not client.server._current


SPELLINGS = [
    ("the only one, then by its URI", None, lambda uri: uri),
    ("by its URI, then the only one", lambda uri: uri, None),
    ("with a slash at the end", lambda uri: uri, lambda uri: uri + "/"),
    ("with escapes", lambda uri: uri, lambda uri: uri.replace("/vault", "/%76ault/.")),
    ("with a host", lambda uri: uri, lambda uri: uri.replace("file://", "file://localhost")),
    ("by a folder inside it", lambda uri: uri, lambda uri: uri + "/plants"),
]


@pytest.mark.parametrize("is_alone", [True, False])
@pytest.mark.parametrize("spellings", [case[1:] for case in SPELLINGS], ids=[case[0] for case in SPELLINGS])
async def test_a_vault_is_the_same_however_it_is_named(client, vault, tmp_path, spellings, is_alone):
    """A newer search takes an older one's place whether the vault is named or not, and however it is spelled."""
    (tmp_path / "project").mkdir()
    await client.initialize(*([vault / "plants", vault] if is_alone else [tmp_path / "project", vault / "plants"]))
    params = [{"vault": spell(to_uri(vault))} if spell else {} for spell in spellings]
    older, newer = [client.ask(SEARCH, {"query": "orchid", **named}) for named in params]
    assert (await older)["error"]["code"] == -32800
    assert (await newer)["result"]["vault"] == to_uri(vault)


async def test_searches_of_two_vaults_leave_each_other_alone(client, vault, tmp_path):
    other = tmp_path / "other"
    (other / ".obsidian").mkdir(parents=True)
    await client.initialize(vault, other)
    asked = [client.ask(SEARCH, {"query": "orchid", "vault": to_uri(root)}) for root in (vault, other)]
    assert ["result" in await answer for answer in asked] == [True, True]


async def test_a_request_cancelled_in_the_same_breath_begins_and_ends_its_progress(ready):
    answer = ready.ask(SEARCH, {"query": "orchid", "workDoneToken": "t"})
    ready.cancel(ready.last_id)
    assert (await answer)["error"]["code"] == -32800
    assert [value["kind"] for value in ready.progress("t")] == ["begin", "report", "end"]
    assert not ready.engines


async def test_a_search_that_fails_ends_its_progress(ready):
    def script(*_):
        raise RuntimeError

    ready.script = script
    assert (await ready.error(SEARCH, {"query": "orchid", "workDoneToken": "t"}))["code"] == -32603
    assert [value["kind"] for value in ready.progress("t")] == ["begin", "report", "end"]


async def test_an_answer_comes_in_steps_names_first(ready):
    """Each step has the shape of the answer and says that it is not the whole."""
    ready.names = evolve(ANSWER, generation=1, total=5)
    ready.by_words = evolve(ANSWER, generation=2, total=6)
    answer = await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    steps = ready.progress("p")
    assert [(step["total"], step["generation"], step["complete"]) for step in steps] == [(5, 1, False), (6, 2, False)]
    assert (answer["total"], answer["generation"], answer["complete"]) == (1, 3, True)
    assert all(set(step) == set(answer) for step in steps)
    assert all(set(step["results"][0]) == set(answer["results"][0]) for step in steps)


async def test_a_cancelled_search_stops_working(client, vault):
    client.script, started, stopped = endless()
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "workDoneToken": "t"})
    assert await asyncio.to_thread(started.wait, 10)
    client.cancel(client.last_id)
    assert (await answer)["error"]["code"] == -32800
    assert stopped.wait(10)
    assert [value["kind"] for value in client.progress("t")] == ["begin", "report", "end"]
    assert not client.server.running


async def test_progress_cancelled_by_the_user_cancels_its_request(client, vault):
    client.script = waiting_for(threading.Event())
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "workDoneToken": 7})
    await client.until(lambda: client.progress(7))
    client.notify("window/workDoneProgress/cancel", {"token": 7})
    assert (await answer)["error"]["code"] == -32800


async def test_progress_cancelled_in_one_breath_with_its_request_begins_and_ends(client, vault):
    client.script = waiting_for(threading.Event())
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "workDoneToken": 7})
    client.notify("window/workDoneProgress/cancel", {"token": 7})
    assert (await answer)["error"]["code"] == -32800
    assert [value["kind"] for value in client.progress(7)] == ["begin", "report", "end"]


async def test_shutdown_cancels_what_runs(client, vault):
    client.script = waiting_for(threading.Event())
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "workDoneToken": 7})
    await client.until(lambda: client.progress(7))
    await client.result("shutdown")
    assert (await answer)["error"]["code"] == -32800


async def test_the_client_s_leaving_stops_what_runs(client, vault):
    client.script, started, stopped = endless()
    await client.initialize(vault)
    client.ask(SEARCH, {"query": "orchid"})
    assert await asyncio.to_thread(started.wait, 10)
    assert await client.leave() == 1
    assert stopped.wait(10)
    assert client.engines[0].is_closed


async def test_work_runs_in_threads_of_our_own(ready):
    await ready.result(SEARCH, {"query": "orchid"})
    assert all(thread.name.startswith("vaultseek") for thread in ready.engines[0].threads)


# Progress and partial results


async def test_progress_begins_reports_each_percent_once_and_ends(ready):
    def script(_query, _budget, progress):
        for done in range(1001):
            progress(done, 1000)
        progress(0, 0)
        return ANSWER

    ready.script = script
    await ready.result(SEARCH, {"query": "orchid", "workDoneToken": "t"})
    values = ready.progress("t")
    assert [value["kind"] for value in values] == ["begin", *["report"] * (len(values) - 2), "end"]
    percents = [value["percentage"] for value in values[1:-1]]
    assert percents == sorted(set(percents))
    assert not ready.server.work_done_progress.tokens


async def test_a_report_after_the_end_is_dropped(ready):
    kept = []

    def script(_query, _budget, progress):
        kept.append(progress)
        return ANSWER

    ready.script = script
    await ready.result(SEARCH, {"query": "orchid", "workDoneToken": "t"})
    kept[0](1, 2)
    await ready.settle()
    assert [value["kind"] for value in ready.progress("t")] == ["begin", "report", "end"]


async def test_without_a_token_there_is_no_progress(ready):
    ready.script = lambda _query, _budget, progress: progress(1, 2) or ANSWER
    await ready.result(SEARCH, {"query": "orchid"})
    assert not ready.notes


async def test_a_cold_vault_gives_a_partial_answer_and_then_the_whole(ready):
    answers = iter([PARTIAL, ANSWER])
    ready.script = lambda *_: next(answers)
    answer = await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    (partial,) = ready.progress("p")
    assert (partial["complete"], partial["generation"], partial["results"]) == (False, 1, [])
    assert (answer["complete"], answer["generation"], len(answer["results"])) == (True, 3, 1)
    assert set(partial) == set(answer)
    assert ready.engines[0].patiences == [0.2, None]


async def test_a_warm_vault_gives_one_answer(ready):
    await ready.result(SEARCH, {"query": "orchid", "partialResultToken": "p"})
    assert ready.progress("p") == []
    assert ready.engines[0].patiences == [0.2]


async def test_a_client_without_partial_results_waits_a_while_and_gets_what_is_there(ready):
    ready.script = lambda *_: PARTIAL
    answer = await ready.result(SEARCH, {"query": "orchid"})
    assert answer["complete"] is False
    assert ready.engines[0].patiences == [3.0]


async def test_no_partial_answer_follows_a_cancelled_request(client, vault):
    release = threading.Event()

    def script(_query, _budget, _progress):
        release.wait(10)
        return PARTIAL

    client.script = script
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "partialResultToken": "p", "workDoneToken": "t"})
    await client.until(lambda: client.progress("t"))
    client.cancel(client.last_id)
    await answer
    release.set()
    client.server.work._pool.shutdown(wait=True)
    await client.settle()
    assert client.progress("p") == []


# Explain and status


async def test_explain_says_where_a_note_stands(ready, vault):
    params = {"query": "orchid", "note": to_uri(vault / "plants/orchid.md"), "options": {"x": 1}, "workDoneToken": "t"}
    answer = await ready.result("vaultseek/explain", params)
    assert (answer["note"], answer["uri"]) == ("plants/orchid.md", to_uri(vault / "plants/orchid.md"))
    assert (answer["rank"], answer["total"], answer["step"], answer["sentence"]) == (1, 1, "ranked", "First.")
    assert answer["found"]["id"] == "plants/orchid.md"
    assert "lastShown" not in answer
    assert [notice["code"] for notice in answer["notices"]] == ["unknown-option"]


async def test_explain_takes_a_note_s_id(ready):
    assert (await ready.result("vaultseek/explain", {"query": "orchid", "note": "a/b.md"}))["note"] == "a/b.md"


async def test_explain_without_a_vault_is_refused_with_the_reason(client):
    await client.initialize()
    error = await client.error("vaultseek/explain", {"query": "orchid", "note": "a.md"})
    assert error["message"] == "No folder is open; open a vault's folder or name one in vaultseek.vaults."


async def test_a_preset_that_there_is_not_is_refused(ready):
    error = await ready.error(SEARCH, {"query": "orchid", "options": {"preset": "spread"}})
    assert error["code"] == -32602
    assert "params.options.preset: 'spread' is not allowed; allowed is one of tiered-lexical" in error["message"]
