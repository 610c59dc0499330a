"""Settings of the client and of each folder, and requests that arrive while they change."""

import asyncio
import threading

import pytest

from lsp_server import open_vault
from lsp_server.config import changes
from lsp_server.wire.uris import to_uri
from search.budget import Cancelled
from search.engine import Engine
from search.errors import VaultClosed
from search.execution.executor import Executor
from tests.lsp_server.conftest import ANSWER

pytestmark = pytest.mark.asyncio


CONFIGURED = {"workspace": {"configuration": True}}


def messages_of(client, method):
    return [note["params"] for note in client.notes if note["method"] == method]


def settings(client, *values):
    client.answers["workspace/configuration"] = {"result": list(values)}


@pytest.fixture
def other(tmp_path):
    root = tmp_path / "other"
    (root / ".obsidian").mkdir(parents=True)
    return root


async def searched(client, root):
    await client.result("vaultseek/search", {"query": "orchid", "vault": to_uri(root)})
    return next(engine for engine in reversed(client.engines) if engine.root == root)


async def test_each_folder_has_its_own_settings(client, vault, other):
    settings(client, {"maxResults": 7}, {"maxResults": 7}, {"maxResults": 3, "snippets": 2})
    await client.initialize(vault, other, capabilities=CONFIGURED, initialized=True)
    await client.until(lambda: client.requests)
    (request,) = client.requests
    assert [item.get("scopeUri") for item in request["params"]["items"]] == [None, to_uri(vault), to_uri(other)]
    await client.settle()
    await client.settle()
    first, second = await searched(client, vault), await searched(client, other)
    assert [engine.queries[0].limit for engine in (first, second)] == [7, 3]
    assert [engine.settings.n_snippets for engine in (first, second)] == [3, 2]


async def test_a_changed_setting_of_a_folder_applies_from_the_next_request_to_that_folder_only(client, vault, other):
    settings(client, {}, {}, {})
    await client.initialize(vault, other, capabilities=CONFIGURED, initialized=True)
    await client.until(lambda: client.requests)
    await client.settle()
    await client.settle()
    first, second = await searched(client, vault), await searched(client, other)
    settings(client, {}, {}, {"snippets": 5})
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    await client.until(lambda: len(client.requests) == 2)
    await client.settle()
    await client.settle()
    assert await searched(client, vault) is first
    assert (await searched(client, other)).settings.n_snippets == 5
    assert second.is_closed


async def test_the_folder_s_own_pipeline_is_used_if_the_request_names_its_preset(client, vault, other):
    settings(client, {}, {"preset": "graph-linear"}, {})
    await client.initialize(vault, other, capabilities=CONFIGURED, initialized=True)
    for root, preset in ((vault, ""), (other, "graph-linear")):
        params = {"query": "orchid", "vault": to_uri(root), "options": {"preset": "graph-linear"}}
        await client.result("vaultseek/search", params)
        assert client.engines[-1].queries[-1].preset == preset


async def changing(client, vault):
    """A client that has answered one request for its settings and leaves the next one unanswered."""
    settings(client, {"snippets": 2}, None)
    await client.initialize(vault, capabilities=CONFIGURED, initialized=True)
    assert (await searched(client, vault)).settings.n_snippets == 2
    client.answers["workspace/configuration"] = None
    client.notify("workspace/didChangeConfiguration", {"settings": None})


def give(client, *values):
    """Answer the server's last request for settings."""
    client.send({"jsonrpc": "2.0", "id": client.requests[-1]["id"], "result": list(values)})


async def test_a_search_right_after_a_change_uses_the_new_settings(ready, vault):
    assert (await searched(ready, vault)).settings.n_snippets == 3
    ready.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"snippets": 5, "maxResults": 4}}})
    engine = await searched(ready, vault)
    assert (engine.settings.n_snippets, engine.queries[0].limit) == (5, 4)


REQUESTS = [
    ("vaultseek/search", {"query": "orchid"}),
    ("vaultseek/explain", {"query": "orchid", "note": "plants/orchid.md"}),
    ("vaultseek/related", {"textDocument": None}),
    ("workspace/executeCommand", {"command": "vaultseek.updateIndex"}),
]


