"""Search by meaning through the whole engine, with a model of a few lines."""

import itertools
import os
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest
from attrs import evolve

from embedders import WordEmbedder
from search.answer.explain import render_trail
from search.answer.trail import Found, replay
from search.budget import UNLIMITED, Budget, Cancelled
from search.engine import Engine, open_engine
from search.errors import ConfigError, ProviderError, StoreError
from search.notice import Notice, NoticeKind
from search.query import ExpandedQuery, Mode, Query, Scope
from search.ranking import rank as pipeline
from search.semantic.settings import AutoIndex, Indexing
from search.settings import Settings
from search.vectors.generation import Generation
from search.vectors.partitions import Partition
from search.vectors.store import VectorStore, store_folder
from vaults import codes, ids, write

VAULT = """
--- Garage.md
# Garage
The automobile needs oil.
--- Health.md
# Health
Call the doctor on Monday.
--- Notes/Oil.md
Oil for the lamp.
"""


@pytest.fixture
def make(tmp_path):
    """Engines over one vault and one cache; all closed at the end."""
    made = []
    write(tmp_path / "vault", VAULT)

    def engine(embedder=None, *, settings=None, **indexing):
        options = {"folder": str(tmp_path / "cache"), "is_filling": False, "resume_after_s": 0.0, **indexing}
        settings = evolve(settings or Settings(), indexing=Indexing(**options))
        made.append(Engine(tmp_path / "vault", settings, embedder=embedder or WordEmbedder()))
        return made[-1]

    yield engine
    for one in made:
        one.close()


@pytest.fixture
def vault(tmp_path):
    return tmp_path / "vault"


def search(engine, text, **options):
    return engine.search(Query(text=text, **options))


def test_a_note_is_found_that_shares_no_word_with_the_query(make):
    result = search(make(), "car")
    assert ids(result)[0] == "Garage.md"
    assert result.mode == "hybrid"
    assert result.total == 1
    (found,) = result.hits
    assert found.sentence == "Similar in meaning."
    assert found.hit.evidence.cosine > 0.3
    assert found.hit.evidence.semantic_lines == (0, 2)
    assert [snippet.text for snippet in found.snippets] == ["The automobile needs oil."]
    assert [section.heading_path for section in found.sections] == [("Garage",)]
    assert replay(found.hit.trail) == found.hit.score


def test_words_alone_do_not_find_it(make):
    result = search(make(), "car", mode=Mode.KEYWORD)
    assert ids(result) == []
    assert result.mode == "keyword"


def test_keyword_queries_load_no_model_and_open_no_store(make, tmp_path):
    embedder = WordEmbedder()
    search(make(embedder), "oil", mode=Mode.KEYWORD)
    assert embedder.queries == embedder.passages == []
    assert not (tmp_path / "cache").exists()


def test_a_filter_alone_asks_no_model(make):
    embedder = WordEmbedder()
    assert search(make(embedder), "-lamp").mode == "keyword"
    assert embedder.queries == []


@pytest.mark.parametrize("text", ["-", "!!", '" "'])
def test_what_is_no_word_means_nothing(make, text):
    embedder = WordEmbedder()
    result = search(make(embedder), text)
    assert (ids(result), result.mode, embedder.queries) == ([], "keyword", [])


def test_vector_mode_ranks_by_meaning_alone(make):
    result = search(make(), "oil motorcar", mode=Mode.VECTOR)
    assert ids(result)[0] == "Garage.md"
    assert all(found.hit.evidence.cosine is not None for found in result.hits)


def test_scope_candidates_keeps_to_notes_with_a_word_of_the_query(make):
    engine = make()
    assert set(ids(search(engine, "doctor motorcar"))) == {"Health.md", "Garage.md"}
    assert ids(search(engine, "doctor motorcar", semantic_scope=Scope.CANDIDATES)) == ["Health.md"]


def test_the_weight_of_a_query_goes_before_the_models(make):
    engine = make()
    found = next(
        found.hit for found in search(engine, "oil car", semantic_weight=0.1).hits if found.hit.id == "Garage.md"
    )
    weights = {step.source: step.weight for step in found.trail if hasattr(step, "amount")}
    assert weights == pytest.approx({"lexical": 0.9, "semantic": 0.1})


def test_filters_hold_for_what_meaning_finds(make):
    engine = make()
    assert ids(search(engine, "car", folder="Notes")) == []
    assert ids(search(engine, "car -path:Garage")) == []
    assert ids(search(engine, "motorcar path:Garage")) == ["Garage.md"]


def test_an_exact_title_stands_first_whatever_is_similar(make, vault):
    write(vault, "--- car.md\nNothing here.")
    assert ids(search(make(), "car"))[0] == "car.md"


