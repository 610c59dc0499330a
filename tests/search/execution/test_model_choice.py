"""The model is chosen by the languages of the notes where the settings leave it open."""

import pytest
from kit.languages import PARAGRAPHS

from search.engine import open_engine
from search.execution import model_choice
from search.execution.model_choice import ENGLISH, MULTILINGUAL, choose_model
from search.semantic.settings import Indexing
from search.settings import Settings
from search.vault.settings import VaultSettings
from vaults import write


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """The multilingual model is installed."""
    monkeypatch.setattr(model_choice, "is_e5_installed", lambda: True)


def notes(language, n):
    text = PARAGRAPHS[language][0]
    return "".join(f"--- {language}/{at}.md\n{text}\n" for at in range(n))


@pytest.fixture
def chosen(tmp_path):
    """Writes notes into the vault and chooses its model."""

    def choose(vault="", **options):
        root = tmp_path / "vault"
        root.mkdir(exist_ok=True)
        return choose_model(write(root, vault), VaultSettings(**options), tmp_path / "cache" / "vault.model")

    return choose


@pytest.mark.parametrize("language", [language for language in PARAGRAPHS if language != "english"])
def test_the_multilingual_model_is_chosen_where_most_notes_are_not_english(chosen, language):
    assert chosen(notes(language, 3) + notes("english", 2)) == MULTILINGUAL


def test_notes_in_a_script_that_the_english_model_cannot_read_count_as_well(chosen):
    assert chosen("--- 茶.md\n望远镜朝南停放,天窗关好以后一定要亲眼看一下\n") == MULTILINGUAL


@pytest.mark.parametrize(
    "vault",
    [
        "",
        "--- list.md\nmilk, eggs\n",
        notes("english", 1),
        notes("german", 2) + notes("english", 2),
        notes("german", 4) + notes("french", 4) + notes("english", 9),
    ],
)
def test_the_english_model_is_chosen_otherwise(chosen, vault):
    assert chosen(vault) == ENGLISH


def test_the_english_model_is_chosen_where_the_other_is_not_installed(chosen, monkeypatch):
    monkeypatch.setattr(model_choice, "is_e5_installed", lambda: False)
    assert chosen(notes("german", 30)) == ENGLISH
    monkeypatch.setattr(model_choice, "is_e5_installed", lambda: True)
    assert chosen() == MULTILINGUAL


def test_excluded_notes_do_not_count(chosen):
    vault = notes("german", 5) + notes("english", 2)
    assert chosen(vault, exclude=("german",)) == ENGLISH
    assert chosen(vault) == MULTILINGUAL


def test_a_large_vault_keeps_its_model_whatever_is_written_later(chosen):
    """Otherwise a note more or less could cost all vectors."""
    assert chosen(notes("german", 21)) == MULTILINGUAL
    assert chosen(notes("english", 60)) == MULTILINGUAL


def test_a_small_vault_does_not_keep_it(chosen):
    assert chosen(notes("german", 4)) == MULTILINGUAL
    assert chosen(notes("english", 9)) == ENGLISH


def test_a_damaged_record_is_replaced_and_one_that_cannot_be_made_is_left_out(chosen, tmp_path):
    record = tmp_path / "cache" / "vault.model"
    record.parent.mkdir()
    record.write_bytes(b"\xff\xfe")
    assert chosen(notes("german", 21)) == MULTILINGUAL
    assert record.read_text() == MULTILINGUAL
    record.unlink()
    record.mkdir()
    assert chosen() == MULTILINGUAL


def test_a_missing_vault_is_reported_by_the_engine_and_not_here(tmp_path):
    assert choose_model(tmp_path / "none", VaultSettings(), tmp_path / "record") == ENGLISH


def test_the_whole_vault_is_sampled(chosen):
    """The first notes by name are not those of the vault."""
    assert chosen(notes("english", 150) + notes("spanish", 200)) == MULTILINGUAL


@pytest.mark.parametrize(("setting", "model"), [("auto", "multilingual-e5"), ("minilm-l6-v2", "minilm")])
def test_a_model_in_the_settings_comes_first(tmp_path, setting, model):
    root = write(tmp_path / "vault", notes("german", 3))
    settings = Settings(embedding_model=setting, indexing=Indexing(folder=str(tmp_path / "cache")))
    assert open_engine(root, settings).semantic.status().model.startswith(model)
