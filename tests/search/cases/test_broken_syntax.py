"""Inputs that broke other products: text that looks like query syntax."""

import pytest

from search.engine import Engine
from search.notice import NoticeKind
from search.query import Query
from vaults import ask, first_note, ids, write

SYNTAX = "--- pre.md\npre-edit hook\n--- edit.md\nedit only\n--- company.md\nA-Company\n--- foo.md\nfoo and bar, x, a"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("pre-edit", "pre.md"),
        ("A-Company", "company.md"),
        ("pre-edit -only", "pre.md"),
        ("foo:bar*^~", "foo.md"),
        ("foo~2", "foo.md"),
        ("foo^3", "foo.md"),
        ("+foo", "foo.md"),
        ("foo*", "foo.md"),
        ("foo && bar", "foo.md"),
        ("foo AND bar", "foo.md"),
        ("NOT edit hook", "pre.md"),
    ],
)
def test_operators_of_other_engines_are_plain_words(tmp_path, query, first):
    assert first_note(tmp_path, SYNTAX, query) == first


@pytest.mark.parametrize(
    "query",
    [
        "a AND",
        "(",
        ")",
        '"',
        '"x',
        "/x",
        "-",
        "--",
        "OR",
        "OR foo",
        "foo OR",
        "[",
        "[x",
        "[x:",
        "tag:",
        "foo:",
        ":",
        "*",
    ],
)
def test_a_broken_query_is_answered(tmp_path, query):
    result = Engine(write(tmp_path, SYNTAX)).search(Query(text=query))
    assert result.is_complete
    assert all(notice.message for notice in result.notices)


@pytest.mark.parametrize(
    ("query", "found"), [('"foo', "foo.md"), ("(foo", "foo.md"), ("foo OR", "foo.md"), ("/foo", "foo.md")]
)
def test_text_that_does_not_parse_is_searched_as_words_with_a_notice(tmp_path, query, found):
    result = Engine(write(tmp_path, SYNTAX)).search(Query(text=query))
    assert ids(result)[:1] == [found]
    if query != "/foo":
        assert {notice.kind for notice in result.notices} == {NoticeKind.CORRECTED}


def test_an_excluded_word_excludes(tmp_path):
    assert ask(Engine(write(tmp_path, SYNTAX)), "edit -only") == ["pre.md"]