def test_explain_says_how_a_note_stands_that_only_meaning_finds(make):
    engine = make()
    search(engine, "car")
    reason = engine.explain(Query(text="car"), "Garage.md")
    assert (reason.rank, reason.step) == (1, "ranked")
    assert reason.found.hit.evidence.cosine is not None


def test_words_come_first_and_the_blend_after(make):
    told = []
    result = make().search(Query(text="oil car"), on_answer=told.append)
    (first,) = told
    assert first.mode == "keyword"
    assert all(found.hit.evidence.cosine is None for found in first.hits)
    assert result.mode == "hybrid"


def test_nothing_is_told_before_an_answer_by_words(make):
    told = []
    make().search(Query(text="oil", mode=Mode.KEYWORD), on_answer=told.append)
    assert told == []


def test_a_sure_hit_by_meaning_is_not_buried_under_thirty_weak_ones_by_words(make, vault):
    """Each of thirty notes holds one word of four; one note means the whole, in other words."""
    weak = "\n".join(f"--- weak/{n}.md\ncheap and a{n} b{n} c{n} d{n} e{n} f{n} g{n} h{n}" for n in range(30))
    write(vault, f"{weak}\n--- Sure.md\nAutomobile physician nearby.")
    engine = make(n_first=100, patience_s=60.0)
    result = search(engine, "cheap motorcar physician nearby", limit=40)
    place = ids(result).index("Sure.md")
    assert place == 0
    sure, weakest = result.hits[place], result.hits[-1]
    assert 0.0 < weakest.hit.score < sure.hit.score < 1.0
    sources = {step.source for step in sure.hit.trail if isinstance(step, Found)}
    assert sources == {"lexical", "semantic"}


def test_the_case_of_a_hit_that_words_do_not_find_at_all(make, vault):
    weak = "\n".join(f"--- weak/{n}.md\ncheap car a{n} b{n} c{n} d{n} e{n} f{n} g{n} h{n}" for n in range(30))
    write(vault, f"{weak}\n--- Sure.md\nAutomobile doctor.")
    result = search(make(n_first=100, patience_s=60.0), "motorcar physician cheap", limit=40)
    assert "Sure.md" in ids(result)[:3]


HALF = """
--- Best.md
oil lamp
--- Other.md
oil lamp automobile garage doctor monday wood brick
"""


def test_a_note_does_not_lose_by_having_no_vectors(make, vault):
    """Its words speak for its meaning, at the rate of the notes that have vectors; the trail says so."""
    write(vault, HALF)
    engine = make(auto_index=AutoIndex.NEVER)
    engine.refresh()
    engine.semantics._embeddings.embed("Other.md")
    result = search(engine, "oil lamp")
    best, other = (next(found.hit for found in result.hits if found.hit.id == id_) for id_ in ("Best.md", "Other.md"))
    assert ids(result).index("Best.md") < ids(result).index("Other.md")
    assert best.evidence.cosine is None
    assert other.evidence.cosine > 0
    assert "unembedded: it has no vectors, so its words speak for its meaning too" in str(render_trail(best.trail))
    assert replay(best.trail) == best.score
    engine.indexed().update()
    assert not any("unembedded" in str(found.hit.trail) for found in search(engine, "oil lamp").hits)


def test_a_note_that_was_edited_does_not_lose_by_its_old_vectors(make, vault):
    write(vault, HALF)
    engine = make(auto_index=AutoIndex.NEVER)
    engine.refresh()
    engine.indexed().update()
    (vault / "Best.md").write_text("oil lamp of brass")
    best = next(found.hit for found in search(engine, "oil lamp").hits if found.hit.id == "Best.md")
    assert best.evidence.cosine is None
    assert "unembedded" in str(best.trail)


# What is embedded, and when


def test_what_was_embedded_once_stays_for_another_start(make):
    search(make(), "car")
    make_again = WordEmbedder()
    engine = make(make_again)
    assert ids(search(engine, "car")) == ["Garage.md"]
    assert make_again.passages == []


def test_an_edit_embeds_its_note_anew_and_what_it_said_is_forgotten(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder)
    assert ids(search(engine, "car")) == ["Garage.md"]
    n_before = len(embedder.passages)
    engine.open_buffer("Garage.md", "# Garage\nThe physician lives here.")
    assert ids(search(engine, "car")) == []
    assert "Garage.md" in ids(search(engine, "doctor"))
    assert len(embedder.passages) == n_before + 1


