"""Excerpts: the right lines, with exactly what matched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.answer.result import FoundSection
from search.query import RankedTerm
from search.text.snippets import MAX_CHARS, excerpts, sections_of, wanted_of
from search.text.terms import query_terms
from search.vault.note import Heading, Note


def show(query, text, *, n_snippets=3, is_prefix=False, phrases=(), body_line=0):
    """The excerpts as 'line:text' with what is highlighted in brackets."""
    note = Note("note.md", "note", body_line=body_line)
    terms = query_terms([RankedTerm(query, is_prefix=is_prefix)])
    shown = []
    for snippet in excerpts(note, text, wanted_of([(term, 1.0) for term in terms], phrases), n_snippets=n_snippets):
        marked, at = "", 0
        for start, end in snippet.highlights:
            marked += snippet.text[at:start] + "[" + snippet.text[start:end] + "]"
            at = end
        shown.append(f"{snippet.line}:{marked}{snippet.text[at:]}")
    return shown


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("router", "Hold the Router button", ["0:Hold the [Router] button"]),
        ("strasse", "die lange Straße", ["0:die lange [Straße]"]),
        ("知識", "今日は構造化知識を学ぶ", ["0:今日は構造化[知識]を学ぶ"]),
        ("化知", "今日は構造化知識を学ぶ", ["0:今日は構造[化知]識を学ぶ"]),
        ("構造化知", "今日は構造化知識を学ぶ", ["0:今日は[構造化知]識を学ぶ"]),
        ("学", "今日は学ぶ", ["0:今日は[学]ぶ"]),
        ("phenomene", "un Phe\u0301nome\u0300ne", ["0:un [Phe\u0301nome\u0300ne]"]),
        ("c++", "C++ and C", ["0:[C++] and C"]),
        ("max_retry_count", "set max_retry_count = 3", ["0:set [max_retry_count] = 3"]),
        ("oak", "soaked wood, an oak", ["0:soaked wood, an [oak]"]),  # a whole word hides parts of others
        ("oak", "soaked wood", ["0:s[oak]ed wood"]),
        ("how reset the", "the reset button", ["0:the [reset] button"]),  # glue is not shown
        ("absent", "\n\n- first words\nmore", ["2:first words"]),
        ("oak", "", []),
        ("oak", "---\n***\n", []),
    ],
)
def test_excerpts_show_exactly_what_matched(query, text, expected):
    assert show(query, text) == expected


def test_the_line_with_most_of_the_query_comes_first():
    assert show("reset router", "the router\nreset the router\nreset") == [
        "1:[reset] the [router]",
        "0:the [router]",
        "2:[reset]",
    ]


def test_an_open_word_is_highlighted_as_far_as_it_is_typed():
    assert show("rou", "the router", is_prefix=True) == ["0:the [rou]ter"]


def test_a_phrase_is_worth_more_than_its_words():
    assert show("red oak", "oak red oak oak\nred and oak", phrases=("red oak",), n_snippets=1) == [
        "0:[oak] [red oak] [oak]"
    ]


def test_front_matter_is_shown_only_where_nothing_else_matches():
    text = "---\nstatus: oak\n---\nthe oak"
    assert show("oak", text, body_line=3) == ["3:the [oak]"]
    assert show("status", text, body_line=3) == ["1:[status]: oak"]


def test_lines_are_those_of_an_editor():
    assert show("oak", "a\u2028b\r\nc\rthe oak") == ["2:the [oak]"]


def test_markup_at_the_beginning_is_left_out_and_counted():
    (snippet,) = excerpts(
        Note("n.md", "n"), "## - [ ] the oak", wanted_of([(query_terms([RankedTerm("oak")])[0], 1.0)]), n_snippets=1
    )
    assert "## - [ ] the oak"[snippet.start_char :] == snippet.text


@given(
    st.text(alphabet="oak elmßéé知識 \n\r#>-", max_size=400),
    st.sampled_from(["oak", "知", "elm oak", "ss", "é"]),
    st.integers(1, 3),
)
def test_every_excerpt_is_a_piece_of_its_line(text, query, n_snippets):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    wanted = wanted_of([(term, 1.0) for term in query_terms([RankedTerm(query)])])
    found = excerpts(Note("n.md", "n"), text, wanted, n_snippets=n_snippets)
    assert len(found) <= n_snippets
    for snippet in found:
        assert lines[snippet.line][snippet.start_char :].startswith(snippet.text)
        assert len(snippet.text) <= MAX_CHARS
        ends = [at for highlight in snippet.highlights for at in highlight]
        assert ends == sorted(ends)
        assert all(0 <= at <= len(snippet.text) for at in ends)


def test_a_long_line_is_cut_around_the_match():
    line = "word " * 200 + "oak" + " word" * 200
    (shown,) = show("oak", line)
    assert "[oak]" in shown
    assert len(shown) < MAX_CHARS + 10


def test_a_match_longer_than_an_excerpt_is_cut():
    (snippet,) = excerpts(Note("n.md", "n"), "知" * 500, wanted_of([], ("知" * 400,)), n_snippets=1)
    assert snippet.highlights == ((0, MAX_CHARS),)


def test_sections_are_those_of_the_excerpts_each_once():
    headings = (Heading(1, "Garden", 0), Heading(2, "Trees", 2))
    text = "# Garden\nan oak\n## Trees\noak\noak"
    note = Note("n.md", "n", headings=headings, n_lines=5)
    found = excerpts(note, text, wanted_of([(query_terms([RankedTerm("oak")])[0], 1.0)]), n_snippets=3)
    assert sections_of(note, found) == (FoundSection(("Garden",), 0), FoundSection(("Garden", "Trees"), 2))
    assert sections_of(Note("n.md", "n"), found) == ()
