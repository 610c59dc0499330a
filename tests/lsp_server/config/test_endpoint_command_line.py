"""An endpoint named on the command line or in the environment: what it is asked, and what it is not."""

import json
import sys

import pytest

from tests.kit.fake_endpoint import embeddings, hashed
from tests.lsp_server.config.endpoints import KEY, PASSAGE, needs_openai, paths

pytestmark = pytest.mark.slow


@needs_openai
def test_the_command_line_searches_with_a_configured_endpoint(run, fake):
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors", "--key-variable", "MY_KEY")
    code, out, errors = run("search", "evening flour", "--mode", "vector", "--json", *options)
    answer = json.loads(out)
    assert (code, answer["mode"], answer["notices"]) == (0, "vector", [])
    assert answer["results"][0]["id"] == "Bread.md"
    assert set(paths(fake)) == {"embeddings"}
    assert {asked.headers["authorization"] for asked in fake.asked} == {f"Bearer {KEY}"}
    assert KEY not in out + errors


@needs_openai
def test_environment_variables_can_name_the_endpoint(run, fake, monkeypatch):
    monkeypatch.setenv("VAULTSEEK_ENDPOINT", fake.base_url)
    monkeypatch.setenv("VAULTSEEK_EMBEDDING_MODEL", "vectors")
    assert run("index") == (0, "vectors of 3 notes computed\n", "")
    assert fake.asked[-1].body["model"] == "vectors"


@needs_openai
def test_a_plan_names_the_endpoint_and_sends_nothing(run, fake):
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors")
    code, plan, _ = run("index", "--plan", *options)
    assert code == 0
    assert plan.startswith("names and openings: 0 of 3; whole text: 0 of 3\nto compute: ")
    assert f", on {fake.base_url}\n" in plan
    assert fake.asked == []
    run("index", *options)
    fake.asked.clear()
    assert run("index", "--plan", *options)[1].startswith(
        "names and openings: 3 of 3; whole text: 3 of 3\nto compute: 0 chunks"
    )
    assert fake.asked == []


@needs_openai
def test_each_model_has_its_own_store(run, fake):
    options = ("--endpoint", fake.base_url, "--embedding-model")
    run("index", *options, "vectors")
    run("index", *options, "others")
    assert run("index") == (0, "vectors of 3 notes computed\n", "")
    assert run("index", *options, "vectors") == (0, "vectors of 0 notes computed\n", "")


def test_nothing_is_sent_before_an_endpoint_is_configured(run, fake):
    run("search", "what feeds the starter?")
    run("index")
    assert fake.asked == []


@needs_openai
def test_a_question_is_searched_together_with_a_generated_passage(run, fake):
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors", "--json", "--mode", "vector")
    alone = json.loads(run("search", "where do crumbs come from?", *options)[1])
    assert alone["results"] == []
    code, out, errors = run("search", "where do crumbs come from?", *options, "--chat-model", "talk")
    assert code == 0, errors
    assert json.loads(out)["results"][0]["id"] == "Bread.md"
    assert paths(fake).count("chat/completions") == 1


@needs_openai
def test_a_query_that_is_no_question_requests_no_passage(run, fake):
    run("search", "flour starter", "--endpoint", fake.base_url, "--chat-model", "talk")
    asked = [request.body["messages"][0]["content"] for request in fake.asked]
    assert len(asked) == 2
    assert not any("passage" in system for system in asked)


@needs_openai
def test_keyword_mode_does_not_call_the_chat_model(run, fake):
    run("search", "flour starter", "--endpoint", fake.base_url, "--chat-model", "talk", "--mode", "keyword")
    assert fake.asked == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--embedding-model", "m"), "--endpoint: '' is not allowed; allowed is the address"),
        (("--endpoint", "http://h/v1"), "--embedding-model: '' is not allowed"),
        (("--endpoint", "nonsense", "--chat-model", "m"), "chat.baseUrl: 'nonsense' is not allowed"),
        (("--endpoint", "http://h/v1?k=canary", "--chat-model", "m"), "chat.baseUrl: 'http://h/…' is not allowed"),
        (
            ("--endpoint", "http://h/v1", "--embedding-model", "m", "--key-variable", "sk-canary"),
            "embedding.keyVariable: '…' is not allowed; allowed is the name of an environment variable",
        ),
    ],
)
def test_an_invalid_endpoint_is_an_error_and_no_other_model_is_used(run, options, text):
    code, out, errors = run("search", "flour", *options)
    assert (code, out) == (2, "")
    assert errors.startswith(f"vaultseek: {text}")
    assert "canary" not in errors


def test_without_the_openai_package_the_answer_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "search.providers.openai_client", raising=False)
    code, out, errors = run("search", "flour", "--endpoint", "http://127.0.0.1:9/v1", "--embedding-model", "m")
    assert code == 0
    assert "Bread" in out
    assert 'install it with: pip install "vaultseek[remote]"' in errors


@needs_openai
def test_passages_without_a_usable_vector_are_reported(fake, run):
    def some_are_zero(asked):
        return embeddings([[0.0] * 64 if "reset" in text else hashed(text) for text in asked.texts])

    fake.rule = some_are_zero
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors")
    code, out, errors = run("index", *options)
    assert (code, out) == (0, "vectors of 3 notes computed\n")
    assert errors.startswith("skipped: 1 passage got no usable vector from vectors@127.0.0.1")
    assert "To try again: vaultseek index --rebuild." in errors
    assert "Router.md" in run("search", "log in", *options)[1]
    fake.rule = None
    assert run("index", "--rebuild", *options) == (0, "vectors of 3 notes computed\n", "")


@needs_openai
def test_an_explained_answer_shows_what_the_chat_model_suggested(fake, run):
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors", "--chat-model", "talk")
    code, out, _ = run("search", "where do crumbs come from?", "--explain", *options)
    assert code == 0
    (line,) = (line for line in out.split("\n") if line.startswith("suggested by the chat model: "))
    assert {"sourdough", "starter", "flour"} <= set(line.partition(": ")[2].split(", "))
    assert f"also searched by meaning: {PASSAGE}" in out
    assert "suggested by" not in run("search", "flour", "--explain")[1]