@pytest.mark.parametrize(("method", "params"), REQUESTS, ids=[method for method, _ in REQUESTS])
async def test_a_request_waits_for_the_client_s_new_settings(client, vault, method, params):
    await changing(client, vault)
    if "textDocument" in params:
        params = {"textDocument": {"uri": to_uri(vault / "plants/orchid.md")}}
    answer = client.ask(method, params)
    await client.settle()
    assert not answer.done()
    give(client, {"snippets": 5}, None)
    assert "result" in await answer
    assert client.engines[-1].settings.n_snippets == 5


@pytest.mark.parametrize("how_it_ends", [VaultClosed("vault"), Cancelled(), None])
async def test_a_search_is_answered_even_if_settings_change_meanwhile(ready, vault, how_it_ends):
    """The old engine answers if it still can, else the new one; the client does not notice."""
    begun, closed = threading.Event(), threading.Event()

    def held(_query, _budget, _progress):
        if len(ready.engines) > 1:
            return ANSWER
        begun.set()
        assert closed.wait(20)
        if how_it_ends is not None:
            raise how_it_ends
        return ANSWER

    ready.script = held
    answer = ready.ask("vaultseek/search", {"query": "orchid", "workDoneToken": "t", "partialResultToken": "p"})
    await ready.server.quick_workers.run(lambda _budget: begun.wait(20))
    ready.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"snippets": 5}}})
    while not ready.engines[0].is_closed:
        await ready.settle()
    closed.set()
    assert (await answer)["result"]["total"] == 1
    assert len(ready.engines) == (1 if how_it_ends is None else 2)
    assert [value["kind"] for value in ready.progress("t")] == ["begin", "report", "end"]


async def test_a_real_search_is_repeated_with_the_new_settings(reader, tmp_path, monkeypatch):
    root = tmp_path / "vault"
    await reader.read(root, "--- a.md\n# Orchid\n")
    begun, go, close = threading.Event(), threading.Event(), Engine.close
    rank = Executor._rank

    def held(answering, *arguments, **options):
        if answering is reader.engines[0]._executor:
            begun.set()
            assert go.wait(20)
        return rank(answering, *arguments, **options)

    def closed(engine):
        close(engine)
        go.set()

    monkeypatch.setattr(Executor, "_rank", held)
    monkeypatch.setattr(Engine, "close", closed)
    answer = reader.ask("vaultseek/search", {"query": "orchid"})
    await reader.server.quick_workers.run(lambda _budget: begun.wait(20))
    reader.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"snippets": 5}}})
    assert (await answer)["result"]["total"] == 1
    assert len(reader.engines) == 2


@pytest.mark.parametrize("is_slow", [False, True])
async def test_the_old_engine_is_closed_before_the_new_one_is_created(ready, vault, monkeypatch, is_slow):
    """Both write to the same vectors. If closing takes too long, the new engine does not wait for it."""
    monkeypatch.setattr(open_vault, "CLOSE_S", 0.01 if is_slow else 20)
    old, closing, go = await searched(ready, vault), threading.Event(), threading.Event()

    def close():
        closing.set()
        assert go.wait(20)

    monkeypatch.setattr(old, "close", close)
    ready.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"snippets": 5}}})
    answer = ready.ask("vaultseek/search", {"query": "orchid"})
    await asyncio.to_thread(closing.wait, 20)
    if not is_slow:
        assert len(ready.engines) == 1
        go.set()
    assert (await answer)["result"]["total"] == 1
    assert len(ready.engines) == 2
    go.set()


def searched_until_closed(ready):
    """Make a search set the first event, wait for the second one, and then find its vault closed."""
    begun, go = threading.Event(), threading.Event()

    def held(_query, _budget, _progress):
        begun.set()
        assert go.wait(20)
        raise VaultClosed("vault")

    ready.script = held
    return begun, go


async def test_a_folder_closed_during_a_search_gets_no_new_engine(ready, vault):
    begun, go = searched_until_closed(ready)
    answer = ready.ask("vaultseek/search", {"query": "orchid"})
    await ready.server.quick_workers.run(lambda _budget: begun.wait(20))
    ready.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [_folder(vault)]}})
    await ready.settle()
    go.set()
    assert (await answer)["error"]["code"] == -32800
    assert len(ready.engines) == 1


async def test_a_client_that_leaves_during_a_search_causes_no_log_message(ready, caplog):
    begun, go = searched_until_closed(ready)
    answer = ready.ask("vaultseek/search", {"query": "orchid"})
    await asyncio.to_thread(begun.wait, 20)
    await ready.leave()
    go.set()
    assert (await answer)["error"]["code"] == -32800
    assert not caplog.records


