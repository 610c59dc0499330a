"""The terms of a query, and how they match."""

import pytest

from search.answer.evidence import MatchKind
from search.index.postings import FIELDS, Postings
from search.index.vocabulary import Vocabulary
from search.matching.terms import MAX_TERMS, post, query_terms
from search.query import RankedTerm


def terms(*texts, is_prefix=False):
    return query_terms([RankedTerm(text, is_prefix=is_prefix and text == texts[-1]) for text in texts])


def test_each_token_is_a_term_once_with_its_count():
    assert [(term.text, term.times) for term in terms("oak", "elm", "oak")] == [("oak", 2), ("elm", 1)]


def test_stop_words_and_single_letters_find_nothing_next_to_other_words():
    assert [term.text for term in terms("how", "do", "I", "reset", "x") if term.is_recalling] == ["reset"]


def test_a_single_digit_finds_nothing_but_is_no_stop_word():
    """It is part of a version or a date, so it counts fully in the ranking."""
    assert [(term.text, term.is_recalling, term.is_stop_word) for term in terms("4", "the", "dome")] == [
        ("4", False, False),
        ("the", False, True),
        ("dome", True, False),
    ]


@pytest.mark.parametrize("query", [["to", "be", "or", "not"], ["the"], ["x"], ["學"]])
def test_a_query_of_stop_words_alone_searches_for_all_of_them(query):
    assert all(term.is_recalling for term in terms(*query))


def test_a_character_of_a_script_without_spaces_finds_notes_next_to_other_words():
    assert all(term.is_recalling for term in terms("学", "router"))


def test_only_the_last_word_matches_by_prefix():
    found = terms("reset", "rou", is_prefix=True)
    assert [(term.text, term.is_prefix) for term in found] == [("reset", False), ("rou", True)]


def test_an_unfinished_compound_matches_by_prefix_as_a_whole_and_not_by_its_parts():
    found = terms("max_ret", is_prefix=True)
    assert [(term.text, term.is_prefix) for term in found] == [("max_ret", True), ("max", False), ("ret", False)]


def test_a_long_query_is_cut_to_the_maximum_number_of_terms():
    assert len(terms(*(f"word{number}" for number in range(500)))) == MAX_TERMS


def kinds(query, body, *, is_prefix=False):
    """How each term of the query matches the body of one note."""
    vocabulary = Vocabulary()
    empty = vocabulary.encode("")
    postings = Postings().with_notes([("note", [empty] * (len(FIELDS) - 1) + [vocabulary.encode(body)])])
    posted = post(terms(*query.split(), is_prefix=is_prefix), vocabulary, postings)
    return {item.term.text: [kind for kind, _ in item.found] for item in posted}


@pytest.mark.parametrize(
    ("query", "body", "expected"),
    [
        ("oak", "an oak", {"oak": [MatchKind.WORD]}),
        ("oak", "oaks", {"oak": [MatchKind.INNER]}),
        ("oak", "soaked", {"oak": [MatchKind.INNER]}),
        ("elm oa", "soaked", {"elm": [], "oa": []}),  # two letters of a longer query are no substring search
        ("oa", "soaked", {"oa": [MatchKind.INNER]}),
        ("the elm", "then", {"the": [], "elm": []}),
        ("学", "今日は学ぶ", {"学": [MatchKind.WORD]}),
        ("化知", "構造化知識", {"化知": [MatchKind.WORD]}),
        ("知化", "構造化知識", {"知化": []}),
    ],
)
def test_terms_are_found_as_words_or_inside_words(query, body, expected):
    assert kinds(query, body) == expected


def test_an_unfinished_word_matches_its_completions():
    assert kinds("elm oa", "oaks soaked", is_prefix=True) == {"elm": [], "oa": [MatchKind.PREFIX]}
    assert kinds("elm oak", "oaks soaked", is_prefix=True)["oak"] == [MatchKind.PREFIX, MatchKind.INNER]


def test_a_word_that_occurs_nowhere_matches_by_prefix():
    assert kinds("wash elm", "washing unwashed") == {"wash": [MatchKind.PREFIX, MatchKind.INNER], "elm": []}
    assert kinds("wash elm", "wash washing") == {"wash": [MatchKind.WORD, MatchKind.INNER], "elm": []}