def test_a_text_that_comes_back_needs_no_model(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    old = (vault / "Garage.md").read_text()
    engine.open_buffer("Garage.md", "# Garage\nNothing.")
    engine.search(Query(text="lamp", mode=Mode.KEYWORD))
    engine.semantics._embeddings.check(["Garage.md"])
    n_before = len(embedder.passages)
    engine.open_buffer("Garage.md", old)
    assert ids(search(engine, "car")) == ["Garage.md"]
    assert len(embedder.passages) == n_before


def test_a_renamed_note_keeps_its_vectors(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    n_before = len(embedder.passages)
    (vault / "Garage.md").rename(vault / "Shed.md")
    engine.hint(["Garage.md"])
    assert ids(search(engine, "car")) == ["Shed.md"]
    assert len(embedder.passages) == n_before
    assert "Garage.md" not in engine.semantics._embeddings._opened().notes


def test_a_deleted_note_is_found_no_more_and_its_vectors_are_garbage(make, vault):
    engine = make()
    search(engine, "car")
    (vault / "Garage.md").unlink()
    engine.hint(["Garage.md"])
    assert ids(search(engine, "car")) == []
    assert engine.indexed().collect_garbage() == 1
    assert engine.indexed().collect_garbage() == 0


def test_drawings_are_not_embedded(make, vault):
    """Base64 has no meaning, and a drawing of megabytes would cost an hour."""
    write(vault, "--- Draw.md\nA plan of it.\n```compressed-json\n" + "QUJD" * 2000 + "\n```\n")
    embedder = WordEmbedder()
    search(make(embedder), "car")
    assert not any("QUJDQUJD" in text for text in embedder.passages)


def test_never_embeds_nothing_by_itself(make):
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    search(engine, "car", mode=Mode.HYBRID)
    assert embedder.passages == []
    assert engine.indexed().update() == 3
    assert ids(search(engine, "car")) == ["Garage.md"]


def test_on_mode_switch_begins_with_the_first_query_that_names_a_mode(make):
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.ON_MODE_SWITCH)
    search(engine, "car")
    assert embedder.passages == []
    search(engine, "car", mode=Mode.HYBRID)
    assert embedder.passages


def test_on_startup_begins_when_the_notes_are_read(make):
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.ON_STARTUP, is_filling=True)
    search(engine, "oil", mode=Mode.KEYWORD)
    if (filler := engine.semantics._filler.thread) is not None:
        filler.join(30)
    assert len(embedder.passages) == 3
    assert embedder.queries == []


def test_when_patience_ends_the_answer_says_what_is_missing(make):
    result = search(make(patience_alone_s=0.0), "car")
    assert codes(result) == ["still-embedding"]
    assert "3 notes are not embedded yet" in result.notices[0].message


def test_a_note_that_was_begun_goes_on_where_it_was(make, vault):
    write(vault, "--- Long.md\n" + "\n\n".join(f"w{n} " * 25 for n in range(6)))
    stop = threading.Event()
    embedder = WordEmbedder(on_passage=lambda _text: stop.set())
    engine = make(embedder)
    engine.refresh()
    embeddings = engine.semantics._embeddings
    with pytest.raises(Cancelled):
        embeddings.embed("Long.md", Budget(is_cancelled=stop.is_set))
    assert len(embedder.passages) == 1
    assert embeddings.embed("Long.md")
    assert len(embedder.passages) == len(set(embedder.passages)) == 6


def test_the_thread_behind_embeds_the_rest(make, vault):
    write(vault, "\n".join(f"--- Many/{n}.md\nword{n} and more" for n in range(20)))
    engine = make(n_first=1, is_filling=True)
    search(engine, "oil")
    filler = engine.semantics._filler.thread
    if filler is not None:
        filler.join(30)
    standing = engine.status().semantic
    assert (standing.n_missing, standing.n_notes, standing.is_filling) == (0, 23, False)
    assert standing.seconds_left == 0


LONG = "--- Long.md\n" + "\n\n".join(f"endless w{n} " * 25 for n in range(300))


def test_no_search_waits_while_a_long_note_is_cut_behind(make, vault):
    write(vault, LONG)
    embedder = WordEmbedder()
    is_cutting, release = threading.Event(), threading.Event()
    count = embedder.count_tokens

    def count_slowly(text):
        if threading.current_thread().name == "vault-embedder" and "endless" in text:
            is_cutting.set()
            release.wait(30)
        return count(text)

    embedder.count_tokens = count_slowly
    engine = make(embedder, n_first=1, patience_s=0.1, patience_alone_s=0.1, is_filling=True)
    search(engine, "lamp")
    assert is_cutting.wait(30)
    result = search(engine, "lamp")
    assert (result.mode, codes(result)) == ("hybrid", ["still-embedding"])
    release.set()
    engine.semantics._filler.thread.join(30)
    assert engine.status().semantic.n_missing == 0


def test_a_long_note_that_cannot_be_cut_in_time_is_left_for_later(make, vault):
    write(vault, LONG)
    engine = make()
    engine.refresh()
    embeddings = engine.semantics._embeddings
    ticks = itertools.count()
    assert not embeddings.embed("Long.md", Budget(deadline=50.0, clock=lambda: float(next(ticks))))
    assert next(ticks) < 60
    assert embeddings.n_embedded == 0
    assert embeddings.embed("Long.md")


