"""Vaultseek beside SQLite FTS5 on a small generated vault: no ratio is half as bad again as in the committed run.

Both are measured in CPU time in one run, so a busy machine slows both.
"""

import json
from pathlib import Path

import pytest

from tests.bench.bench_peers import measure
from tests.bench.bench_search import queries
from tests.bench.generated_vault import write_vault

pytestmark = pytest.mark.slow
RUNS = sorted((Path(__file__).parent / "runs").glob("*-peers*.json"))
N_NOTES = 300
WORSE = 1.5


def test_no_ratio_to_fts5_is_half_as_bad_again_as_in_the_last_run(tmp_path):
    before = json.loads(RUNS[-1].read_text(encoding="utf-8"))["figures"][f"{N_NOTES} generated notes"]
    words = write_vault(tmp_path / "vault", N_NOTES)
    now = [measure(tmp_path / "vault", queries(words), "small", engines=()) for _ in range(3)]
    for ratio in ("queries_to_fts5_ratio", "first_start_to_fts5_ratio"):
        assert min(run[ratio] for run in now) < WORSE * before[ratio], ratio
