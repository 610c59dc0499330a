"""Fuzzy search finds names by a few letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.navigation.fuzzy import MAX_QUERY, NameList, joined

NAMES = ("Orchid", "Orchid care", "Wild orchid", "Vanda, an orchidée", "Rope: choir dance", "Größe", "", "two\nlines")


def names_of(*names):
    return NameList("\n" + joined(names))


def best(query, *names, limit=100):
    """The names found and their scores, best first."""
    numbers, scores = names_of(*names).best(query, limit)
    return sorted(zip((names[number] for number in numbers), scores.round(2), strict=True), key=lambda item: -item[1])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("orchid", ["Orchid", "Orchid care", "Wild orchid", "Vanda, an orchidée"]),
        ("ORCHID care", ["Orchid care"]),
        ("care orch", ["Orchid care"]),
        ("chid", ["Orchid", "Orchid care", "Wild orchid", "Vanda, an orchidée", "Rope: choir dance"]),
        ("oca", ["Orchid care", "Rope: choir dance"]),
        ("grosse", ["Größe"]),
        ("o l", ["two\nlines", "Wild orchid"]),
        ("two lines", ["two\nlines"]),
        ("xyz", []),
        ("", []),
        (" \n ", []),
        ("[a-z]+(", []),
    ],
)
def test_better_matches_come_first(query, expected):
    assert [name for name, _ in best(query, *NAMES)] == expected


def test_each_kind_of_match_has_its_score():
    found = dict(best("ab cd", "ab cd", "ab cde", "x ab cd", "xab cd", "cd ab", "aub cud", "a b c d", limit=100))
    assert found["ab cd"] == 1.0
    assert found["ab cde"] == 0.89
    assert found["x ab cd"] == 0.79
    assert found["xab cd"] == 0.69
    assert found["cd ab"] == 0.6
    assert 0.2 < found["aub cud"] < found["a b c d"] + 0.1 < 0.5


def test_weaker_matches_are_tried_only_if_better_ones_are_too_few():
    assert [name for name, _ in best("abc", "abc", "abcd", "axbxc", limit=2)] == ["abc", "abcd"]


def test_a_very_frequent_letter_matches_only_at_the_beginning_of_words():
    names = ["xa " * 5] * 5000 + ["b a"]
    assert [name for name, _ in best("a", *names)] == ["b a"]


def test_a_very_frequent_letter_that_begins_no_word_matches_inside_words():
    assert best("a", *["xaaaaa"] * 5000)


@given(st.lists(st.text(max_size=12), max_size=12), st.text(max_size=12))
def test_a_score_is_between_0_and_1_and_a_name_finds_itself(names, query):
    names = [*names, query]
    numbers, scores = names_of(*names).best(query, 5)
    assert ((scores > 0.1) & (scores <= 1.0)).all()
    if query.strip():
        wanted = " ".join(query.split())
        assert any(" ".join(names[number].split()) == wanted for number in numbers) or not joined([query]).strip()


def test_a_long_query_is_cut():
    name = "a" * (MAX_QUERY + 5)
    assert [found for found, _ in best(name, name, "b")] == [name]
