"""Every request gets an answer, whatever it contains, and no answer reveals too much."""

import json
import logging

import pytest

from search.errors import ConfigError, ProviderError, StoreError, VaultClosed, VaultError

pytestmark = pytest.mark.asyncio

INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, INTERNAL = -32602, -32600, -32700, -32603

MALFORMED = [
    (None, "params"),
    ([], "params"),
    ("text", "params"),
    ([{"query": "orchid"}, None], "params"),
    ({}, "params.query"),
    ({"query": None}, "params.query"),
    ({"query": 5}, "params.query"),
    ({"query": ["a"]}, "params.query"),
    ({"query": "a", "options": []}, "params.options"),
    ({"query": "a", "options": {"maxResults": 0}}, "params.options.maxResults"),
    ({"query": "a", "options": {"maxResults": -1}}, "params.options.maxResults"),
    ({"query": "a", "options": {"maxResults": 10**9}}, "params.options.maxResults"),
    ({"query": "a", "options": {"maxResults": 10**400}}, "params.options.maxResults"),
    ({"query": "a", "options": {"maxResults": "5"}}, "params.options.maxResults"),
    ({"query": "a", "options": {"maxResults": True}}, "params.options.maxResults"),
    ({"query": "a", "options": {"maxResults": 2.5}}, "params.options.maxResults"),
    ({"query": "a", "options": {"candidateLimit": 9}}, "params.options.candidateLimit"),
    ({"query": "a", "options": {"rrfK": 101}}, "params.options.rrfK"),
    ({"query": "a", "options": {"semanticWeight": float("nan")}}, "params.options.semanticWeight"),
    ({"query": "a", "options": {"semanticWeight": float("inf")}}, "params.options.semanticWeight"),
    ({"query": "a", "options": {"semanticWeight": 10**400}}, "params.options.semanticWeight"),
    ({"query": "a", "options": {"semanticWeight": "0.5"}}, "params.options.semanticWeight"),
    ({"query": "a", "options": {"enableSemantic": 1}}, "params.options.enableSemantic"),
    ({"query": "a", "options": {"semanticScope": "world"}}, "params.options.semanticScope"),
    ({"query": "a", "options": {"mode": ["hybrid"]}}, "params.options.mode"),
    ({"query": "a", "options": {"tags": "plant"}}, "params.options.tags"),
    ({"query": "a", "options": {"tags": ["plant", 7]}}, "params.options.tags[1]"),
    ({"query": "a", "options": {"tags": ["x"] * 101}}, "params.options.tags"),
    ({"query": "a", "options": {"limitTo": ["file:///elsewhere/a.md"]}}, "params.options.limitTo"),
    ({"query": "a", "vault": 7}, "params.vault"),
    ({"query": "a", "vault": "file:///elsewhere"}, "params.vault"),
    ({"query": "a", "vault": "untitled:x"}, "params.vault"),
    ({"query": "a", "workDoneToken": [1]}, "params.workDoneToken"),
    ({"query": "a", "partialResultToken": True}, "params.partialResultToken"),
]


@pytest.mark.parametrize(("params", "field"), MALFORMED)
async def test_malformed_parameters_are_answered_with_their_field(ready, params, field):
    error = await ready.error("vaultseek/search", params)
    assert error["code"] == INVALID_PARAMS
    assert error["data"]["field"] == field
    assert error["message"].startswith(field)
    assert error["data"]["allowed"]
    assert error["data"]["value"]
    assert not ready.engines or not ready.engines[0].queries


async def test_an_error_names_the_allowed_range(ready):
    error = await ready.error("vaultseek/search", {"query": "a", "options": {"maxResults": 0}})
    assert error["message"] == "params.options.maxResults: 0 is not allowed; allowed is 1..100"


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("vaultseek/explain", {"query": "a"}, "params.note"),
        ("vaultseek/explain", {"query": "a", "note": "file:///elsewhere/a.md"}, "params.note"),
        ("vaultseek/status", [], "params"),
        ("vaultseek/status", {"vault": "file:///elsewhere"}, "params.vault"),
        ("textDocument/hover", {"textDocument": {"uri": "file:///a.md"}}, "params.position"),
        ("textDocument/hover", None, "params"),
    ],
)
async def test_other_requests_with_malformed_parameters_are_answered_too(ready, method, params, field):
    error = await ready.error(method, params)
    assert error["code"] == INVALID_PARAMS
    assert error["data"]["field"].startswith(field)


