"""PRESETS.md covers every preset, keeps figures that are not measured again, and agrees with a fresh run."""

import pytest
from presets_table import PEER, TABLE, Line, committed, measure, merged, render

from search.ranking.presets import PRESETS


def test_the_committed_table_has_every_preset_and_the_format_of_the_script():
    table = committed()
    assert all({*PRESETS, PEER} <= line.cells.keys() for line in table.values())
    assert render(table.values()) == TABLE.read_text(encoding="utf-8")


def test_figures_that_are_not_measured_again_stay():
    line = Line(
        label="adi judged", n_notes="82", n_queries="35", cells={"balanced": "0.5 0.7 0.9", PEER: "0.4 0.6 0.8"}
    )
    new = Line(label="adi judged", n_notes="83", n_queries="35", cells={"balanced": "0.6 0.7 0.9"})
    other = Line(label="lisa judged", n_notes="1", n_queries="1", cells={})
    table = merged({"adi judged": line}, [new, other])
    assert table["adi judged"].n_notes == "83"
    assert table["adi judged"].cells == {"balanced": "0.6 0.7 0.9", PEER: "0.4 0.6 0.8"}
    assert table["lisa judged"] == other


@pytest.mark.shared
@pytest.mark.timeout(300)
def test_a_fresh_run_gives_the_committed_figures_of_the_two_lexical_presets(shared_dir):
    """On adi. A model's cosines differ in their last digits between processors, so one query's answer may turn."""
    before = committed()
    for line in measure(shared_dir, ("balanced", "tiered-lexical"), "adi"):
        assert line.cells.keys() == {name + end for name in ("balanced", "tiered-lexical") for end in ("", " +v")}
        for column, cell in line.cells.items():
            old = [float(figure) for figure in before[line.label].cells[column].split()]
            assert [float(figure) for figure in cell.split()] == pytest.approx(old, abs=0.001 + 0.5 / 35)
