"""The preset `graph-linear` follows its document, designs/0: the flow and its numbers, computed by hand."""

import pytest

from search.answer.explain import breakdown, relevance_reason
from search.ranking.presets import graph_linear
from tests.search.ranking.flows import COSINES, GARDEN, corpus_of, meaning_of, ranked, scores


def test_graph_linear_weighs_meaning_seventy_links_twenty_one_and_words_nine_hundredths():
    corpus = corpus_of(GARDEN)
    found = ranked(graph_linear(), corpus, "undo", meaning=meaning_of(graph_linear(), **COSINES))
    bm25 = {hit.id.removesuffix(".md"): hit.score for hit in found.retrieval.lexical}
    assert scores(found) == {
        "deploy": pytest.approx(0.7 * (0.8 * 0.9 + 0.2 * 0.6) + 0.21 * 1.0),
        "rollback": pytest.approx(0.7 * 0.5 + 0.21 * 1.0 + 0.09 * 1.0),
        "runbook": pytest.approx(0.21 * 1.0),  # one hop
        "far": pytest.approx(0.21 * 0.5),  # two
        "lone": pytest.approx(0.09 * bm25["lone"] / bm25["rollback"], abs=1e-6),
    }
    deploy = found.ranking.hits[0]
    assert len(deploy.evidence.passages) == 3
    assert breakdown(deploy.trail) == {"graphProximity": 1.0, "vectorSimilarity": 0.84}
    assert relevance_reason(deploy.trail) == "0.21 x 1 graphProximity + 0.7 x 0.84 vectorSimilarity = 0.798"


def test_graph_linear_gives_the_weight_of_words_to_links_if_full_text_finds_nothing():
    found = ranked(graph_linear(), corpus_of(GARDEN), "absent", meaning=meaning_of(graph_linear(), **COSINES))
    assert scores(found) == {
        "deploy": pytest.approx(0.7 * 0.84 + 0.3),
        "rollback": pytest.approx(0.7 * 0.5 + 0.3),
        "runbook": pytest.approx(0.3),
        "far": pytest.approx(0.15),
    }


def test_graph_linear_follows_only_the_requested_links():
    pipeline = graph_linear().following(link_types=("up",))
    assert "runbook" not in scores(
        ranked(pipeline, corpus_of(GARDEN), "absent", meaning=meaning_of(pipeline, **COSINES))
    )
    near = graph_linear().following(depth=1)
    assert "far" not in scores(ranked(near, corpus_of(GARDEN), "absent", meaning=meaning_of(near, **COSINES)))


def test_graph_linear_without_vectors_is_full_text_alone():
    found = ranked(graph_linear(), corpus_of(GARDEN), "undo")
    assert list(scores(found)) == ["rollback", "lone"]
    assert found.ranking.hits[0].score == 1.0
    assert not found.has_semantic


def test_graph_linear_takes_ten_candidates_for_each_result():
    notes = "".join(f"--- n{n:02}.md\nundo{' more' * n}\n" for n in range(30))
    found = ranked(graph_linear(), corpus_of(notes), "undo", limit=2)
    assert len(found.fused) == 20
