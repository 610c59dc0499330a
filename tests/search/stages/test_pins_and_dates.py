"""Notes that a query names come first; notes of its dates are raised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.explain import sentence
from search.answer.ranking import Hit, Ranking
from search.answer.trail import Found, replay
from search.ids import NoteId
from search.query import DatedNote, PinnedNote, Understood
from search.stages import Context
from search.stages.dates import Dates, raise_dated
from search.stages.pin import Pin, pin_named


def ranking(**scores):
    return Ranking.of(Hit.found(NoteId(f"{name}.md"), Found("lexical", score)) for name, score in scores.items())


def order(found):
    return [hit.id.removesuffix(".md") for hit in found]


def pin(name, place=0, why="named by [[x]]"):
    return PinnedNote(NoteId(f"{name}.md"), why, place)


def pinning(*pins):
    return Context(understood=Understood(pins=pins))


def dating(*dated):
    return Context(understood=Understood(dated=dated))


def test_pins_come_first_by_place_then_by_score():
    found = pin_named(
        ranking(oak=10, elm=5, ash=1, fir=2),
        Pin(),
        pinning(pin("ash", 0), pin("elm", 1), pin("fir", 1), pin("new", 0)),
    )
    assert order(found) == ["ash", "new", "elm", "fir", "oak"]
    assert found.hits[0].score < 11.1
    assert found.hits[-1].trail == (Found("lexical", 10),)
    assert sentence(found.hits[1]) == "Named by [[x]]."


def test_the_first_of_two_pins_of_a_note_counts():
    found = pin_named(ranking(oak=10, elm=5), Pin(), pinning(pin("elm", why="first"), pin("elm", why="second")))
    assert found.hits[0].evidence.named == "first"


def test_without_pins_nothing_changes():
    before = ranking(oak=10, elm=5)
    assert pin_named(before, Pin(), Context()) == before


def test_pins_are_added_to_an_empty_ranking():
    assert order(pin_named(Ranking(), Pin(), pinning(pin("b"), pin("a")))) == ["b", "a"]


NAMES = st.sampled_from([NoteId(f"n{at}.md") for at in range(10)])
SCORES = st.dictionaries(NAMES, st.just(0.0) | st.floats(1e-6, 1e6), max_size=10)


@given(SCORES, st.lists(st.tuples(NAMES, st.integers(0, 3)), max_size=8))
def test_every_pinned_note_ranks_above_every_other_hit(scores, named):
    before = Ranking.of(Hit.found(name, Found("lexical", score)) for name, score in scores.items())
    pins = [PinnedNote(name, "why", place) for name, place in named]
    after = pin_named(before, Pin(), pinning(*pins))
    assert all(hit.score == replay(hit.trail) for hit in after)
    pinned = {pin.note for pin in pins}
    assert {hit.id for hit in after} == {*scores, *pinned}
    assert {hit.id for hit in after.hits[: len(pinned)]} == pinned
    assert [hit for hit in after if hit.id not in pinned] == [hit for hit in before if hit.id not in pinned]


def dated(name, order=0.0, *, is_named=False):
    return DatedNote(NoteId(f"{name}.md"), "changed on 2024-01-05 (yesterday)", order, is_named)


def test_notes_of_the_date_are_raised_and_its_daily_note_is_added():
    found = raise_dated(
        ranking(oak=10, elm=9, ash=1),
        Dates(),
        dating(dated("elm"), dated("daily", is_named=True), dated("other")),
    )
    assert order(found) == ["elm", "oak", "daily", "ash"]
    assert found.hits[0].score == 11.25
    assert found.hits[2].score == pytest.approx(5 * (1 - 0.02 / 3))
    assert sentence(found.hits[2]) == "Changed on 2024-01-05 (yesterday)."


def test_among_equal_notes_the_newest_comes_first():
    newest_first = [dated("zz"), dated("b"), dated("a"), dated("y", is_named=True), dated("x", is_named=True)]
    found = raise_dated(ranking(a=1, b=1, zz=1), Dates(), dating(*newest_first))
    assert order(found) == ["zz", "b", "a", "y", "x"]


def test_the_number_of_added_notes_is_limited():
    many = [dated(f"d{at}", is_named=True) for at in range(50)]
    assert order(raise_dated(Ranking(), Dates(n_added=2), dating(*many))) == ["d0", "d1"]


def test_without_dates_nothing_changes():
    before = ranking(oak=10)
    assert raise_dated(before, Dates(), Context()) == before


@given(SCORES, st.lists(NAMES, max_size=8), st.floats(1, 2), st.floats(0, 1))
def test_no_hit_is_lost_or_lowered(scores, named, factor, share):
    before = Ranking.of(Hit.found(name, Found("lexical", score)) for name, score in scores.items())
    notes = [DatedNote(name, "why", 0.0, is_named=True) for name in named]
    after = raise_dated(before, Dates(factor=factor, share=share), dating(*notes))
    assert {hit.id for hit in after} == {*scores, *named}
    for hit in after:
        assert hit.score == replay(hit.trail)
        if hit.id in scores:
            assert scores[hit.id] <= hit.score <= scores[hit.id] * factor * (1 + 1e-12)


@pytest.mark.parametrize("make", [lambda: Pin(margin=1.0), lambda: Dates(factor=3), lambda: Dates(n_added=101)])
def test_settings_out_of_range_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()
