"""Text for terminals: escapes, encodings and cuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.cli.printable import cut, cut_start, in_encoding, n_cells, printable, window

TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("ab 望e\u0301\u200d👩"), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x1b[31m\x07\x9b\x7f", r"a\x1b[31m\x07\x9b\x7f"),
        ("a\tb\nc\rd", "a b c d"),
        ("right\u202eleft\u2066", "right\ufffdleft\ufffd"),
        ("می\u200cخواهم 👩\u200d💻", "می\u200cخواهم 👩\u200d💻"),
        ("bad \udcff name", "bad \ufffd name"),
    ],
)
def test_control_characters_become_visible(text, shown):
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("‘a’ “b” – c — d…", "ascii", "'a' \"b\" - c - d..."),
        ("Café • ü", "latin-1", "Café * ü"),
        ("Café • 知", "ascii", r"Caf\xe9 * \u77e5"),
        ("Café • 知…", "utf-8", "Café • 知…"),
        ("…€", "cp1252", "…€"),
    ],
)
def test_what_an_encoding_lacks_is_written_in_ascii(text, encoding, shown):
    assert in_encoding(text, encoding) == shown


def test_the_error_handler_only_encodes():
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", "visible")


@pytest.mark.parametrize(
    ("text", "n"), [("abc", 3), ("望远镜", 6), ("e\u0301", 1), ("e\u200d", 1), ("ｅ", 2), ("é", 1)]
)
def test_wide_characters_take_two_cells_and_combining_ones_none(text, n):
    assert n_cells(text) == n


@pytest.mark.parametrize(
    ("text", "focus", "width", "shown"),
    [
        ("one two three", "one", 20, "one two three"),
        ("one two three four", "two", 9, "one two"),
        ("one two three four", "two", 7, "one two"),
        ("one two three four five six", "five", 13, "four five six"),
        ("one two three four five six", "five", 12, "five six"),
        ("an-unbroken-line-of-many-letters", "of", 12, "ine-of-many-"),
        ("many words before " * 9 + "elm", "elm", 12, "before elm"),
        ("abcdefghijklmnop", "cdefghijklmnop", 5, "cdefg"),
        ("望远镜使用说明", "使", 4, "使用"),
    ],
)
def test_a_window_shows_the_focus_between_whole_words(text, focus, width, shown):
    start = text.index(focus)
    begin, end = window(text, (start, start + len(focus)), width)
    assert text[begin:end] == shown


@given(TEXTS, st.integers(0, 60), st.integers(0, 10), st.integers(1, 40))
def test_a_window_is_never_wider_and_holds_the_focus_if_it_fits(text, start, length, width):
    start = min(start, len(text))
    stop = min(start + length, len(text))
    begin, end = window(text, (start, stop), width)
    assert 0 <= begin <= end <= len(text)
    assert n_cells(text[begin:end]) <= width
    if n_cells(text[start:stop]) <= width:
        assert begin <= start <= stop <= max(end, stop * (start == stop))


@given(TEXTS, st.integers(1, 40))
def test_a_cut_text_is_never_wider_and_keeps_its_end_or_beginning(text, width):
    for shown in (cut(text, width, "…"), cut_start(text, width, "…")):
        assert n_cells(shown) <= width
    if n_cells(text) <= width:
        assert cut(text, width, "…") == cut_start(text, width, "…") == text
    else:
        assert text.startswith(cut(text, width, "…").removesuffix("…"))
        assert text.endswith(cut_start(text, width, "…").removeprefix("…"))