def test_an_edited_long_note_is_read_from_the_store_once(make, vault, monkeypatch):
    """Not once for each of its passages, which took minutes for one of 10 MB."""
    write(vault, LONG)
    embedder = WordEmbedder()
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    engine.indexed().update()
    n_before = len(embedder.passages)
    (vault / "Long.md").write_text((vault / "Long.md").read_text() + "\n\nOne more.\n")
    engine.hint(["Long.md"])
    read, lines = Generation.read, []
    monkeypatch.setattr(Generation, "read", lambda self, note: lines.append(note) or read(self, note))
    assert engine.indexed().update() == 1
    assert 1 <= len(embedder.passages) - n_before <= 3
    assert len(lines) < 10


def test_a_long_note_that_nobody_asked_for_waits_for_the_thread_behind(make, vault):
    write(vault, LONG)
    embedder = WordEmbedder()
    search(make(embedder), "oil")
    assert not any("endless" in text for text in embedder.passages)
    assert len(embedder.passages) == 3


def test_what_is_left_is_told_by_the_size_of_the_notes(make, vault):
    write(vault, LONG)
    engine = make(n_first=1)
    engine.refresh()
    embeddings = engine.semantics._embeddings
    assert embeddings.guess(["Garage.md", "Long.md", "gone.md"]) == 1 + (vault / "Long.md").stat().st_size // 96
    search(engine, "lamp")
    assert engine.semantics.seconds_left() > 100 * engine.semantics._pace.seconds_for_chunks(1)


def test_the_thread_behind_begins_with_the_newest(make, vault):
    embedder = WordEmbedder()
    engine = make(embedder, n_first=1)
    for at, name in enumerate(("Notes/Oil.md", "Garage.md", "Health.md")):
        os.utime(vault / name, (1000 + at, 1000 + at))
    engine.refresh()
    assert engine.semantics._embeddings.missing() == ["Health.md", "Garage.md", "Notes/Oil.md"]


def test_closing_stops_the_thread_and_lets_others_write(make, vault, tmp_path):
    write(vault, "\n".join(f"--- Many/{n}.md\nword{n} and more" for n in range(50)))
    slow = WordEmbedder(on_passage=lambda _text: time.sleep(0.001))
    engine = make(slow, n_first=1, is_filling=True)
    search(engine, "oil")
    engine.close()
    assert engine.semantics._filler.thread is None
    folder = store_folder(tmp_path / "cache", vault)
    with VectorStore.open(folder, model="words@1", n_dimensions=64, chunker="1") as store:
        assert store.notes


def test_who_still_asks_after_closing_does_not_keep_others_from_writing(make):
    """A search may be under way when its engine is closed for one with other settings."""
    engine = make()
    search(engine, "oil")
    engine.close()
    engine.semantics.look()
    assert not engine.semantics._embeddings.is_open
    assert codes(search(make(), "oil")) == []


def test_a_run_counts_what_the_model_read(make, vault):
    """Neither a renamed note, nor a copy, nor one without text is embedded, and none of them is planned."""
    engine = make(auto_index=AutoIndex.NEVER)
    write(vault, "--- Empty.md\n--- Copy.md\nOil for the lamp.")
    assert engine.indexed().plan().n_missing == 4
    assert engine.indexed().update() == 3
    (vault / "Garage.md").rename(vault / "Shed.md")
    engine.hint(["Garage.md"])
    assert engine.indexed().plan().n_missing == 0
    assert engine.indexed().update() == 0


def test_a_run_fills_its_batches_with_passages_of_the_notes_that_come_next(make, vault):
    """An endpoint is asked for thirty texts as fast as for one, and may count requests."""
    write(vault, "\n".join(f"--- Many/{n:02d}.md\nword{n} and more" for n in range(20)) + "\n" + LONG)
    embedder = WordEmbedder()
    embedder.batch_size = 8
    sizes, embed = [], embedder.embed_passages
    embedder.embed_passages = lambda texts, **options: sizes.append(len(texts)) or embed(texts, **options)
    engine = make(embedder, auto_index=AutoIndex.NEVER)
    assert engine.indexed().update() == 24
    assert len(embedder.passages) == len(set(embedder.passages)) == sum(sizes)
    assert max(sizes) == 8
    assert len(sizes) <= sum(sizes) / 8 + 3
    assert engine.indexed().update() == 0
    (vault / "Many").rename(vault / "Moved")
    engine.hint([f"Many/{n:02d}.md" for n in range(20)])
    write(vault, "--- New.md\nSomething new.")
    engine.hint(["New.md"])
    n_made = len(embedder.passages)
    assert engine.indexed().update() == 1
    assert embedder.passages[n_made:] == ["Something new."]