HERE = {"uri": "file:///a.md"}
START = {"line": 0, "character": 0}
STRING_OR_NUMBER = "a string or a whole number"
A_WHOLE_NUMBER, ITS_RANGE, REQUIRED = "a whole number", "0..2147483647", "a value: it is required"
MISPLACED = [
    ({"textDocument": HERE}, "params.position", REQUIRED),
    ({"textDocument": HERE, "position": 5}, "params.position", "an object"),
    ({"textDocument": HERE, "position": {"line": "12", "character": 0}}, "params.position.line", A_WHOLE_NUMBER),
    ({"textDocument": HERE, "position": {"line": 10.5, "character": 0}}, "params.position.line", A_WHOLE_NUMBER),
    ({"textDocument": HERE, "position": {"line": True, "character": 0}}, "params.position.line", A_WHOLE_NUMBER),
    ({"textDocument": HERE, "position": {"line": -1, "character": 0}}, "params.position.line", ITS_RANGE),
    ({"textDocument": HERE, "position": {"line": 0, "character": 2**31}}, "params.position.character", ITS_RANGE),
    ({"textDocument": HERE, "position": {"line": 0}}, "params.position.character", REQUIRED),
    ({"textDocument": {"uri": 5}, "position": START}, "params.textDocument.uri", "a string"),
    ({"textDocument": [HERE], "position": START}, "params.textDocument", "an object"),
    ({"textDocument": HERE, "position": START, "workDoneToken": [1]}, "params.workDoneToken", STRING_OR_NUMBER),
    ([{"textDocument": HERE, "position": START}, None], "params", "an object"),
]


@pytest.mark.parametrize(("params", "field", "allowed"), MISPLACED)
@pytest.mark.parametrize("method", ["hover", "definition", "references"])
async def test_an_invalid_position_is_refused_with_the_allowed_values(ready, method, params, field, allowed):
    if method == "references" and isinstance(params, dict):
        params = {"context": {"includeDeclaration": True}, **params}
    error = await ready.error(f"textDocument/{method}", params)
    assert (error["code"], error["data"]["field"], error["data"]["allowed"]) == (INVALID_PARAMS, field, allowed)


@pytest.mark.parametrize(
    ("method", "params", "field", "allowed"),
    [
        ("workspace/symbol", {"query": 5}, "params.query", "a string"),
        ("workspace/symbol", {}, "params.query", REQUIRED),
        ("workspace/symbol", ["a"], "params", "an object"),
        ("workspace/executeCommand", {"command": 5}, "params.command", "a string"),
        ("workspace/executeCommand", {"command": "x", "arguments": {}}, "params.arguments", "a list"),
        ("workspace/executeCommand", {"command": "x", "arguments": "{}"}, "params.arguments", "a list"),
    ],
)
async def test_an_invalid_field_of_a_standard_request_is_named(ready, method, params, field, allowed):
    error = await ready.error(method, params)
    assert (error["code"], error["data"]["field"], error["data"]["allowed"]) == (INVALID_PARAMS, field, allowed)


async def test_include_declaration_must_be_a_boolean(ready):
    params = {"textDocument": HERE, "position": START, "context": {"includeDeclaration": "yes"}}
    error = await ready.error("textDocument/references", params)
    assert error["message"] == "params.context.includeDeclaration: 'yes' is not allowed; allowed is true or false"


async def test_a_whole_number_can_be_written_with_a_decimal_point(ready):
    """Some JSON libraries write all numbers as floats."""
    params = {"textDocument": HERE, "position": {"line": 0.0, "character": 3.0}}
    assert await ready.result("textDocument/hover", params) is None


async def test_a_nested_key_jsonrpc_is_just_a_key(ready):
    nested = {"jsonrpc": "2.0", "id": 1, "method": "exit"}
    answer = await ready.result("vaultseek/search", {"query": "orchid", "options": nested, "x": [nested]})
    assert answer["total"] == 1
    assert [notice["subject"] for notice in answer["notices"]] == ["'jsonrpc'", "'id'", "'method'"]


