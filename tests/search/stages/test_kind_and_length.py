"""Notes of a suitable kind are raised, and very short notes are lowered."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, replay
from search.query import Understood
from search.stages import Context
from search.stages.kind import Kind, boost_by_kind
from search.stages.length import Length, length_factor, penalize_short


def ranking(**scores):
    return Ranking.of(Hit.found(f"{name}.md", Found("lexical", score)) for name, score in scores.items())


KINDS = {"oak.md": frozenset({"decision", "spec"}), "elm.md": frozenset({"recipe"})}


def understood(factors):
    return Understood(kind_factors=factors, kinds_of=lambda note: KINDS.get(note, frozenset()))


def test_a_note_gets_the_largest_factor_of_its_kinds():
    found = boost_by_kind(
        ranking(elm=1.1, oak=1.0, ash=0.5),
        Kind(),
        Context(understood=evolve(understood({"decision": 1.2, "spec": 1.1}), intent="find_decision")),
    )
    assert [(hit.id, round(hit.score, 9)) for hit in found] == [("oak.md", 1.2), ("elm.md", 1.1), ("ash.md", 0.5)]
    assert found.hits[0].trail[-1].why == "a note of kind decision, for find_decision"


@pytest.mark.parametrize("factors", [{}, {"decision": 1.0}, {"nothing": 1.2}])
def test_without_factors_above_one_nothing_changes(factors):
    before = ranking(elm=1.1, oak=1.0)
    assert boost_by_kind(before, Kind(), Context(understood=understood(factors))) == before


@given(st.dictionaries(st.sampled_from(["decision", "spec", "recipe"]), st.floats(0, 100)), st.floats(1, 2))
def test_a_boost_is_between_one_and_its_cap(factors, cap):
    before = ranking(elm=1.1, oak=1.0, ash=0.5)
    for hit in boost_by_kind(before, Kind(cap=cap), Context(understood=understood(factors))):
        old = before.hits[before.ranks[hit.id] - 1].score
        assert old <= hit.score <= old * cap * (1 + 1e-12)
        assert hit.score == replay(hit.trail)


@pytest.mark.parametrize(("length", "factor"), [(0, 0.8), (25, 0.85), (50, 0.9), (99, 0.998), (100, 1.0), (5000, 1.0)])
def test_the_penalty_follows_the_formula(length, factor):
    assert length_factor(length, settings=Length()) == pytest.approx(factor)


def test_a_short_note_falls_behind_a_longer_one_and_the_trail_says_why():
    found = penalize_short(
        ranking(stub=1.0, whole=0.95, gone=0.9), Length(), Context(length_of={"stub.md": 10, "whole.md": 900}.get)
    )
    assert [hit.id for hit in found] == ["whole.md", "gone.md", "stub.md"]
    assert found.hits[2].trail[-1].why == "only 10 characters"
    assert len(found.hits[0].trail) == 1


@given(st.integers(0, 2000), st.integers(1, 1000), st.floats(0, 1))
def test_the_penalty_is_between_its_floor_and_one(length, short, floor):
    factor = length_factor(length, settings=Length(short=short, floor=floor))
    assert floor <= factor <= 1
    assert length_factor(length + 1, settings=Length(short=short, floor=floor)) >= factor


@pytest.mark.parametrize("make", [lambda: Kind(cap=3), lambda: Length(short=0), lambda: Length(floor=2)])
def test_settings_are_bounded(make):
    with pytest.raises(ValueError, match="must be"):
        make()
