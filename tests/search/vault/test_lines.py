"""Lines end at CR LF, LF and CR, and a long text is split as a short one is."""

import pytest

from search.vault.lines import split_lines


@pytest.mark.parametrize("line", ["oak", "oak\u2028elm\f", ""])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("n_lines", [1, 300_000])
def test_text_is_split_at_its_line_breaks(line, end, n_lines):
    assert split_lines((line + end) * n_lines + "last") == [line] * n_lines + ["last"]


@pytest.mark.parametrize("n_chars", [1, 1_000_000])
def test_text_without_line_breaks_is_one_line(n_chars):
    assert split_lines("x" * n_chars) == ["x" * n_chars]
