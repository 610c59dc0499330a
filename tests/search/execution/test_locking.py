# ruff: noqa: D102, ARG002  a test double has the signatures of the real class
"""The index's lock is held only for retrieval and ranking, never during a model call or while a file is read."""

import threading

import pytest

from embedders import WordEmbedder
from search.engine import Engine
from search.ids import NoteId
from search.ports import silent
from search.query import Level, Mode, Query
from search.ranking.presets import PRESETS
from search.semantic.settings import Indexing
from search.settings import Settings
from search.vault import file as vault_file
from search.vault.vault import Vault
from vaults import ids, write

VAULT = """
--- Garage.md
# Garage
The automobile needs oil, see [[Oil]].
--- Health.md
# Health
Call the doctor on Monday. #health
--- Notes/Oil.md
Oil for the lamp.
--- 2024-01-05.md
Oil was cheap.
"""
WAIT_S = 20.0


class WatchedLock:
    """A lock that knows whether the current thread holds it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._holder = None
        self.n_taken = 0

    def __enter__(self):
        self._lock.acquire()
        self._holder = threading.get_ident()
        self.n_taken += 1

    def __exit__(self, *_error):
        self._holder = None
        self._lock.release()

    @property
    def is_held_here(self):
        return self._holder == threading.get_ident()


class Model(WordEmbedder):
    """Checks each call; blocks in `embed_query` while `gate` is closed."""

    def __init__(self, check):
        super().__init__()
        self.check = check
        self.asked, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def embed_query(self, text, **options):
        self.check("embed_query")
        self.asked.set()
        assert self.gate.wait(WAIT_S)
        return super().embed_query(text, **options)

    def embed_passages(self, texts, **options):
        self.check("embed_passages")
        return super().embed_passages(texts, **options)


class Overlap:
    """A reranker that counts letters and checks each call."""

    model = "letters"

    def __init__(self, check):
        self.check = check

    def rerank(self, query, passages, *, budget):
        self.check("rerank")
        return tuple(float(len(set(query) & set(passage))) for passage in passages)


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """An engine whose lock, models and files are watched, and the list of calls made under the lock."""
    lock, calls, under_lock = WatchedLock(), [], []

    def check(what):
        calls.append(what)
        if lock.is_held_here:
            under_lock.append(what)

    def checked(real, what):
        def call(*arguments, **options):
            check(what)
            return real(*arguments, **options)

        return call

    monkeypatch.setattr(Vault, "text", checked(Vault.text, "text of a note"))
    monkeypatch.setattr(vault_file, "read_bytes", checked(vault_file.read_bytes, "file"))
    settings = Settings(indexing=Indexing(folder=str(tmp_path / "cache"), in_background=False, patience_s=60.0))
    model = Model(check)
    engine = Engine(write(tmp_path / "vault", VAULT), settings, embedder=model, reranker=Overlap(check))
    engine.indexer.lock = lock
    yield engine, model, calls, under_lock
    model.gate.set()
    engine.close()
    assert lock.n_taken > 0


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("mode", Mode)
def test_no_model_is_called_and_no_file_is_read_under_the_lock(watched, preset, mode):
    engine, _, calls, under_lock = watched
    for text in ("car", "oil", "oil -lamp", '"needs oil"', "line:(oil lamp)", "tag:health", "[[Oil]]", "-"):
        for level in Level:
            query = Query(text=text, preset=preset, mode=mode, level=level, include_linked=True)
            engine.search(query, on_answer=lambda _: None)
            engine.explain(query, NoteId("Garage.md"))
    engine.related(NoteId("Garage.md"))
    assert {"file", "text of a note"} <= set(calls)
    assert ("embed_query" in calls) is (mode is not Mode.KEYWORD)
    assert under_lock == []


def test_an_edit_can_be_searched_while_another_search_waits_for_a_slow_model(watched):
    engine, model, _, _ = watched
    engine.search(Query(text="lamp"))
    model.asked.clear()
    model.gate.clear()
    answers = []
    slow = threading.Thread(target=lambda: answers.append(engine.search(Query(text="oil"))), daemon=True)
    slow.start()
    assert model.asked.wait(WAIT_S)
    engine.open_buffer(NoteId("New.md"), "# Fresh\nOil was changed today.")
    by_words = engine.search(Query(text="changed today", mode=Mode.KEYWORD))
    assert (ids(by_words), slow.is_alive()) == (["New.md"], True)
    model.gate.set()
    slow.join(WAIT_S)
    assert "New.md" in ids(answers[0])


def test_a_note_that_is_removed_during_a_model_call_is_not_in_the_answer(watched):
    engine, model, _, _ = watched
    engine.open_buffer(NoteId("New.md"), "# Fresh\nThe automobile is new.")
    engine.maintenance().update(progress=silent)
    model.asked.clear()
    model.gate.clear()
    answers = []
    slow = threading.Thread(target=lambda: answers.append(engine.search(Query(text="car"))), daemon=True)
    slow.start()
    assert model.asked.wait(WAIT_S)
    engine.close_buffer(NoteId("New.md"))
    model.gate.set()
    slow.join(WAIT_S)
    assert ids(answers[0]) == ["Garage.md"]
