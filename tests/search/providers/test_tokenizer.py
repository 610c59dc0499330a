"""Tokenizers: splitting at blanks, caching, and cutting no more than needed."""

import pytest

from search.providers.tokenizer import Tokenizer


@pytest.fixture
def seen():
    return []


@pytest.fixture
def tokenizer(seen):
    def cut(run):
        seen.append(run)
        return map(ord, run)

    return Tokenizer(cut, start=1, end=2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", [1, 2]), (" \t\r\n", [1, 2]), ("ab c", [1, 97, 98, 99, 2]), ("a\nb", [1, 97, 98, 2])],
)
def test_ids_are_put_between_start_and_end(tokenizer, text, expected):
    assert tokenizer.encode(text, limit=9) == expected
    assert tokenizer.count(text) == len(expected)


def test_limit_includes_start_and_end_and_drops_the_end_of_the_text(tokenizer):
    assert tokenizer.encode("abc def", limit=5) == [1, 97, 98, 99, 2]
    assert tokenizer.encode("abc", limit=2) == [1, 2]


def test_text_beyond_the_limit_is_not_cut(tokenizer, seen):
    tokenizer.encode("one two " + "more " * 10_000, limit=7)
    assert seen == ["one", "two"]


def test_word_is_cut_once_and_a_very_long_word_is_not_cached(tokenizer, seen):
    tokenizer.encode("tea tea " + "x" * 500 + " " + "x" * 500, limit=10_000)
    assert [run[:3] for run in seen] == ["tea", "xxx", "xxx"]
