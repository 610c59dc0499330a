"""The formula of a strength: by hand, and its laws."""

import math

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from search.answer.evidence import Field, MatchKind
from search.answer.explain import render_strength
from search.answer.strength import FIELDS, KINDS, LEVELS, AnchoredCosine, WordStrength, in_a_word, strength_of

FEW = settings(max_examples=50, deadline=None)
QUALITIES = sorted({0.0, *(kind * field for kind in KINDS.values() for field in FIELDS.values())})

words = st.lists(
    st.builds(
        WordStrength,
        word=st.just("oak"),
        idf=st.just(1.0),
        weight=st.floats(min_value=1e-4, max_value=12.0),
        quality=st.sampled_from(QUALITIES),
        is_near=st.booleans(),
    ),
    max_size=8,
)
unmatched = st.lists(
    st.builds(WordStrength, word=st.just("oak"), idf=st.just(1.0), weight=st.floats(min_value=1e-4, max_value=12.0)),
    max_size=8,
)
meanings = st.builds(
    lambda cosine, floor, span: AnchoredCosine(cosine, floor, floor + span),
    st.floats(min_value=-1.0, max_value=1.0),
    st.floats(min_value=0.0, max_value=0.8),
    st.floats(min_value=0.01, max_value=0.2),
)


def test_the_formula_by_hand():
    """Oak is in the title; its form barks is in a line without oak; moss is missing; "the" hardly counts."""
    found = strength_of(
        [
            WordStrength("the", 0.2, 0.01, 0.7, MatchKind.WORD, Field.BODY),
            WordStrength("oak", 2.0, 2.0, 0.95, MatchKind.WORD, Field.TITLE, is_near=True),
            WordStrength("bark", 3.0, 3.0, 0.9 * 0.7, MatchKind.STEM, Field.BODY, "barks"),
            WordStrength("moss", 5.0, 5.0),
        ],
        AnchoredCosine(0.5, 0.2, 0.6),
    )
    total = 0.01 + 2 + 3 + 5
    coverage = (0.01 * 0.7 + 2 * 0.95 + 3 * 0.63) / total
    nearness = 2 * 0.95 / total
    by_words = 0.8 * coverage + 0.2 * nearness
    by_meaning = 0.7 * ((0.5 - 0.2) / (0.6 - 0.2)) ** 2
    assert found.coverage == pytest.approx(coverage)
    assert found.nearness == pytest.approx(nearness)
    assert found.by_words == pytest.approx(by_words)
    assert found.by_meaning == pytest.approx(by_meaning)
    assert found.value == pytest.approx(by_words + (1 - by_words) * by_meaning)
    assert render_strength(found) == (
        '1. "the" (idf 0.2, weight 0.01): word in the text, quality 0.7',
        '2. "oak" (idf 2, weight 2): word in the title, quality 0.95, together with others',
        '3. "bark" (idf 3, weight 3): stem "barks" in the text, quality 0.63',
        '4. "moss" (idf 5, weight 5): not in the note, quality 0',
        "5. coverage: sum of weight x quality / sum of weights 10.01 = 0.3793",
        "6. nearness: the same for words that stand together = 0.1898",
        "7. words: 0.8 x 0.3793 + 0.2 x 0.1898 = 0.3414",
        "8. meaning: 0.7 x u x u = 0.3937, u from cosine 0.5, floor 0.2, ceiling 0.6",
        "9. strength words + (1 - words) x meaning = 0.6007: good",
    )


def test_an_exact_name_is_the_whole_derivation():
    found = strength_of([WordStrength("oak", 2.0, 2.0, 0.95)], AnchoredCosine(0.4, 0.2, 0.6), exact_name="Oak")
    assert found.value == 1.0
    assert render_strength(found) == ('1. the query is the name "Oak"', "2. strength 1: exact")


