"""Nearness: the formula of the module's docstring, spelled out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.matching.nearness import (
    MAX_DISTANCE,
    MAX_WORDS,
    REVERSED_SHARE,
    QueryWord,
    holding_in_a_row,
    nearness,
)

NUMBERS = {"ice": 1, "limit": 2, "switch": 3, "x": 9}
IDF = {"ice": 2.0, "limit": 1.0, "switch": 0.5}


def words(text):
    return [QueryWord(word, np.array([NUMBERS[word]], np.uint32), IDF[word]) for word in text.split()]


def texts(*each):
    return [np.array([NUMBERS[word] for word in text.split()], np.uint16) for text in each]


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("limit switch", "x limit switch x", 1.0),
        ("limit switch", "limit x switch", 1 / 2),
        ("limit switch", "switch limit", REVERSED_SHARE),
        ("limit switch", "switch x x limit", REVERSED_SHARE / 3),
        ("limit switch", "limit x x switch x x limit switch", 1.0),
        ("limit switch", "limit" + " x" * (MAX_DISTANCE - 1) + " switch", 1 / MAX_DISTANCE),
        ("limit switch", "limit" + " x" * MAX_DISTANCE + " switch", 0.0),
        ("limit switch", "limit limit", 0.0),
        ("limit switch", "", 0.0),
        ("ice limit switch", "ice limit x switch", (3.0 * 1 + 1.5 / 2) / 4.5),
        ("ice limit ice", "limit ice", (3.0 * 1 + 3.0 * REVERSED_SHARE) / 6.0),
    ],
)
def test_the_nearness_of_a_text_follows_the_formula(query, text, expected):
    assert nearness(words(query), texts(text, "x", text)) == pytest.approx([expected, 0.0, expected])


def test_a_word_is_not_near_one_of_the_next_text():
    assert nearness(words("limit switch"), texts("x limit", "switch x")).tolist() == [0.0, 0.0]


def test_one_word_and_repetitions_of_it_have_no_nearness():
    assert nearness(words("ice"), texts("ice ice")).tolist() == [0.0]
    assert nearness(words("ice ice"), texts("ice ice")).tolist() == [0.0]
    assert nearness([], texts("ice")).tolist() == [0.0]
    assert nearness(words("ice limit"), []).tolist() == []


def test_only_the_first_words_of_a_long_query_form_pairs():
    assert nearness(words("ice " * MAX_WORDS + "limit"), texts("ice limit")).tolist() == [0.0]


@given(st.lists(st.sampled_from(list(IDF)), max_size=6), st.lists(st.lists(st.sampled_from(list(NUMBERS))), max_size=4))
def test_nearness_is_a_share_and_each_text_has_its_own(query, bodies):
    asked, joined = words(" ".join(query)), texts(*map(" ".join, bodies))
    values = nearness(asked, joined).tolist()
    assert all(0.0 <= value <= 1.0 for value in values)
    assert values == [nearness(asked, [text]).tolist()[0] for text in joined]


@given(
    st.lists(st.lists(st.integers(0, 3), max_size=12), max_size=4),
    st.lists(st.integers(0, 2), min_size=1, max_size=3),
    st.sampled_from([[], [3]]),
)
def test_a_text_holds_numbers_in_a_row_if_they_are_a_piece_of_it(texts, wanted, passing):
    def in_a_row(text):
        left = [number for number in text if number not in passing]
        return any(left[at : at + len(wanted)] == wanted for at in range(len(left)))

    arrays = [np.array(text, np.uint16) for text in texts]
    found = holding_in_a_row(wanted, arrays, passing=np.array(passing, np.uint32))
    assert found.tolist() == [in_a_row(text) for text in texts]
