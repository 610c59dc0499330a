"""Requests that are cancelled or replaced, and the progress that they send."""

import asyncio
import threading

import pytest
from attrs import evolve

from lsp_server.wire.uris import to_uri
from tests.lsp_server.conftest import ANSWER

pytestmark = pytest.mark.asyncio


SEARCH = "vaultseek/search"


PARTIAL = evolve(ANSWER, is_complete=False, hits=(), total=0, generation=1)


def waiting_for(release):
    """A search that runs until it is released or cancelled."""

    def script(query, budget, _progress):
        while not release.wait(0.001):
            budget.check()
        return evolve(ANSWER, terms=(query.text,))

    return script


def endless():
    """A search that runs until it is cancelled, with one event for its start and one for its end."""
    started, stopped = threading.Event(), threading.Event()

    def script(_query, budget, _progress):
        started.set()
        try:
            while True:
                budget.check()
        finally:
            stopped.set()

    return script, started, stopped


async def test_only_the_last_of_many_searches_sent_at_once_is_run(client, vault):
    """The client cancels none of them: each search replaces the previous one, and other requests are not delayed."""
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


async def test_a_running_search_is_stopped_by_a_newer_one(client, vault):
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
async def test_a_newer_search_replaces_an_older_one_however_the_vault_is_named(
    client, vault, tmp_path, spellings, is_alone
):
    """This holds whether the vault is named or not, and however its URI is spelled."""
    (tmp_path / "project").mkdir()
    await client.initialize(*([vault / "plants", vault] if is_alone else [tmp_path / "project", vault / "plants"]))
    params = [{"vault": spell(to_uri(vault))} if spell else {} for spell in spellings]
    older, newer = [client.ask(SEARCH, {"query": "orchid", **named}) for named in params]
    assert (await older)["error"]["code"] == -32800
    assert (await newer)["result"]["vault"] == to_uri(vault)


async def test_searches_of_two_vaults_do_not_cancel_each_other(client, vault, tmp_path):
    other = tmp_path / "other"
    (other / ".obsidian").mkdir(parents=True)
    await client.initialize(vault, other)
    asked = [client.ask(SEARCH, {"query": "orchid", "vault": to_uri(root)}) for root in (vault, other)]
    assert ["result" in await answer for answer in asked] == [True, True]


async def test_a_request_cancelled_at_once_still_begins_and_ends_its_progress(ready):
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


@pytest.mark.parametrize("names_it", [True, False])
@pytest.mark.parametrize("how", ["workspace/didChangeWorkspaceFolders", "workspace/didChangeConfiguration"])
async def test_a_search_in_a_folder_that_is_closed_is_cancelled_and_asks_no_other_folder(
    client, vault, tmp_path, how, names_it
):
    client.script, started, stopped = endless()
    folders = () if "Configuration" in how else (vault,)
    await client.initialize(*folders, initializationOptions={"vaults": [] if folders else [str(vault)]})
    query = {"query": "orchid", "workDoneToken": "t", **({"vault": to_uri(vault)} if names_it else {})}
    answer = client.ask(SEARCH, query)
    assert await asyncio.to_thread(started.wait, 10)
    other = tmp_path / "other"
    (other / ".obsidian").mkdir(parents=True)
    event = {"added": [{"uri": to_uri(other), "name": "o"}], "removed": [{"uri": to_uri(vault), "name": "v"}]}
    client.notify(how, {"event": event, "settings": {"vaultseek": {"vaults": [str(other)]}}})
    assert (await answer)["error"]["code"] == -32800
    assert stopped.wait(10)
    assert [value["kind"] for value in client.progress("t")] == ["begin", "report", "end"]
    assert [engine.root for engine in client.engines] == [vault]


@pytest.mark.parametrize("method", ["workspace/symbol", "textDocument/references", "textDocument/definition"])
async def test_a_request_without_progress_that_is_cancelled_at_once_begins_none(ready, vault, method):
    """A client may send a token all the same; what has not begun need not end."""
    place = {"textDocument": {"uri": to_uri(vault / "plants/orchid.md")}, "position": {"line": 0, "character": 3}}
    params = {"query": "o", **place, "context": {"includeDeclaration": True}, "workDoneToken": "t"}
    answer = ready.ask(method, params)
    ready.cancel(ready.last_id)
    assert (await answer)["error"]["code"] == -32800
    assert ready.progress("t") == []
    assert not ready.server.running


async def test_progress_cancelled_by_the_user_cancels_its_request(client, vault):
    client.script = waiting_for(threading.Event())
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "workDoneToken": 7})
    await client.until(lambda: client.progress(7))
    client.notify("window/workDoneProgress/cancel", {"token": 7})
    assert (await answer)["error"]["code"] == -32800


async def test_progress_cancelled_at_once_still_begins_and_ends(client, vault):
    client.script = waiting_for(threading.Event())
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "workDoneToken": 7})
    client.notify("window/workDoneProgress/cancel", {"token": 7})
    assert (await answer)["error"]["code"] == -32800
    assert [value["kind"] for value in client.progress(7)] == ["begin", "report", "end"]


async def test_shutdown_cancels_running_requests(client, vault):
    client.script = waiting_for(threading.Event())
    await client.initialize(vault)
    answer = client.ask(SEARCH, {"query": "orchid", "workDoneToken": 7})
    await client.until(lambda: client.progress(7))
    await client.result("shutdown")
    assert (await answer)["error"]["code"] == -32800


async def test_a_client_that_disconnects_stops_running_requests(client, vault):
    client.script, started, stopped = endless()
    await client.initialize(vault)
    client.ask(SEARCH, {"query": "orchid"})
    assert await asyncio.to_thread(started.wait, 10)
    assert await client.leave() == 1
    assert stopped.wait(10)
    assert client.engines[0].is_closed


async def test_work_runs_in_the_server_s_own_threads(ready):
    await ready.result(SEARCH, {"query": "orchid"})
    assert all(thread.name.startswith("vaultseek") for thread in ready.engines[0].threads)


async def test_progress_begins_and_reports_each_percent_once_and_ends(ready):
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


@pytest.mark.parametrize("token", ["", 0, "0", -1])
async def test_progress_is_sent_on_the_token_as_the_client_chose_it(ready, token):
    ready.script = lambda _query, _budget, progress: progress(1, 2) or ANSWER
    await ready.result(SEARCH, {"query": "orchid", "workDoneToken": token})
    await ready.settle()
    tokens = [note["params"]["token"] for note in ready.notes if note["method"] == "$/progress"]
    assert len(tokens) == 3
    assert {repr(one) for one in tokens} == {repr(token)}


async def test_without_a_token_there_is_no_progress(ready):
    ready.script = lambda _query, _budget, progress: progress(1, 2) or ANSWER
    await ready.result(SEARCH, {"query": "orchid"})
    assert not ready.notes


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
    client.server.search_workers._pool.shutdown(wait=True)
    await client.settle()
    assert client.progress("p") == []