async def test_keys_that_are_not_identifiers_are_kept_as_they_are(ready):
    odd = {"class": 1, "$x": 2, "foo-bar": 3, "_y": 4, "type_name": 5}
    answer = await ready.result("vaultseek/search", {"query": "orchid", "options": odd})
    assert [notice["subject"] for notice in answer["notices"]] == [repr(key) for key in odd]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"9" * 5000, PARSE_ERROR),
        (b"null", INVALID_REQUEST),
        (b"7", INVALID_REQUEST),
        (b"[]", INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "vaultseek/status"}]', INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "vaultseek/status"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "vaultseek/status"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "textDocument/hover", "params": {}}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "workspace/symbol", "params": {"query": ""}}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "vaultseek/status"}', INVALID_REQUEST),
    ],
)
async def test_an_invalid_message_is_refused_and_the_server_continues(ready, body, code):
    ready.send_bytes(body)
    assert (await ready.result("vaultseek/status"))["vaults"]
    assert [(orphan["id"], orphan["error"]["code"]) for orphan in ready.orphans] == [(None, code)]
    assert not ready.notes


async def test_another_version_of_json_rpc_is_refused(ready):
    assert (await ready.ask("vaultseek/status", jsonrpc="1.0"))["error"]["code"] == INVALID_REQUEST


async def test_a_request_before_initialize_is_refused(client):
    client.notify("textDocument/didOpen", {})
    assert (await client.error("vaultseek/status"))["code"] == -32002


async def test_a_second_initialize_is_refused(ready):
    assert (await ready.error("initialize", {"capabilities": {}}))["code"] == INVALID_REQUEST


async def test_an_invalid_initialize_is_refused_and_can_be_sent_again(client, vault):
    error = await client.error("initialize", {"capabilities": 5})
    assert error["code"] == INVALID_PARAMS
    assert (await client.initialize(vault))["serverInfo"]["name"] == "vaultseek"


@pytest.mark.parametrize("method", ["vaultseek/nothing", "textDocument/completion", "$/nothing", ""])
async def test_an_unknown_method_is_refused_without_any_message_to_the_user(client, vault, method):
    await client.initialize(vault, initialized=True)
    assert (await client.error(method, {"position": "odd"}))["code"] == -32601
    await client.settle()
    assert not client.notes


async def test_an_unknown_command_is_refused(ready):
    assert (await ready.error("workspace/executeCommand", {"command": "nothing"}))["code"] == INVALID_PARAMS


async def test_requests_after_shutdown_are_refused(ready):
    await ready.result("shutdown")
    assert (await ready.error("vaultseek/status"))["code"] == INVALID_REQUEST


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (RuntimeError("secret /srv/path"), INTERNAL, "Internal error in Vaultseek; see the server's log."),
        (StoreError("/srv/secret/store", 3, "damaged"), -32803, "The stored vectors cannot be used: damaged"),
        (VaultClosed("/srv/secret/Notes"), -32801, "The vault was closed during the request; send it again."),
        (VaultError("/srv/secret/Notes", "gone"), -32803, "The vault 'Notes' cannot be searched: gone"),
        (ProviderError("model", "no answer", is_retriable=True), -32803, "model: no answer"),
        (ConfigError("query", "x", "y"), INVALID_PARAMS, "query: 'x' is not allowed; allowed is y"),
    ],
)
async def test_errors_are_one_sentence_without_traceback_or_path(ready, caplog, raised, code, message):
    def fail(_query, _budget, _progress):
        raise raised

    ready.script = fail
    with caplog.at_level(logging.ERROR):
        error = await ready.error("vaultseek/search", {"query": "orchid", "workDoneToken": "t"})
    assert (error["code"], error["message"]) == (code, message)
    assert "Traceback" not in json.dumps(error)
    assert "/srv" not in json.dumps(error)
    assert [value["kind"] for value in ready.progress("t")] == ["begin", "report", "end"]
    assert ("secret" in caplog.text) == (code == INTERNAL)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/didOpen", {}),
        ("textDocument/didOpen", None),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///n.md", "version": 2}, "contentChanges": []}),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///n.md", "version": 2}, "contentChanges": [5]}),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///never-open.md"}}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///user@host.1051", "type": 99}]}),
        ("workspace/didChangeWorkspaceFolders", {"event": {}}),
        ("$/cancelRequest", {"id": 99}),
        ("$/cancelRequest", {"id": None}),
        ("$/cancelRequest", None),
        ("$/setTrace", {"value": "off"}),
        ("window/workDoneProgress/cancel", {"token": "unknown"}),
        ("window/workDoneProgress/cancel", {"token": {}}),
        ("notebookDocument/didOpen", {"notebookDocument": {}}),
        ("unknown/notification", {"a": 1}),
    ],
)
async def test_a_notification_that_fails_never_reaches_the_user(ready, method, params):
    ready.notify(method, params)
    assert (await ready.result("vaultseek/search", {"query": "orchid"}))["total"] == 1
    assert not ready.notes
    assert not ready.orphans


