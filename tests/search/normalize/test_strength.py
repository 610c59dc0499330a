"""The strength of a hit, compared with the best one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, Fused
from search.normalize.strength import strength_in


def strengths(ranking, **options):
    strength = strength_in(ranking, **options)
    return {hit.id: strength(hit) for hit in ranking}


def test_strength_is_the_share_of_the_best_raw_score():
    ranking = Ranking.of([Hit.found("a", Found("lexical", 8.0)), Hit.found("b", Found("lexical", 6.0))])
    assert strengths(ranking) == {"a": 1.0, "b": 0.75}


def test_the_best_raw_score_is_that_of_a_note():
    scores = {"a.md": 8.0, "b.md": 4.0, "table.csv": 32.0, "small.csv": 2.0}
    ranking = Ranking.of(Hit.found(name, Found("lexical", score)) for name, score in scores.items())
    assert strengths(ranking) == {"a.md": 1.0, "b.md": 0.5, "table.csv": 1.0, "small.csv": 0.25}


def test_where_a_source_found_no_note_its_best_raw_score_is_that_of_another_file():
    hits = [Hit.found("a.csv", Found("lexical", 8.0)), Hit.found("b.csv", Found("lexical", 4.0))]
    ranking = Ranking.of([*hits, Hit.found("note.md", Found("semantic", 0.5))])
    assert strengths(ranking) == {"a.csv": 1.0, "b.csv": 0.5, "note.md": 1.0}


def test_a_hit_is_as_strong_as_its_strongest_source_says():
    ranking = Ranking.of(
        [
            Hit.found("a", Found("lexical", 8.0), Found("semantic", 0.2), Fused("lexical", 1, 1.0, 0.9)),
            Hit.found("b", Found("semantic", 0.8), Fused("semantic", 1, 1.0, 0.8)),
            Hit.found("c", Found("lexical", 2.0), Found("semantic", 0.4), Fused("lexical", 2, 1.0, 0.1)),
        ]
    )
    assert strengths(ranking) == pytest.approx({"a": 1.0, "b": 1.0, "c": 0.5})


def test_the_strength_of_an_anchored_cosine_does_not_depend_on_the_best_one():
    """A ratio would give .42 / .48 = .88, although both notes are only slightly similar to the query."""
    anchors = {"semantic": (0.2, 0.6)}
    ranking = Ranking.of([Hit.found("a", Found("semantic", 0.48)), Hit.found("b", Found("semantic", 0.42))])
    assert strengths(ranking, anchors=anchors) == pytest.approx({"a": 0.63, "b": 0.495})
    with_words = Ranking.of([Hit.found("a", Found("lexical", 2.0), Found("semantic", 0.1)), *ranking.hits[1:]])
    assert strengths(with_words, anchors=anchors) == pytest.approx({"a": 1.0, "b": 0.495})


def test_a_hit_without_raw_scores_has_full_strength():
    ranking = Ranking.of([Hit.found("a", Fused("x", 1, 1.0, 0.5)), Hit.found("b", Found("lexical", 0.0))])
    assert strengths(ranking) == {"a": 1.0, "b": 1.0}
    assert strengths(Ranking.of([])) == {}


@given(st.dictionaries(st.text(max_size=3), st.floats(-5, 5), max_size=6))
def test_strengths_lie_between_zero_and_one(raws):
    ranking = Ranking.of([Hit.found(name, Found("semantic", raw)) for name, raw in raws.items()])
    assert all(0.0 <= strength <= 1.0 for strength in strengths(ranking).values())


def test_ignored_sources_do_not_count():
    ranking = Ranking.of([Hit.found("a", Found("lexical", 8.0)), Hit.found("b", Found("semantic", 0.9))])
    assert strengths(ranking, ignored={"semantic"}, default=0.0) == {"a": 1.0, "b": 0.0}
