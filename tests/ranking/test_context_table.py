"""Contexts have the right notes as often as the committed table says, and tokens are never estimated too low."""

import re
from statistics import fmean

import pytest
from context_table import BUDGETS, BY_WORDS, CHUNKS, PASSAGES, SYSTEMS, TABLE, WHOLE, measure
from token_estimate import TABLE as TOKENS
from token_estimate import UNDER

pytestmark = [pytest.mark.shared, pytest.mark.timeout(600)]

_FOAM = "vaults/foam"


def committed():
    """Each row of the table: the shares of each system."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.read_text().splitlines()]
    return {
        row[0]: {
            system: [float(share) for share in cell.split()] for system, cell in zip(SYSTEMS, row[2:], strict=False)
        }
        for row in rows
        if len(row) > len(SYSTEMS) and re.fullmatch(r"\d+", row[1])
    }


def test_a_fresh_run_gives_the_committed_shares(shared_dir):
    """After an intended change, run `python tests/ranking/context_table.py --write` and review the difference."""
    _, rows = measure(shared_dir, _FOAM)
    for system, before in committed()["foam"].items():
        fresh = [fmean(one.found[system, n] for one in rows) for n in BUDGETS]
        assert fresh == pytest.approx(before, abs=0.11), system  # one question of ten


def test_passages_have_the_right_note_more_often_than_whole_notes_and_chunks_by_cosine():
    ours, words, whole, chunks = (committed()["all five vaults"][name] for name in (PASSAGES, BY_WORDS, WHOLE, CHUNKS))
    assert all(mine > other for mine, other in zip(ours, whole, strict=True))
    assert all(mine > other for mine, other in zip(ours, chunks, strict=True))
    assert all(mine > other for mine, other in zip(words, whole, strict=True))


def test_no_tokenizer_counts_more_than_two_percent_above_the_estimate():
    cells = re.findall(r"(\d\.\d\d) \d\.\d\d (\d+) \|", TOKENS.read_text())
    assert len(cells) >= 40
    assert all(float(low) >= UNDER - 0.02 and int(n) <= 1 for low, n in cells)
