"""The concept vocabulary: learned in the background, stored next to the vectors, bounded, for one model."""

import json

import numpy as np
import pytest

from embedders import WordEmbedder
from search.budget import UNLIMITED
from search.engine import Engine
from search.errors import ProviderError
from search.ids import NoteId
from search.index.corpus import Corpus
from search.query import Query
from search.semantic.concepts import ConceptKeeper
from search.semantic.scheduler import Scheduler
from search.semantic.settings import Indexing
from search.settings import Settings
from search.vault.markdown import parse_note
from search.vectors.concepts import FILE, MAX_CONCEPTS, Concepts, ConceptVocabulary, load_concepts
from vaults import write

MODEL = "words@1"


def vector(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


VOCABULARY = ConceptVocabulary().keeping(
    ["oak", "elm", "ash"], {"oak": vector(1, 0), "elm": vector(0.8, 0.6), "ash": vector(0, 1)}
)


def test_the_nearest_words_are_those_of_the_highest_cosine():
    assert VOCABULARY.nearest(vector(1, 0), 2, floor=0.0) == ("oak", "elm")
    assert VOCABULARY.nearest(vector(1, 0), 9, floor=0.5, without={"oak"}) == ("elm",)
    assert ConceptVocabulary().nearest(vector(1, 0), 3, floor=0.0) == ()


def test_a_saved_vocabulary_is_loaded_unchanged(tmp_path):
    VOCABULARY.save(tmp_path / "store", MODEL)
    back = load_concepts(tmp_path / "store", MODEL, 2)
    assert back.words == VOCABULARY.words
    assert np.allclose(back.vectors, VOCABULARY.vectors, atol=1e-3)
    assert [file.name for file in (tmp_path / "store").iterdir()] == [FILE]


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: {**value, "model": "another@1"},
        lambda value: {**value, "version": 2},
        lambda value: {**value, "terms": {"oak": "no base64!"}},
        lambda value: {**value, "terms": {"oak": "AAAA"}},
        lambda value: {**value, "terms": []},
        lambda value: {**value, "terms": {}},
        lambda _: {"version": 1},
        lambda _: [],
    ],
)
def test_a_damaged_file_or_one_of_another_model_counts_as_empty(tmp_path, damage):
    VOCABULARY.save(tmp_path, MODEL)
    file = tmp_path / FILE
    file.write_text(json.dumps(damage(json.loads(file.read_text()))))
    assert len(load_concepts(tmp_path, MODEL, 2)) == 0
    for text in ("{", "[" * 100_000, ""):
        file.write_text(text)
        assert len(load_concepts(tmp_path, MODEL, 2)) == 0
    assert len(load_concepts(tmp_path / "none", MODEL, 2)) == 0


def test_the_number_of_words_is_bounded():
    words = [f"w{n}" for n in range(MAX_CONCEPTS + 10)]
    assert len(ConceptVocabulary().keeping(words, dict.fromkeys(words, vector(1, 0)))) == MAX_CONCEPTS
    assert VOCABULARY.keeping(["elm", "fir"], {}).words == ("elm",)


@pytest.mark.parametrize("bad", [0, 11])
def test_the_number_of_words_per_query_has_a_range(bad):
    with pytest.raises(ValueError, match="must be"):
        Concepts(n_terms=bad)


def test_key_words_of_a_vault_occur_in_several_notes_and_are_no_stop_words():
    corpus = Corpus()
    texts = ["the oak and elm 2024", "the oak grove", "the elm grove of oak", "the birch", "the", "the", "the", "x"]
    corpus.update(parse_note(NoteId(f"n{at}.md"), text) for at, text in enumerate(texts))
    assert corpus.concept_words() == ("oak", "elm", "grove")


def test_a_query_is_extended_by_the_nearest_words_once_they_are_known(tmp_path):
    write(tmp_path / "vault", "--- a.md\nphysician road\n--- b.md\ndoctor road\n--- c.md\nbirch\n")
    embedder = WordEmbedder()
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False, patience_s=60.0))
    engine = Engine(tmp_path / "vault", settings, embedder=embedder)
    query = Query(text="physician", preset="neighbour-recency")
    assert engine.search(query).concepts == ()  # nothing was learned yet, and a search does not wait for it
    engine.maintenance().update()
    (file,) = (tmp_path / "cache").rglob(FILE)
    assert json.loads(file.read_text())["model"] == embedder.model
    assert set(json.loads(file.read_text())["terms"]) == {"road"}
    write(tmp_path / "vault", "--- d.md\ndoctor\n--- e.md\nbirch\n")
    engine.mark_changed([NoteId("d.md"), NoteId("e.md")])
    engine.maintenance().update()
    assert engine.search(query).concepts == ("doctor",)
    assert embedder.queries[-1] == "physician doctor"
    assert engine.search(Query(text="physician")).concepts == ()  # the default preset uses no concepts
    n_passages = len(embedder.passages)
    engine.maintenance().update()
    assert len(embedder.passages) == n_passages  # known words are not embedded again
    engine.close()
    again = Engine(tmp_path / "vault", settings, embedder=WordEmbedder())
    assert again.search(query).concepts == ("doctor",)
    again.close()


def test_the_words_learned_before_the_model_fails_are_kept(tmp_path):
    """Many short sessions must finish the vocabulary too."""

    class Tired(WordEmbedder):
        batch_size = 2

        def embed_passages(self, texts, *, budget):
            if len(self.passages) >= 2:
                raise ProviderError("words", "is tired", is_retriable=True)
            return super().embed_passages(texts, budget=budget)

    tired = Tired()
    words = ["oak", "elm", "ash", "fir"]
    keeper = ConceptKeeper(tired, tmp_path, Scheduler(0.0), lambda: words)
    with pytest.raises(ProviderError):
        keeper.learn(UNLIMITED)
    assert set(json.loads((tmp_path / FILE).read_text())["terms"]) == {"oak", "elm"}
    fresh = WordEmbedder()
    ConceptKeeper(fresh, tmp_path, Scheduler(0.0), lambda: words).learn(UNLIMITED)
    assert fresh.passages == ["ash", "fir"]
