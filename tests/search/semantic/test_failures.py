"""Failing models and damaged stores: keyword search still answers, a notice tells why, and the next search recovers."""

import shutil

from embedders import WordEmbedder
from vaults import codes, ids, search, write


def test_a_query_in_a_foreign_script_is_answered_by_keywords_and_names_a_remedy(make, vault):
    write(vault, "--- 望.md\n望远镜 is here")
    result = search(make(), "望远镜")
    assert ids(result) == ["望.md"]
    assert (result.mode, codes(result)) == ("keyword", ["semantic-foreign"])
    assert "vaultseek[multilingual]" in result.notices[0].message


def test_if_the_model_fails_keyword_search_answers(make):
    embedder = WordEmbedder()
    embedder.error = "weights are damaged; install vaultseek again"
    engine = make(embedder)
    result = search(engine, "oil")
    assert set(ids(result)) == {"Notes/Oil.md", "Garage.md"}
    assert (result.mode, codes(result)) == ("keyword", ["semantic-failed"])
    assert "install vaultseek again" in result.notices[0].message
    assert "damaged" in engine.status().semantic.problem
    embedder.error = None
    assert search(engine, "oil").mode == "hybrid"
    assert engine.status().semantic.problem == ""


def test_if_the_model_fails_on_a_note_the_search_still_answers(make):
    embedder = WordEmbedder()

    def fail(_text):
        embedder.error = "out of memory"

    embedder.on_passage = fail
    result = search(make(embedder), "oil")
    assert ids(result)
    assert "semantic-failed" in codes(result)


def test_a_cache_folder_that_cannot_be_made_is_reported(make, tmp_path):
    (tmp_path / "file").write_text("")
    result = search(make(folder=str(tmp_path / "file")), "oil")
    assert ids(result)
    assert codes(result) == ["semantic-failed"]


def test_a_cache_that_is_deleted_while_it_is_used_is_made_again(make, tmp_path):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    shutil.rmtree(tmp_path / "cache")
    engine.open_buffer("Garage.md", "The automobile is sold.")
    for _ in range(2):  # names and openings have a store of their own
        assert codes(search(engine, "car")) == ["semantic-failed"]
    for _ in range(2):
        result = search(engine, "car")
        assert (codes(result), ids(result)) == ([], ["Garage.md"])
    n_made = len(embedder.passages)
    engine.close()
    again = make(embedder)
    again.open_buffer("Garage.md", "The automobile is sold.")
    assert ids(search(again, "car")) == ["Garage.md"]
    assert len(embedder.passages) == n_made


def test_a_store_that_is_changed_while_it_is_used_is_read_again(make, tmp_path, vault):
    engine = make()
    search(engine, "car")
    (path,) = (tmp_path / "cache").glob("*/vectors*")
    path.write_bytes(path.read_bytes().replace(b'"n":', b'"N":'))
    (vault / "Garage.md").rename(vault / "Shed.md")
    engine.mark_changed(["Garage.md"])
    assert codes(search(engine, "car")) == ["semantic-failed"]
    result = search(engine, "car")
    assert (codes(result), ids(result)) == (["store-damaged"], ["Shed.md"])