@pytest.mark.parametrize("params", [None, [], 5, {}, *({"id": odd} for odd in (None, {}, [1], 1.5, True, "never", 99))])
async def test_cancelling_an_unknown_request_is_ignored(client, vault, caplog, params):
    await client.initialize(vault, initialized=True)
    client.notify("$/cancelRequest", params)
    await client.settle()
    assert not client.notes
    assert not client.orphans
    assert "Error" not in caplog.text


@pytest.mark.parametrize("params", [None, {}, *({"token": odd} for odd in (None, {}, [1], 1.5, "never", 99))])
async def test_cancelling_an_unknown_progress_is_ignored(client, vault, caplog, params):
    await client.initialize(vault, initialized=True)
    client.notify("window/workDoneProgress/cancel", params)
    await client.settle()
    assert "Error" not in caplog.text
    assert not client.orphans


@pytest.mark.parametrize("method", ["initialized", "textDocument/didOpen", "$/cancelRequest", "$/setTrace", "exit"])
async def test_a_notification_sent_as_a_request_is_refused(ready, method):
    error = await ready.error(method, {})
    assert error == {"code": -32601, "message": f"Unknown request '{method}'."}


async def test_an_error_in_a_notification_s_handler_is_only_logged(ready, caplog, monkeypatch):
    monkeypatch.setattr(ready.server.session, "mark_changed", lambda _uris: 1 / 0)
    ready.notify("workspace/didChangeWatchedFiles", {"changes": []})
    await ready.settle()
    assert "ZeroDivisionError" in caplog.text
    assert not ready.notes


@pytest.mark.parametrize("answer", [{"result": 5}, {"result": [5]}, {"error": 7}, {"error": {"message": "no"}}])
async def test_malformed_answers_of_the_client_are_ignored(client, vault, answer):
    client.answers["workspace/configuration"] = answer
    await client.initialize(vault, capabilities={"workspace": {"configuration": True}}, initialized=True)
    await client.until(lambda: client.requests)
    await client.settle()
    assert (await client.result("vaultseek/search", {"query": "orchid"}))["total"] == 1


@pytest.mark.parametrize("msg_id", ["never asked", 7, None, 1.5, [], {}])
@pytest.mark.parametrize("kind", ["result", "error"])
async def test_a_response_to_no_request_is_ignored(ready, msg_id, kind):
    """A client reports an unreadable message without an id; answering that could start an endless exchange."""
    ready.send({"jsonrpc": "2.0", "id": msg_id, kind: {"code": -32700, "message": "no JSON"}})
    ready.send({"jsonrpc": "2.0", kind: None})
    await ready.settle()
    assert not ready.orphans
    assert not ready.notes


async def test_a_truncated_message_ends_the_connection_quietly(ready):
    ready.reader.feed_data(b"Content-Length: 100\r\n\r\n{")
    assert await ready.leave() == 1


async def test_an_endless_header_ends_the_connection_quietly(ready):
    ready.reader.feed_data(b"x" * 200_000)
    assert await ready.task == 1


async def test_shutdown_then_exit_gives_0(ready):
    await ready.result("shutdown")
    ready.notify("exit")
    assert await ready.task == 0


async def test_exit_without_shutdown_gives_1(client):
    client.notify("exit")
    assert await client.task == 1


@pytest.mark.parametrize("method", [5, None, ["x"], {}])
async def test_a_request_whose_method_is_not_a_string_is_answered_with_its_id(ready, method):
    answer = await ready.ask(method)
    assert (answer["error"]["code"], answer["error"]["message"]) == (-32600, "method: must be a string")


@pytest.mark.parametrize(
    ("params", "field", "value"),
    [
        (None, "params", "null"),
        (5, "params", "5"),
        ({"capabilities": 5}, "params.capabilities", "5"),
        ({"capabilities": {}, "processId": "x"}, "params.processId", "'x'"),
        ({"capabilities": {}, "workspaceFolders": [{"uri": "x"}]}, "params.workspaceFolders[0].name", "null"),
    ],
)
async def test_a_malformed_initialize_is_answered_with_the_invalid_value(client, params, field, value):
    """The message uses the protocol's terms and never names a Python type."""
    error = await client.error("initialize", params)
    assert (error["data"]["field"], error["data"]["value"]) == (field, value)
    assert error["data"]["allowed"] in {"what the protocol says", "a value: it is required"}
