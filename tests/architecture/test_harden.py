"""The table of `make harden`: every suite exists, and each test counts for what came of it."""

from types import SimpleNamespace

import pytest

from tests.kit.harden import ROOT, SUITES, Table, suite_of


def report(outcome, *, when="call", attempts=None, said=""):
    return SimpleNamespace(
        nodeid="tests/search/test_killed_writers.py::test_x",
        when=when,
        duration=1.5,
        user_properties=[] if attempts is None else [("attempts", attempts)],
        passed=outcome == "passed",
        failed=outcome == "failed",
        skipped=outcome == "skipped",
        longreprtext=said,
    )


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_every_path_of_a_suite_exists(suite):
    assert [path for path in suite.paths if not (ROOT / "tests" / path).exists()] == []


def test_a_test_belongs_to_the_suite_that_names_most_of_its_path():
    assert suite_of("tests/hostile/test_watchdog.py::test_x").name == "hostile notes: time"
    assert suite_of("tests/hostile/test_whole_notes.py::test_x").name == "hostile notes: time"
    assert suite_of("tests/hostile/test_live_links.py::test_x").name == "hostile notes: links and signs"


@pytest.mark.parametrize(
    ("reports", "row"),
    [
        ([report("passed", attempts=200), report("passed")], "| kills | 201 | 201 | 0 | 0 | 0 | 3 |"),
        ([report("failed", attempts=9)], "| kills | 9 | 8 | 1 | 0 | 0 | 2 |"),
        ([report("failed", said="Failed: Timeout (>120.0s)")], "| kills | 1 | 0 | 0 | 0 | 1 | 2 |"),
        ([report("passed"), report("failed", when="teardown")], "| kills | 1 | 1 | 1 | 0 | 0 | 3 |"),
        ([report("passed"), report("skipped")], "| kills | 1 | 1 | 0 | 0 | 0 | 3 |"),
    ],
    ids=["passed", "failed", "too slow", "failed while cleaning up", "skipped"],
)
def test_the_table_counts_attempts_by_what_came_of_them(reports, row):
    table = Table()
    for one in reports:
        table.pytest_runtest_logreport(one)
    assert row in table.text().splitlines()
