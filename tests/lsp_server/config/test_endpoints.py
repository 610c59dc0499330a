"""Models behind a configured endpoint, from the command line and from an editor; each test scripts the endpoint."""

import json
import logging
import os
import re
import socket
import sys

import pytest
from attrs import evolve

from lsp_server.cli import main
from lsp_server.config.engine_factory import engine_of
from lsp_server.config.environment import key_of, take_keys
from lsp_server.config.settings import resolve
from search.providers.endpoint import Endpoint
from search.query import Query
from tests.kit.fake_endpoint import Answer, chat, embeddings, hashed
from tests.kit.fake_endpoint import serve as serve_fake
from vaults import write

pytestmark = pytest.mark.slow

KEY = "sk-canary-0123456789"
VAULT = """
--- Bread.md
Feed the sourdough starter with flour every evening.
--- Router.md
Hold the reset button for ten seconds, then log in.
--- Tax.md
The return is due in July.
"""
PASSAGE = "Every evening feed the sourdough starter with more flour."
needs_openai = pytest.mark.usefixtures("_openai")


@pytest.fixture
def _openai():
    pytest.importorskip("openai", reason="the extra `remote` is not installed")


@pytest.fixture
def fake():
    with serve_fake() as endpoint:
        endpoint.reply = lambda _query: PASSAGE  # also for query rewriting
        endpoint.rule = lambda asked: chat("sourdough\nbread") if "terms" in str(asked.body.get("messages")) else None
        yield endpoint


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A vault with its own cache, and a key in the environment."""
    write(tmp_path / "vault", VAULT)
    (tmp_path / "vault" / ".obsidian").mkdir()
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MY_KEY", KEY)
    return tmp_path / "vault"


@pytest.fixture
def run(root, capsys):
    """Run a command over the vault; gives the exit code, the output and the errors."""

    def command(*arguments):
        code = main.main([*arguments, "--vault", str(root)])
        return code, *capsys.readouterr()

    return command


def own(fake, **more):
    """Settings as a client sends them."""
    place = {"baseUrl": fake.base_url, "keyVariable": "MY_KEY"}
    return {"embedding": {**place, "model": "vectors"}, "chat": {**place, "model": "talk"}, **more}


def paths(fake):
    return [asked.path.removeprefix("/v1/") for asked in fake.asked]


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


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
    assert run("index") == (0, "3 notes embedded\n", "")
    assert fake.asked[-1].body["model"] == "vectors"


@needs_openai
def test_a_plan_names_the_endpoint_and_sends_nothing(run, fake):
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors")
    code, plan, _ = run("index", "--plan", *options)
    assert code == 0
    assert plan.startswith("3 of 3 notes to embed: 3 chunks, ")
    assert f", on {fake.base_url}\n" in plan
    assert fake.asked == []
    run("index", *options)
    fake.asked.clear()
    assert run("index", "--plan", *options)[1].startswith("0 of 3 notes to embed")
    assert fake.asked == []


@needs_openai
def test_each_model_has_its_own_store(run, fake):
    options = ("--endpoint", fake.base_url, "--embedding-model")
    run("index", *options, "vectors")
    run("index", *options, "others")
    assert run("index") == (0, "3 notes embedded\n", "")
    assert run("index", *options, "vectors") == (0, "0 notes embedded\n", "")


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


def test_without_the_openai_package_the_answer_says_what_to_install(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "search.providers.openai_client", raising=False)
    code, out, errors = run("search", "flour", "--endpoint", "http://127.0.0.1:9/v1", "--embedding-model", "m")
    assert code == 0
    assert "Bread" in out
    assert 'install it with: pip install "vaultseek[remote]"' in errors


# From an editor


async def search(editor, text, **options):
    return await editor.result("vaultseek/search", {"query": text, "options": options})


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
    take_keys(None)


@pytest.mark.parametrize("sent", [None, [], {"initializationOptions": None}, {"initializationOptions": {"keys": [1]}}])
def test_initialize_without_keys_forgets_the_previous_keys(monkeypatch, sent):
    monkeypatch.setenv("MY_KEY", "")
    endpoint = Endpoint(base_url="http://h/v1", model="m", key_variable="MY_KEY")
    take_keys({"initializationOptions": {"vaultseek": {"keys": {"MY_KEY": "k", "OTHER": 3}}}})
    assert key_of(endpoint) == "k"
    take_keys(sent)
    assert key_of(endpoint) == ""


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


@needs_openai
def test_an_endpoint_that_never_answers_delays_a_search_by_the_patience_only(root, fake):
    fake.rule = lambda _asked: Answer(hangs=True)
    settings = resolve(own(fake, chat=None)).search
    engine = engine_of(root, evolve(settings, indexing=evolve(settings.indexing, patience_alone_s=0.2)))
    try:
        answer = engine.search(Query(text="flour"))
        fake.closing.set()
    finally:
        engine.close()
    assert [found.hit.id for found in answer.hits] == ["Bread.md"]
    # On a busy machine, loading the client can take so long that no request is sent at all.
    assert re.search("took more than 0|no time is left", answer.notices[0].message)


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


# Misbehaving endpoints, as seen by a search


@pytest.fixture
def engine(root, fake):
    """A factory of engines with both endpoints and short patience."""
    made = []

    def make(**more):
        settings = resolve(own(fake, **more)).search
        short = evolve(settings.indexing, patience_s=1.0, patience_alone_s=1.0, in_background=False)
        made.append(engine_of(root, evolve(settings, indexing=short)))
        return made[-1]

    yield make
    for one in made:
        one.close()


MISDEEDS = {
    "wrong key": (Answer.error(401, f"{KEY}?"), "denied access (401); check $MY_KEY"),
    "no such model": (Answer.error(404, "no such model: it"), "does not know this address or model (404): no such"),
    "no credit": (Answer.error(429, "insufficient_quota"), "has no credit left (429)"),
    "10 MB": (Answer(b"{" + b" " * 10_000_000), "sent more than the"),
    "a web page": (Answer(b"<html>"), "answered with a web page; is base_url right? It usually ends in /v1"),
    "a stream": (Answer(b"data: {}\n\n"), "answered with a stream"),
    "elsewhere": (Answer(status=308, headers=(("location", "http://192.0.2.1/"),)), "redirects to http://192.0.2.1/"),
    "a slow drip": (Answer(b" " * 5000, drips=True), "took more than"),
}


@needs_openai
@pytest.mark.parametrize("which", ["embeddings", "completions"])
@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_whatever_an_endpoint_sends_the_search_answers_and_a_notice_says_why(fake, engine, caplog, which, misdeed):
    caplog.set_level(logging.DEBUG)
    answer, text = MISDEEDS[misdeed]
    well = fake.rule
    fake.rule = lambda asked: answer if asked.path.endswith(which) else well(asked)
    one = engine(chat={"baseUrl": fake.base_url, "keyVariable": "MY_KEY", "model": "talk", "timeoutS": 1.0})
    answer = one.search(Query(text="what is flour?"))
    assert answer.hits[0].hit.id == "Bread.md"
    code = {"embeddings": "semantic-failed", "completions": "expansion-failed"}[which]
    messages = [notice.message for notice in answer.notices if notice.code == code]
    assert messages
    assert all(text in message for message in messages)
    assert KEY not in repr(answer) + repr(one.status()) + caplog.text


@needs_openai
def test_no_search_waits_for_an_endpoint_that_has_just_failed(fake, engine):
    fake.rule = lambda _asked: Answer.error(404, "no such model")
    one = engine()
    one.search(Query(text="what is flour?"))
    n_asked = len(fake.asked)
    again = one.search(Query(text="what is bread flour?"))
    assert len(fake.asked) == n_asked
    assert [notice.code for notice in again.notices] == ["semantic-failed", "expansion-failed"]
    assert all("(asked again in" in notice.message for notice in again.notices)


@needs_openai
def test_vectors_of_another_length_are_reported_and_replaced_at_the_next_start(fake, engine):
    first = engine()
    assert first.search(Query(text="evening starter")).mode == "hybrid"
    well = fake.rule
    fake.rule = lambda asked: (
        embeddings([hashed(text, 32) for text in asked.texts]) if asked.path.endswith("embeddings") else well(asked)
    )
    answer = first.search(Query(text="where is the reset button?"))
    assert answer.hits[0].hit.id == "Router.md"
    assert "sent a vector of 32 dimensions where 64 are expected; set dimensions to" in answer.notices[0].message
    first.close()
    second = engine()
    answer = second.search(Query(text="where is the reset button?"))
    assert answer.mode == "hybrid"
    assert [notice.code for notice in answer.notices] == ["store-other-model"]
    assert second.status().semantic.n_notes == 3


@needs_openai
def test_the_update_command_embeds_a_vault_once_its_endpoint_is_back(fake, engine):
    well, fake.rule = fake.rule, lambda _asked: Answer.error(503, "starting")
    one = engine()
    one.search(Query(text="flour"))
    fake.rule = well
    one.semantic._embedder._breaker._open_until = 0.0
    assert one.maintenance().update() == 3
    assert one.search(Query(text="evening starter")).mode == "hybrid"


@needs_openai
def test_passages_without_a_usable_vector_are_reported(fake, run):
    def some_are_zero(asked):
        return embeddings([[0.0] * 64 if "reset" in text else hashed(text) for text in asked.texts])

    fake.rule = some_are_zero
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors")
    code, out, errors = run("index", *options)
    assert (code, out) == (0, "3 notes embedded\n")
    assert errors.startswith("skipped: 1 passage got no usable vector from vectors@127.0.0.1")
    assert "To try again: vaultseek index --rebuild." in errors
    assert "Router.md" in run("search", "log in", *options)[1]
    fake.rule = None
    assert run("index", "--rebuild", *options) == (0, "3 notes embedded\n", "")


@needs_openai
def test_an_explained_answer_shows_what_the_chat_model_suggested(fake, run):
    options = ("--endpoint", fake.base_url, "--embedding-model", "vectors", "--chat-model", "talk")
    code, out, _ = run("search", "where do crumbs come from?", "--explain", *options)
    assert code == 0
    (line,) = (line for line in out.split("\n") if line.startswith("suggested by the chat model: "))
    assert {"sourdough", "starter", "flour"} <= set(line.partition(": ")[2].split(", "))
    assert f"also searched by meaning: {PASSAGE}" in out
    assert "suggested by" not in run("search", "flour", "--explain")[1]
