"""API keys reach their endpoint and nothing else; without its key, an endpoint is not called."""

import json
import logging
import os

import pytest

from lsp_server.config.engine_factory import engine_of
from lsp_server.config.environment import key_of, take_keys
from lsp_server.config.settings import resolve
from search.providers.endpoint import Endpoint
from search.query import Query
from tests.kit.fake_endpoint import Answer
from tests.lsp_server.config.endpoints import KEY, needs_openai, own, search
from tests.lsp_server.conftest import OwnClient

pytestmark = pytest.mark.slow


@needs_openai
@pytest.mark.asyncio
async def test_a_key_sent_with_initialize_reaches_only_the_endpoint(editor, root, fake, caplog):
    """The key wins over the environment's and appears in no settings, log, answer or environment."""
    caplog.set_level(logging.DEBUG)
    options = {**own(fake), "keys": {"MY_KEY": "sk-other-canary", "BROKEN": 3}}
    await editor.initialize(root, initializationOptions=options, initialized=True)
    answer = await search(editor, "flour")
    assert {asked.headers["authorization"] for asked in fake.asked} == {"Bearer sk-other-canary"}
    session = editor.server.session
    said = json.dumps([answer, editor.notes, editor.requests, session.initial_options]) + repr(session.settings)
    assert "other-canary" not in said + caplog.text
    assert os.environ["MY_KEY"] == KEY


@needs_openai
@pytest.mark.asyncio
async def test_a_key_of_one_client_is_sent_for_no_other_client_of_the_process(root, fake, monkeypatch):
    """A second client could name an endpoint of its own, and the same variable, to be sent the first one's key."""
    monkeypatch.delenv("MY_KEY")
    first, other = OwnClient(), OwnClient()
    await first.initialize(root, initializationOptions={**own(fake), "keys": {"MY_KEY": "sk-first"}}, initialized=True)
    await other.initialize(root, initializationOptions=own(fake), initialized=True)
    answer = await search(other, "flour")
    assert [notice["code"] for notice in answer["notices"]] == ["semantic-failed", "expansion-failed"]
    assert fake.asked == []
    await search(first, "flour")
    assert {asked.headers["authorization"] for asked in fake.asked} == {"Bearer sk-first"}
    for client in (first, other):
        await client.leave()


@pytest.mark.parametrize("sent", [None, [], {"initializationOptions": None}, {"initializationOptions": {"keys": [1]}}])
def test_initialize_without_usable_keys_gives_none(sent):
    assert take_keys(sent) == {}


def test_a_key_of_the_client_goes_before_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("MY_KEY", "environment")
    endpoint = Endpoint(base_url="http://h/v1", model="m", key_variable="MY_KEY")
    keys = take_keys({"initializationOptions": {"vaultseek": {"keys": {"MY_KEY": "k", "OTHER": 3}}}})
    assert keys == {"MY_KEY": "k"}
    assert (key_of(endpoint, keys), key_of(endpoint)) == ("k", "environment")


@needs_openai
@pytest.mark.asyncio
async def test_a_rejected_key_is_reported_without_showing_it(editor, root, fake):
    fake.rule = lambda _asked: Answer.error(401, f"{KEY} is no key of ours")
    await editor.initialize(root, initializationOptions=own(fake), initialized=True)
    answer = await search(editor, "flour")
    assert answer["results"][0]["id"] == "Bread.md"
    assert [notice["code"] for notice in answer["notices"]] == ["semantic-failed", "expansion-failed"]
    for notice in answer["notices"]:
        assert "denied access (401); check $MY_KEY" in notice["message"]
    status = await editor.result("vaultseek/status")
    assert KEY not in json.dumps([answer, status, editor.notes])


def test_without_its_key_an_endpoint_is_not_called_and_the_search_uses_words(run, fake, monkeypatch):
    """A shell without the variable still gets an answer by words; computing vectors is refused."""
    monkeypatch.delenv("UNSET_KEY", raising=False)
    options = ("--endpoint", fake.base_url, "--embedding-model", "m", "--key-variable", "UNSET_KEY")
    wanted = f"m at {fake.base_url} needs a key, but the environment variable UNSET_KEY is not set; set UNSET_KEY where"
    code, out, errors = run("search", "flour", *options)
    assert (code, "Bread" in out) == (0, True)
    assert f"Only keyword search was used: {wanted}" in errors
    code, out, errors = run("index", *options)
    assert (code, out) == (2, "")
    assert errors.startswith(f"vaultseek: {wanted}")
    assert fake.asked == []


def test_with_a_missing_key_nothing_is_sent_and_the_answer_says_so(root, fake, monkeypatch):
    monkeypatch.delenv("MY_KEY")
    engine = engine_of(root, resolve(own(fake)).search)
    try:
        answer = engine.search(Query(text="what is flour?"))
    finally:
        engine.close()
    assert [notice.code for notice in answer.notices] == ["semantic-failed", "expansion-failed"]
    assert "the environment variable MY_KEY is not set" in answer.notices[0].message
    assert fake.asked == []


def test_a_key_that_no_header_can_contain_is_not_repeated(root, fake, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk canary")
    engine = engine_of(root, resolve(own(fake)).search)
    try:
        answer = engine.search(Query(text="flour"))
    finally:
        engine.close()
    assert "$MY_KEY" in answer.notices[0].message
    assert "canary" not in repr(answer.notices)
