"""A reranking endpoint, configured on the command line and in an editor."""

import json

import pytest

from tests.kit.fake_endpoint import Answer
from tests.lsp_server.config.endpoints import KEY, found, needs_openai

pytestmark = pytest.mark.slow


@needs_openai
def test_the_command_line_can_name_a_reranker(run_by_words, fake):
    options = ("--endpoint", fake.base_url, "--rerank-model", "judge", "--key-variable", "MY_KEY", "--json")
    code, out, errors = run_by_words("search", "flour sugar", *options)
    assert code == 0
    assert found(out) == (["Cake.md", "Bread.md"], [])
    assert fake.asked[0].path == "/v1/rerank"
    assert fake.asked[0].body["model"] == "judge"
    assert fake.asked[0].body["query"] == "flour sugar"
    assert len(fake.asked[0].body["documents"]) == 2
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in out + errors


@needs_openai
def test_a_failing_reranker_leaves_the_order_unchanged(run_by_words, fake):
    fake.rule = lambda _: Answer.error(401, f"{KEY} is no key of ours")
    plain = found(run_by_words("search", "flour", "--json")[1])
    code, out, errors = run_by_words(
        "search", "flour", "--endpoint", fake.base_url, "--rerank-model", "judge", "--key-variable", "MY_KEY", "--json"
    )
    assert code == 0
    assert found(out) == (plain[0], ["rerank-failed"])
    assert "denied access (401); check $MY_KEY" in out
    assert KEY not in out + errors


def test_a_reranker_without_its_key_leaves_the_order_unchanged(run_by_words):
    code, out, errors = run_by_words(
        "search", "flour", "--endpoint", "http://h/v1", "--rerank-model", "m", "--key-variable", "UNSET_KEY"
    )
    assert (code, "Bread" in out) == (0, True)
    assert "the environment variable UNSET_KEY is not set" in errors


@needs_openai
@pytest.mark.asyncio
async def test_an_editor_gets_a_partial_answer_before_the_reranker_answers(editor, bakery, fake):
    rerank = {"baseUrl": fake.base_url, "model": "judge", "keyVariable": "MY_KEY"}
    await editor.initialize(bakery, initializationOptions={"rerank": rerank, "mode": "keyword"}, initialized=True)
    answer = await editor.result("vaultseek/search", {"query": "flour sugar", "partialResultToken": "steps"})
    assert answer["results"][0]["id"] == "Cake.md"
    assert "rerank" in json.dumps(answer["results"][0]["explanation"])
    steps = [note["params"]["value"] for note in editor.notes if note.get("method") == "$/progress"]
    assert steps
    assert all(step["complete"] is False for step in steps)
    assert KEY not in json.dumps([answer, editor.notes])


@pytest.mark.asyncio
async def test_an_invalid_reranker_is_reported_in_each_answer(editor, bakery):
    bad = {"rerank": {"baseUrl": "ftp://h", "model": "m"}, "mode": "keyword"}
    await editor.initialize(bakery, initializationOptions=bad, initialized=True)
    answer = await editor.result("vaultseek/search", {"query": "flour"})
    assert [notice["code"] for notice in answer["notices"]] == ["rerank-failed"]
    assert "vaultseek.rerank.baseUrl: 'ftp://h' is not allowed" in answer["notices"][0]["message"]
