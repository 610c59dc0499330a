"""Related notes find hidden links as well as the committed table says."""

import pytest
from related_links import ADAMIC_ADAR, BM25, BY_WORDS, SYSTEMS, VAULTS, WITH_VECTORS, Found, committed, measure

pytestmark = [pytest.mark.shared, pytest.mark.timeout(600)]

_TASKS = "vaults/obsidian-tasks"


@pytest.fixture(scope="module")
def fresh(shared_dir):
    return measure(shared_dir, _TASKS, [BY_WORDS, BM25, ADAMIC_ADAR])


def test_a_fresh_run_by_words_gives_the_committed_figures(fresh):
    """After an intended change, run `python tests/ranking/related_links.py --write` and review the difference."""
    for system, found in fresh.items():
        before = committed()[_TASKS][system]
        assert (found.mrr, found.in_5, found.in_10) == pytest.approx(
            (before.mrr, before.in_5, before.in_10), abs=0.006
        ), system


def test_related_notes_find_more_than_words_or_links_alone(fresh):
    assert fresh[BY_WORDS].mrr >= 0.25
    assert fresh[BY_WORDS].mrr > max(fresh[BM25].mrr, fresh[ADAMIC_ADAR].mrr)


def test_the_committed_figures_are_those_that_are_required():
    """On silverbullet plain BM25 is as good."""
    table = committed()
    assert set(table) == set(VAULTS)
    assert table[_TASKS][WITH_VECTORS].mrr >= 0.27
    for vault, row in table.items():
        ours = [row[system].mrr for system in (WITH_VECTORS, BY_WORDS) if system in row]
        others = [found.mrr for system, found in row.items() if system not in {WITH_VECTORS, BY_WORDS}]
        assert set(row) <= set(SYSTEMS)
        assert min(ours) > max(others) - 0.02, vault


def test_figures_of_ranks():
    found = Found.of([1, 4, None, 10])
    assert (found.mrr, found.in_5, found.in_10) == pytest.approx(((1 + 0.25 + 0.1) / 4, 0.5, 0.75))