def test_a_note_without_text_is_not_missing_at_another_start_either(make, vault):
    write(vault, "--- Empty.md\n")
    first = make()
    first.indexed().update()
    first.close()
    again = make()
    again.indexed()
    again.semantics.look()
    assert (again.status().semantic.n_missing, again.status().semantic.n_notes) == (0, 3)
    again.open_buffer("Garage.md", "Something else.")
    search(again, "else", mode=Mode.KEYWORD)
    again.semantics._embeddings.check(["Garage.md"])
    assert again.status().semantic.n_missing == 1


# What fails


def test_a_query_in_a_foreign_script_is_answered_by_words_with_a_remedy(make, vault):
    write(vault, "--- 望.md\n望远镜 is here")
    result = search(make(), "望远镜")
    assert ids(result) == ["望.md"]
    assert (result.mode, codes(result)) == ("keyword", ["semantic-foreign"])
    assert "vaultseek[multilingual]" in result.notices[0].message


def test_foreign_passages_are_not_embedded(make, vault):
    write(vault, "--- 望.md\n望远镜望远镜望远镜")
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    assert not any("望" in text for text in embedder.passages)
    assert engine.status().semantic.n_missing == 0


def test_who_searches_without_embedding_all_is_told_what_is_missing(make, vault):
    """Also where no budget ran out: each search embeds some notes only, and others that mean it are not found."""
    write(vault, "\n".join(f"--- Many/{n:02d}.md\nword{n} and more" for n in range(10)))
    engine = make(n_first=4)
    told = [search(engine, "car").notices for _ in range(4)]
    assert [notice.message[:28] for notices in told for notice in notices] == [
        "9 notes are not embedded yet",
        "5 notes are not embedded yet",
        "1 note is not embedded yet, ",
    ]
    assert codes(search(make(n_first=4), "car")) == []


def test_another_start_goes_on_with_notes_that_have_no_vectors(make, vault):
    """Not with the newest again, which have theirs."""
    write(vault, "\n".join(f"--- Many/{n:02d}.md\nword{n} and more" for n in range(10)))
    embedder = WordEmbedder()
    for _ in range(4):
        engine = make(embedder, n_first=4)
        search(engine, "car")
        engine.close()
    assert len(embedder.passages) == len(set(embedder.passages)) == 13


def test_what_never_embeds_says_so(make):
    result = search(make(auto_index=AutoIndex.NEVER), "car")
    assert codes(result) == ["still-embedding"]
    assert "3 notes are not embedded yet; autoIndex is never" in result.notices[0].message
    assert codes(search(make(auto_index=AutoIndex.NEVER), "oil", semantic_scope=Scope.CANDIDATES)) == []
    assert codes(search(make(auto_index=AutoIndex.ON_MODE_SWITCH), "oil")) == []