def test_without_a_cosine_the_strength_is_that_of_the_words():
    found = strength_of([WordStrength("oak", 2.0, 2.0, 0.7, MatchKind.EXPANSION, None, "the note's date")])
    assert found.value == found.by_words == pytest.approx(0.8 * 0.7)
    assert render_strength(found)[0] == ('1. "oak" (idf 2, weight 2): meant "the note\'s date", quality 0.7')
    assert render_strength(found)[-1] == "5. strength 0.56: good"


@pytest.mark.parametrize("floor", [0.5, 0.6])
def test_a_ceiling_that_is_not_above_the_floor_is_a_threshold(floor):
    assert AnchoredCosine(0.5, floor, 0.5).value == 0.7
    assert AnchoredCosine(0.49, floor, 0.5).value == 0.0


def test_nothing_has_strength_0():
    assert strength_of([]).value == 0.0
    assert strength_of([WordStrength("oak", 2.0, 2.0)], AnchoredCosine(0.2, 0.2, 0.6)).value == 0.0


@FEW
@given(words, st.none() | meanings, st.sampled_from(["", "", "Oak"]))
def test_a_strength_lies_between_0_and_1_and_is_1_only_for_an_exact_name(given_words, meaning, exact_name):
    value = strength_of(given_words, meaning, exact_name=exact_name).value
    assert 0.0 <= value <= 1.0
    assert (value == 1.0) == bool(exact_name)


@FEW
@given(unmatched, meanings)
def test_weak_similarity_alone_is_at_most_three_tenths_and_any_similarity_at_most_seven(given_words, meaning):
    value = strength_of(given_words, meaning).value
    assert value <= 0.7
    if meaning.cosine <= meaning.floor + 0.65 * (meaning.ceiling - meaning.floor):
        assert value <= 0.3
    if meaning.cosine <= meaning.floor:
        assert value == 0.0


@FEW
@given(words.filter(bool), st.none() | meanings, st.data())
def test_a_better_match_of_a_word_never_lowers_the_strength(given_words, meaning, data):
    """So covering one more word raises it, and a whole word is worth no less than a part of it."""
    at = data.draw(st.integers(0, len(given_words) - 1))
    old = given_words[at]
    better = data.draw(st.sampled_from([quality for quality in QUALITIES if quality >= old.quality]))
    changed = [*given_words]
    changed[at] = evolve(old, quality=better, is_near=old.is_near or data.draw(st.booleans()))
    assert strength_of(changed, meaning).value >= strength_of(given_words, meaning).value - 1e-12


@FEW
@given(words, meanings, st.floats(min_value=0.0, max_value=0.5))
def test_a_higher_cosine_never_lowers_the_strength(given_words, meaning, more):
    higher = evolve(meaning, cosine=meaning.cosine + more)
    assert strength_of(given_words, higher).value >= strength_of(given_words, meaning).value - 1e-12


def test_whole_words_are_worth_more_than_any_other_match_and_the_title_more_than_any_other_field():
    assert max(KINDS, key=KINDS.__getitem__) is MatchKind.WORD
    assert min(KINDS, key=KINDS.__getitem__) is MatchKind.INNER
    assert set(KINDS) == set(MatchKind)
    assert max(FIELDS, key=FIELDS.__getitem__) is Field.TITLE
    assert set(FIELDS) == set(Field)
    assert all(value < 1.0 for value in FIELDS.values())  # 1 is for exact names


def test_every_strength_has_a_word():
    assert [in_a_word(value) for value in (1.0, math.nextafter(1.0, 0.0), 0.75, 0.7001, 0.45, 0.25, 0.1, 0.0)] == [
        *("exact", "strong", "strong", "good", "good", "fair", "weak", "weak")
    ]
    assert list(LEVELS) == sorted(LEVELS, reverse=True)
    assert LEVELS[-1][0] == 0.0


def test_a_strength_that_is_no_number_is_weak():
    assert in_a_word(float("nan")) == "weak"
