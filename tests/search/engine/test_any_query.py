"""Any text is answered: blank, hostile, huge, without a word, with a filter alone."""

import os

import pytest
from kit.engines import engine_of, many

from search.query import Query
from vaults import ask, codes, highlighted, ids


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\0"])
def test_a_blank_query_finds_nothing_and_has_a_notice(tmp_path, text):
    result = engine_of(tmp_path, many(3)).search(Query(text=text))
    assert (ids(result), result.total, codes(result)) == ([], 0, ["empty-query"])


@pytest.mark.parametrize("text", ["-", "!!", '" "', "...", "( ; )"])
def test_a_query_without_a_word_finds_only_notes_with_that_name(tmp_path, text):
    engine = engine_of(tmp_path, "--- a.md\n# !!\n--- b.md\noak - elm ...")
    result = engine.search(Query(text=text))
    assert (ids(result), "no-words" in codes(result)) == (["a.md"] if text == "!!" else [], True)
    assert "no-words" not in codes(engine.search(Query(text="-oak"))) + codes(engine.search(Query(text="é § -")))


def test_a_blank_query_in_a_folder_lists_the_folder(tmp_path):
    assert ask(engine_of(tmp_path, "--- x/a.md\noak\n--- b.md\nelm"), "", folder="x") == ["x/a.md"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "...",
        "?!",
        '"',
        '"unbalanced',
        "(((((",
        ")" * 1000,
        "(" * 10_000,
        "oak\0elm",
        "oak \ud800 elm",
        "\udfff",
        "\u202eoak",
        "word " * 20_000,
        "w" * 100_000,
        '"' * 100_000,
        "-" * 100_000,
        "a OR " * 20_000,
        "知" * 33_000,
        "tag:" * 1000,
        "/[/",
        "/(?P<x>/",
        "/" * 1000,
        "[a:[b:[c]]]",
        "section:(block:(line:(oak)))",
        "\r\n\x1b[31m",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_any_text_is_answered(tmp_path, text):
    result = engine_of(tmp_path, "--- a.md\noak elm").search(Query(text=text))
    assert result.is_complete
    assert len(result.hits) <= 1


@pytest.mark.parametrize("text", ["oak\0elm", "oak \ud800 elm", '"oak elm', "oak (elm"])
def test_words_around_unreadable_characters_are_searched(tmp_path, text):
    assert ask(engine_of(tmp_path, "--- a.md\noak elm\n--- b.md\nash"), text) == ["a.md"]


def test_punctuation_finds_nothing(tmp_path):
    result = engine_of(tmp_path, many(3)).search(Query(text="..."))
    assert (ids(result), result.total) == ([], 0)


def test_a_catastrophic_regex_ends_with_a_notice(tmp_path):
    """The pattern matches no name; in the long note it would backtrack for years."""
    engine = engine_of(tmp_path, f"--- long.md\n{'a' * 5000}!\n--- tree.md\noak")
    result = engine.search(Query(text="/(a|aa)+$/"))
    assert (ids(result), codes(result)) == ([], ["regex-timeout"])
    assert ask(engine, "oak") == ["tree.md"]


def test_a_query_with_only_a_filter_lists_the_newest_notes_first(tmp_path):
    engine = engine_of(tmp_path, many(700, "#tree"))
    for n in range(700):
        os.utime(tmp_path / f"n{n:03}.md", (n * 7 % 700, n * 7919 % 700 + 10**9))
    newest = sorted(range(700), key=lambda n: -(n * 7919 % 700))[:100]
    result = engine.search(Query(text="tag:tree", limit=100, candidate_limit=700))
    assert (ids(result), result.total) == ([f"n{n:03}.md" for n in newest], 700)
    assert ask(engine, "tag:tree", limit=5) == [f"n{n:03}.md" for n in newest[:5]]
    assert ask(engine, "tag:tree", limit=5, candidate_limit=10) == [f"n{n:03}.md" for n in newest[:5]]


def test_every_step_of_a_search_is_timed(tmp_path):
    timings = engine_of(tmp_path, "--- a.md\noak").search(Query(text="oak")).timings_ms
    assert list(timings) == [
        "read",
        "filter",
        "grep",
        "lexical",
        "fuse",
        "rerank",
        "name",
        "folder",
        "graph",
        "dates",
        "title",
        "whole",
        "pin",
        "normalize",
        "explain",
    ]
    assert all(ms >= 0 for ms in timings.values())


def test_an_excerpt_shows_a_word_at_the_end_of_a_line_of_a_million_characters(tmp_path):
    engine = engine_of(tmp_path, f"--- giant.md\n{'word ' * 200_000}walnut\n--- oak.md\noak\n")
    assert highlighted(engine.search(Query(text="walnut")), "giant.md") == ["walnut"]
