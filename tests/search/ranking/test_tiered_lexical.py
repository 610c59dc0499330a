"""The preset `tiered-lexical` follows its document, designs/3: the flow and its numbers, computed by hand."""

from math import log

import pytest

from search.answer.evidence import Field, GraphEvidence
from search.answer.trail import Replaced, Scaled
from search.normalize.minmax import to_minmax
from search.query import Query
from search.ranking.presets import balanced, tiered_lexical
from search.ranking.request import Request
from search.ranking.retrieval import retrieve
from search.stages.folder import Folder
from search.stages.graph import Graph
from search.stages.normalize import Normalize
from search.syntax import parse
from tests.search.ranking.flows import GARDEN, corpus_of, meaning_of, ranked, scores

# 3 of 5 notes of kitchen/ and 3 of 10 of attic/ contain the word; attic/l0 and l1 are linked from attic/l2.
HOUSE = "".join(f"--- kitchen/k{n}.md\n{'undo' if n < 3 else 'other'} {'more ' * n}\n" for n in range(5)) + "".join(
    f"--- attic/l{n}.md\n{'undo' if n < 3 else 'other'} {'more ' * (5 + n)}{'[[l0]] [[l1]]' if n == 2 else ''}\n"
    for n in range(10)
)


def compared_with(corpus, text, *, limit=10, suggestions=()):
    """The notes that are compared with the query by meaning."""
    query = Query(text=text, limit=limit)
    pipeline = tiered_lexical()
    request = Request(query=query, parsed=parse(text), pipeline=pipeline, semantic=pipeline.semantic)
    return retrieve(request, corpus, suggestions=suggestions).compared


def ranked_tiered(corpus, text, *, limit=10, **cosines):
    """Ranked by words and meaning, with these cosines from the model."""
    pipeline, compared = tiered_lexical(), compared_with(corpus, text, limit=limit)
    meaning = meaning_of(pipeline, **{name: [cosine] for name, cosine in cosines.items() if f"{name}.md" in compared})
    return ranked(pipeline, corpus, text, meaning=meaning, limit=limit)


def test_tiered_lexical_fuses_by_rank_with_weights_of_forty_for_words_and_sixty_for_meaning():
    pipeline = tiered_lexical()
    corpus = corpus_of("--- a.md\nundo undo undo\n--- b.md\nundo undo\n--- c.md\nundo\n--- d.md\nnothing\n")
    found = ranked_tiered(corpus, "undo", c=0.5, b=0.4, d=0.9)
    assert (pipeline.semantic.weight, pipeline.rrf.k) == (0.6, 60)
    fused = {
        "b.md": 0.4 / (60 + 2) + 0.6 / (60 + 2),
        "c.md": 0.4 / (60 + 3) + 0.6 / (60 + 1),
        "a.md": 0.4 / (60 + 1),
    }
    assert {hit.id: hit.score for hit in found.fused} == pytest.approx(fused)
    boosted = {note: 1.15 * score for note, score in fused.items()}  # 3 of the 4 notes of the top folder match
    low, high = boosted["a.md"], boosted["c.md"]
    assert scores(found) == {
        "c": 0.98,
        "b": pytest.approx(0.02 + 0.96 * (boosted["b.md"] - low) / (high - low), abs=1e-6),
        "a": 0.02,
    }


def test_tiered_lexical_gives_words_the_whole_weight_without_vectors():
    found = ranked(tiered_lexical(), corpus_of("--- a.md\nundo undo\n--- b.md\nundo\n--- x/c.md\n-\n"), "undo")
    assert {hit.id: hit.score for hit in found.fused} == pytest.approx({"a.md": 1 / 61, "b.md": 1 / 62})


def test_tiered_lexical_has_the_field_weights_of_its_document():
    assert tiered_lexical().lexical.model.weights == {
        Field.TITLE: 3.0,
        Field.PATH: 1.5,
        Field.TAGS: 1.5,
        Field.HEADINGS: 1.5,
        Field.LINKS: 1.5,
        Field.PROPERTIES: 1.5,
        Field.BODY: 1.0,
    }


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_tiered_lexical_takes_twice_the_results_from_words_and_from_meaning(limit):
    """Meaning and words have opposite orders, so no note is among the best of both."""
    corpus = corpus_of("".join(f"--- n{n:02}.md\nundo{' more' * n}\n" for n in range(30)))
    assert len(ranked(tiered_lexical(), corpus, "undo", limit=limit).fused) == 2 * limit
    both = ranked_tiered(corpus, "undo", limit=limit, **{f"n{n:02}": 0.3 + 0.02 * n for n in range(30)}).fused
    best = [*range(2 * limit), *range(30 - 2 * limit, 30)]
    assert sorted(hit.id for hit in both) == [f"n{n:02}.md" for n in best]


def test_tiered_lexical_searches_by_meaning_only_among_the_candidates():
    """It searches all candidates, up to 500, including those beyond the best twenty by words."""
    notes = "".join(f"--- n{n:02}.md\nundo{' more' * n}\n" for n in range(30))
    corpus = corpus_of(notes + "--- other.md\nnothing\n")
    assert sorted(compared_with(corpus, "undo")) == [f"n{n:02}.md" for n in range(30)]
    found = ranked_tiered(corpus, "undo", n29=0.9, other=0.9)
    assert scores(found)["n29"] == 0.98
    assert "other" not in scores(found)
    assert tiered_lexical().grep.candidate_limit == 500


