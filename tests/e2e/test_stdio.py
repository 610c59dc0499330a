"""The real server with the real engine over pipes: start, answers, invalid messages, end."""

import json
import signal
import subprocess
import sys

import pytest

from tests.e2e.conftest import ROOT

HEAVY = {"numpy", "whoosh", "regex", "yaml", "rich", "orjson", "charset_normalizer", "search.engine"}
NAMES_MODULES = """
import json, sys
from lsp_server.transport import serve_stdio
code = serve_stdio()
sys.stderr.write(json.dumps(sorted(sys.modules)))
sys.exit(code)
"""


WORDS = {"options": {"mode": "keyword"}}


def test_initialize_imports_only_what_its_answer_needs(start, garden):
    pipes = start(NAMES_MODULES)
    assert pipes.initialize(garden)["serverInfo"]["name"] == "vaultseek"
    assert pipes.ask("vaultseek/status")["result"]["vaults"][0]["state"] == "idle"
    code, errors = pipes.leave()
    assert code == 0
    assert not HEAVY & set(json.loads(errors))


def test_a_search_finds_and_explains(start, garden):
    pipes = start()
    pipes.initialize(garden)
    answer = pipes.ask("vaultseek/search", {"query": "orchid"})["result"]
    assert [result["id"] for result in answer["results"]] == ["plants/orchid.md", "plants/fern.md", "watering.md"]
    assert answer["complete"]
    first = answer["results"][0]
    assert first["uri"] == (garden / "plants/orchid.md").as_uri()
    text = (garden / "plants/orchid.md").read_text(encoding="utf-8").split("\n")
    for snippet in first["snippets"]:
        for place in snippet["highlights"]:
            line = text[place["start"]["line"]].encode("utf-16-le")
            found = line[2 * place["start"]["character"] : 2 * place["end"]["character"]].decode("utf-16-le")
            assert found.casefold() == "orchid"
    reason = pipes.ask("vaultseek/explain", {"query": "orchid", "note": "watering.md", **WORDS})["result"]
    assert reason["step"] == "grep"
    status = pipes.ask("vaultseek/status")["result"]
    assert (status["vaults"][0]["state"], status["vaults"][0]["notes"]) == ("ready", 4)
    assert pipes.leave() == (0, "")


def test_the_text_on_the_screen_is_searched(start, garden):
    pipes = start()
    pipes.initialize(garden)
    uri = (garden / "watering.md").as_uri()
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "# Watering\n\nzebra\u2028sep 😀 end\n"}
    pipes.send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
    place = {"line": 2, "character": 12}
    change = {"range": {"start": place, "end": place}, "text": " quagga"}
    version = {"uri": uri, "version": 2}
    params = {"textDocument": version, "contentChanges": [change]}
    pipes.send({"method": "textDocument/didChange", "params": params})
    found = pipes.ask("vaultseek/search", {"query": "quagga", **WORDS})["result"]["results"]
    assert [hit["id"] for hit in found] == ["watering.md"]
    pipes.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})
    assert pipes.ask("vaultseek/search", {"query": "quagga", **WORDS})["result"]["results"] == []
    assert len(pipes.ask("vaultseek/search", {"query": "rain", **WORDS})["result"]["results"]) == 1
    assert pipes.leave() == (0, "")


def test_a_search_right_after_a_change_of_settings_uses_them(start, garden):
    pipes = start()
    pipes.initialize(garden)
    assert len(pipes.ask("vaultseek/search", {"query": "orchid", **WORDS})["result"]["results"]) == 2
    for n_wanted in (1, 2, 1):
        settings = {"vaultseek": {"maxResults": n_wanted, "candidateLimit": 100 + n_wanted}}
        pipes.send({"method": "workspace/didChangeConfiguration", "params": {"settings": settings}})
        found = pipes.ask("vaultseek/search", {"query": "orchid", **WORDS})["result"]["results"]
        assert len(found) == n_wanted
    assert pipes.leave() == (0, "")


@pytest.mark.parametrize("text", ["", "x" * 100_000, "nul\0", "\ud800", '"open', "((", "/(a+)+$/", "tag:", "水"])
def test_any_query_is_answered(start, garden, text):
    pipes = start()
    pipes.initialize(garden)
    assert "result" in pipes.ask("vaultseek/search", {"query": text})
    assert pipes.leave()[0] == 0


def test_malformed_messages_are_answered_and_the_server_continues(start, garden):
    pipes = start()
    pipes.initialize(garden)
    for body in (b"{", b"[]", b"null", b"\xff", b'{"jsonrpc":"2.0","id":[],"method":"x"}'):
        pipes.send_bytes(body)
        assert pipes.answer()["id"] is None
    for params in (None, [], [{"query": "a"}, None], {"query": 1}, {"query": "a", "options": {"maxResults": 0}}):
        error = pipes.ask("vaultseek/search", params)["error"]
        assert error["code"] == -32602
        assert "Traceback" not in json.dumps(error)
    assert pipes.ask("vaultseek/search", {"query": "orchid", **WORDS})["result"]["total"] == 2
    assert pipes.leave()[0] == 0
    assert {note["method"] for note in pipes.notes} <= {"window/logMessage"}
    assert "Traceback" not in json.dumps(pipes.notes)


