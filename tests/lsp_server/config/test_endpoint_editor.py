"""Endpoints that an editor configures: invalid ones are reported, and one that fails does not stop a search."""

import json
import logging

import pytest

from lsp_server.config.settings import resolve
from tests.kit.fake_endpoint import Answer
from tests.lsp_server.config.endpoints import KEY, closed_port, needs_openai, own, search

pytestmark = pytest.mark.slow


@needs_openai
@pytest.mark.asyncio
async def test_an_editor_searches_with_configured_endpoints(editor, root, fake, caplog):
    caplog.set_level(logging.DEBUG)
    await editor.initialize(root, initializationOptions=own(fake), initialized=True)
    answer = await search(editor, "where do crumbs come from?")
    assert answer["results"][0]["id"] == "Bread.md"
    assert (answer["mode"], answer["notices"]) == ("hybrid", [])
    status = await editor.result("vaultseek/status")
    said = (
        json.dumps([answer, status, editor.notes, editor.requests]) + caplog.text + repr(editor.server.session.settings)
    )
    assert KEY not in said
    assert status["vaults"][0]["semantic"]["model"].startswith("vectors@127.0.0.1")


@needs_openai
@pytest.mark.asyncio
async def test_while_the_endpoint_is_down_the_search_uses_words_with_a_notice(editor, root, fake):
    fake.base_url = f"http://127.0.0.1:{closed_port()}/v1"
    await editor.initialize(root, initializationOptions=own(fake), initialized=True)
    answer = await search(editor, "what is flour?")
    assert answer["results"][0]["id"] == "Bread.md"
    assert answer["mode"] == "keyword"
    assert [notice["code"] for notice in answer["notices"]] == ["semantic-failed", "expansion-failed"]
    for notice in answer["notices"]:
        assert "cannot be reached; is it running, and is its address right?" in notice["message"]


@needs_openai
@pytest.mark.asyncio
async def test_a_failing_chat_model_does_not_affect_semantic_search(editor, root, fake):
    fake.rule = lambda asked: Answer.error(404, "no such model") if asked.path.endswith("completions") else None
    await editor.initialize(root, initializationOptions=own(fake), initialized=True)
    answer = await search(editor, "where does flour feed the starter?")
    assert answer["mode"] == "hybrid"
    assert [notice["code"] for notice in answer["notices"]] == ["expansion-failed"]


@pytest.mark.asyncio
async def test_an_unusable_endpoint_is_reported_at_once_and_in_each_answer(editor, root):
    bad = {"embedding": {"baseUrl": "ftp://h", "model": "m"}, "chat": {"baseUrl": "http://h/v1"}}
    await editor.initialize(root, initializationOptions=bad, initialized=True)
    answer = await search(editor, "flour")
    assert [notice["code"] for notice in answer["notices"]] == ["semantic-failed", "expansion-failed"]
    assert "vaultseek.embedding.baseUrl: 'ftp://h' is not allowed" in answer["notices"][0]["message"]
    assert "vaultseek.chat.model: null is not allowed" in answer["notices"][1]["message"]
    assert answer["mode"] == "keyword"
    assert (await search(editor, "flour", mode="keyword"))["notices"] == []
    failed = await editor.error("workspace/executeCommand", {"command": "vaultseek.updateIndex"})
    assert "vaultseek.embedding.baseUrl" in failed["message"]
    shown = [note["params"]["message"] for note in editor.notes if note["method"] == "window/showMessage"]
    assert "vaultseek.embedding.baseUrl" in "".join(shown)


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ({"chat": "sk-canary"}, "vaultseek.chat: '…' is not allowed; allowed is an object with baseUrl and model"),
        (
            {"embedding": {"baseUrl": "http://h/v1", "model": "m", "apiKey": "sk-canary"}},
            "vaultseek.embedding.apiKey: unknown option",
        ),
        (
            {"embedding": {"baseUrl": "http://h/v1", "model": "m", "batchSize": 0}},
            "vaultseek.embedding.batchSize: 0 is not allowed; allowed is a whole number, 1 to 2,048",
        ),
    ],
)
def test_an_invalid_endpoint_field_is_named(sent, problem):
    assert resolve(sent).problems == (problem,)