def test_a_full_disk_costs_no_vector(make, vault, monkeypatch):
    engine = make()
    search(engine, "car")
    write(vault, "--- New.md\nThe physician is new.")
    engine.hint(["New.md"])

    def refuse(_tail, _data):
        raise StoreError("vectors", 0, "cannot be written: No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Partition, "append", refuse)
        result = search(engine, "doctor")
        assert "New.md" in ids(result)
        assert codes(result) == ["store-locked"]
        assert "No space left on device" in result.notices[0].message
        write(vault, "--- Newer.md\nNobody reads this.")
        engine.hint(["Newer.md"])
        with pytest.raises(StoreError, match="No space left"):
            engine.indexed().update()
    n_made = len(engine.semantics._embedder.passages)
    assert engine.indexed().update() == 2
    assert len(engine.semantics._embedder.passages) == n_made
    assert {"New.md", "Newer.md"} <= engine.semantics._embeddings._opened().notes.keys()
    assert codes(search(engine, "doctor")) == []


def test_a_failing_model_leaves_the_answer_by_words(make):
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


def test_a_model_that_fails_at_notes_leaves_what_there_is(make):
    embedder = WordEmbedder()

    def fail(_text):
        embedder.error = "out of memory"

    embedder.on_passage = fail
    result = search(make(embedder), "oil")
    assert ids(result)
    assert "semantic-failed" in codes(result)


def test_a_folder_that_cannot_be_made_is_named(make, tmp_path):
    (tmp_path / "file").write_text("")
    result = search(make(folder=str(tmp_path / "file")), "oil")
    assert ids(result)
    assert codes(result) == ["semantic-failed"]


def test_a_locked_store_is_read_and_what_is_made_kept_in_memory(make, vault):
    first = make()
    search(first, "car")
    write(vault, "--- New.md\nThe physician is new.")
    second = make(WordEmbedder())
    result = search(second, "doctor")
    assert "New.md" in ids(result)
    assert codes(result) == ["store-locked"]
    assert second.semantics._embeddings.lines_of("New.md", 0) == (0, 1)
    with pytest.raises(StoreError, match="process"):
        second.indexed().clear()
    first.close()
    second.semantics._embeddings.retry()
    assert codes(search(second, "doctor")) == []


def test_what_is_kept_in_memory_is_not_embedded_again_while_another_writes(make, vault):
    """Each search looks again whether the store is free; that costs nothing which was made."""
    first = make()
    search(first, "car")
    write(vault, "--- New.md\nThe physician is new.")
    embedder = WordEmbedder()
    second = make(embedder)
    for _ in range(3):
        assert "New.md" in ids(search(second, "doctor"))
        second.semantics._embeddings.retry()
    first.close()
    assert second.indexed().update() == 1
    assert len(embedder.passages) == 1
    assert "New.md" in second.semantics._embeddings._opened().notes


def test_what_could_not_be_stored_is_not_begun(make):
    """A run of an hour whose end is thrown away helps nobody."""
    first = make()
    search(first, "car")
    embedder = WordEmbedder()
    second = make(embedder)
    with pytest.raises(StoreError, match="process is writing to this store"):
        second.indexed().rebuild()
    with pytest.raises(StoreError, match="is writing to this store"):
        second.indexed().update()
    assert embedder.passages == []


def test_a_cache_that_is_deleted_under_the_program_is_made_anew(make, tmp_path):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    shutil.rmtree(tmp_path / "cache")
    engine.open_buffer("Garage.md", "The automobile is sold.")
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


def test_a_store_that_is_changed_under_the_program_is_read_anew(make, tmp_path, vault):
    engine = make()
    search(engine, "car")
    (path,) = (tmp_path / "cache").glob("*/vectors*")
    path.write_bytes(path.read_bytes().replace(b'"n":', b'"N":'))
    (vault / "Garage.md").rename(vault / "Shed.md")
    engine.hint(["Garage.md"])
    assert codes(search(engine, "car")) == ["semantic-failed"]
    result = search(engine, "car")
    assert (codes(result), ids(result)) == (["store-damaged"], ["Shed.md"])


def test_two_threads_open_a_store_once(make):
    """Otherwise one would find it locked by the other."""
    engine = make()
    embeddings = engine.semantics._embeddings
    ready = threading.Barrier(8)

    def look():
        ready.wait()
        embeddings.view()

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert embeddings.busy == ""


def test_a_search_does_not_wait_longer_than_its_patience_for_the_thread_behind(make):
    """On a busy machine a thread of low priority may keep the model for long."""
    engine = make(patience_s=0.1, patience_alone_s=0.1)
    assert ids(search(engine, "car")) == ["Garage.md"]
    is_held, release = threading.Event(), threading.Event()

    def hold():
        with engine.semantics._turns.model:
            is_held.set()
            release.wait(30)

    holding = threading.Thread(target=hold)
    holding.start()
    assert is_held.wait(30)
    result = search(engine, "car oil")
    assert not release.is_set()
    release.set()
    holding.join()
    assert {"Garage.md", "Notes/Oil.md"} <= set(ids(result))
    assert codes(result) == ["semantic-failed"]
    assert "is still busy with other texts" in result.notices[0].message
    assert codes(search(engine, "car oil")) == []


def test_a_cancelled_search_raises_and_loses_nothing(make):
    stop = threading.Event()
    embedder = WordEmbedder(on_passage=lambda _text: stop.set())
    engine = make(embedder)
    with pytest.raises(Cancelled):
        engine.search(Query(text="car"), budget=Budget(is_cancelled=stop.is_set))
    assert ids(search(engine, "car")) == ["Garage.md"]
    assert len(embedder.passages) == len(set(embedder.passages))


# Commands


def test_a_plan_tells_what_update_would_do_and_does_nothing(make):
    embedder = WordEmbedder()
    plan = make(embedder).indexed().plan()
    assert (plan.n_notes, plan.n_missing, plan.n_chunks, plan.seconds) == (3, 3, 3, None)
    assert plan.n_tokens > 9
    assert (plan.model, plan.where) == ("words@1", "this computer")
    assert embedder.passages == []


def test_commands_tell_of_their_progress(make):
    seen = []
    semantics = make().indexed()
    assert semantics.update(progress=lambda done, total: seen.append((done, total))) == 3
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert semantics.plan().n_missing == 0
    assert semantics.update() == 0


def test_rebuilding_embeds_everything_again(make):
    embedder = WordEmbedder()
    semantics = make(embedder).indexed()
    semantics.update()
    assert semantics.rebuild() == 3
    assert len(embedder.passages) == 6


def test_clearing_forgets_all_vectors(make):
    engine = make(auto_index=AutoIndex.NEVER)
    engine.indexed().update()
    engine.indexed().clear()
    assert ids(search(engine, "car")) == []
    assert engine.status().semantic.n_vectors == 0


def test_without_a_model_there_is_no_index(tmp_path):
    engine = Engine(write(tmp_path, VAULT))
    with pytest.raises(ConfigError, match="enableSemantic"):
        engine.indexed()
    assert engine.status().semantic is None
    assert search(engine, "oil").mode == "keyword"


def test_the_settings_decide_whether_there_is_a_model(tmp_path):
    write(tmp_path, VAULT)
    assert open_engine(tmp_path).semantics.status().model.startswith("minilm")
    assert open_engine(tmp_path, Settings(enable_semantic=False)).semantics is None
    e5 = open_engine(tmp_path, Settings(embedding_model="multilingual-e5-small"))
    assert e5.semantics.status().model.startswith("multilingual-e5")


def test_a_folder_for_vectors_must_be_absolute():
    with pytest.raises(ConfigError, match="absolute"):
        Indexing(folder="here")


# The real model


@pytest.fixture(scope="module")
def handbook(tmp_path_factory):
    """A small vault with the model of the package."""
    root = write(
        tmp_path_factory.mktemp("real"),
        """
--- Bread.md
Feed the sourdough starter with flour every evening and keep it in a warm spot.
--- Router.md
Hold the reset button for ten seconds, then log in to the admin page.
--- Tax.md
The return is due at the end of July; receipts are in the blue folder.
""",
    )
    cache = tmp_path_factory.mktemp("cache")
    settings = Settings(indexing=Indexing(folder=str(cache), is_filling=False, patience_s=60.0, patience_alone_s=60.0))
    engine = open_engine(Path(root), settings)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("wifi stopped working", "Router.md"),
        ("baking yeast dough", "Bread.md"),
        ("when must I declare my income", "Tax.md"),
    ],
)
def test_the_packages_model_answers_what_words_cannot(handbook, question, note):
    assert ids(search(handbook, question))[:1] == [note]
    found = search(handbook, question).hits[0].hit
    assert any(isinstance(step, Found) and step.source == "semantic" for step in found.trail)


