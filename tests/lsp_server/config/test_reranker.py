"""A reranking endpoint, configured on the command line and in an editor."""

import json

import pytest

from lsp_server.cli import main
from tests.kit.fake_endpoint import Answer
from tests.kit.fake_endpoint import serve as serve_fake
from vaults import write

pytestmark = pytest.mark.slow

KEY = "sk-canary-3"


VAULT = """--- Bread.md
# Bread
flour and flour and flour
--- Cake.md
# Cake
flour, and a spoon of sugar
--- Scale.md
The Kitchen Scale (KS) is broken.
"""


needs_openai = pytest.mark.usefixtures("_openai")


@pytest.fixture
def _openai():
    pytest.importorskip("openai", reason="the extra `remote` is not installed")


@pytest.fixture
def fake():
    with serve_fake() as endpoint:
        yield endpoint


@pytest.fixture
def root(tmp_path, monkeypatch):
    write(tmp_path / "vault", VAULT)
    (tmp_path / "vault" / ".obsidian").mkdir()
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MY_KEY", KEY)
    return tmp_path / "vault"


@pytest.fixture
def run(root, capsys):
    def command(*arguments):
        code = main.main([*arguments, "--vault", str(root), "--mode", "keyword"])
        return code, *capsys.readouterr()

    return command


def found(out):
    answer = json.loads(out)
    return [result["id"] for result in answer["results"]], [notice["code"] for notice in answer["notices"]]


@needs_openai
def test_the_command_line_can_name_a_reranker(run, fake):
    options = ("--endpoint", fake.base_url, "--rerank-model", "judge", "--key-variable", "MY_KEY", "--json")
    code, out, errors = run("search", "flour sugar", *options)
    assert code == 0
    assert found(out) == (["Cake.md", "Bread.md"], [])
    assert fake.asked[0].path == "/v1/rerank"
    assert fake.asked[0].body["model"] == "judge"
    assert fake.asked[0].body["query"] == "flour sugar"
    assert len(fake.asked[0].body["documents"]) == 2
    assert fake.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in out + errors


@needs_openai
def test_a_failing_reranker_leaves_the_order_unchanged(run, fake):
    fake.rule = lambda _: Answer.error(401, f"{KEY} is no key of ours")
    plain = found(run("search", "flour", "--json")[1])
    code, out, errors = run(
        "search", "flour", "--endpoint", fake.base_url, "--rerank-model", "judge", "--key-variable", "MY_KEY", "--json"
    )
    assert code == 0
    assert found(out) == (plain[0], ["rerank-failed"])
    assert "denied access (401); check $MY_KEY" in out
    assert KEY not in out + errors


def test_a_reranker_without_its_key_leaves_the_order_unchanged(run):
    code, out, errors = run(
        "search", "flour", "--endpoint", "http://h/v1", "--rerank-model", "m", "--key-variable", "UNSET_KEY"
    )
    assert (code, "Bread" in out) == (0, True)
    assert "the environment variable UNSET_KEY is not set" in errors


@needs_openai
@pytest.mark.asyncio
async def test_an_editor_gets_a_partial_answer_before_the_reranker_answers(editor, root, fake):
    rerank = {"baseUrl": fake.base_url, "model": "judge", "keyVariable": "MY_KEY"}
    await editor.initialize(root, initializationOptions={"rerank": rerank, "mode": "keyword"}, initialized=True)
    answer = await editor.result("vaultseek/search", {"query": "flour sugar", "partialResultToken": "steps"})
    assert answer["results"][0]["id"] == "Cake.md"
    assert "rerank" in json.dumps(answer["results"][0]["explanation"])
    steps = [note["params"]["value"] for note in editor.notes if note.get("method") == "$/progress"]
    assert steps
    assert all(step["complete"] is False for step in steps)
    assert KEY not in json.dumps([answer, editor.notes])


@pytest.mark.asyncio
async def test_an_invalid_reranker_is_reported_in_each_answer(editor, root):
    bad = {"rerank": {"baseUrl": "ftp://h", "model": "m"}, "mode": "keyword"}
    await editor.initialize(root, initializationOptions=bad, initialized=True)
    answer = await editor.result("vaultseek/search", {"query": "flour"})
    assert [notice["code"] for notice in answer["notices"]] == ["rerank-failed"]
    assert "vaultseek.rerank.baseUrl: 'ftp://h' is not allowed" in answer["notices"][0]["message"]
