"""The tokenizer, for every script."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.analysis.tokens import MAX_TOKEN, Grade, _ascii_grades, _grades, graded_tokens, is_dense, runs, tokens

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
    "don't": ("don't",),
    "you're fox's l'homme": ("you're", "you", "fox's", "fox", "l'homme", "homme"),
    "don’t donʼt don‘t don′t don`t don´t": ("don't",) * 6,
    "`code` 'quoted' ‘quoted’": ("code", "quoted", "quoted"),
    "Ge\u00adsamt\u00adkonzept": ("gesamtkonzept",),
    "zero\u200bwidth word\u2060joiner \ufeffmark le\u200eft auf\u200clage": (
        *("zerowidth", "wordjoiner", "mark", "left", "auflage"),
    ),
    "camel\u200bCase": ("camelcase", "camel", "case"),
    "snow\u00ad-\u200bfox": ("snow-fox", "snow", "fox"),
    "می\u200cخواهم": ("ميخواهم", "مي", "خواهم"),
    "東\u200b京": ("東京",),
    "❤\ufe0f 👩\u200d💻": ("❤", "👩", "💻"),
    "\u200b \ufe0f \u061c": (),
    "snow‐fox snow‑fox x−y": ("snow-fox", "snow", "fox") * 2 + ("x-y",),
    "Bose–Einstein city—camelCase": (
        *("bose-einstein", "bose", "einstein"),
        *("city-camelcase", "city", "camelcase", "camel", "case"),
    ),
    "ＣＳＳ Ｕ．Ｓ．Ａ． Ｃ＋＋": ("css", "u.s.a", "usa", "c++", "c"),
    "U.S.A. Ph.D. e.g. M.Phil": ("u.s.a", "usa", "ph.d", "phd", "ph", "e.g", "eg", "m.phil", "mphil", "phil"),
    "А.С. Пушкин, А.С.Пушкин": ("а.с", "ас", "пушкин", "а.с.пушкин", "а.с", "ас", "пушкин"),
    "1.2.x main.cpp 3.1": ("1.2.x", "1", "2", "main.cpp", "main", "cpp", "3.1", "3", "1"),
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


@pytest.mark.parametrize(
    ("text", "whole", "joined", "inside"),
    [
        ("fox", "fox", "", ""),
        ("snow-fireFox", "snow-firefox", "snow firefox", "fire fox"),
        ("_fox_ __init__", "_fox_ fox __init__ init", "", ""),
        ("Paris—cityHall", "paris-cityhall paris cityhall", "", "city hall"),
        ("U.S.A.", "u.s.a", "usa", ""),
        ("the fox's", "the fox's", "fox", ""),
        ("OAuth2", "oauth2", "", "oauth auth"),
        ("知識へ §", "知識 識へ §", "", ""),
    ],
)
def test_a_token_has_the_grade_of_its_place(text, whole, joined, inside):
    found = graded_tokens(text)
    assert tuple(token for token, _ in found) == tokens(text)
    by_grade = [" ".join(token for token, grade in found if grade is wanted) for wanted in list(Grade)[:3]]
    assert by_grade == [whole, joined, inside]


@given(st.text("aBC2._'-`/+#&@", min_size=2, max_size=12))
def test_the_shorter_way_for_ascii_finds_the_same_tokens(run):
    assert list(_ascii_grades(run).items()) == list(_grades(run).items())
