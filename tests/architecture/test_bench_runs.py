"""Benchmark runs: the format of the committed files, writing one, and comparing two."""

import json
import re
from pathlib import Path

import pytest

from tests.bench.runs import UNITS, compared, run_of, run_sizes

RUNS = sorted((Path(__file__).parents[2] / "tests/bench/runs").glob("*.json"))
MACHINE = {"system", "architecture", "cores", "memory_gb", "python"}


def check(run):
    assert set(run) == {"script", "date", "note", "machine", "versions", "figures"}
    assert set(run["machine"]) == MACHINE  # nothing that tells whose machine it was
    assert "vaultseek" in run["versions"]
    assert run["figures"]
    for figures in run["figures"].values():
        assert all(name.rpartition("_")[2] in UNITS for name in figures)
        assert all(value >= 0 for value in figures.values())


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.name)
def test_a_committed_run_has_the_format_and_the_date_of_its_name(path):
    run = json.loads(path.read_text(encoding="utf-8"))
    check(run)
    script = run["script"].removeprefix("bench_")
    assert re.fullmatch(rf"{run['date']}-{script}(-[a-z0-9-]+)?\.json", path.name)
    assert run["note"], "a run says what else the machine was doing"
    assert (path.parents[1] / f"{run['script']}.py").is_file()


def test_there_is_a_run():
    assert RUNS


def test_a_run_measures_each_size_and_is_written_with_its_note(tmp_path):
    def measure(n_notes):
        return {"warm_p50_ms": n_notes / 3}

    run_sizes("bench_search", measure, ["10", "20", "--json", str(tmp_path / "run.json"), "--note", "idle"])
    run = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    check(run)
    assert run["note"] == "idle"
    assert run["figures"] == {"10 notes": {"warm_p50_ms": 3.333}, "20 notes": {"warm_p50_ms": 6.667}}


def test_without_a_file_a_run_is_only_printed(capsys):
    run_sizes("bench_search", lambda n_notes: print(n_notes) or {}, ["10"])
    assert capsys.readouterr().out == "10\n"


def test_a_comparison_divides_new_by_old_for_the_figures_that_both_have():
    old = run_of("bench_search", {"10 notes": {"warm_p50_ms": 20.0, "ripgrep_ms": 5.0, "cold_cpu_s": 0.0}}, "")
    new = run_of("bench_search", {"10 notes": {"warm_p50_ms": 15.0, "cold_cpu_s": 1.0}, "20 notes": {}}, "")
    assert compared(old, new).split("\n")[2:] == [
        "| 10 notes | warm_p50_ms | 20 | 15 | 0.75 |",
        "| 10 notes | cold_cpu_s | 0 | 1 |  |",
    ]


def test_a_comparison_of_two_machines_says_which_figures_can_be_compared():
    run = run_of("bench_search", {}, "")
    other = {**run, "machine": {**run["machine"], "cores": 99}}
    assert "Not the same machine: compare only figures that end in _ratio." in compared(run, other)
    assert "Not the same" not in compared(run, run)


def test_runs_of_different_scripts_are_not_compared():
    with pytest.raises(ValueError, match="bench_search, bench_typos"):
        compared(run_of("bench_search", {}, ""), run_of("bench_typos", {}, ""))
