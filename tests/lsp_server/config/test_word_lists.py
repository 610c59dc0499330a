"""The user's and the vault's own word lists."""

import json

import pytest

from lsp_server.cli import main
from vaults import write

VAULT = """--- Bread.md
# Bread
flour and flour and flour
--- Cake.md
# Cake
flour, and a spoon of sugar
--- Scale.md
The Kitchen Scale (KS) is broken.
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    write(tmp_path / "vault", VAULT)
    (tmp_path / "vault" / ".obsidian").mkdir()
    monkeypatch.setenv("VAULTSEEK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
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


def words_in(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "words.toml").write_text(text, encoding="utf-8")


def test_a_vault_and_a_user_can_add_acronyms(run, root, tmp_path):
    words_in(root / ".vaultseek", '[acronyms]\nSU = ["sugar"]\n')
    words_in(tmp_path / "config" / "vaultseek", '[acronyms]\nFL = ["flour"]\n')
    options = ("--preset", "intent-hybrid", "--json")
    assert found(run("search", "SU", *options)[1]) == (["Cake.md"], [])
    assert set(found(run("search", "FL", *options)[1])[0]) == {"Bread.md", "Cake.md"}
    assert found(run("search", "kitchen scale", *options)[1])[0] == ["Scale.md"]


@pytest.mark.parametrize("text", ["[acronyms", '[acronyms]\nX = ["too short"]', "[nonsense]\n"])
def test_an_invalid_word_list_is_reported_and_otherwise_ignored(run, root, text):
    words_in(root / ".vaultseek", text)
    notes, notices = found(run("search", "flour", "--json")[1])
    assert set(notes) == {"Bread.md", "Cake.md"}
    assert notices == ["words-unusable"]
