"""When a model is needed at all: no model is asked, and no store is opened, before a query needs them."""

import pytest
from kit.semantic import VAULT

from embedders import WordEmbedder
from search.engine import Engine, open_engine
from search.errors import ConfigError
from search.query import Mode
from search.semantic.settings import Indexing
from search.settings import Settings
from vaults import ids, search, write


def test_a_keyword_query_loads_no_model_and_opens_no_store(make, tmp_path):
    embedder = WordEmbedder()
    search(make(embedder), "oil", mode=Mode.KEYWORD)
    assert embedder.queries == embedder.passages == []
    assert not (tmp_path / "cache").exists()


def test_a_query_of_filters_only_is_a_keyword_query(make):
    embedder = WordEmbedder()
    assert search(make(embedder), "-lamp").mode == "keyword"
    assert embedder.queries == []


@pytest.mark.parametrize("text", ["-", "!!", '" "'])
def test_a_query_without_a_word_is_not_embedded(make, text):
    embedder = WordEmbedder()
    result = search(make(embedder), text)
    assert (ids(result), result.mode, embedder.queries) == ([], "keyword", [])


def test_without_a_model_there_is_no_vector_index(tmp_path):
    engine = Engine(write(tmp_path, VAULT))
    with pytest.raises(ConfigError, match="enableSemantic"):
        engine.maintenance()
    assert engine.status().semantic is None
    assert search(engine, "oil").mode == "keyword"


def test_the_settings_choose_the_model_or_none(tmp_path):
    write(tmp_path, VAULT)
    assert open_engine(tmp_path).semantic.status().model.startswith("minilm")
    assert open_engine(tmp_path, Settings(enable_semantic=False)).semantic is None
    e5 = open_engine(tmp_path, Settings(embedding_model="multilingual-e5-small"))
    assert e5.semantic.status().model.startswith("multilingual-e5")


def test_the_folder_for_vectors_must_be_absolute():
    with pytest.raises(ConfigError, match="absolute"):
        Indexing(folder="here")