def test_without_configuration_no_socket_is_opened(handbook, monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    handbook.open_buffer("New.md", "A text that was never embedded.")
    assert search(handbook, "wifi stopped working").mode == "hybrid"
    assert handbook.indexed().rebuild() == 4
    handbook.close_buffer("New.md")


# Endpoints


def test_a_model_that_is_held_up_by_other_texts_does_not_hold_up_the_answer(make):
    """A request for notes may hang for a minute; the words' answer does not wait for it."""
    is_held, release = threading.Event(), threading.Event()

    def hang(_text):
        is_held.set()
        release.wait(20)

    engine = make(WordEmbedder(on_passage=hang), patience_alone_s=0.0)
    held = threading.Thread(target=lambda: engine.indexed().update())
    held.start()
    try:
        assert is_held.wait(20)
        result = search(engine, "oil")
    finally:
        release.set()
        held.join()
    assert ids(result)
    assert result.mode == "keyword"
    assert [notice.message for notice in result.notices] == [
        "Words alone were searched: words@1: is still busy with other texts."
    ]


def test_a_query_that_is_cancelled_while_the_model_is_held_up_stops(make):
    engine = make()
    search(engine, "oil")
    is_held, release = threading.Event(), threading.Event()

    def hold():
        with engine.semantics._working:
            is_held.set()
            release.wait(20)

    held = threading.Thread(target=hold)
    held.start()
    try:
        assert is_held.wait(20)
        with pytest.raises(Cancelled):
            engine.semantics.ask("lamp", is_chosen=False, budget=Budget(is_cancelled=lambda: True))
    finally:
        release.set()
        held.join()


def expanding(engine, **parts):
    """Let an engine think of more than was typed; gives what it was asked."""
    asked = []

    def expand(text, _mode, _budget):
        asked.append(text)
        return ExpandedQuery(original=text, **parts)

    engine._asking._expand = expand
    return asked


def test_a_passage_that_may_answer_brings_notes_that_the_question_does_not(make):
    engine = make()
    assert ids(search(engine, "vehicle?")) == []
    asked = expanding(engine, hyde="automobile oil needs")
    assert ids(search(engine, "vehicle?"))[0] == "Garage.md"
    assert engine.explain(Query(text="vehicle?"), "Garage.md").rank == 1
    search(engine, "vehicle? -path:Notes")
    assert asked[0] == "vehicle?"
    assert "path" not in asked[-1]


def test_words_alone_ask_for_no_passage_and_are_told_before_it(make):
    engine = make()
    asked = expanding(engine, notices=(Notice(NoticeKind.DEGRADED, "expansion-failed", "It failed."),))
    search(engine, "oil", mode=Mode.KEYWORD)
    assert asked == []
    told = []
    result = engine.search(Query(text="oil"), on_answer=lambda answer: told.append((answer.mode, len(asked))))
    assert told == [("keyword", 0)]
    assert "expansion-failed" in codes(result)


def test_a_passage_without_a_vector_leaves_the_question_s(make):
    embedder = WordEmbedder()
    engine = make(embedder)
    search(engine, "car")
    expanding(engine, hyde="some passage")

    def fail(_text):
        raise ProviderError("words@1", "is tired", is_retriable=True)

    embedder.on_passage = fail
    result = search(engine, "car")
    assert ids(result)[0] == "Garage.md"
    assert [notice.message for notice in result.notices if notice.code == "expansion-failed"] == [
        "A passage that might answer the question was left out: words@1: is tired."
    ]


def test_the_mean_of_a_vector_and_its_opposite_is_the_vector(make):
    engine = make()
    vector, _ = engine.semantics.ask("oil", is_chosen=False)
    assert engine.semantics.blend(-engine.semantics._embedder.embed_passages(["oil"])[0], "oil", notices=[]).any()
    assert vector.any()


def test_a_request_that_ends_with_the_patience_is_no_failure(make):
    """What a note has no vectors for yet is told as such, not as a model that failed."""
    embedder = WordEmbedder()
    engine = make(embedder)
    embedder.embed_passages = lambda _texts, **_options: (_ for _ in ()).throw(
        ProviderError("words@1", "took too long", is_retriable=True)
    )
    engine.refresh()
    spent = iter([False])
    budget = Budget(deadline=1.0, clock=lambda: 0.0 if next(spent, True) is False else 2.0)
    assert engine.semantics._embeddings.embed("Garage.md", budget) is False


def test_passages_go_out_in_batches_of_the_embedder_s_size(make):
    class Batching(WordEmbedder):
        batch_size = 8

        def embed_passages(self, texts, *, budget=UNLIMITED):
            sizes.append(len(texts))
            return super().embed_passages(texts, budget=budget)

    sizes = []
    engine = make(Batching())
    (engine._vault.root / "Long.md").write_text("\n\n".join(f"# H{n}\n" + "word " * 25 for n in range(12)))
    engine.indexed().update()
    assert max(sizes) == 8


@pytest.fixture
def times_looked(monkeypatch):
    """How often words were looked up in the vault."""
    looked = []

    def retrieve_lexical(query, *rest, **options):
        looked.append(query.text)
        return real(query, *rest, **options)

    real = pipeline.retrieve_lexical
    monkeypatch.setattr(pipeline, "retrieve_lexical", retrieve_lexical)
    return looked


def test_an_answer_by_words_and_meaning_looks_the_words_up_once(make, times_looked):
    result = search(make(), "oil")
    assert result.mode == "hybrid"
    assert set(ids(result)) == {"Garage.md", "Notes/Oil.md"}
    assert times_looked == ["oil"]


def test_words_are_looked_up_again_where_a_note_changed_while_others_were_embedded(make, times_looked):
    engine = None

    def change(_text):
        engine.open_buffer("Notes/Oil.md", "Sand for the hourglass.")

    engine = make(WordEmbedder(on_passage=change))
    assert "Notes/Oil.md" not in ids(search(engine, "lamp"))
    assert times_looked[:2] == ["lamp", "lamp"]


def test_the_thread_behind_stops_for_a_search_and_goes_on_where_it_was(make, vault):
    write(vault, "\n".join(f"--- Many/{n}.md\n{'word ' * 25}\n\n{n} and more" for n in range(5)))
    reached, release = threading.Event(), threading.Event()

    def pause(text):
        if "and more" in text and not release.is_set():
            reached.set()
            release.wait(20)

    embedder = WordEmbedder(on_passage=pause)
    engine = make(embedder, n_first=1, is_filling=True)
    engine.refresh()
    engine.semantics.follow()
    assert reached.wait(20)
    with engine.semantics.asking():
        release.set()
    if (thread := engine.semantics._filler.thread) is not None:
        thread.join(30)
    assert engine.status().semantic.n_missing == 0
    assert len(embedder.passages) == len(set(embedder.passages))


def test_closing_does_not_wait_for_a_thread_that_an_endpoint_keeps(make, monkeypatch):
    monkeypatch.setattr("search.semantic.background_indexer._CLOSE_S", 0.05)
    reached, release = threading.Event(), threading.Event()

    def hang(_text):
        reached.set()
        release.wait(20)

    engine = make(WordEmbedder(on_passage=hang), is_filling=True)
    engine.refresh()
    engine.semantics.follow()
    assert reached.wait(20)
    engine.close()
    thread = engine.semantics._filler.thread
    assert engine.semantics._embeddings.is_open
    release.set()
    thread.join(30)
    assert not engine.semantics._embeddings.is_open
