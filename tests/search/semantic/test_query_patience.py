"""How long a query waits for vectors and for the model, and what it does when the time is up."""

import itertools
import threading

import pytest
from kit.semantic import LONG_NOTE, Pause, many_notes, model_in_use

from embedders import WordEmbedder
from search.budget import Budget, Cancelled
from search.errors import ProviderError
from search.query import Query
from vaults import codes, ids, search, write


def test_when_patience_ends_the_answer_reports_what_is_missing(make):
    result = search(make(patience_alone_s=0.0), "car")
    assert codes(result) == ["still-embedding"]
    assert "names and openings: 0 of 3; whole text: 0 of 3" in result.notices[0].message


def test_each_search_reports_the_notes_that_are_still_missing(make, vault):
    """Also if its time was enough: each search embeds some notes only, and others with the meaning are not found."""
    write(vault, many_notes(10))
    engine = make(n_first=4)
    notices = [search(engine, "car").notices for _ in range(4)]
    assert [notice.message.split(": ", 1)[1].split(", ")[0] for of_one in notices for notice in of_one] == [
        f"names and openings: {n} of 13; whole text: {n} of 13" for n in (4, 8, 12)
    ]
    assert codes(search(make(n_first=4), "car")) == []


@pytest.mark.slow
def test_the_next_start_continues_with_notes_that_have_no_vectors(make, vault):
    """It does not begin with the newest notes again, which have theirs."""
    write(vault, many_notes(10))
    embedder = WordEmbedder()
    for _ in range(4):
        engine = make(embedder, n_first=4)
        search(engine, "car")
        engine.close()
    assert len(embedder.passages) == len(set(embedder.passages)) == 3 * 13


def test_a_cancelled_note_continues_where_it_stopped(make, vault):
    write(vault, "--- Long.md\n" + "\n\n".join(f"w{n} " * 25 for n in range(6)))
    stop = threading.Event()
    embedder = WordEmbedder(on_passage=lambda _text: stop.set())
    engine = make(embedder)
    engine.refresh()
    note_embedder = engine.semantic.maintenance.note_embedder
    with pytest.raises(Cancelled):
        note_embedder.embed("Long.md", Budget(is_cancelled=stop.is_set))
    assert len(embedder.passages) == 1
    assert note_embedder.embed("Long.md")
    assert len(embedder.passages) == len(set(embedder.passages)) == 6


@pytest.mark.slow
def test_a_long_note_that_cannot_be_cut_in_time_is_left_for_later(make, vault):
    write(vault, LONG_NOTE)
    engine = make()
    engine.refresh()
    note_embedder = engine.semantic.maintenance.note_embedder
    ticks = itertools.count()
    assert not note_embedder.embed("Long.md", Budget(deadline=50.0, clock=lambda: float(next(ticks))))
    assert next(ticks) < 60
    assert note_embedder.n_embedded_chars == 0
    assert note_embedder.embed("Long.md")


def test_a_query_does_not_embed_a_long_note_that_it_does_not_need(make, vault):
    write(vault, LONG_NOTE)
    embedder = WordEmbedder()
    search(make(embedder), "oil")
    long = [text for text in embedder.passages if "endless" in text]
    assert [text.split()[0] for text in long] == ["Long."]  # its opening, which is short
    assert len(embedder.passages) == 3 + 2 * 4


def test_a_request_that_ends_with_the_patience_is_no_failure(make):
    """The answer reports notes without vectors, not a model that failed."""
    embedder = WordEmbedder()
    engine = make(embedder)
    embedder.embed_passages = lambda _texts, **_options: (_ for _ in ()).throw(
        ProviderError("words@1", "took too long", is_retriable=True)
    )
    engine.refresh()
    spent = iter([False])
    budget = Budget(deadline=1.0, clock=lambda: 0.0 if next(spent, True) is False else 2.0)
    assert engine.semantic.maintenance.note_embedder.embed("Garage.md", budget) is False


def test_a_search_waits_no_longer_than_its_patience_for_the_model(make):
    """On a busy machine, a thread of low priority may keep the model for long."""
    engine = make(patience_s=0.1, patience_alone_s=0.1)
    assert ids(search(engine, "car")) == ["Garage.md"]
    with model_in_use(engine):
        result = search(engine, "car oil")
    assert {"Garage.md", "Notes/Oil.md"} <= set(ids(result))
    assert codes(result) == ["semantic-failed"]
    assert "is still busy with other texts" in result.notices[0].message
    assert codes(search(engine, "car oil")) == []


def test_the_keyword_answer_does_not_wait_for_a_model_that_is_busy_with_notes(make):
    """A request for notes may hang for a minute."""
    pause = Pause()
    engine = make(WordEmbedder(on_passage=pause), patience_alone_s=0.0)
    updating = threading.Thread(target=lambda: engine.maintenance().update())
    updating.start()
    try:
        assert pause.is_reached.wait(30)
        result = search(engine, "oil")
    finally:
        pause.release.set()
        updating.join()
    assert ids(result)
    assert result.mode == "keyword"
    assert [notice.message for notice in result.notices] == [
        "Only keyword search was used: words@1: is still busy with other texts."
    ]


def test_a_query_that_waits_for_the_model_can_be_cancelled(make):
    engine = make()
    search(engine, "oil")
    with model_in_use(engine), pytest.raises(Cancelled):
        engine.semantic.embed_query("lamp", is_chosen=False, budget=Budget(is_cancelled=lambda: True))


def test_a_cancelled_search_raises_and_loses_no_vector(make):
    stop = threading.Event()
    embedder = WordEmbedder(on_passage=lambda _text: stop.set())
    engine = make(embedder)
    with pytest.raises(Cancelled):
        engine.search(Query(text="car"), budget=Budget(is_cancelled=stop.is_set))
    assert ids(search(engine, "car")) == ["Garage.md"]
    assert len(embedder.passages) == len(set(embedder.passages))
