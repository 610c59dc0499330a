"""The user's and the vault's own word lists."""

import pytest

from tests.lsp_server.config.endpoints import found


def words_in(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "words.toml").write_text(text, encoding="utf-8")


def test_a_vault_and_a_user_can_add_acronyms(run_by_words, bakery, tmp_path):
    words_in(bakery / ".vaultseek", '[acronyms]\nSU = ["sugar"]\n')
    words_in(tmp_path / "config" / "vaultseek", '[acronyms]\nFL = ["flour"]\n')
    options = ("--preset", "intent-hybrid", "--json")
    assert found(run_by_words("search", "SU", *options)[1]) == (["Cake.md"], [])
    assert set(found(run_by_words("search", "FL", *options)[1])[0]) == {"Bread.md", "Cake.md"}
    assert found(run_by_words("search", "kitchen scale", *options)[1])[0] == ["Scale.md"]


@pytest.mark.parametrize("text", ["[acronyms", '[acronyms]\nX = ["too short"]', "[nonsense]\n"])
def test_an_invalid_word_list_is_reported_and_otherwise_ignored(run_by_words, bakery, text):
    words_in(bakery / ".vaultseek", text)
    notes, notices = found(run_by_words("search", "flour", "--json")[1])
    assert set(notes) == {"Bread.md", "Cake.md"}
    assert notices == ["words-unusable"]