LONE = "\ud800"  # a lone surrogate, which JSON can contain
WITH_LONE_SURROGATES = [
    ("vaultseek/search", {"query": f"{LONE} orchid", "options": {"folder": LONE, "tags": [LONE], "limitTo": [LONE]}}),
    ("vaultseek/search", {"query": "orchid", "workDoneToken": LONE, "partialResultToken": LONE + "x"}),
    ("vaultseek/search", {"query": "orchid", "vault": f"file:///{LONE}"}),
    ("vaultseek/search", {"query": "orchid", LONE: LONE, "options": {LONE: 1}}),
    ("vaultseek/explain", {"query": "orchid", "note": f"{LONE}.md"}),
    ("vaultseek/related", {"textDocument": {"uri": f"file:///{LONE}.md"}}),
    ("vaultseek/status", {"vault": LONE}),
    ("workspace/symbol", {"query": LONE}),
    ("textDocument/hover", {"textDocument": {"uri": f"file:///{LONE}.md"}, "position": {"line": 0, "character": 0}}),
    ("workspace/executeCommand", {"command": LONE, "arguments": [LONE]}),
    (LONE, {"query": LONE}),
]


def test_a_lone_surrogate_anywhere_is_answered_once_without_an_internal_error(start, garden):
    pipes = start()
    pipes.initialize(garden)
    item = {"uri": (garden / "watering.md").as_uri(), "languageId": "markdown", "version": 1}
    text = {**item, "text": f"# {LONE} zebra\n[[{LONE}]] #{LONE}\n"}
    pipes.send({"method": "textDocument/didOpen", "params": {"textDocument": text}})
    settings = {"vaultseek": {LONE: LONE, "maxResults": LONE, "vaults": [f"/{LONE}"], "exclude": [LONE]}}
    pipes.send({"method": "workspace/didChangeConfiguration", "params": {"settings": settings}})
    folders = {"added": [{"uri": f"file:///{LONE}", "name": LONE}], "removed": []}
    pipes.send({"method": "workspace/didChangeWorkspaceFolders", "params": {"event": folders}})
    for method, params in WITH_LONE_SURROGATES:
        answer = pipes.ask(method, params)
        assert answer.get("error", {}).get("code") in {None, -32601, -32602}, (method, params)
    at = {"textDocument": {"uri": item["uri"]}, "position": {"line": 1, "character": 2}}
    assert "There is no note" in pipes.ask("textDocument/hover", at)["result"]["contents"]["value"]
    found = pipes.ask("vaultseek/search", {"query": "zebra", **WORDS})["result"]
    assert [hit["id"] for hit in found["results"]] == ["watering.md"]
    assert pipes.leave()[0] == 0


def test_a_message_that_is_not_utf_8_is_answered_once_without_an_id(start, garden):
    """Its id cannot be trusted; the messages after it are answered as usual."""
    pipes = start()
    pipes.initialize(garden)
    pipes.send_bytes(b'{"jsonrpc":"2.0","id":77,"method":"vaultseek/status","params":{"x":"\xff"}}')
    answer = pipes.answer()
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert pipes.ask("vaultseek/status")["result"]["vaults"]
    assert pipes.leave()[0] == 0


def test_exit_without_shutdown_gives_1(start):
    pipes = start()
    pipes.send({"method": "exit"})
    assert pipes.finished() == (1, "")


def test_a_client_that_disappears_gives_1(start, garden):
    pipes = start()
    pipes.initialize(garden)
    assert pipes.finished() == (1, "")


def test_a_closed_output_pipe_ends_the_server(start, garden):
    pipes = start()
    pipes.initialize(garden)
    pipes.process.stdout.close()
    pipes.send({"id": 9, "method": "vaultseek/status"})
    assert pipes.process.wait(timeout=60) == 1
    assert pipes.process.stderr.read() == b""


def test_an_interrupt_is_clean(start, garden):
    pipes = start()
    pipes.initialize(garden)
    pipes.process.send_signal(signal.SIGINT)
    assert pipes.finished() == (130, "")


def test_tcp_serves_one_session_per_connection(garden):
    import socket  # noqa: PLC0415 only here

    code = "import sys; from lsp_server.transport import serve_tcp; sys.exit(serve_tcp('127.0.0.1', 0))"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stderr.readline().rsplit(":", 1)[1])
            token = process.stderr.readline().rsplit(" ", 1)[1].strip()
            for _ in range(2):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                    params = {"capabilities": {}, "initializationOptions": {"token": token}}
                    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
                    connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                    assert connection.recv(15) == b"Content-Length:"
            taken = code.replace(", 0)", f", {port})")
            second = subprocess.run(
                [sys.executable, "-c", taken], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
            )
            assert second.returncode == 2
            assert f"127.0.0.1:{port}" in second.stderr
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()  # after a failure above, nothing else ends the server
