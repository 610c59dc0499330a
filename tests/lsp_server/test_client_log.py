"""Traces and log messages that a client receives."""

import logging

import pytest

pytestmark = pytest.mark.asyncio


def told(client, method):
    return [note["params"] for note in client.notes if note["method"] == method]


async def test_a_client_that_wants_traces_is_told_how_long_requests_took(client, vault):
    await client.initialize(vault, trace="messages")
    await client.result("vaultseek/search", {"query": "orchid"})
    await client.error("vaultseek/search", {})
    assert [params["message"].partition(" after ")[0] for params in told(client, "$/logTrace")] == [
        "initialize answered",
        "vaultseek/search answered",
        "vaultseek/search failed",
    ]
    client.notify("$/setTrace", {"value": "off"})
    await client.result("vaultseek/search", {"query": "orchid"})
    assert len(told(client, "$/logTrace")) == 3


async def test_warnings_and_errors_reach_the_editor_s_log_in_one_line_once(ready):
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
    assert told(ready, "window/logMessage") == [
        {"type": 1, "message": "A request failed (RuntimeError)"},
        {"type": 2, "message": "a disk fails"},
    ]
    await ready.leave()
    assert not any(
        isinstance(handler, type(ready.server.client_log)) for handler in logging.getLogger("search").handlers
    )
