"""A model that reads English only: notes and queries in other languages are left to words."""

import pytest
from attrs import evolve
from kit.languages import PARAGRAPHS, QUESTIONS

from embedders import WordEmbedder
from search.engine import Engine
from search.providers.scripts import LATIN, foreign_share
from search.query import Level, Mode
from search.semantic.settings import AutoIndex, Indexing
from search.settings import Settings
from vaults import ask, codes, ids, search, write

ENGLISH, GERMAN = ("\n\n".join(PARAGRAPHS[language]) for language in ("english", "german"))
LIGHTHOUSE = PARAGRAPHS["german"][0]
QUESTION = QUESTIONS["german"][0]
MIXED = f"""
--- Lighthouse.md
{PARAGRAPHS["english"][0]}
--- Bread.md
{PARAGRAPHS["english"][1]}
--- Router.md
{PARAGRAPHS["english"][2]}
--- Leuchtturm.md
{LIGHTHOUSE}
--- Brot.md
{PARAGRAPHS["german"][1]}
"""


class EnglishEmbedder(WordEmbedder):
    """Reads English only."""

    traits = evolve(WordEmbedder.traits, languages=frozenset({"english"}))


@pytest.fixture
def opened(tmp_path):
    engines = []

    def make(vault=MIXED, embedder=None, **indexing):
        options = {"folder": str(tmp_path / "cache"), "in_background": False, "resume_after_s": 0.0, **indexing}
        root = write(tmp_path / "vault", vault)
        engines.append(Engine(root, Settings(indexing=Indexing(**options)), embedder=embedder or EnglishEmbedder()))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()


def test_notes_in_other_languages_are_not_embedded(opened):
    embedder = EnglishEmbedder()
    engine = opened(embedder=embedder)
    assert engine.maintenance().update() == 3
    assert not [text for text in embedder.passages if "Leuchtturm" in text or "Teig" in text]
    status = engine.semantic.status()
    assert (status.n_missing, status.n_foreign) == (0, 2)
    assert engine.maintenance().plan().n_missing == 0


CHINESE = "\n--- Tea.md\n茶要用热水泡，然后慢慢喝。\n"  # its name is one that the model can read


def test_a_note_in_another_script_is_not_missing_and_its_readable_name_is_embedded(opened):
    embedder = EnglishEmbedder()
    embedder.foreign_share = lambda text: foreign_share(text, LATIN)
    engine = opened(MIXED + CHINESE, embedder)
    plan, status = engine.maintenance().plan(), engine.semantic.status()
    assert (status.n_missing, status.n_missing_gists, status.n_foreign) == (3, 3, 3)
    assert (plan.n_missing, plan.n_missing_gists, plan.n_foreign) == (3, 3, 3)
    engine.maintenance().update()
    assert "Tea" in embedder.passages
    assert not [text for text in embedder.passages if "茶" in text]
    status = engine.semantic.status()
    assert (status.n_notes, status.n_missing, status.n_missing_gists, status.n_foreign) == (3, 0, 0, 3)


def test_no_answer_says_that_notes_are_missing_which_the_model_cannot_read(opened):
    assert codes(search(opened(CHINESE, auto_index=AutoIndex.NEVER), "tea")) == []


def test_a_model_that_reads_all_languages_embeds_all_notes(opened):
    engine = opened(embedder=WordEmbedder())
    assert engine.maintenance().update() == 5
    assert engine.semantic.status().n_foreign == 0


def test_a_part_of_a_note_in_another_language_is_left_out(opened):
    embedder = EnglishEmbedder()
    quoted = f"# Notes\n\n{ENGLISH}\n\n{ENGLISH}\n\n# Zitat\n\n{LIGHTHOUSE} Das ist nicht von mir."
    opened(f"--- Quotes.md\n{quoted}\n", embedder).maintenance().update()
    assert embedder.passages
    assert not [text for text in embedder.passages if "Leuchtturm" in text]


def test_names_of_notes_in_other_languages_are_not_embedded(opened):
    embedder = EnglishEmbedder()
    search(opened(embedder=embedder), "light", level=Level.FILE)
    assert {"Bread", "Lighthouse", "Router"} == set(embedder.passages)


def test_a_query_in_another_language_is_answered_by_words_alone(opened):
    embedder = EnglishEmbedder()
    engine = opened(embedder=embedder)
    result = search(engine, QUESTION)
    assert (ids(result)[0], result.mode, embedder.queries) == ("Leuchtturm.md", "keyword", [])
    assert ids(result) == ask(engine, QUESTION, mode=Mode.KEYWORD)


def test_the_multilingual_model_is_named_once_for_a_vault(opened):
    first = opened()
    (notice,) = search(first, QUESTION).notices
    assert (notice.kind, notice.code) == ("note", "semantic-foreign")
    assert "multilingual-e5-small" in notice.message
    assert codes(search(first, QUESTIONS["german"][1])) == []
    first.close()
    assert codes(search(opened(), QUESTION)) == []


def test_the_notice_appears_once_a_process_if_it_cannot_be_noted(opened, tmp_path):
    (tmp_path / "file").write_text("")
    engine = opened(folder=str(tmp_path / "file"))
    assert codes(search(engine, QUESTION)) == ["semantic-foreign"]
    assert codes(search(engine, QUESTION)) == []


def test_an_english_query_gets_no_notice_about_languages(opened):
    result = search(opened(), QUESTIONS["english"][0])
    assert (codes(result), result.mode, ids(result)[0]) == ([], "hybrid", "Lighthouse.md")


@pytest.mark.parametrize("query", ["Felsen", "Leuchtturm", "Bäckerei Brot"])
def test_a_note_without_vectors_for_its_language_competes_by_its_words(opened, query):
    """The words are in no other note, so the note is first, as it is by words alone."""
    engine = opened()
    engine.maintenance().update()
    assert ask(engine, query)[:1] == ask(engine, query, mode=Mode.KEYWORD)[:1]
    found = search(engine, "Leuchtturm rock").hits
    assert [hit.hit.id for hit in found][:1] == ["Leuchtturm.md"]


def test_vectors_that_an_older_version_made_of_foreign_notes_are_dropped(opened):
    older = opened(embedder=WordEmbedder())
    older.maintenance().update()
    older.close()
    embedder = EnglishEmbedder()
    engine = opened(embedder=embedder)
    assert set(engine.semantic.maintenance.vectors.view().notes) > {"Leuchtturm.md"}
    search(engine, "light")
    assert engine.maintenance().update() == 0
    assert set(engine.semantic.maintenance.vectors.view().notes) == {"Bread.md", "Lighthouse.md", "Router.md"}
    assert embedder.passages == []


def test_a_note_that_is_translated_gets_vectors_and_loses_them_again(opened):
    engine = opened()
    engine.maintenance().update()
    engine.open_buffer("Leuchtturm.md", PARAGRAPHS["english"][0] + " Well.")
    assert engine.maintenance().update() == 1
    engine.open_buffer("Leuchtturm.md", LIGHTHOUSE)
    assert engine.maintenance().update() == 0
    assert "Leuchtturm.md" not in engine.semantic.maintenance.vectors.view().notes
