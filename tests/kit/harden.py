"""Runs the tests of hostile notes, clients, disks and ends, and prints what came of all attempts: `make harden`.

Each suite says what a failed test means: something was lost, something hostile was let in, or the program stalled. A
test that runs into its time limit has stalled in any case. A test counts as one attempt, or as many as it reports by
the fixture `attempts`.
"""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from attrs import define, field, frozen

ROOT = Path(__file__).parents[2]
OUTCOMES = ("attempts", "survived", "lost", "let in", "stalled")


@frozen
class Suite:
    """Tests whose failures mean the same."""

    name: str
    failure: str  # one of `OUTCOMES`
    paths: tuple[str, ...]  # below `tests`; those that do not exist are left out


SUITES = (
    Suite("kills", "lost", ("search/test_killed_writers.py", "search/vectors/test_vector_kill.py")),
    Suite(
        "the store on bad disks",
        "lost",
        (
            "search/test_cache_outcomes.py",
            "search/cache",
            "search/vectors/test_vector_damage.py",
            "search/vectors/test_vector_exchanges.py",
            "search/vectors/test_store_disk_errors.py",
            "search/vectors/test_store_versions.py",
            "search/semantic/test_failures.py",
            "search/semantic/test_large_notes.py",
            "search/semantic/test_store_sharing.py",
            "search/index/test_snapshot.py",
        ),
    ),
    Suite("hostile notes: time", "stalled", ("hostile", "lsp_server/features/test_cancelling.py")),
    Suite(
        "hostile notes: patterns",
        "stalled",
        ("hostile/test_no_quadratic_pattern.py", "search/vault/test_patterns.py"),
    ),
    Suite("hostile notes: sizes", "stalled", ("search/vault/test_limits.py", "search/index/test_memory_of_notes.py")),
    Suite(
        "hostile notes: links and signs",
        "let in",
        (
            "hostile/test_live_links.py",
            "lsp_server/cli/test_printable.py",
            "lsp_server/features/test_hover_card.py",
        ),
    ),
    Suite(
        "paths",
        "let in",
        (
            *(f"search/vault/test_{name}.py" for name in ("reader", "walk", "paths")),
            "search/cases/test_only_regular_files.py",
            "e2e/test_vault_files.py",
        ),
    ),
    Suite(
        "files that are no notes", "let in", ("search/vault/attachments", "search/vault/kinds/test_hostile_kinds.py")
    ),
    Suite(
        "queries", "stalled", tuple(f"search/{name}.py" for name in ("cases/test_bad_queries", "engine/test_any_query"))
    ),
    Suite("withheld notes", "let in", ("lsp_server/mcp/test_access.py",)),
    Suite("connections", "let in", ("lsp_server/test_transport.py", "e2e/test_no_socket.py")),
    Suite("messages", "stalled", ("lsp_server/test_protocol.py", "lsp_server/wire", "e2e/test_stdio.py")),
    Suite("models and endpoints", "stalled", ("search/providers/test_hostile_endpoint.py",)),
    Suite("keys", "let in", ("search/providers/test_key_secrecy.py", "lsp_server/config/test_endpoint_keys.py")),
    Suite("clients", "stalled", ("e2e/test_soak.py",)),
    Suite("fuzz", "stalled", ("fuzz",)),
)


def suite_of(test: str) -> Suite:
    """The suite of a test: the one that names the longest part of its path."""
    within = [(len(path), suite) for suite in SUITES for path in suite.paths if test.startswith(f"tests/{path}")]
    return max(within, key=lambda one: one[0])[1]


@define(eq=False)  # pytest keeps its plugins in sets
class Table:
    """A plugin that counts what the tests report."""

    counts: dict[str, Counter[str]] = field(factory=lambda: {suite.name: Counter() for suite in SUITES})
    seconds: Counter[str] = field(factory=Counter)  # of each suite's tests, one after the other

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test; also one whose preparation or cleaning up fails."""
        suite = suite_of(report.nodeid)
        counts = self.counts[suite.name]
        self.seconds[suite.name] += report.duration
        n_attempts = sum(n for name, n in report.user_properties if name == "attempts") or 1
        if report.when == "call" and not report.skipped:
            counts["attempts"] += n_attempts
            counts["survived"] += n_attempts - (not report.passed)
        if report.failed:
            counts["stalled" if "Timeout" in report.longreprtext else suite.failure] += 1

    def text(self) -> str:
        """The table as Markdown, without suites that did not run."""
        lines = [f"| suite | {' | '.join(OUTCOMES)} | seconds |", f"| --- |{' --: |' * (len(OUTCOMES) + 1)}"]
        rows = {name: (counts, self.seconds[name]) for name, counts in self.counts.items() if counts}
        rows["all"] = (sum(self.counts.values(), Counter()), sum(self.seconds.values()))
        for name, (counts, seconds) in rows.items():
            lines.append(f"| {name} | {' | '.join(f'{counts[outcome]:,}' for outcome in OUTCOMES)} | {seconds:,.0f} |")
        return "\n".join(lines)


def main() -> int:
    """Run the suites; the exit code is pytest's."""
    os.environ.setdefault("VAULTSEEK_KILLS", "200")
    os.environ.setdefault("VAULTSEEK_SOAK", "500")
    paths = {f"tests/{path}" for suite in SUITES for path in suite.paths if (ROOT / "tests" / path).exists()}
    table = Table()
    code = pytest.main(["-q", "-n", "auto", "--dist", "worksteal", *sys.argv[1:], *sorted(paths)], plugins=[table])
    print(f"\n{table.text()}")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
