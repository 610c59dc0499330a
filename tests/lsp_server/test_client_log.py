"""Traces and log messages that a client receives."""

import logging

import pytest

pytestmark = pytest.mark.asyncio


def messages_of(client, method):
    return [note["params"] for note in client.notes if note["method"] == method]


async def test_a_client_with_traces_on_receives_the_duration_of_requests(client, vault):
    await client.initialize(vault, trace="messages")
    await client.result("vaultseek/search", {"query": "orchid"})
    await client.error("vaultseek/search", {})
    assert [params["message"].partition(" after ")[0] for params in messages_of(client, "$/logTrace")] == [
        "initialize answered",
        "vaultseek/search answered",
        "vaultseek/search failed",
    ]
    client.notify("$/setTrace", {"value": "off"})
    await client.result("vaultseek/search", {"query": "orchid"})
    assert len(messages_of(client, "$/logTrace")) == 3


async def test_warnings_and_errors_reach_the_editor_s_log_once_in_one_line(ready):
    ready.notify("initialized", {})
    await ready.settle()

    def script(*_):
        raise RuntimeError("a path: /home/me")

    ready.script = script
    for _ in range(2):
        await ready.error("vaultseek/search", {"query": "orchid"})
    logging.getLogger("search.vault").warning("a disk %s", "fails")
    logging.getLogger("lsp_server").info("not this")
    await ready.settle()
    assert messages_of(ready, "window/logMessage") == [
        {"type": 1, "message": "A request failed (RuntimeError)"},
        {"type": 2, "message": "a disk fails"},
    ]
    await ready.leave()
    assert not any(
        isinstance(handler, type(ready.server.client_log)) for handler in logging.getLogger("search").handlers
    )
