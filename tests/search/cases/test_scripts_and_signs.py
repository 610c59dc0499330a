"""Inputs that broke other products: scripts without spaces, compounds, signs, spellings of one letter."""

import unicodedata

import pytest

from search.engine import Engine
from search.ids import NoteId
from search.query import Query
from vaults import ask, first_note, highlighted, ids, write


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("今日は構造化知識を学ぶ", "知識"),
        ("今日は構造化知識を学ぶ", "学"),
        ("今日は構造化知識を学ぶ", "化知"),
        ("今日は構造化知識を学ぶ", "構造化知識"),
        ("今日は構造化知識を学ぶ", "ぶ"),
        ("中文编程很有意思", "编程"),
        ("中文编程很有意思", "思"),
        ("データベースの設計", "ベース"),
        ("한국어로 검색합니다", "검색"),
        ("한국어로 검색합니다", "국"),
        ("ภาษาไทยค้นหาได้", "ค้นหา"),
        ("mixed 知識base text", "知識"),
        ("mixed 知識base text", "base"),
    ],
)
def test_a_run_is_found_anywhere_and_highlighted_exactly(tmp_path, text, query):
    engine = Engine(write(tmp_path, f"--- note.md\n{text}\n--- other.md\nnothing of the kind"))
    result = engine.search(Query(text=query))
    assert ids(result) == ["note.md"]
    assert "".join(highlighted(result, "note.md")) == query


def test_a_kana_voicing_mark_is_not_folded_like_an_accent(tmp_path):
    engine = Engine(write(tmp_path, "--- a.md\nはし\n--- b.md\nばし"))
    assert ask(engine, "ばし") == ["b.md"]


JOINED = """
--- whole.md
max_retry_count = 3, since v2026.4.10
--- parts.md
max of retry, count of 2026 in 4 or 10
--- other.md
nothing here
"""


@pytest.mark.parametrize("query", ["max_retry_count", "retry", "2026.4.10", '"2026.4.10"', "MAX_RETRY", "v2026.4.10"])
def test_a_compound_is_found_whole_and_in_parts(tmp_path, query):
    assert "whole.md" in ask(Engine(write(tmp_path, JOINED)), query)


@pytest.mark.parametrize(
    ("whole", "parts", "query"),
    [
        ("max_retry_count = 3", "max of retry, count of it", "max_retry_count"),
        ("since 2026.4.10 then", "in 2026 of 4 or 10", "2026.4.10"),
        ("call getUserById now", "get the user by id", "getUserById"),
        ("with Next.js here", "next to js", "Next.js"),
        ("by e-mail only", "e or mail", "e-mail"),
        ("about AT&T here", "at t", "AT&T"),
        ("don't go", "don and t", "don't"),
        ("write to ann@oak.org", "ann at oak, org", "ann@oak.org"),
    ],
)
def test_the_whole_compound_ranks_above_its_parts(tmp_path, whole, parts, query):
    assert first_note(tmp_path, f"--- a parts.md\n{parts}\n--- b whole.md\n{whole}", query) == "b whole.md"


SIGNS = """
--- cpp.md
C++ tips
--- c.md
C tips C tips C tips
--- csharp.md
C# tips
--- § 12 Law.md
paragraph
--- rd.md
our R&D team
--- r.md
R and D
--- net.md
.NET tips
--- price.md
costs 5 €
--- mood.md
fine 🙂
"""


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("C++", "cpp.md"),
        ("c++", "cpp.md"),
        ("C#", "csharp.md"),
        ("C++ tips", "cpp.md"),
        ("§", "§ 12 Law.md"),
        ("§ 12", "§ 12 Law.md"),
        ("R&D", "rd.md"),
        (".NET", "net.md"),
        ("€", "price.md"),
        ("🙂", "mood.md"),
        ("C", "c.md"),
    ],
)
def test_symbols_and_signs_can_be_searched(tmp_path, query, first):
    assert first_note(tmp_path, SIGNS, query) == first


ACCENTED = unicodedata.normalize("NFD", "Phénomène.md")


@pytest.mark.parametrize("query", ["phenomene", "Phénomène", "PHÉNOMÈNE", unicodedata.normalize("NFD", "phénomène")])
def test_a_decomposed_file_name_is_found_in_every_spelling(tmp_path, query):
    engine = Engine(write(tmp_path, f"--- {ACCENTED}\nx\n--- Links.md\nsee [[Phénomène]]"))
    assert ask(engine, query) == [ACCENTED, "Links.md"]
    assert (tmp_path / ACCENTED).exists()


def test_a_composed_link_leads_to_a_decomposed_file(tmp_path):
    engine = Engine(write(tmp_path, f"--- {ACCENTED}\nx\n--- Links.md\nsee [[Phénomène]]"))
    found = {hit.hit.id: hit.hit.evidence.graph for hit in engine.search(Query(text="phenomene")).hits}
    assert found[NoteId(ACCENTED)].backlinks == 1


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Straße", "strasse"),
        ("STRASSE", "straße"),
        ("İstanbul", "istanbul"),
        ("Ελλάδα", "ελλαδα"),
        ("ΟΔΟΣ", "οδός"),
        ("Привет", "привет"),
        ("Ёлка", "елка"),
        ("naïve", "naive"),
        ("naive", "naïve"),
        ("ﬁnal", "final"),
        ("ＡＢＣ", "abc"),
        ("x² and", "x2"),
    ],
)
def test_a_word_is_found_in_any_case_and_with_or_without_accents(tmp_path, text, query):
    result = Engine(write(tmp_path, f"--- a.md\nsee {text} here")).search(Query(text=query))
    assert ids(result) == ["a.md"]
    assert highlighted(result, "a.md") == [text.removesuffix(" and")]
