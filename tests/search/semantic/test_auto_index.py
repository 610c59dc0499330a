"""Which texts are embedded automatically, and from when on."""

from kit.semantic import wait_for_indexer

from embedders import WordEmbedder
from search.query import Mode, Scope
from search.semantic.settings import AutoIndex
from vaults import codes, ids, search, write


def test_drawings_are_not_embedded(make, vault):
    """Base64 has no meaning, and embedding a drawing of megabytes would take an hour."""
    write(vault, "--- Draw.md\nA plan of it.\n```compressed-json\n" + "QUJD" * 2000 + "\n```\n")
    embedder = WordEmbedder()
    search(make(embedder), "car")
    assert not any("QUJDQUJD" in text for text in embedder.passages)


def test_passages_in_a_foreign_script_are_not_embedded(make, vault):
    write(vault, "--- 望.md\n望远镜望远镜望远镜")
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    assert not any("望" in text for text in embedder.passages)
    assert engine.status().semantic.n_missing == 0


def test_never_embeds_only_by_command(make):
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    search(engine, "car", mode=Mode.HYBRID)
    assert embedder.passages == []
    assert engine.maintenance().update() == 3
    assert ids(search(engine, "car")) == ["Garage.md"]


def test_on_mode_switch_embeds_from_the_first_query_that_names_a_mode(make):
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.ON_MODE_SWITCH)
    search(engine, "car")
    assert embedder.passages == []
    search(engine, "car", mode=Mode.HYBRID)
    assert embedder.passages


def test_on_startup_embeds_once_the_notes_are_read(make):
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.ON_STARTUP, in_background=True)
    search(engine, "oil", mode=Mode.KEYWORD)
    wait_for_indexer(engine)
    assert len(embedder.passages) == 9  # a name, an opening and a text of each note
    assert embedder.queries == []


def test_notes_that_are_never_embedded_are_reported(make):
    result = search(make(auto_index=AutoIndex.NEVER), "car")
    assert codes(result) == ["still-embedding"]
    assert "names and openings: 0 of 3; whole text: 0 of 3; autoIndex is never" in result.notices[0].message
    assert codes(search(make(auto_index=AutoIndex.NEVER), "oil", semantic_scope=Scope.CANDIDATES)) == []
    assert codes(search(make(auto_index=AutoIndex.ON_MODE_SWITCH), "oil")) == []