def test_tiered_lexical_counts_notes_that_only_suggested_words_find_among_the_candidates():
    corpus = corpus_of("--- a.md\nundo\n--- b.md\nrevert\n--- c.md\nnothing\n")
    assert compared_with(corpus, "undo", suggestions=("revert",)) == ["a.md", "b.md"]


def test_tiered_lexical_boosts_a_folder_if_two_fifths_of_its_notes_match():
    """Examples of the document: 3 of 5 notes give 1.15, 3 of 10 notes give no boost."""
    found = ranked(tiered_lexical(), corpus_of(HOUSE), "undo")
    after = dict(found.after)
    assert list(after) == ["folder", "graph", "normalize"]
    factors = {hit.id: hit.score / found.fused.hits[found.fused.ranks[hit.id] - 1].score for hit in after["folder"]}
    assert factors == pytest.approx(
        {f"kitchen/k{n}.md": 1.15 for n in range(3)} | {f"attic/l{n}.md": 1.0 for n in range(3)}
    )


def test_tiered_lexical_boosts_every_match_of_a_folder_however_weak():
    """2 of 5 notes match, the second one barely: 1 + (log2(3) - 1) * sqrt(2 / 5) = 1.37, so 1.15 for both."""
    vault = "--- a/1.md\n# Undo\n--- a/2.md\nundo" + " more" * 50 + "\n--- a/3.md\n-\n--- a/4.md\n-\n--- a/5.md\n-\n"
    found = ranked(tiered_lexical(), corpus_of(vault), "undo")
    assert [Scaled("folder", 1.15, "2 of 5 notes in a/ match") in hit.trail for hit in found.ranking] == [True, True]
    assert (
        Scaled("folder", 1.15, "2 of 5 notes in a/ match")
        not in ranked(balanced(), corpus_of(vault), "undo").ranking.hits[1].trail
    )


def test_tiered_lexical_boosts_the_targets_of_links_after_folders():
    """l0 and l1: one backlink, and one note that cites both: 1 + 0.1 * ln(1 + 1 + 0.5)."""
    found = ranked(tiered_lexical(), corpus_of(HOUSE), "undo")
    factor = 1 + 0.1 * log(1 + 1.0 + 0.5)
    hits = {hit.id: hit for hit in found.ranking}
    for note in ("attic/l0.md", "attic/l1.md"):
        assert hits[note].evidence.graph == GraphEvidence(1, 1, 0, 1.5, pytest.approx(factor))
    assert hits["attic/l2.md"].evidence.graph is None
    raw = {hit.id: hit.score for hit in found.fused}
    boosted = [raw[note] * (1.15 if "kitchen" in note else factor if note != "attic/l2.md" else 1.0) for note in hits]
    assert [hit.score for hit in found.ranking] == pytest.approx(list(to_minmax(boosted)))
    assert isinstance(hits["attic/l0.md"].trail[-1], Replaced)


def test_tiered_lexical_counts_shared_tags_and_links_back_and_forth():
    """Each has a backlink and a tag in common: 1 + 0.1 * ln(1 + 1 + 0.3)."""
    vault = "--- x/a.md\nundo undo [[b]] #tree\n--- y/b.md\nundo and more of it [[a]] #tree\n--- c.md\n-\n"
    found = ranked(tiered_lexical(), corpus_of(vault), "undo")
    factor = pytest.approx(1 + 0.1 * log(1 + 1.0 + 0.3))
    evidence = GraphEvidence(1, 0, 1, 1.3, factor)
    assert [hit.evidence.graph for hit in found.ranking] == [evidence, evidence]


def test_tiered_lexical_in_hybrid_search_counts_only_links_from_notes_with_a_high_cosine():
    """The gate is .6. `a` is the best by words but its cosine is below the gate, so its link does not count."""
    corpus = corpus_of("--- a.md\nundo undo undo [[c]]\n--- b.md\nundo undo [[c]]\n--- c.md\nundo\n" + "--- x.md\n-\n")
    by_both = {hit.id: hit.evidence.graph for hit in ranked_tiered(corpus, "undo", a=0.59, b=0.6, c=0.7).ranking}
    by_words = {hit.id: hit.evidence.graph for hit in ranked(tiered_lexical(), corpus, "undo").ranking}
    assert by_both["c.md"].backlinks == 1
    assert by_words["c.md"].backlinks == 2


def test_tiered_lexical_counts_the_links_of_the_best_ten_notes():
    notes = "".join(f"--- n{n:02}.md\nundo{' more' * n} [[n00]]\n" for n in range(15))
    found = ranked(tiered_lexical(), corpus_of(notes), "undo")
    assert found.ranking.hits[0].evidence.graph.backlinks == 9


def test_tiered_lexical_has_the_parts_of_its_document_and_no_others():
    """No reranker, other forms of words, corrections, dates or exact names."""
    pipeline = tiered_lexical()
    assert [type(stage) for stage in pipeline.stages] == [Folder, Graph, Normalize]
    assert (pipeline.stems.weight, pipeline.typos.weight) == (0.0, 0.0)
    parts = (pipeline.concepts, pipeline.sections, pipeline.proximity, pipeline.neighbours, pipeline.activation)
    assert parts == (None,) * 5
    assert scores(ranked(pipeline, corpus_of(GARDEN), "rollbakc")) == {}
    assert scores(ranked(balanced(), corpus_of(GARDEN), "rollbakc")) == {"rollback": 0.5}
