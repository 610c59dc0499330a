"""`explain` is a traced `search`: over all golden queries both give the same ranks, scores and notices."""

import re

import pytest
from attrs import evolve
from golden.test_golden_answers import ANSWERS, SEMANTIC_ANSWERS, VAULTS

from embedders import WordEmbedder
from search.engine import Engine
from search.ids import NoteId
from search.query import Mode, Query
from search.ranking.presets import PRESETS
from search.semantic.settings import Indexing
from search.settings import Settings

pytestmark = pytest.mark.slow

QUERIES = sorted({*ANSWERS.values(), *SEMANTIC_ANSWERS.values()})


def assert_agreement(query, result, explain):
    """Each shown note is explained at its rank with its trail and score; all explanations repeat the notices."""
    for place, found in enumerate(result.hits, start=1):
        reason = explain(query, found.hit.id)
        assert (reason.step, reason.rank, reason.total) == ("ranked", place, result.total)
        assert reason.found.hit == found.hit
        assert reason.found.snippets == found.snippets
        assert timeless(reason.notices) == timeless(result.notices)
    absent = explain(query, NoteId("no such note.md"))
    assert (absent.rank, timeless(absent.notices)) == (None, timeless(result.notices))
    assert absent.last_shown == (result.hits[-1] if result.hits else None)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(("vault", "text"), QUERIES)
def test_explain_agrees_with_search_when_vectors_are_warm(vault, text, mode, warm):
    for preset in PRESETS:
        query = Query(text=text, limit=5, mode=mode, preset=preset, include_terms=True)
        assert_agreement(query, warm[vault].search(query), warm[vault].explain)


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.VECTOR])
@pytest.mark.parametrize(("vault", "text"), QUERIES)
def test_explain_agrees_with_search_when_no_note_has_a_vector_yet(vault, text, mode, tmp_path):
    """Each call gets a cache of its own, so that each embeds the notes that it finds, three at most."""
    query = Query(text=text, limit=3, mode=mode, include_terms=True)
    count = iter(range(100))

    def cold(method, *arguments):
        embedder = WordEmbedder()
        engine = Engine(VAULTS / vault, settings(tmp_path / str(next(count)), n_first=3), embedder=embedder)
        try:
            return getattr(engine, method)(*arguments), len(embedder.passages)
        finally:
            engine.close()

    result, n_embedded = cold("search", query)
    assert_agreement(query, result, lambda *asked: cold("explain", *asked)[0])
    assert cold("explain", query, NoteId("no such note.md"))[1] == n_embedded


def timeless(notices):
    """The notices without the estimate of how long embedding takes, which is measured in each run."""
    return [evolve(notice, message=re.sub(r", about [^;]+ of work", "", notice.message)) for notice in notices]


def settings(cache, **indexing):
    return Settings(indexing=Indexing(folder=str(cache), in_background=False, patience_s=60.0, **indexing))


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """Engines by vault, every note embedded."""
    engines = {}
    for vault in {vault for vault, _ in QUERIES}:
        engines[vault] = Engine(VAULTS / vault, settings(tmp_path_factory.mktemp("warm")), embedder=WordEmbedder())
        engines[vault].maintenance().update()
    yield engines
    for engine in engines.values():
        engine.close()
