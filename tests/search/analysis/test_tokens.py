"""The tokenizer, for every script."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.tokens import MAX_TOKEN, is_dense, pieces, runs, tokens

CASES = {
    "": (),
    "Next.js OAuth2": ("next.js", "next", "js", "oauth2", "oauth", "auth"),
    "test_123 var_name": ("test_123", "test", "123", "var_name", "var", "name"),
    "getUserById": ("getuserbyid", "get", "user", "by", "id"),
    "XMLHttpRequest": ("xmlhttprequest", "xml", "http", "request"),
    "中文编程": ("中文", "文编", "编程"),
    "中 文": ("中", "文"),
    "编": ("编",),
    "構造化知識を学ぶ": ("構造", "造化", "化知", "知識", "識を", "を学", "学ぶ"),
    "서울에서": ("서울", "울에", "에서"),
    "Привет, Ελλάδα!": ("привет", "ελλαδα"),
    "café naïve İstanbul Straße": ("cafe", "naive", "istanbul", "strasse"),
    "Phe\u0301nome\u0300ne": ("phenomene",),
    "since v2026.4.10": ("since", "v2026.4.10", "v2026", "2026", "4", "10"),
    "max_retry_count = 3": ("max_retry_count", "max", "retry", "count", "3"),
    "pre-edit A-Company": ("pre-edit", "pre", "edit", "a-company", "company"),
    "C++ and C# (R&D)": ("c++", "c", "and", "c#", "c", "r&d"),
    "§ 12 € 😀": ("§", "12", "€", "😀"),
    "don't": ("don't", "don"),
    "हिन्दी में": ("हिन्दी", "में"),
    "东京tokyo2020": ("东京", "tokyo2020", "tokyo", "2020"),
    "«quoted» — “word”…": ("quoted", "word"),
    "http://example.com/a_b": ("http", "example.com", "example", "com", "a_b"),
    "#a/b-c": ("a", "b-c"),
    "x": ("x",),
    "__init__": ("__init__", "init"),
    "ÖsterreichÜbersee": ("osterreichubersee", "osterreich", "ubersee"),
}


@pytest.mark.parametrize(("text", "expected"), CASES.items())
def test_text_becomes_the_expected_tokens(text, expected):
    assert tokens(text) == expected


@given(st.text(), st.text())
def test_two_texts_joined_by_a_space_have_the_tokens_of_both(one, other):
    assert Counter(tokens(f"{one} {other}")) == Counter(tokens(one)) + Counter(tokens(other))


@given(st.text(alphabet=st.sampled_from("ab Z9_.-'+#&@/(),;é中ひ한§\n\t\r\x0b\x1c\x85\u2028😀"), max_size=60))
def test_tokenizing_piece_by_piece_gives_the_same_tokens(text):
    assert Counter(token for piece in pieces(text) for token in tokens(piece)) == Counter(tokens(text))


@given(st.text())
def test_no_token_is_empty_or_longer_than_the_limit(text):
    assert all(0 < len(token) <= 4 * MAX_TOKEN for token in tokens(text))


def test_a_very_long_word_is_cut_to_its_beginning():
    assert tokens("x" * 5000) == ("x" * MAX_TOKEN,)


@given(st.text())
def test_runs_are_substrings_of_the_text_in_order(text):
    at = 0
    for run in runs(text):
        at = text.index(run, at) + len(run)


@pytest.mark.parametrize(
    ("text", "answer"), [("知識", True), ("한국", True), ("a知", False), ("", False), ("word", False)]
)
def test_scripts_without_spaces_are_dense(text, answer):
    assert is_dense(text) is answer