def _folder(root):
    return {"uri": to_uri(root), "name": root.name}


async def test_the_first_request_waits_for_the_client_s_settings(client, vault):
    client.answers["workspace/configuration"] = None
    await client.initialize(vault, capabilities=CONFIGURED, initialized=True)
    answer = client.ask("vaultseek/search", {"query": "orchid"})
    await client.until(lambda: client.requests)
    give(client, {"snippets": 5}, None)
    await answer
    assert [engine.settings.n_snippets for engine in client.engines] == [5]


async def test_a_client_that_never_answers_delays_requests_only_shortly(client, vault, monkeypatch):
    await changing(client, vault)
    monkeypatch.setattr(changes, "PATIENCE_S", 0.01)  # before the server reads the notification
    assert (await searched(client, vault)).settings.n_snippets == 2
    give(client, {"snippets": 5}, None)
    await client.settle()
    await client.settle()
    assert (await searched(client, vault)).settings.n_snippets == 5


async def test_requests_wait_until_received_settings_are_in_use(ready, vault, monkeypatch):
    """The limit applies to the client; importing the search core can take longer at the first start."""
    monkeypatch.setattr(changes, "PATIENCE_S", 0.0)
    for n_snippets in (5, 6, 7):
        ready.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"snippets": n_snippets}}})
        assert (await searched(ready, vault)).settings.n_snippets == n_snippets


@pytest.mark.slow
async def test_a_late_answer_does_not_undo_a_later_change(client, vault):
    await changing(client, vault)
    client.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {"snippets": 7}}})
    give(client, {"snippets": 5}, None)
    assert (await searched(client, vault)).settings.n_snippets == 7


async def test_a_search_that_waits_for_settings_can_be_cancelled(client, vault):
    await changing(client, vault)
    answer = client.ask("vaultseek/search", {"query": "orchid"})
    client.cancel(client.last_id)
    assert (await answer)["error"]["code"] == -32800
    give(client, {}, None)


async def test_a_bug_while_applying_settings_is_logged(ready, vault, monkeypatch, caplog):
    monkeypatch.setattr(ready.server.session, "configure", None)
    ready.notify("workspace/didChangeConfiguration", {"settings": {"vaultseek": {}}})
    assert await searched(ready, vault)
    assert "Settings could not be applied" in caplog.text


async def test_the_settings_of_an_added_folder_are_requested(client, vault, other):
    settings(client, {}, {})
    await client.initialize(vault, capabilities=CONFIGURED, initialized=True)
    await client.until(lambda: client.requests)
    settings(client, {}, {}, {"maxResults": 4})
    added = {"added": [{"uri": to_uri(other), "name": "other"}], "removed": []}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": added})
    await client.until(lambda: len(client.requests) == 2)
    await client.settle()
    await client.settle()
    assert (await searched(client, other)).queries[0].limit == 4


async def test_an_invalid_setting_is_shown_once_and_again_after_it_was_valid(ready):
    bad = {"vaultseek": {"maxResults": 0, "colour": "red"}}
    for sent in (bad, bad, {"vaultseek": {}}, bad):
        ready.notify("workspace/didChangeConfiguration", {"settings": sent})
        await ready.settle()
    shown = [params["message"] for params in messages_of(ready, "window/showMessage")]
    assert shown == [
        "vaultseek.maxResults: 0 is outside 1..100\nvaultseek.colour: unknown option",
        "vaultseek.maxResults: 0 is outside 1..100\nvaultseek.colour: unknown option",
    ]


async def settled_until(client, holds):
    """Wait for background work, of which the client receives no message."""
    while not holds():
        await client.settle()


async def test_auto_index_on_startup_reads_a_vault_before_the_first_request(client, vault, other):
    settings(client, {}, {"autoIndex": "onStartup"}, {})
    await client.initialize(vault, other, capabilities=CONFIGURED, initialized=True)
    await settled_until(client, lambda: client.engines and client.engines[0].n_indexed)
    assert [engine.root for engine in client.engines] == [vault]
    first = client.engines[0]
    first.index = None
    n_before = first.n_indexed
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    await settled_until(client, lambda: first.n_indexed > n_before)
    assert messages_of(client, "window/logMessage") == []
