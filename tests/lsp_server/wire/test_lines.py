"""Lines and columns as LSP counts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.wire.lines import PositionEncoding, split_lines, to_index, units


@given(st.text(max_size=40))
def test_lines_lose_nothing(text):
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line.endswith(("\r", "\n")) for line in lines[:-1])
    assert lines[-1] == lines[-1].rstrip("\r\n")


@given(st.text(st.characters(), max_size=12), st.sampled_from(list(PositionEncoding)))
def test_a_column_maps_back_to_its_index(text, encoding):
    for index in range(len(text) + 1):
        assert to_index(text, units(text[:index], encoding), encoding) == index


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_line_of_several_megabytes_is_split_quickly(end):
    """A slow pattern would retry from each character of the last line."""
    line = "lorem ipsum " * 300_000
    assert split_lines(line + end) == [line + end, ""][: 1 + bool(end)]
