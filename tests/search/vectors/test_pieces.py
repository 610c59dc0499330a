"""Long lines cut into pieces: the pieces are always the whole line, and within the limit."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from search.vectors.pieces import _ends_of_characters, cut_line, ends_sentence


@pytest.mark.parametrize(
    ("line", "limit", "pieces"),
    [
        ("", 5, [""]),
        ("oak", 5, ["oak"]),
        ("An oak. An elm. A fir.", 16, ["An oak. An elm. ", "A fir."]),
        ("one oak, one elm, one fir", 10, ["one oak, ", "one elm, ", "one fir"]),
        ("木。森。林。", 4, ["木。森。", "林。"]),
        ("東の森、西の森、南", 4, ["東の森、", "西の森、", "南"]),
        ("He said (“Oak!”) Then.", 20, ["He said (“Oak!”) ", "Then."]),
        ("version 1.2.3 of oak.md", 13, ["version ", "1.2.3 ", "of oak.md"]),
        ("abcdefgh", 3, ["ab", "cde", "fgh"]),
        ("👩‍👩‍👧👩‍👩‍👧", 5, ["👩‍👩‍👧", "👩‍👩‍👧"]),
    ],
)
def test_a_line_is_cut_at_the_best_places(line, limit, pieces):
    assert cut_line(line, cost=len, limit=limit) == pieces


@settings(max_examples=80, deadline=None)
@given(st.text("ab .,!。、木e\u0301\u200d👩🇩\ud83d\ude00\t\u3000", max_size=200), st.integers(1, 20))
def test_joined_pieces_are_the_line_and_each_fits_or_is_one_character(line, limit):
    pieces = cut_line(line, cost=len, limit=limit)
    assert "".join(pieces) == line
    assert all(len(piece) <= max(limit, 32) for piece in pieces)


@pytest.mark.parametrize(
    ("line", "is_end"),
    [("Oak.", True), ("Oak.** ", True), ("木。", True), ("木」", False), ("Oak:", True), ("Oak,", False), ("", False)],
)
def test_the_last_mark_of_a_line_tells_whether_a_sentence_ends(line, is_end):
    assert ends_sentence(line) is is_end


@given(st.text(st.characters(max_codepoint=0x7F), max_size=40) | st.text(max_size=40))
def test_characters_end_where_unicode_says(text):
    wanted = [found.end() for found in regex.finditer(r"[\ud800-\udbff][\udc00-\udfff]|\X", text)]
    assert list(_ends_of_characters(text)) == wanted
    assert list(_ends_of_characters("a" + "\u0301" * 40)) == [32, 41]
