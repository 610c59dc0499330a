"""The preset `graph-spread` follows its document, designs/1: the flow and its numbers, computed by hand."""

import pytest

from search.ids import NoteId
from search.ranking.presets import graph_spread
from search.vault.markdown import parse_note
from tests.search.ranking.flows import COSINES, GARDEN, corpus_of, meaning_of, ranked, scores


def test_graph_spread_fuses_by_rank_spreads_and_cuts():
    """Deploy is first by meaning and rollback first by words; the numbers of each step follow."""
    corpus = corpus_of(GARDEN)
    found = ranked(graph_spread(), corpus, "undo", meaning=meaning_of(graph_spread(), **COSINES), limit=5)
    fused = {hit.id: hit.score for hit in found.fused}
    assert fused["rollback.md"] == pytest.approx(0.5 / 61 + 0.5 / 62)
    assert fused["deploy.md"] == pytest.approx(0.5 / 61)
    assert fused["lone.md"] == pytest.approx(0.5 / 62)
    top = fused["rollback.md"]
    deploy = fused["deploy.md"] / top
    assert scores(found) == {"rollback": 1.0, "deploy": pytest.approx(deploy, abs=1e-6)}  # .8 * .504 is under .5
    assert "lone" not in scores(found)  # .496


def test_graph_spread_counts_the_best_path_and_spreads_from_the_seeds_only():
    corpus = corpus_of(
        "--- a.md\nundo undo [[c]]\n--- b.md\nundo [[c]] and more\n--- c.md\nx\n--- d.md\nundo with many more words\n"
    )
    found = ranked(graph_spread(), corpus, "undo", limit=2)
    assert scores(found) == {"a": 1.0, "b": round(61 / 62, 6), "c": 0.8}
    assert [name for name, _ in found.after] == ["normalize", "spread", "cut"]


@pytest.mark.parametrize("text", ["getUserById", "user by", "get user"])
def test_graph_spread_finds_the_parts_of_camel_case(text):
    assert "a" in scores(ranked(graph_spread(), corpus_of("--- a.md\ncall getUserById here\n"), text))


def test_graph_spread_looks_only_for_words_that_carry_meaning():
    corpus = corpus_of("--- a.md\nthe with from would\n--- b.md\nfor loops\n")
    assert scores(ranked(graph_spread(), corpus, "the loops from would")) == {"b": 1.0}
    assert scores(ranked(graph_spread(), corpus, "for")) == {"b": 1.0}
    assert scores(ranked(graph_spread(), corpus, "would")) == {"a": 1.0}  # the query has no other word


def test_graph_spread_follows_added_changed_and_removed_notes():
    corpus = corpus_of("--- a.md\nundo [[b]]\n--- b.md\nx\n")
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0, "b": 0.8}
    corpus.update([parse_note(NoteId("a.md"), "undo")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0}
    corpus.update([parse_note(NoteId("c.md"), "[[a]]")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {"a": 1.0, "c": 0.8}
    corpus.remove([NoteId("a.md")])
    assert scores(ranked(graph_spread(), corpus, "undo")) == {}
