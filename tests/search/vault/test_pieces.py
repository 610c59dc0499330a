"""Long texts are cut without loss, and what is done piece by piece gives what it gives for the whole text."""

import pytest

from search.vault.blocks import BlockKind, scan_blocks
from search.vault.hidden import hidden_ranges
from search.vault.pieces import MAX_PIECE, pieces


@pytest.mark.parametrize("unit", ["oak tree\n", "oak ", "oak", "学", "\n"])
def test_pieces_are_the_whole_text(unit):
    text = unit * (3 * MAX_PIECE // len(unit)) + "end"
    found = list(pieces(text))
    assert "".join(found) == text
    assert len(found) > 1
    assert max(map(len, found)) <= MAX_PIECE
    if unit[-1] in " \n":
        assert {piece[-1] for piece in found[:-1]} == {unit[-1]}


@pytest.mark.parametrize("before", range(99_990, 100_003))
@pytest.mark.parametrize("sign", ["<!-- a -->", "[x](oak.md)", "~~~~\n<b>\n~~~~", "``<b>``"])
def test_what_is_hidden_does_not_depend_on_where_a_long_text_is_cut(before, sign):
    def shifted(n_before):
        text = "a" * n_before + "\n" + sign + " <i> z"
        return [(start - n_before, end - n_before) for start, end in hidden_ranges(text)]

    assert shifted(before) == shifted(10)


def test_giant_line_is_what_its_beginning_is():
    lines = ["- " * 50_000, "- - " * 5_000 + "x", "-" * 50_000, "```" + " " * 50_000, "> " * 20_000 + "x"]
    kinds = [next(scan_blocks([line]))[0] for line in lines]
    assert kinds == [BlockKind.ITEM, BlockKind.ITEM, BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.PARAGRAPH]
